/** Per-frame scores in a bucket of a real S3 server: moved, read, shared, damaged, out of reach, and moved back. */
import assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { S3Proxy } from "../storages/s3-proxy.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { until } from "../waiting.ts";

interface Pair {
  readonly reference: string;
  readonly distorted: string;
}

const FILM = { ...SCENE, width: 160, height: 90, frames: 150 };
const PREFIX = "kept/results/";

let clips: Clips;
let s3: S3Server;
let proxy: S3Proxy;
let up: ControllerProcess;
let jobs: JobsClient;
let pair: Pair;
let other: Pair;
let results: string;

async function restart(args: readonly string[]): Promise<void> {
  const dataDir = clips.directory.file("data");
  up = await ControllerProcess.up({
    dataDir,
    args: ["--segment-seconds", "2", "--worst-stills", "0", ...args],
  });
  jobs = await JobsClient.of(up);
}

before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  pair = {
    reference: await pristine(directory, "film.y4m", FILM),
    distorted: await encode(directory, "film.mp4", FILM, LOSSY.h264),
  };
  const shorter = { ...FILM, frames: 149 };
  other = {
    reference: await pristine(directory, "other.y4m", shorter),
    distorted: await encode(directory, "other.mp4", shorter, LOSSY.h264),
  };
  s3 = await S3Server.start(directory.path);
  proxy = await S3Proxy.open(s3.endpoint);
  const credentials = { file: s3.credentials, profile: BUCKET };
  const service = { endpoint: proxy.endpoint, region: REGION, credentials, privateNetwork: true };
  results = directory.file("results.json");
  const bucket = `${BUCKET}/${PREFIX}`;
  await writeFile(results, JSON.stringify({ s3: { ...service, bucket }, scoresAfterDays: 0 }));
  await restart(["--results-storage", results]);
});
after(async () => {
  await up.stop();
  await proxy[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

const keysOf = (id: string) => s3.keys(`${PREFIX}dev/${id}/scores/`);
const framesUrl = (id: string, format: string) => `${up.rest}/v1/jobs/${id}/frames?format=${format}`;

interface Texts {
  readonly json: string;
  readonly csv: string;
}

/** Per-frame scores in both formats, without the id of the job. */
async function textsOf(id: string): Promise<Texts> {
  const [json, csv] = await Promise.all(
    ["json", "csv"].map(async (format) => {
      const response = await fetch(framesUrl(id, format));
      const text = await response.text();
      assert.equal(response.status, 200, text);
      return text.replaceAll(id, "ID");
    }),
  );
  assert.ok(json !== undefined && csv !== undefined);
  return { json, csv };
}

/** The status and code of a refused read. */
async function refusalOf(id: string): Promise<readonly [number, string]> {
  const response = await fetch(framesUrl(id, "json"));
  const text = await response.text();
  assert.ok(!text.includes(proxy.endpoint), "callers do not learn where the bucket is");
  return [response.status, JSON.parse(text).code];
}

/** Scores the pair while the bucket is down, so that its scores are in the database. */
async function scoredInDatabase(given: object = pair): Promise<{ readonly job: Job; readonly texts: Texts }> {
  proxy.isDown = true;
  const { id } = await jobs.submitAnew(given);
  const job = await jobs.until(id, "SUCCEEDED");
  const texts = await textsOf(id);
  assert.deepEqual(await keysOf(id), []);
  return { job, texts };
}

/** Waits until the scores of a job are only in the bucket. Returns the key of their object. */
async function movedKey(id: string): Promise<string> {
  proxy.isDown = false;
  await until(async () => (await keysOf(id)).length === 1, "the scores in the bucket");
  await until(async () => {
    const written = (await s3.keys(`${PREFIX}dev/`)).filter((key) => key.includes("/scores/"));
    return (await movedScores()) === written.length;
  }, "the rows that name the objects");
  const [key = ""] = await keysOf(id);
  return key;
}

async function movedScores(): Promise<number> {
  const text = await (await fetch(`${up.metrics}/metrics`)).text();
  const [, count] = /^svc_results_moved_total\{kind="scores",to="storage"\} (\d+)$/m.exec(text) ?? [];
  return Number(count);
}

/** Scores the pair, and waits until its scores are only in the bucket. */
async function inBucket(): Promise<{ readonly job: Job; readonly texts: Texts; readonly key: string }> {
  const { job, texts } = await scoredInDatabase();
  return { job, texts, key: await movedKey(job.id) };
}

test("scores are one object per job after the move, and every digit is the same", async () => {
  const { job, texts, key } = await inBucket();
  assert.ok(job.segmentsTotal > 1);
  assert.equal(texts.csv.trim().split("\n").length, FILM.frames + 1);
  assert.deepEqual(await textsOf(job.id), texts);
  const part = await fetch(`${framesUrl(job.id, "json")}&firstFrame=70&frameCount=3`);
  assert.deepEqual(JSON.parse(await part.text()).frames, JSON.parse(texts.json).frames.slice(70, 73));
  proxy.isDown = true;
  assert.deepEqual(await refusalOf(job.id), [503, "STORAGE_UNAVAILABLE"]);
  proxy.isDown = false;
  assert.deepEqual(await textsOf(job.id), texts);
  assert.ok((await s3.get(key)).length > 1_000, "not an object for each segment");
});

test("a job that reuses a result, and one that reuses its segments, have exactly the scores in the bucket", async () => {
  const { job, texts } = await inBucket();
  const answered = (await jobs.submit(pair)).body;
  assert.equal(answered.state, "SUCCEEDED");
  assert.deepEqual(await textsOf(answered.id), texts);
  await copyFile(clips.directory.file("film.mp4"), clips.directory.file("copy.mp4"));
  const copy = { ...pair, distorted: clips.directory.file("copy.mp4") };
  const { id } = (await jobs.submit(copy)).body;
  const pooled = await jobs.until(id, "SUCCEEDED");
  assert.equal(pooled.reuse?.segments, job.segmentsTotal);
  assert.equal(pooled.score, job.score);
  assert.deepEqual(await textsOf(id), texts);
  // They share the object, which outlives the job that wrote it.
  assert.deepEqual([await keysOf(id), await keysOf(answered.id)], [[], []]);
  assert.equal((await jobs.call("deleteJob", `/v1/jobs/${job.id}`, { method: "DELETE" })).status, 200);
  assert.deepEqual(await textsOf(id), texts);
});

test("an object that was replaced, shortened, emptied or deleted is an error", async () => {
  const { job, texts, key } = await inBucket();
  const content = await s3.get(key);
  const last = content.at(-1) ?? 0;
  const damages: readonly (() => Promise<void>)[] = [
    () => s3.put(key, Buffer.concat([content.subarray(0, -1), Buffer.from([~last & 255])])),
    () => s3.put(key, content.subarray(1)),
    () => s3.put(key, Buffer.alloc(0)),
    () => s3.delete(key),
  ];
  for (const [n, damage] of damages.entries()) {
    await damage();
    assert.deepEqual(await refusalOf(job.id), [500, "RESULT_DAMAGED"], `damage ${n}`);
    await s3.put(key, content);
  }
  assert.deepEqual(await textsOf(job.id), texts);
});

test("jobs with segments that cannot be read are scored again, with exactly the same scores", async () => {
  const { job, texts } = await scoredInDatabase(other);
  await s3.put(await movedKey(job.id), Buffer.from("other bytes"));
  assert.deepEqual(await refusalOf(job.id), [500, "RESULT_DAMAGED"]);
  await copyFile(other.distorted, clips.directory.file("again.mp4"));
  const { id } = (await jobs.submit({ ...other, distorted: clips.directory.file("again.mp4") })).body;
  const again = await jobs.until(id, "SUCCEEDED");
  assert.equal(again.reuse, undefined);
  assert.equal(again.score, job.score);
  assert.deepEqual(await textsOf(id), texts);
});

test("without the setting scores in the bucket are an error; moved back, they are the same", async () => {
  const { job, texts } = await inBucket();
  await up.stop();
  await restart([]);
  await up.logged(
    "stills, clips or per-frame scores are in a results storage, and cannot be read without --results-storage",
  );
  assert.deepEqual(await refusalOf(job.id), [503, "STORAGE_UNAVAILABLE"]);
  assert.equal((await jobs.get(job.id)).body.score, job.score);
  await up.stop();
  const dataDir = clips.directory.file("data");
  const move = ["migrate", "--results", "database", "--results-storage", results, "--data-dir", dataDir];
  // The object of an earlier test is damaged for good.
  const moved = await svc(move);
  assert.equal(moved.code, 1);
  assert.match(moved.stderr, /per-frame scores of job .* cannot be read from the results storage/);
  await restart([]);
  assert.deepEqual(await textsOf(job.id), texts);
});

async function svc(args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, args);
  return await running.ended();
}

/** Stills and clips in a bucket of a real S3 server: moved, served, damaged, out of reach, and moved back. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { type Ended, SVC, start } from "../cli/program.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { decode } from "../media/truth.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { type SidePlanes, StillsClient } from "../server/stills-client.ts";
import { S3Proxy } from "../storages/s3-proxy.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { until } from "../waiting.ts";

const FILM = { ...SCENE, width: 160, height: 90, frames: 150 };
const PREFIX = "kept/results/";

let clips: Clips;
let s3: S3Server;
let proxy: S3Proxy;
let up: ControllerProcess;
let jobs: JobsClient;
let stills: StillsClient;
let planes: SidePlanes;
let pair: { readonly reference: string; readonly distorted: string };
let results: string;

async function restart(args: readonly string[]): Promise<void> {
  const dataDir = clips.directory.file("data");
  up = await ControllerProcess.up({ dataDir, args: ["--segment-seconds", "2", ...args] });
  jobs = await JobsClient.of(up);
  stills = new StillsClient(up, jobs, planes);
}

before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  pair = {
    reference: await pristine(directory, "film.y4m", FILM),
    distorted: await encode(directory, "film.mp4", FILM, LOSSY.h264),
  };
  planes = {
    REFERENCE: await decode(directory, pair.reference, FILM),
    DISTORTED: await decode(directory, pair.distorted, FILM),
  };
  s3 = await S3Server.start(directory.path);
  proxy = await S3Proxy.open(s3.endpoint);
  const credentials = { file: s3.credentials, profile: BUCKET };
  const service = { endpoint: proxy.endpoint, region: REGION, credentials, privateNetwork: true };
  results = directory.file("results.json");
  await writeFile(results, JSON.stringify({ s3: { ...service, bucket: `${BUCKET}/${PREFIX}` } }));
  const storages = directory.file("storages.json");
  // The whole bucket, as of an operator who overlooked the results in it.
  await writeFile(storages, JSON.stringify({ storages: [{ s3: { ...service, buckets: [BUCKET] } }] }));
  await restart(["--results-storage", results, "--storages-file", storages]);
});
after(async () => {
  await up.stop();
  await proxy[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

const keysOf = (id: string, kind: string) => s3.keys(`${PREFIX}dev/${id}/${kind}/`);

/** Submits the pair, and waits for its stills in the place that they are moved to. */
async function scored(): Promise<string> {
  const { id } = await jobs.submitAnew(pair);
  await jobs.until(id, "SUCCEEDED");
  await stills.settled(id);
  return id;
}

async function inBucket(id: string): Promise<readonly string[]> {
  const { length } = await stills.list(id);
  await until(async () => (await keysOf(id, "still")).length === length, "the stills in the bucket");
  // The rows that name the objects follow them.
  await until(
    async () => (await metric("svc_results_moved_total", 'kind="still",to="storage"')) >= length,
    "rows",
  );
  return keysOf(id, "still");
}

async function metric(name: string, labels = ""): Promise<number> {
  const text = await (await fetch(`${up.metrics}/metrics`)).text();
  const line = text
    .split("\n")
    .find((one) => one.startsWith(labels === "" ? `${name} ` : `${name}{${labels}}`));
  return Number(line?.split(" ").at(-1));
}

const stillOf = (id: string, frame: number, side: string) =>
  fetch(`${up.rest}/v1/jobs/${id}/stills/${frame}/${side.toLowerCase()}`);

test("stills are moved to the bucket, and served from it as they were", async () => {
  const id = await scored();
  const listed = await stills.list(id);
  const keys = await inBucket(id);
  assert.equal(new Set(keys).size, listed.length);
  await stills.exact(id, listed);
  const inside = new Set(await Promise.all(keys.map(async (key) => (await s3.get(key)).toString("hex"))));
  for (const { frame, side } of listed) {
    const image = Buffer.from(await (await stillOf(id, frame, side)).arrayBuffer());
    assert.ok(inside.has(image.toString("hex")), "the image is that of the bucket");
  }
  // Without the bucket nothing is served, so the database does not have them.
  proxy.isDown = true;
  const [first] = listed;
  assert.ok(first);
  const refused = await stillOf(id, first.frame, first.side);
  proxy.isDown = false;
  assert.equal(refused.status, 503);
  const problem = await refused.text();
  assert.equal(JSON.parse(problem).code, "STORAGE_UNAVAILABLE");
  assert.ok(!problem.includes(proxy.endpoint), "callers do not learn where the bucket is");
  await until(
    async () => (await metric("svc_results_storage_up")) === 1,
    "the bucket to be noticed without a request",
  );
  await stills.exact(id, listed);
});

test("a clip is moved to the bucket, and served from it as it was", async () => {
  const id = await scored();
  const path = `/v1/jobs/${id}/clips`;
  assert.equal((await jobs.post("requestClips", path, { frames: [60] })).status, 202);
  await until(async () => (await keysOf(id, "clip")).length === 1, "the clip in the bucket");
  await until(
    async () => (await metric("svc_results_moved_total", 'kind="clip",to="storage"')) === 1,
    "its row",
  );
  const response = await fetch(`${up.rest}${path}/60`);
  const video = Buffer.from(await response.arrayBuffer());
  assert.deepEqual([response.status, response.headers.get("content-type")], [200, "video/mp4"]);
  const [key = ""] = await keysOf(id, "clip");
  assert.ok(video.length > 0 && video.equals(await s3.get(key)));
  await s3.put(key, Buffer.alloc(video.length, 1));
  const { status, body } = await jobs.call<{ code: string }>("getClip", `${path}/60`);
  assert.deepEqual([status, body.code], [500, "RESULT_DAMAGED"]);
});

test("an object that was replaced, shortened or deleted is an error, and its still can be made again", async () => {
  const id = await scored();
  const listed = await stills.list(id);
  const keys = await inBucket(id);
  const damages: readonly ((key: string, image: Buffer) => Promise<void>)[] = [
    (key, image) => s3.put(key, Buffer.from(image).fill(7, image.length - 1)),
    (key, image) => s3.put(key, image.subarray(1)),
    (key) => s3.put(key, Buffer.alloc(0)),
    (key) => s3.delete(key),
  ];
  for (const [n, damage] of damages.entries()) {
    const key = keys[n] ?? "";
    const image = await s3.get(key);
    const answers = async () =>
      Promise.all(
        listed.map(async ({ frame, side }) => {
          const answer = await stillOf(id, frame, side);
          const bytes = Buffer.from(await answer.arrayBuffer());
          return { frame, side, status: answer.status, bytes };
        }),
      );
    const before = await answers();
    const damaged = before.find(({ bytes }) => bytes.equals(image));
    assert.ok(damaged);
    await damage(key, image);
    for (const { frame, side, status, bytes } of await answers()) {
      const good = before.find((one) => one.frame === frame && one.side === side);
      if (frame !== damaged.frame || side !== damaged.side)
        assert.deepEqual([status, bytes], [good?.status, good?.bytes]);
      else assert.deepEqual([status, JSON.parse(String(bytes)).code], [500, "RESULT_DAMAGED"]);
    }
    await s3.put(key, image);
  }
  assert.ok((await metric("svc_results_damaged_total")) >= damages.length);
  const [first] = listed;
  assert.ok(first);
  assert.equal((await stills.delete(id, first.frame)).status, 200);
  assert.equal((await stills.ask(id, [first.frame])).status, 202);
  await stills.exact(id, await stills.settled(id));
});

test("while the bucket is down, jobs succeed and their stills are served by the database until it is back", async () => {
  proxy.isDown = true;
  const id = await scored();
  const listed = await stills.list(id);
  await up.logged("results storage unavailable for a maintenance task; retrying");
  await stills.exact(id, listed);
  assert.ok((await metric("svc_results_storage_failures_total", 'operation="put"')) > 0);
  assert.equal(await metric("svc_results_storage_up"), 0);
  assert.equal((await fetch(`${up.metrics}/readyz`)).status, 200);
  assert.deepEqual(await keysOf(id, "still"), []);
  proxy.isDown = false;
  await until(async () => (await keysOf(id, "still")).length === listed.length, "the stills in the bucket");
  await until(async () => (await metric("svc_results_storage_up")) === 1, "the metric");
  await stills.exact(id, listed);
});

test("no job can name what is in the bucket, and no list shows it", async () => {
  const id = await scored();
  const [key = ""] = await inBucket(id);
  await s3.put("film.mp4", Buffer.from("film"));
  for (const name of [`s3://${BUCKET}/${key}`, `s3://${BUCKET}/${PREFIX}x`]) {
    const { status, body } = await jobs.submit({ reference: name, distorted: pair.distorted });
    assert.deepEqual([status, body.code], [403, "URL_NOT_ALLOWED"]);
  }
  const listed = async (under: string) => {
    const path = `/v1/media?under=${encodeURIComponent(under)}`;
    const { status, body } = await jobs.call<{ entries: readonly { name: string }[] }>("listMedia", path);
    return { status, names: body.entries?.map(({ name }) => name) };
  };
  assert.ok((await listed(`s3://${BUCKET}/`)).names?.includes(`s3://${BUCKET}/film.mp4`));
  assert.deepEqual((await listed(`s3://${BUCKET}/kept/`)).names, []);
  for (const under of [`s3://${BUCKET}/${PREFIX}`, `s3://${BUCKET}/${PREFIX}dev/`])
    assert.equal((await listed(under)).status, 403);
});

test("without the setting stills in the bucket are an error; moved back, they are served again", async () => {
  const id = await scored();
  const listed = await stills.list(id);
  await inBucket(id);
  await up.stop();
  await restart([]);
  await up.logged(
    "stills, clips or per-frame scores are in a results storage, and cannot be read without --results-storage",
  );
  const [first] = listed;
  assert.ok(first);
  const refused = await stillOf(id, first.frame, first.side);
  assert.deepEqual([refused.status, JSON.parse(await refused.text()).code], [503, "STORAGE_UNAVAILABLE"]);
  assert.deepEqual(await stills.list(id), listed);
  const dataDir = clips.directory.file("data");
  const move = ["migrate", "--results", "database", "--results-storage", results, "--data-dir", dataDir];
  const busy = await svc(move);
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, /in use by process/);
  await up.stop();
  // The clip of an earlier test is damaged for good.
  const moved = await svc(move);
  assert.equal(moved.code, 1);
  assert.match(moved.stderr, /clip of frame 60 of job .* cannot be read from the results storage/);
  await restart([]);
  await stills.exact(id, listed);
});

async function svc(args: readonly string[]): Promise<Ended> {
  await using running = start(SVC, args);
  return await running.ended();
}

/** Results by content through `svc up`: the same question is answered at once, and only what changed is scored. */
import assert from "node:assert/strict";
import { copyFile, stat, utimes } from "node:fs/promises";
import { after, before, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { encode, LOSSY, SCENE } from "../media/clips.ts";
import { encodeGops } from "../media/gops.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";

/** Ten groups of pictures; segments of a second are two or three of them. */
const GOPS = { scene: { ...SCENE, frames: 120 }, count: 10, frames: 12, codec: LOSSY.h264, part: "mkv" };

interface Reused {
  readonly segments: number;
  readonly jobId?: string;
  readonly scoredTime?: string;
}
type Scored = Job & { readonly reuse?: Reused; readonly endTime?: string };

let clips: Clips;
let up: ControllerProcess;
let jobs: JobsClient;
let pair: { readonly reference: string; readonly distorted: string };
let changed: string;
let first: Scored;

before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  const reference = await encode(directory, "film.mp4", GOPS.scene, [...LOSSY.h264, "-crf", "8"]);
  pair = { reference, distorted: await encodeGops(directory, "encode.mp4", GOPS) };
  changed = await encodeGops(directory, "changed.mp4", {
    ...GOPS,
    change: { gop: 4, codec: ["-crf", "44"] },
  });
  up = await ControllerProcess.up({
    dataDir: directory.file("data"),
    args: ["--segment-seconds", "1"],
  });
  jobs = await JobsClient.of(up);
  for (const path of [reference, pair.distorted, changed]) await known(path);
  first = await scored(pair);
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

/** Milliseconds after a change from which a file is known by its times, and some more. */
const LEFT_ALONE_MS = 3_500;

/** Waits until a file has been left alone for long enough to be known by its times. */
const known = (path: string) =>
  until(async () => Date.now() - (await stat(path)).ctimeMs > LEFT_ALONE_MS, "the file is left alone");

async function scored(spec: object): Promise<Scored> {
  const { id } = (await jobs.submit(spec)).body;
  return jobs.settled(id);
}

/** The value of a metric without labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${up.metrics}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

async function framesOf({ id }: Job): Promise<string> {
  const answer = await fetch(`${up.rest}/v1/jobs/${id}/frames`, { headers: { accept: "text/csv" } });
  assert.equal(answer.status, 200);
  return answer.text();
}

/** The digits of a result, without what depends on its run. */
function digitsOf({ result }: Job): object {
  const { durationMs: _, ...digits } = { durationMs: 0, ...result };
  return digits;
}

test("an identical submission has succeeded when it is stored, with the same result and frames", async () => {
  const before = await metric("svc_work_claimed_total");
  const { status, body } = await jobs.submit({ ...pair, name: "again", labels: { release: "8" } });
  assert.deepEqual([status, body.state], [201, "SUCCEEDED"]);
  const answered = (await jobs.get(body.id)).body as Scored;
  assert.deepEqual(answered.result, first.result);
  assert.deepEqual(answered.reuse, {
    segments: first.segmentsTotal,
    jobId: first.id,
    scoredTime: first.endTime ?? "",
  });
  assert.equal(await framesOf(answered), await framesOf(first));
  assert.ok(answered.work?.every(({ state }) => state === "DONE"));
  const stills = async ({ id }: Job) => (await fetch(`${up.rest}/v1/jobs/${id}/stills`)).json();
  assert.deepEqual(await stills(answered), await stills(first));
  assert.equal(await metric("svc_work_claimed_total"), before, "no node got a task");
  assert.equal(await metric("svc_jobs_answered_total"), 1);
});

test("POST /v1/score and svc jobs submit --wait are answered, and --no-cache scores again", async () => {
  const before = await metric("svc_work_claimed_total");
  const answer = await fetch(`${up.rest}/v1/score`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(pair),
  });
  assert.deepEqual(digitsOf({ ...first, result: (await answer.json()) as never }), digitsOf(first));
  const submit = ["jobs", "submit", pair.reference, pair.distorted, "--wait", "--server", up.grpc];
  const { stdout } = await start(SVC, submit).ended();
  assert.match(stdout, new RegExp(`Reused: the result of job ${first.id} of `));
  assert.equal(await metric("svc_work_claimed_total"), before);
  const again = await start(SVC, [...submit, "--no-cache"]).ended();
  assert.doesNotMatch(again.stdout, /Reused/);
  const claimed = (await metric("svc_work_claimed_total")) - before;
  assert.ok(claimed >= 1 + first.segmentsTotal, `${claimed} tasks`);
});

test("of an encode with one changed group of pictures, at most two segments are scored", async () => {
  const one = await scored({ ...pair, distorted: changed });
  assert.ok(one.reuse !== undefined && one.reuse.jobId === undefined);
  const fresh = one.segmentsTotal - one.reuse.segments;
  assert.ok(fresh >= 1 && fresh <= 2, `${fresh} of ${one.segmentsTotal} segments were scored`);
  const whole = await scored({ ...pair, distorted: changed, noCache: true });
  assert.equal(whole.reuse, undefined);
  assert.deepEqual(digitsOf(one), digitsOf(whole));
  assert.equal(await framesOf(one), await framesOf(whole));
  assert.notEqual(one.score, first.score);
});

test("a file that was touched or copied is read again, and its segments are reused", async () => {
  const { atime, mtime } = await stat(pair.distorted);
  await utimes(pair.distorted, atime, mtime);
  const touched = await scored(pair);
  const all = { segments: first.segmentsTotal };
  assert.deepEqual(touched.reuse, all);
  const copy = clips.directory.file("copy.mp4");
  await copyFile(pair.distorted, copy);
  const copied = await scored({ ...pair, distorted: copy });
  assert.deepEqual(copied.reuse, all);
  for (const job of [touched, copied]) assert.deepEqual(digitsOf(job), digitsOf(first));
});

test("no result is reused for other models, metrics, frames, policies or estimates", async () => {
  for (const more of [
    { model: "vmaf_v0.6.1neg" },
    { features: ["psnr"] },
    { duration: 60 },
    { findings: { action: "WARN" } },
  ]) {
    const { reuse } = await scored({ ...pair, ...more });
    assert.equal(reuse, undefined, JSON.stringify(more));
  }
  const estimate = { tolerance: 5, seed: 3 };
  const estimated = await scored({ ...pair, estimate });
  assert.equal(estimated.reuse?.jobId, undefined);
  await known(pair.distorted);
  const seeded = await scored({ ...pair, estimate, noCache: true });
  const same = await scored({ ...pair, estimate });
  assert.equal(same.reuse?.jobId, seeded.id);
  assert.deepEqual(same.result, seeded.result);
});

test("a deleted result answers nothing", async () => {
  const asked = { ...pair, features: ["psnr_hvs"] };
  const one = await scored(asked);
  await fetch(`${up.rest}/v1/jobs/${one.id}`, { method: "DELETE" });
  assert.equal((await scored(asked)).reuse, undefined);
});

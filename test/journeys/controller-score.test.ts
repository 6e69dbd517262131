/** POST /v1/score through `svc up`: a request that waits for its job. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openUp } from "../acceptance/up.ts";
import type { Job } from "../server/jobs-client.ts";
import { score as scoreOverRest } from "../server/rest-client.ts";
import { sameResult } from "../server/same-result.ts";
import { until } from "../waiting.ts";

const opened = await openUp();
after(() => opened[Symbol.asyncDispose]());
const { clips, up, jobs, pair, scoredHere } = opened;

/**
 * Starts a score that takes minutes; resolves with its job once it is being scored. Each call needs a different
 * subsample.
 */
async function begin(subsample: number, init: RequestInit = {}) {
  await up.scorerGone();
  const answer = scoreOverRest(up, { ...clips.longPair, subsample }, init);
  answer.catch(() => {});
  const newest = async () => (await jobs.list("?pageSize=1")).body.jobs[0];
  const runs = async () => {
    const job = await newest();
    return job?.spec["subsample"] === subsample && job.state === "RUNNING";
  };
  await until(runs, "the job to run");
  await up.scorerRuns();
  return { answer, id: (await newest())?.id ?? "" };
}

/** Returns the number of requests whose client left before the response. */
async function left(): Promise<number> {
  const text = await (await fetch(`${up.metrics}/metrics`)).text();
  const line = /^svc_http_requests_total\{method="POST",route="\/v1\/score",status="499"\} (\d+)$/m;
  return Number(line.exec(text)?.[1] ?? 0);
}

test("POST /v1/score waits for its job and returns the result of svc score, with frames on request", async () => {
  const { status, body } = await scoreOverRest(up, { ...pair, frames: true, features: ["psnr"] });
  assert.equal(status, 200);
  const here = await scoredHere("--metric", "psnr", "--frames");
  sameResult(body, here);
  assert.ok(!Object.hasOwn((await scoreOverRest(up, clips.pair)).body, "frames"));
});

test("POST /v1/score returns 422 with the facts for faulty media", async () => {
  const { status, body } = await scoreOverRest(up, { ...pair, distorted: "/no/such.mp4" });
  assert.equal(status, 422);
  assert.equal(body.code, "MEDIA_NOT_FOUND");
});

test("POST /v1/score with respond-async returns 202 with the job's Location immediately; with wait=N the result if it is ready in time", async () => {
  const accepted = await jobs.post<Job>("score", "/v1/score", clips.longPair, { prefer: "respond-async" });
  assert.equal(accepted.status, 202);
  assert.equal(accepted.headers.get("location"), `/v1/jobs/${accepted.body.id}`);
  assert.equal(accepted.headers.get("preference-applied"), "respond-async");
  await jobs.until(accepted.body.id, "RUNNING");
  await jobs.cancel(accepted.body.id);
  const waited = await jobs.post("score", "/v1/score", clips.pair, { prefer: "respond-async, wait=600" });
  assert.equal(waited.status, 200);
});

test("POST /v1/score cancels the job and kills the scorer if the client leaves, unless it requested respond-async", async () => {
  for (const [prefer, state, subsample] of [
    ["", "CANCELLED", 2],
    ["respond-async, wait=600", "RUNNING", 3],
  ] as const) {
    const leave = new AbortController();
    const headers = { "content-type": "application/json", ...(prefer && { prefer }) };
    const { answer, id } = await begin(subsample, { headers, signal: leave.signal });
    const before = await left();
    leave.abort();
    await assert.rejects(answer, { name: "AbortError" });
    await until(async () => (await left()) > before, "the controller to see that the client left");
    await jobs.until(id, state);
    if (state === "RUNNING") await jobs.cancel(id);
    await up.scorerGone();
  }
});

test("POST /v1/score returns 409 to the waiting client if the job is cancelled", async () => {
  const { answer, id } = await begin(4);
  await jobs.cancel(id);
  const { status, body } = await answer;
  assert.equal(status, 409);
  assert.equal(body.code, "JOB_CANCELLED");
  assert.deepEqual(body.found, { jobId: id });
  await up.scorerGone();
});

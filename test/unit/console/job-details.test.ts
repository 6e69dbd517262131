/** Merging a job's details with its stream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { awaitsResult, newest } from "../../../web/src/api/job-details.ts";
import type { Job } from "../../../web/src/jobs/job-facts.ts";
import { job } from "./jobs.ts";

const RUNNING = job("1", {
  revision: 4,
  state: "RUNNING",
  progress: { framesDone: 50, framesTotal: 100, fps: 9 },
});
const DONE = { framesDone: 100, framesTotal: 100, fps: 9 };

test("a later state in the stream overrides the details, but keeps what only they have", () => {
  const plan = { plan: {} as NonNullable<Job["plan"]> };
  const streamed = job("1", { revision: 5, state: "CANCELLED" });
  assert.deepEqual(newest({ ...RUNNING, ...plan }, streamed), { ...RUNNING, ...plan, ...streamed });
  assert.equal(newest(RUNNING, { ...streamed, revision: 4 }), RUNNING, "the details are as new");
  assert.equal(newest(undefined, streamed), undefined, "the details are not loaded yet");
  assert.equal(newest(RUNNING, undefined), RUNNING);
});

test("a succeeded job stays running, at its last frame, until its result is loaded", () => {
  const streamed = job("1", { revision: 6, state: "SUCCEEDED", score: 90, progress: DONE });
  assert.deepEqual(newest(RUNNING, streamed), { ...RUNNING, progress: DONE });
  assert.equal(awaitsResult(RUNNING, streamed), true);
  const result = { result: { score: 90 } as NonNullable<Job["result"]> };
  const read = { ...streamed, ...result };
  assert.equal(newest(read, streamed), read);
  // Its stills have become ready since.
  const later = { ...streamed, revision: 7 };
  assert.deepEqual(newest(read, later), { ...later, ...result });
  assert.equal(awaitsResult(read, later), false);
  const diagnosis = {} as NonNullable<Job["diagnosis"]>;
  assert.equal(awaitsResult({ ...streamed, diagnosis }, later), false);
});

/** A job as the console shows it, of its details and its stream. */
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

test("what the stream says later goes before the details, and what only they have stays", () => {
  const plan = { plan: {} as NonNullable<Job["plan"]> };
  const told = job("1", { revision: 5, state: "CANCELLED" });
  assert.deepEqual(newest({ ...RUNNING, ...plan }, told), { ...RUNNING, ...plan, ...told });
  assert.equal(newest(RUNNING, { ...told, revision: 4 }), RUNNING, "the details are as new");
  assert.equal(newest(undefined, told), undefined, "they are not read yet");
  assert.equal(newest(RUNNING, undefined), RUNNING);
});

test("a job that has succeeded stays as it was, at its last frame, until its result is read", () => {
  const told = job("1", { revision: 6, state: "SUCCEEDED", score: 90, progress: DONE });
  assert.deepEqual(newest(RUNNING, told), { ...RUNNING, progress: DONE });
  assert.equal(awaitsResult(RUNNING, told), true);
  const result = { result: { score: 90 } as NonNullable<Job["result"]> };
  const read = { ...told, ...result };
  assert.equal(newest(read, told), read);
  // Its stills have come since.
  const later = { ...told, revision: 7 };
  assert.deepEqual(newest(read, later), { ...later, ...result });
  assert.equal(awaitsResult(read, later), false);
});

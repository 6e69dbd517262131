/** Which frames of a job are to be read: what is scored, once, and neighbours together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { framesOf, missingRanges } from "../../../web/src/job/frame-ranges.ts";

type Job = Parameters<typeof framesOf>[0];
type Work = NonNullable<Job["work"]>[number];

function piece(firstFrame: number, state: Work["state"], kind: Work["kind"] = "SEGMENT"): Work {
  return { kind, state, firstFrame, frameCount: kind === "PLAN" ? 0 : 25, attempt: 1, node: "one" };
}

function jobOf(work: readonly Work[], more: Partial<Job> = {}): Job {
  return {
    ...{
      id: "1",
      tenantId: "dev",
      spec: { reference: "/a", distorted: "/b" },
      state: "RUNNING",
      work: [...work],
    },
    ...{ segmentsTotal: 4, segmentsDone: 0, retries: 0, createTime: "", submittedBy: "", revision: 1 },
    ...more,
  };
}

test("done segments are read, those next to each other in one request", () => {
  const job = jobOf([
    piece(0, "DONE", "PLAN"),
    piece(75, "DONE"),
    piece(0, "DONE"),
    piece(25, "DONE"),
    piece(50, "LEASED"),
  ]);
  const { total, step, done } = framesOf(job);
  assert.deepEqual([total, step], [100, 1]);
  const ranges = missingRanges(done, []).map(({ first, count }) => ({ first, count }));
  assert.deepEqual(ranges, [
    { first: 0, count: 50 },
    { first: 75, count: 25 },
  ]);
  const held = [{ first: 0, count: 25 }];
  assert.deepEqual(
    missingRanges(done, held).map(({ first, count }) => [first, count]),
    [
      [25, 25],
      [75, 25],
    ],
  );
  assert.deepEqual(missingRanges(done, done), []);
});

test("before a plan nobody knows how many frames there are", () => {
  assert.equal(framesOf(jobOf([piece(0, "LEASED", "PLAN")])).total, 0);
});

test("a job that succeeded and tells no pieces of work is read whole", () => {
  const progress = { framesDone: 100, framesTotal: 100, fps: 25 };
  const { done } = framesOf(jobOf([], { state: "SUCCEEDED", progress }));
  assert.deepEqual(done, [{ first: 0, count: 100 }]);
});

test("every n-th frame is scored where the job says so", () => {
  assert.equal(framesOf(jobOf([], { spec: { reference: "/a", distorted: "/b", subsample: 5 } })).step, 5);
});

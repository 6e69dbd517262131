/** Ranges of frames to load: scored frames, each once, with adjacent segments merged. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { framesOf, missingRanges } from "../../../web/src/job/frames/frame-ranges.ts";

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

test("loads done segments, adjacent ones in one request", () => {
  const job = jobOf([
    piece(0, "DONE", "PLAN"),
    piece(75, "DONE"),
    piece(0, "DONE"),
    piece(25, "DONE"),
    piece(50, "LEASED"),
  ]);
  const { total, step, done } = framesOf(job);
  assert.deepEqual([total, step], [100, 1]);
  const ranges = missingRanges(done, [], false).map(({ first, count }) => ({ first, count }));
  assert.deepEqual(ranges, [
    { first: 0, count: 50 },
    { first: 75, count: 25 },
  ]);
  const held = [{ first: 0, count: 25 }];
  assert.deepEqual(
    missingRanges(done, held, false).map(({ first, count }) => [first, count]),
    [
      [25, 25],
      [75, 25],
    ],
  );
  assert.deepEqual(missingRanges(done, done, false), []);
});

test("the number of frames is 0 before the plan", () => {
  assert.equal(framesOf(jobOf([piece(0, "LEASED", "PLAN")])).total, 0);
});

test("loads a succeeded job without listed tasks as a whole", () => {
  const progress = { framesDone: 100, framesTotal: 100, fps: 25 };
  const { done } = framesOf(jobOf([], { state: "SUCCEEDED", progress }));
  assert.deepEqual(done, [{ first: 0, count: 100 }]);
});

test("takes the step from the job's subsample", () => {
  assert.equal(framesOf(jobOf([], { spec: { reference: "/a", distorted: "/b", subsample: 5 } })).step, 5);
});

test("asks at once for all frames of an estimate that has ended, without those between its units", () => {
  const units = [
    { first: 32, count: 16 },
    { first: 90, count: 18 },
    { first: 400, count: 16 },
  ];
  assert.deepEqual(missingRanges(units, [], true), [{ first: 32, count: 50, segments: units }]);
  const [held = { first: 0, count: 0 }, ...others] = units;
  assert.deepEqual(
    missingRanges(units, [held], true).map(({ first, count }) => ({ first, count })),
    others,
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { firstFrames, type ScoredSpan, scoreSpans, worstSpans } from "../../../../src/jobs/scores/spans.ts";
import { vmafSeries } from "../../../cli/series.ts";

test("a shot has the mean of its frames, its lowest score and the first frame with it", () => {
  const frames = vmafSeries([90, 80, 80, 50, 70]);
  assert.deepEqual(scoreSpans([0, 3], frames, "vmaf"), [
    { firstFrame: 0, frameCount: 3, mean: 83.333333, min: 80, worstFrame: 1 },
    { firstFrame: 3, frameCount: 2, mean: 60, min: 50, worstFrame: 3 },
  ]);
});

test("segments begin at the frame nearest to their time, and those shorter than a frame are left out", () => {
  assert.deepEqual(firstFrames([0, 2, 4.004, 4.01, 6], 25), [0, 50, 100, 150]);
  assert.deepEqual(firstFrames([0, 2.002, 4.004], 30_000 / 1001), [0, 60, 120]);
  assert.deepEqual(firstFrames([], 25), []);
});

test("a shot without a score, as subsampling leaves, is left out", () => {
  const every4th = {
    length: 3,
    frame: (row: number) => row * 4,
    value: (_: string, row: number) => 90 - row,
  };
  assert.deepEqual(
    scoreSpans([0, 5, 7, 9], every4th, "vmaf").map(({ firstFrame, frameCount, mean }) => [
      firstFrame,
      frameCount,
      mean,
    ]),
    [
      [0, 5, 89.5],
      [7, 2, 88],
    ],
  );
  assert.deepEqual(scoreSpans([0, 1], vmafSeries([]), "vmaf"), []);
  assert.deepEqual(scoreSpans([], vmafSeries([1]), "vmaf"), []);
});

test("shots contain every frame once, and their means weigh as the mean of all", () => {
  const video = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(video, fc.array(fc.nat(199)), (scores, cuts) => {
      const starts = [0, ...new Set(cuts)].filter((start) => start < scores.length);
      const sorted = [...new Set(starts)].sort((one, other) => one - other);
      const shots = scoreSpans(sorted, vmafSeries(scores), "vmaf");
      let next = 0;
      for (const { firstFrame, frameCount } of shots) {
        assert.equal(firstFrame, next);
        next += frameCount;
      }
      assert.equal(next, scores.length);
      const sum = shots.reduce((all, { mean, frameCount }) => all + mean * frameCount, 0);
      assert.ok(Math.abs(sum - scores.reduce((all, score) => all + score, 0)) < 1e-3);
      for (const { min, worstFrame } of shots) assert.equal(scores[worstFrame], min);
    }),
  );
});

test("the worst shots have the lowest means; of equal ones, the earlier is first", () => {
  const shots = [70, 60, 60, 90].map((mean, firstFrame) => ({ mean, firstFrame }) as ScoredSpan);
  assert.deepEqual(
    worstSpans(shots, 3).map(({ firstFrame }) => firstFrame),
    [1, 2, 0],
  );
});

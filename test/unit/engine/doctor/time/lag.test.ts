/** Encodes of slow scenes that lag by a part of a frame. Lost or added frames show only as a change of the offset. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alignTime, type TimeRelation } from "../../../../../src/engine/doctor/time/align.ts";
import { picturesOf, span } from "./moving-texture.ts";

const SCENE = 5;
/** Moments per frame: the scene moves by a fifth of a sample from frame to frame. */
const SLOW = 0.25;
const NOISE = 9;
const REFERENCE = picturesOf(SCENE, slow(span(0, 100)), { noise: NOISE });

function slow(frames: readonly number[]): number[] {
  return frames.map((frame) => 40 + SLOW * frame);
}

/** Aligns the scene with an encode of the given frames that lags behind them by `lag` frames. */
function aligned(frames: readonly number[], lag: number): TimeRelation {
  const shown = slow(frames.map((frame) => frame - lag));
  return alignTime(REFERENCE, picturesOf(SCENE, shown, { seed: 2, noise: NOISE }));
}

const runsOf = ({ runs }: TimeRelation) =>
  runs.map(({ reference, distorted, count }) => [reference, distorted, count]);

for (const lag of [0.3, 0.5, 0.7])
  describe(`an encode that lags by ${lag} frames`, () => {
    test("frames in step are aligned, with no events", () => {
      const relation = aligned(span(0, 100), lag);
      assert.equal(relation.state, "aligned");
      assert.deepEqual(relation.events, []);
    });
    for (const [name, frames, runs] of [
      [
        "a duplicated frame",
        [...span(0, 50), 49, ...span(50, 50)],
        [
          [0, 0, 50],
          [50, 51, 50],
        ],
      ],
      [
        "a dropped frame",
        [...span(0, 50), ...span(51, 49)],
        [
          [0, 0, 50],
          [51, 50, 49],
        ],
      ],
      [
        "a drop made up by a duplicate",
        [...span(0, 30), ...span(31, 40), ...span(70, 30)],
        [
          [0, 0, 30],
          [31, 30, 40],
          [71, 71, 29],
        ],
      ],
    ] as const)
      test(name, () => {
        const relation = aligned(frames, lag);
        assert.equal(relation.state, "shifted");
        assert.equal(relation.confidence, "likely");
        assert.deepEqual(runsOf(relation), runs);
      });
    test("does not take an offset for lost frames", () => {
      assert.deepEqual(runsOf(aligned(span(5, 95), lag)), [[5, 0, 95]]);
    });
  });

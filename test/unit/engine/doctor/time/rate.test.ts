import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alignTime } from "../../../../../src/engine/doctor/time/align.ts";
import { distortedFeatures, referenceFeatures } from "../../../../../src/engine/doctor/time/features.ts";
import { bestRate, rateCandidates } from "../../../../../src/engine/doctor/time/rate.ts";
import { picturesOf, span } from "./moving-texture.ts";

const REFERENCE = picturesOf(3, span(0, 60));

/** Pictures of `count` frames that show `step` moments each. */
function retimed(count: number, step: number) {
  return picturesOf(
    3,
    span(0, count).map((frame) => Math.round(frame * step)),
    { seed: 2 },
  );
}

describe("frame rates", () => {
  for (const [name, count, ratio] of [
    ["25 and 50", 120, 2],
    ["50 and 25", 30, 1 / 2],
    ["24 and 30", 75, 5 / 4],
    ["30 and 25", 50, 5 / 6],
  ] as const)
    test(`${name} are found and aligned at the slower side's rate`, () => {
      const distorted = retimed(count, 1 / ratio);
      const candidates = rateCandidates({ rate: 25, count: 60 }, { rate: 25, count });
      const found = bestRate(referenceFeatures(REFERENCE), distortedFeatures(distorted), candidates);
      assert.ok(Math.abs(found.ratio - ratio) < 1e-6 && found.match > 0.8, JSON.stringify(found));
      assert.equal(alignTime(REFERENCE, distorted, { ratio }).runs.length, 1);
    });
  test("the same frames with another stated rate keep the ratio 1", () => {
    const candidates = rateCandidates({ rate: 23.976, count: 60 }, { rate: 24, count: 60 });
    assert.equal(candidates[0], 1);
    const found = bestRate(referenceFeatures(REFERENCE), distortedFeatures(retimed(60, 1)), candidates);
    assert.equal(found.ratio, 1);
  });
  test("ratios that do not fit the counts are tried only if the tags state them", () => {
    assert.deepEqual(rateCandidates({ rate: 25, count: 100 }, { rate: 25, count: 98 }), [1]);
    assert.deepEqual(rateCandidates({ rate: 25, count: 100 }, { rate: 50, count: 100 }).slice(0, 2), [1, 2]);
  });
});

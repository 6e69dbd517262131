import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  estimateMean,
  UNSEEN_DEPTH,
  type UnitScore,
  unseenShare,
} from "../../../../src/engine/estimate/mean.ts";
import { samplingPlan } from "../../../../src/engine/estimate/sampling-plan.ts";

const UNIT = fc
  .record({ frames: fc.integer({ min: 1, max: 60 }), mean: fc.integer({ min: 0, max: 100 }) })
  .map(({ frames, mean }) => ({ frames, sum: frames * mean }));

function meanOf(units: readonly UnitScore[]): number {
  const total = (key: keyof UnitScore) => units.reduce((sum, unit) => sum + unit[key], 0);
  return total("sum") / total("frames");
}

function at(units: readonly UnitScore[]): (unit: number) => UnitScore {
  return (unit) => units[unit] ?? { frames: Number.NaN, sum: Number.NaN };
}

test("is exact for all units", () => {
  fc.assert(
    fc.property(fc.array(UNIT, { minLength: 1, maxLength: 80 }), fc.nat(), (units, seed) => {
      const all = estimateMean(samplingPlan(units.length, seed), units.length, at(units));
      assert.ok(Math.abs(all.mean - meanOf(units)) < 1e-9);
      assert.equal(all.halfWidth, 0);
      assert.equal(all.units, units.length);
    }),
  );
});

test("computes the published formulas", () => {
  // Strata of 3, 2 and 2 units of 10 frames, in which units 2, 3 and 6 are drawn.
  const plan = {
    seed: 0,
    order: Uint32Array.of(3, 6, 2, 0, 1, 4, 5),
    starts: Uint32Array.of(0, 5, 3, 1, 2, 4, 6),
  };
  const sums = new Map([
    [2, 500],
    [3, 800],
    [6, 900],
  ]);
  const { mean, halfWidth, frames } = estimateMean(plan, 3, (unit) => {
    return { frames: 10, sum: sums.get(unit) ?? Number.NaN };
  });
  assert.equal(frames, 30);
  // R = (3·500 + 2·800 + 2·900) / (3·10 + 2·10 + 2·10) = 70; z = −200, 100, 200.
  assert.equal(mean, 70);
  // v = (6·300²/2 + 2·(300² + 100²)/4 + 2·100²/2) / 70² = 67.3469; one pair: ν = 1, t = 15.0112.
  assert.equal(halfWidth.toFixed(2), (15.0112 * Math.sqrt(330_000 / 4900)).toFixed(2));
  assert.ok(halfWidth > UNSEEN_DEPTH * unseenShare(3, 7));
});

test("is unbiased for units of one length", () => {
  // A mean of 20,000 estimates has a standard error of its spread / √20,000.
  const units = Array.from({ length: 37 }, (_, unit) => ({
    frames: 16,
    sum: 16 * (unit % 7 === 0 ? 20 : 60 + unit),
  }));
  const errors = Array.from({ length: 20_000 }, (_, seed) => {
    return estimateMean(samplingPlan(units.length, seed), 11, at(units)).mean - meanOf(units);
  });
  const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const spread = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
  assert.ok(Math.abs(bias) < (4 * spread) / Math.sqrt(errors.length), `bias ${bias}, spread ${spread}`);
});

test("has an interval even if all units of the sample are the same", () => {
  const { mean, halfWidth } = estimateMean(samplingPlan(1000, 1), 100, () => ({ frames: 16, sum: 1600 }));
  assert.equal(mean, 100);
  // −ln 0.05 / (−1000 · ln 0.9) = 2.84 % of the video.
  assert.equal((halfWidth / UNSEEN_DEPTH).toFixed(4), "0.0284");
});

test("misses a share of unseenShare with a probability of 5 %", () => {
  // 28 units of 1000, far from each other, and samples of 100.
  let missed = 0;
  for (let seed = 0; seed < 4000; seed++) {
    const sample = samplingPlan(1000, seed).order.subarray(0, 100);
    if (sample.every((unit) => unit % 36 !== 5)) missed++;
  }
  assert.equal(Math.ceil(1000 / 36), 28);
  assert.ok(missed / 4000 < 0.055, `${missed} of 4000`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_SEED, type SamplingPlan, samplingPlan } from "../../../../src/engine/estimate/sampling-plan.ts";

const SIZES = fc.integer({ min: 1, max: 300 });
const SEEDS = fc.integer({ min: 0, max: MAX_SEED });

test("draws every unit once", () => {
  fc.assert(
    fc.property(SIZES, SEEDS, (units, seed) => {
      const { order } = samplingPlan(units, seed);
      assert.deepEqual(
        [...order].sort((a, b) => a - b),
        Array.from({ length: units }, (_, unit) => unit),
      );
    }),
  );
});

test("has one unit in each stratum after every step, and strata of similar sizes", () => {
  fc.assert(
    fc.property(SIZES, SEEDS, (units, seed) => {
      const plan = samplingPlan(units, seed);
      for (let steps = 1; steps <= units; steps++) {
        const strata = strataOf(plan, steps);
        for (const { first, end, drawn } of strata) assert.ok(first <= drawn && drawn < end);
        const sizes = strata.map(({ first, end }) => end - first);
        assert.ok(Math.max(...sizes) <= 2 * Math.min(...sizes) + 1, `${sizes.join(" ")} after ${steps}`);
      }
    }),
    { numRuns: 40 },
  );
});

/** The first `steps` strata, in the order of time, each with the unit that is at the same place among the drawn ones. */
function strataOf({ order, starts }: SamplingPlan, steps: number) {
  const sorted = [...starts.slice(0, steps)].sort((a, b) => a - b);
  const units = [...order.slice(0, steps)].sort((a, b) => a - b);
  return sorted.map((first, index) => {
    return { first, end: sorted[index + 1] ?? order.length, drawn: units[index] ?? Number.NaN };
  });
}

test("draws each unit of a stratum with the same probability", () => {
  // Three strata of 20 units and two of 10: where in its stratum the unit lies, in tenths.
  const counts = Array.from({ length: 10 }, () => 0);
  for (let seed = 0; seed < 4000; seed++) {
    for (const { first, end, drawn } of strataOf(samplingPlan(80, seed), 5)) {
      const place = Math.floor((10 * (drawn - first)) / (end - first));
      counts[place] = (counts[place] ?? 0) + 1;
    }
  }
  // χ² with 9 degrees of freedom exceeds 27.9 with a probability of 0.001.
  const square = counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
  assert.ok(square < 27.9, `χ² = ${square}`);
});

test("is the same in every version", () => {
  assert.deepEqual([...samplingPlan(12, 1).order], [2, 9, 3, 6, 5, 0, 11, 8, 4, 1, 10, 7]);
  assert.deepEqual([...samplingPlan(12, 1).starts], [0, 6, 3, 9, 4, 1, 10, 8, 5, 2, 11, 7]);
});

test("differs between seeds", () => {
  assert.notDeepEqual(samplingPlan(100, 1).order, samplingPlan(100, 2).order);
});

test("refuses units and seeds that are out of range", () => {
  assert.throws(() => samplingPlan(0, 1), RangeError);
  assert.throws(() => samplingPlan(1.5, 1), RangeError);
  for (const seed of [-1, 0.5, MAX_SEED + 1, Number.NaN])
    assert.throws(() => samplingPlan(5, seed), RangeError);
});

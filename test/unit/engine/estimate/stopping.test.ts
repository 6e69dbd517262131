import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { estimateMean, UNSEEN_DEPTH, unseenShare } from "../../../../src/engine/estimate/mean.ts";
import { samplingPlan } from "../../../../src/engine/estimate/sampling-plan.ts";
import { assess, looks } from "../../../../src/engine/estimate/stopping.ts";

const UNITS = Array.from({ length: 2000 }, (_, unit) => {
  return { frames: 16, sum: 16 * (70 + ((unit * 37) % 21)) };
});

test("looks at ascending numbers of units, up to all", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0.01, max: 50, noNaN: true }),
      (units, tolerance) => {
        const sizes = looks(units, tolerance);
        assert.equal(sizes.at(-1), units);
        for (const [index, size] of sizes.entries()) assert.ok(size > (sizes[index - 1] ?? 0));
      },
    ),
  );
});

test("looks at no more than a third of the units before it looks at all", () => {
  assert.deepEqual(looks(1000, 0.5), [1000]);
  assert.ok((looks(5000, 0.5).at(-2) ?? 0) <= 5000 / 3);
});

test("requests all units after a trial of 80 if a third of them would not suffice", () => {
  const plan = samplingPlan(UNITS.length, 3);
  const scored = new Set(plan.order.subarray(0, 80));
  const halves = (unit: number) => ({ frames: 16, sum: unit % 2 === 0 ? 0 : 1600 });
  const { precise, needed } = assess(plan, 0.5, (unit) => (scored.has(unit) ? halves(unit) : undefined));
  assert.deepEqual({ precise, needed }, { precise: false, needed: UNITS.length });
  assert.deepEqual(assess(plan, 0.5, halves).estimate?.halfWidth, 0);
});

test("looks first when unseen parts can weigh no more than the tolerance", () => {
  const [first = 0] = looks(5000, 0.5);
  assert.ok(UNSEEN_DEPTH * unseenShare(first, 5000) <= 0.5);
  assert.ok(UNSEEN_DEPTH * unseenShare(first - 1, 5000) > 0.5);
});

test("looks at no fewer than 40 units, however large the tolerance", () => {
  assert.equal(looks(5000, 50)[0], 40);
  assert.deepEqual(looks(40, 50), [40]);
  assert.deepEqual(looks(3, 50), [3]);
});

test("asks for the units of the next look, and stops when the interval is narrow enough", () => {
  const plan = samplingPlan(UNITS.length, 3);
  const sizes = looks(UNITS.length, 0.5);
  const scored = new Set<number>();
  let assessment = assess(plan, 0.5, () => undefined);
  assert.deepEqual(assessment, { estimate: undefined, precise: false, needed: 80 }, "a trial");
  while (!assessment.precise) {
    for (const unit of plan.order.subarray(0, assessment.needed)) scored.add(unit);
    assessment = assess(plan, 0.5, (unit) => (scored.has(unit) ? UNITS[unit] : undefined));
  }
  assert.ok(assessment.estimate && assessment.estimate.halfWidth <= 0.5);
  assert.ok(sizes.includes(assessment.needed));
  assert.equal(scored.size, assessment.estimate.units);
  assert.ok(scored.size < UNITS.length / 2);
});

test("ends at the same estimate in whichever order units are scored, and however many beyond it", () => {
  const plan = samplingPlan(UNITS.length, 3);
  const ended = assess(plan, 0.5, (unit) => UNITS[unit]);
  fc.assert(
    fc.property(fc.shuffledSubarray([...plan.order], { minLength: 0 }), (arrived) => {
      const scored = new Set(arrived);
      const assessment = assess(plan, 0.5, (unit) => (scored.has(unit) ? UNITS[unit] : undefined));
      const complete = plan.order.subarray(0, ended.needed).every((unit) => scored.has(unit));
      assert.equal(assessment.precise, complete);
      if (complete) assert.deepEqual(assessment, ended);
      else assert.ok(assessment.needed <= ended.needed);
    }),
    { numRuns: 50 },
  );
});

test("reports the last complete look while the next is being scored", () => {
  const plan = samplingPlan(UNITS.length, 3);
  const [first = 0, second = 0] = looks(UNITS.length, 0.5);
  const missing = plan.order[second - 1];
  const { estimate, needed } = assess(plan, 0.5, (unit) => (unit === missing ? undefined : UNITS[unit]));
  assert.equal(needed, second);
  assert.deepEqual(
    estimate,
    estimateMean(plan, first, (unit) => UNITS[unit] ?? { frames: 0, sum: 0 }),
  );
});

test("refuses a tolerance that is not above 0", () => {
  for (const tolerance of [0, -1, Number.NaN]) assert.throws(() => looks(100, tolerance), RangeError);
});

/** Rungs that are wasted, too close, misplaced or missing, and the ladders that are proposed. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { proposedLadder } from "../../../src/rates/proposal.ts";
import { rungFaults } from "../../../src/rates/rungs.ts";
import { random } from "../random.ts";

const point = (rate: number, score: number) => ({ rate, score });

describe("rungs", () => {
  const found = (...points: readonly (readonly [number, number])[]) =>
    rungFaults(points.map(([rate, score]) => point(rate, score))).map(({ kind, rung, other, points: by }) => [
      kind,
      rung.rate,
      other.rate,
      Math.round(10 * by) / 10,
    ]);

  test("an even ladder has no fault", () => {
    assert.deepEqual(found([500, 60], [1000, 70], [2000, 79], [4000, 87]), []);
  });
  test("a rung that needs more bits for no more quality is dominated, in any order of the points", () => {
    assert.deepEqual(found([3000, 78], [1000, 70], [2000, 79], [3100, 79]), [
      ["DOMINATED", 3000, 2000, 1],
      ["DOMINATED", 3100, 2000, 0],
    ]);
  });
  test("equal points are kept once", () => {
    assert.deepEqual(found([1000, 70], [1000, 70]), [["DOMINATED", 1000, 1000, 0]]);
  });
  test("a rung 1.9 points above the one below is too close, and one 2 points above is not", () => {
    assert.deepEqual(found([1000, 70], [1100, 71.9]), [["CLOSE", 1100, 1000, 1.9]]);
    assert.deepEqual(found([1000, 70], [1100, 72]), []);
  });
  test("a rung below the line between its neighbours is below the hull", () => {
    assert.deepEqual(found([1000, 60], [2000, 63], [3000, 72]), [["BELOW_HULL", 2000, 1000, 3]]);
    assert.deepEqual(found([1000, 60], [2000, 65.1], [3000, 72]), []);
  });
  test("a step of more than 12 points has a gap, with a rate between", () => {
    const [gap, ...others] = rungFaults([point(1000, 60), point(4000, 80)]);
    assert.deepEqual([gap?.kind, gap?.points, others], ["GAP", 20, []]);
    assert.ok(Math.abs((gap?.rate ?? 0) - 2000) < 1e-9, "the mean of the logarithms");
    assert.deepEqual(found([1000, 60], [2000, 72]), []);
  });
  test("rungs without a rate or score have no fault", () => {
    assert.deepEqual(found([1000, 60], [Number.NaN, 80]), []);
    assert.deepEqual(found([0, 60], [1000, 80]), []);
    assert.deepEqual(found([1000, Number.POSITIVE_INFINITY], [2000, 80]), []);
    assert.deepEqual(found(), []);
  });
});

describe("a proposed ladder", () => {
  const hull = [point(500, 60), point(1000, 72), point(2000, 82), point(4000, 90)];

  test("goes down from the best encode in equal steps, at rates of the curve", () => {
    const rungs = proposedLadder([...hull, point(3000, 70)], { step: 10 });
    assert.deepEqual(
      rungs.map(({ score, reason }) => [score, reason]),
      [
        [90, "BEST"],
        [80, "STEP"],
        [70, "STEP"],
        [60, "STEP"],
      ],
    );
    assert.equal(rungs[0]?.rate, 4000);
    assert.ok(Math.abs((rungs[3]?.rate ?? 0) - 500) < 1e-6);
    assert.ok((rungs[1]?.rate ?? 0) > 1000 && (rungs[1]?.rate ?? 0) < 2000);
    assert.equal(rungs[1]?.like.rate, 2000);
  });
  test("begins at the largest rate", () => {
    const [top] = proposedLadder(hull, { step: 5, maxRate: 3000 });
    assert.deepEqual([top?.rate, top?.reason], [3000, "MAX_RATE"]);
    assert.ok((top?.score ?? 0) > 82 && (top?.score ?? 0) < 90);
  });
  test("does not exist without two encodes on the hull, or with none within the rate", () => {
    assert.deepEqual(proposedLadder([point(500, 60), point(900, 59)], { step: 5 }), []);
    assert.deepEqual(proposedLadder(hull, { step: 5, maxRate: 400 }), []);
    assert.deepEqual(proposedLadder([], { step: 5 }), []);
  });
  test("rises in rate and score, within the encodes, for random ladders", () => {
    const draw = random(3);
    for (let round = 0; round < 500; round++) {
      const points = Array.from({ length: 2 + Math.floor(8 * draw()) }, () =>
        point(100 + 8000 * draw(), 100 * draw()),
      );
      const rungs = proposedLadder(points, { step: 1 + 9 * draw(), maxRate: 500 + 9000 * draw() });
      const rates = points.map(({ rate }) => rate);
      for (const [index, { rate, score }] of rungs.entries()) {
        const above = rungs[index - 1];
        assert.ok(above === undefined || (rate < above.rate && score < above.score));
        assert.ok(rate >= Math.min(...rates) - 1e-6 && rate <= Math.max(...rates) + 1e-6);
      }
      assert.ok(rungFaults(points).every(({ points: by }) => by >= 0));
    }
  });
});

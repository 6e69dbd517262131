/** The convex hull of encodes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { upperHull } from "../../../src/rates/hull.ts";
import type { RatePoint } from "../../../src/rates/points.ts";

function pairs(points: readonly RatePoint[]): (readonly [number, number])[] {
  return points.map(({ rate, score }) => [rate, score]);
}

function points(list: readonly (readonly [number, number])[]): RatePoint[] {
  return list.map(([rate, score]) => ({ rate, score }));
}

/** Integers, so that points on a line are on it exactly. */
const some = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 40 })), {
    minLength: 1,
    maxLength: 30,
  })
  .map(points);

test("keeps the encodes that are best for their bits", () => {
  const encodes = points([
    [1000, 80],
    [500, 60],
    [2000, 85],
    [700, 66],
    [3000, 84],
    [1500, 82],
    [500, 55],
  ]);
  assert.deepEqual(pairs(upperHull(encodes)), [
    [500, 60],
    [1000, 80],
    [2000, 85],
  ]);
});

test("handles no points, one point, and points without a rate or a score", () => {
  assert.deepEqual(upperHull([]), []);
  assert.deepEqual(pairs(upperHull(points([[1, 2]]))), [[1, 2]]);
  assert.deepEqual(
    pairs(
      upperHull(
        points([
          [1, 2],
          [Number.NaN, 90],
          [2, Number.NaN],
        ]),
      ),
    ),
    [[1, 2]],
  );
});

test("the hull consists of given points, rises, and every further bit buys less", () => {
  fc.assert(
    fc.property(some, (encodes) => {
      const hull = upperHull(encodes);
      assert.ok(hull.length > 0);
      assert.ok(hull.every((point) => encodes.includes(point)));
      const slopes = hull.slice(1).map((point, index) => {
        const before = hull[index] ?? point;
        assert.ok(point.rate > before.rate && point.score > before.score);
        return (point.score - before.score) / (point.rate - before.rate);
      });
      for (const [index, slope] of slopes.entries())
        assert.ok(slope < (slopes[index - 1] ?? Number.POSITIVE_INFINITY));
    }),
  );
});

test("no encode, and so no mixture of encodes, is above the hull", () => {
  fc.assert(
    fc.property(some, (encodes) => {
      const hull = upperHull(encodes);
      for (const { rate, score } of encodes) {
        const after = hull.findIndex((point) => point.rate >= rate);
        const right = hull[after];
        const left = after > 0 ? hull[after - 1] : undefined;
        if (right === undefined) assert.ok(score <= (hull.at(-1)?.score ?? Number.NaN));
        else if (left === undefined) assert.ok(rate === right.rate && score <= right.score);
        else {
          const share = (rate - left.rate) / (right.rate - left.rate);
          assert.ok(score <= left.score + share * (right.score - left.score) + 1e-9);
        }
      }
    }),
  );
});

test("neither the order of points nor points below it change the hull", () => {
  fc.assert(
    fc.property(some, (encodes) => {
      const hull = pairs(upperHull(encodes));
      assert.deepEqual(pairs(upperHull(encodes.toReversed())), hull);
      assert.deepEqual(pairs(upperHull(upperHull(encodes))), hull);
      const worse = encodes.map(({ rate, score }) => ({ rate: rate + 1, score: score - 1 }));
      assert.deepEqual(pairs(upperHull([...encodes, ...worse])), hull);
    }),
  );
});

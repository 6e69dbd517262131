/** Akima's curve and the cubic polynomial, against scipy 1.17.1 (Akima1DInterpolator) and numpy 2.4.6 (polyfit). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { akima } from "../../../src/rates/akima.ts";
import { cubic } from "../../../src/rates/cubic.ts";
import type { Knots } from "../../../src/rates/hermite.ts";

function near(actual: number, expected: number): void {
  assert.ok(
    Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected)),
    `${actual} is not ${expected}`,
  );
}

test("Akima's curve matches scipy, with turning points and with straight stretches", () => {
  const turning = akima([
    [0, 0],
    [1, 0.1],
    [2, 3],
    [4, 2],
    [7, 2.5],
    [8.5, 2.5],
  ]);
  const expected = [
    [0.2, -0.19966451612903224],
    [0.5, -0.2830645161290323],
    [1.5, 1.7013337468982632],
    [3, 2.504583033788641],
    [5, 2.1824506749740396],
    [6.5, 2.4607995846313604],
    [8, 2.522222222222222],
  ] as const;
  for (const [x, y] of expected) near(turning.at(x), y);
  near(turning.integral(0.3, 8.1), 16.12350978699044);
  const straight = akima([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [5, 3],
    [6, 3],
  ]);
  const values = [
    [0.2, 0.2],
    [1.5, 1.5],
    [2.5, 2.5625],
    [4, 3.125],
    [5.5, 3],
  ] as const;
  for (const [x, y] of values) near(straight.at(x), y);
  near(straight.integral(0.3, 5.9), 13.363333333333335);
});

test("two knots give Akima a straight line", () => {
  const line = akima([
    [1, 2],
    [3, 6],
  ]);
  near(line.at(2.5), 5);
  near(line.integral(1, 3), 8);
});

test("with more than four knots, the cubic has the least squared errors, as numpy's polyfit", () => {
  const knots: Knots = [
    [31, 2.1],
    [33, 2.3],
    [36, 2.55],
    [38, 2.8],
    [41, 3.3],
    [44, 3.6],
  ];
  const curve = cubic(knots);
  near(curve.at(37), 2.7018081587651217);
  assert.ok(Math.abs(curve.integral(32, 43) - 30.72557936726639) < 1e-9);
});

test("knots that are too few or do not ascend give no curve", () => {
  const twice: Knots = [
    [1, 1],
    [1, 2],
    [2, 3],
  ];
  assert.throws(() => akima(twice), RangeError);
  assert.throws(() => akima([[1, 1]]), RangeError);
  assert.throws(() => cubic(twice), RangeError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { student975 } from "../../../src/statistics/student.ts";

/** The probability outside ±t, by the density in terms of the angle a: t = √ν·tan a, density ∝ cos^(ν − 1) a. */
function outside(freedom: number, t: number): number {
  const limit = Math.atan(t / Math.sqrt(freedom));
  const steps = 20_000;
  const area = (from: number, to: number) => {
    const width = (to - from) / steps;
    let sum = 0;
    for (let step = 0; step < steps; step++) sum += Math.cos(from + (step + 0.5) * width) ** (freedom - 1);
    return sum * width;
  };
  const beyond = area(limit, Math.PI / 2);
  return beyond / (area(0, limit) + beyond);
}

test("agrees with the published table", () => {
  const table = [
    [3, 3.1824],
    [4, 2.7764],
    [5, 2.5706],
    [10, 2.2281],
    [30, 2.0423],
    [100, 1.984],
    [1e6, 1.96],
  ] as const;
  for (const [freedom, quantile] of table) assert.equal(student975(freedom).toFixed(4), quantile.toFixed(4));
});

test("leaves 5 % outside from 2.5 degrees of freedom, and less below", () => {
  for (const freedom of [2.5, 3.7, 4.4, 5, 7.5, 12, 40]) {
    const probability = outside(freedom, student975(freedom));
    assert.ok(Math.abs(probability - 0.05) < 2e-6, `${freedom}: ${probability}`);
  }
  for (const freedom of [1, 1.3, 1.9, 2.2]) {
    const probability = outside(freedom, student975(freedom));
    assert.ok(probability > 0.042 && probability < 0.05, `${freedom}: ${probability}`);
  }
});

test("refuses less than one degree of freedom", () => {
  assert.throws(() => student975(0.9), RangeError);
  assert.throws(() => student975(Number.NaN), RangeError);
});

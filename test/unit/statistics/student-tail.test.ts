import assert from "node:assert/strict";
import { test } from "node:test";
import { student975 } from "../../../src/statistics/student.ts";
import { studentBelow } from "../../../src/statistics/student-tail.ts";

test("has the closed forms of 1, 2 and 4 degrees of freedom", () => {
  for (let t = -50; t <= 50; t += 0.37) {
    const two = 0.5 + t / (2 * Math.sqrt(2 + t * t));
    const root = t / Math.sqrt(4 + t * t);
    const four = 0.5 + (root * (3 - root * root)) / 4;
    for (const [freedom, expected] of [
      [1, 0.5 + Math.atan(t) / Math.PI],
      [2, two],
      [4, four],
    ] as const)
      assert.ok(Math.abs(studentBelow(t, freedom) - expected) < 1e-12, `${t} with ${freedom}`);
  }
});

test("agrees with published quantiles far out", () => {
  // The 0.999 quantiles of tables of Student's t, to four decimals.
  for (const [freedom, quantile] of [
    [5, 5.8934],
    [10, 4.1437],
    [29, 3.3962],
    [39, 3.3128],
    [120, 3.1595],
  ] as const)
    assert.ok(Math.abs(studentBelow(-quantile, freedom) - 0.001) < 5e-7, String(freedom));
  for (const freedom of [3, 9, 29, 200])
    assert.ok(Math.abs(studentBelow(student975(freedom), freedom) - 0.975) < 1e-5);
});

test("is monotone, symmetric and within 0 and 1", () => {
  for (const freedom of [0.5, 3, 30, 1e6]) {
    let before = 0;
    for (let t = -40; t <= 40; t += 0.25) {
      const below = studentBelow(t, freedom);
      assert.ok(below >= before && below >= 0 && below <= 1);
      assert.ok(Math.abs(below + studentBelow(-t, freedom) - 1) < 1e-12);
      before = below;
    }
  }
  assert.equal(studentBelow(0, 7), 0.5);
  assert.equal(studentBelow(Number.NEGATIVE_INFINITY, 7), 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { valueAxis } from "../../src/cli/score/axis.ts";

function labels(min: number, max: number, maxTicks: number): string[] {
  const axis = valueAxis(min, max, maxTicks);
  return axis.ticks.map((tick) => tick.toFixed(axis.decimals));
}

test("uses round numbers around the values as ticks", () => {
  assert.deepEqual(labels(18.7, 100, 6), ["0", "20", "40", "60", "80", "100"]);
  assert.deepEqual(labels(93.65, 99.7, 6), ["92", "94", "96", "98", "100"]);
  assert.deepEqual(labels(0.9712, 0.9803, 4), ["0.970", "0.975", "0.980", "0.985"]);
});

test("puts a constant value at the top of the axis", () => {
  assert.deepEqual(labels(100, 100, 6), ["99.0", "100.0"]);
  assert.deepEqual(labels(1, 1, 6), ["0.900", "1.000"]);
});

test("covers every value with at most the given number of ticks", () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(value, value, fc.integer({ min: 2, max: 12 }), (a, b, maxTicks) => {
      const [min, max] = [Math.min(a, b), Math.max(a, b)];
      fc.pre(max === min || max - min > 1e-6);
      const { low, high, ticks } = valueAxis(min, max, maxTicks);
      assert.ok(low <= min && high >= max && high > low);
      assert.ok(ticks.length >= 2 && ticks.length <= maxTicks);
    }),
  );
});

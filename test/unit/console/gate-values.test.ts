/** Values of gates as text: the digits tell value and limit apart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { gateValueText } from "../../../web/src/gates/value-text.ts";

test("two decimals, and as many more as show on which side of the limit the value is", () => {
  const cases: readonly (readonly [value: number, limit: number, text: string])[] = [
    [95.123456, 93, "95.12"],
    [93, 93, "93.00"],
    [92.996, 93, "92.996"],
    [92.999_96, 93, "92.99996"],
    [93.000_001, 93, "93.000001"],
    [92.9967, 92.9968, "92.9967"],
    [92.9968, 92.9968, "92.9968"],
    [0.951_23, 0.951_24, "0.95"],
    [-0.001, 0, "-0.001"],
  ];
  for (const [value, limit, text] of cases) assert.equal(gateValueText(value, limit), text);
});

test("six decimals at most, rounded away from a limit that is nearer than that", () => {
  assert.equal(gateValueText(92.999_999_9, 93), "92.999999");
  assert.equal(gateValueText(93.000_000_1, 93), "93.000001");
});

test("a text is on the same side of the limit as its value", () => {
  const hundredths = fc.integer({ min: -1000, max: 10_000 }).map((number) => number / 100);
  fc.assert(
    fc.property(hundredths, fc.double({ min: -0.02, max: 0.02, noNaN: true }), (limit, by) => {
      const value = limit + by;
      const text = gateValueText(value, limit);
      assert.equal(Math.sign(Number(text) - limit), Math.sign(value - limit), text);
      assert.match(text, /^-?\d+\.\d{2,6}$/);
      assert.ok(Math.abs(Number(text) - value) <= 0.005 + 1e-9);
    }),
  );
});

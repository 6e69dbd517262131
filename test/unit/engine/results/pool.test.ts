import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameTable } from "../../../../src/engine/frames/frame-table.ts";
import { poolValues } from "../../../../src/engine/results/pool.ts";
import { poolTable } from "../../../engine/pool-table.ts";

test("pools by the published formulas", () => {
  const pooled = poolValues(Float64Array.of(90, 80, 100, 70));
  // harmonic: 4 / (1/91 + 1/81 + 1/101 + 1/71) − 1; deviation √125; ranks of 70 80 90 100
  assert.deepEqual(pooled, {
    mean: 85,
    harmonicMean: 83.530519,
    min: 70,
    max: 100,
    stdDev: 11.18034,
    p1: 70.3,
    p5: 71.5,
    p10: 73,
    p50: 85,
  });
});

test("pools one frame to its own value", () => {
  const pooled = poolValues(Float64Array.of(93.123456));
  assert.ok(pooled);
  const { stdDev, ...values } = pooled;
  assert.equal(stdDev, 0);
  for (const value of Object.values(values)) assert.equal(value, 93.123456);
});

test("returns undefined without frames", () => {
  assert.equal(poolValues(new Float64Array()), undefined);
});

test("skips a value that is not finite only in its own metric", () => {
  const table = new FrameTable(["vmaf", "psnr_y"], 1);
  table.append(0, [50, Number.POSITIVE_INFINITY]);
  table.append(1, [60, 40]);
  const pooled = poolTable(table);
  assert.equal(pooled["vmaf"]?.mean, 55);
  assert.equal(pooled["psnr_y"]?.mean, 40);
});

test("keeps the order of percentiles and means for any values", () => {
  const values = fc.array(fc.integer({ min: 0, max: 100_000_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(values, (micros) => {
      const pooled = poolValues(Float64Array.from(micros, (micro) => micro / 1e6));
      assert.ok(pooled);
      const { min, p1, p5, p10, p50, max, mean, harmonicMean } = pooled;
      assert.ok(min <= p1 && p1 <= p5 && p5 <= p10 && p10 <= p50 && p50 <= max);
      assert.ok(min <= mean + 1e-6 && mean <= max + 1e-6);
      assert.ok(harmonicMean <= mean + 1e-6);
    }),
  );
});

/** Compares a result with the oracle's digit by digit. */
import assert from "node:assert/strict";
import type { Pooled, ScoreResult } from "../../src/engine/contract/result.ts";
import type { Truth } from "../media/truth.ts";

/** Half a unit of the sixth decimal, plus the error of doubles. */
const ROUNDING = 5.001e-7;

/** Checks that frames and all metrics that the oracle logged equal the oracle's in every frame. */
export function assertSameDigits(result: Pick<ScoreResult, "frameCount" | "frames">, truth: Truth): void {
  assert.equal(result.frameCount, truth.frames, "frames scored");
  assert.equal(result.frames.length, truth.frames, "rows of the table");
  for (const [row, expected] of truth.rows.entries()) {
    assert.equal(result.frames.frame(row), expected.frame, `number of row ${row}`);
    for (const [metric, value] of Object.entries(expected.metrics)) {
      const got = result.frames.value(metric, row);
      assert.equal(got, value ?? undefined, `${metric} of frame ${expected.frame}`);
    }
  }
}

/** Checks every pooled value against one computed here from the oracle's digits in another way. */
export function assertPooled(result: ScoreResult, truth: Truth): void {
  const names = new Set(truth.rows.flatMap((row) => Object.keys(row.metrics)));
  for (const name of names) {
    const values = truth.rows.map((row) => row.metrics[name]).filter((value) => typeof value === "number");
    const pooled = result.pooled[name];
    if (values.length === 0) {
      assert.equal(pooled, undefined, `${name} has no finite value to pool`);
      continue;
    }
    assert.ok(pooled, `${name} is pooled`);
    for (const [statistic, expected] of Object.entries(pool(values))) {
      const got = pooled[statistic as keyof Pooled];
      const off = Math.abs(got - expected);
      assert.ok(
        off <= ROUNDING * Math.max(1, Math.abs(expected) * 1e-6),
        `${name} ${statistic}: ${got} instead of ${expected}`,
      );
    }
  }
  assert.equal(result.score, result.pooled["vmaf"]?.mean);
}

/** Computes in whole millionths, so that no sum depends on the order of its terms. */
function pool(values: readonly number[]): Pooled {
  const micro = values.map((value) => BigInt(Math.round(value * 1e6)));
  const n = BigInt(micro.length);
  const sum = micro.reduce((total, value) => total + value, 0n);
  const squares = micro.reduce((total, value) => total + value * value, 0n);
  const inverses = values.map((value) => 1 / (value + 1)).sort((a, b) => Math.abs(a) - Math.abs(b));
  const sorted = micro.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map((value) => Number(value) / 1e6);
  return {
    mean: Number(sum) / Number(n) / 1e6,
    harmonicMean: values.length / inverses.reduce((total, value) => total + value, 0) - 1,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    stdDev: Math.sqrt(Number(n * squares - sum * sum)) / Number(n) / 1e6,
    p1: percentile(sorted, 0.01),
    p5: percentile(sorted, 0.05),
    p10: percentile(sorted, 0.1),
    p50: percentile(sorted, 0.5),
  };
}

function percentile(sorted: readonly number[], share: number): number {
  const rank = share * (sorted.length - 1);
  const lower = Math.floor(rank);
  const weight = rank - lower;
  return (sorted[lower] ?? 0) * (1 - weight) + (sorted[Math.min(lower + 1, sorted.length - 1)] ?? 0) * weight;
}

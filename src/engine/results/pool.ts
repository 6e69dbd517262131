/**
 * Pools the values of many frames into one. Pooling always happens here, in frame order, from the per-frame values with
 * the six decimals that the scorer prints. The result is therefore the same to the last digit for every way of cutting.
 */

import type { Pooled } from "../contract/result.ts";
import type { FrameTable } from "../frames/frame-table.ts";

/**
 * Pools the finite values of one metric; undefined if there are none.
 *
 * - mean: Σx / n
 * - harmonicMean: n / Σ(1 / (x + 1)) − 1, libvmaf's definition (VMAF_POOL_METHOD_HARMONIC_MEAN)
 * - stdDev: population, √(Σ(x − mean)² / n)
 * - percentile p: linear between ranks, rank = p/100 · (n − 1) (NumPy's default)
 *
 * Results are rounded to six decimals, the precision of the values. The values are sorted in place.
 */
export function poolValues(values: Float64Array): Pooled | undefined {
  const n = values.length;
  if (n === 0) return undefined;
  let sum = 0;
  let inverse = 0;
  for (const x of values) {
    sum += x;
    inverse += 1 / (x + 1);
  }
  const mean = sum / n;
  let squares = 0;
  for (const x of values) squares += (x - mean) ** 2;
  const sorted = values.sort();
  return {
    mean: round(mean),
    harmonicMean: round(n / inverse - 1),
    min: percentile(sorted, 0),
    max: percentile(sorted, 100),
    stdDev: round(Math.sqrt(squares / n)),
    p1: percentile(sorted, 1),
    p5: percentile(sorted, 5),
    p10: percentile(sorted, 10),
    p50: percentile(sorted, 50),
  };
}

/**
 * Pools every metric of a table that has finite values. All use the same scratch memory, because a film has hundreds of
 * thousands of frames.
 */
export function* poolMetrics(table: FrameTable): Generator<readonly [string, Pooled]> {
  const scratch = new Float64Array(table.length);
  for (const metric of table.metrics) {
    const result = poolValues(finiteValues(table, metric, scratch));
    if (result) yield [metric, result];
  }
}

function finiteValues(table: FrameTable, metric: string, scratch: Float64Array): Float64Array {
  let count = 0;
  for (let row = 0; row < table.length; row++) {
    const value = table.value(metric, row);
    if (value !== undefined) scratch[count++] = value;
  }
  return scratch.subarray(0, count);
}

function percentile(sorted: Float64Array, p: number): number {
  const rank = (p / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? below;
  return round(below + (above - below) * (rank - Math.floor(rank)));
}

/** Rounds to six decimals. */
export function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

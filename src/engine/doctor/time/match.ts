/** How alike the frames are that an alignment pairs. */
import type { Run } from "../../contract/alignment.ts";
import { pairsIn } from "../../planning/pairing.ts";
import { productOfBytes } from "../sums.ts";
import type { Features } from "./features.ts";

/** Pairs of frames that are looked at. */
const SAMPLE = 48;

/** Median correlation of the local contrast of paired frames, 0 to 1; about 0 for other content. 0 without pairs. */
export function matchOf(reference: Features, distorted: Features, runs: readonly Run[]): number {
  const pairs = pairsIn(runs);
  const step = Math.max(1, Math.floor(pairs / SAMPLE));
  const found: number[] = [];
  for (const run of runs)
    for (let index = 0; index < run.count; index += step)
      found.push(correlation(reference, run.reference + index, distorted, run.distorted + index));
  found.sort((a, b) => a - b);
  return Math.max(0, found[Math.floor(found.length / 2)] ?? 0);
}

/** Local contrast has a mean of about 0. Pictures without contrast correlate with nothing. */
export function correlation(a: Features, row: number, b: Features, column: number): number {
  const one = a.values.subarray(row * a.cells, (row + 1) * a.cells);
  const other = b.values.subarray(column * b.cells, (column + 1) * b.cells);
  const [left, right] = [productOfBytes(one, one), productOfBytes(other, other)];
  return left > 0 && right > 0 ? productOfBytes(one, other) / Math.sqrt(left * right) : 0;
}

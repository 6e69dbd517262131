/** How the scores of frames are distributed. */
import { ticks } from "../../../../src/rates/ticks.ts";
import type { Column } from "./column.ts";

/** Approximate number of bins: as many as a person can compare. */
const BINS = 16;

/** Frames whose scores are at least `from` and below `to`; the last bin includes its end. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly frames: number;
  /** Frames of this bin and all lower ones. */
  readonly upTo: number;
}

/** Counts the scores of the rows from ≤ row < to in bins of one round width, from the lowest score to the highest. */
export function distributionOf(column: Column, from: number, to: number): readonly Bin[] {
  const scores = Array.from({ length: Math.max(0, to - from) }, (_, index) => column.at(from + index)).filter(
    Number.isFinite,
  );
  if (scores.length === 0) return [];
  const { low, high } = column.extremes(from, to);
  const edges = ticks(column.at(low), column.at(high), BINS);
  const width = (edges[1] as number) - (edges[0] as number);
  const counts = Array.from({ length: edges.length - 1 }, () => 0);
  for (const score of scores) {
    const bin = Math.min(counts.length - 1, Math.floor((score - (edges[0] as number)) / width + 1e-9));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  let upTo = 0;
  return counts.map((frames, index) => {
    upTo += frames;
    return { from: edges[index] as number, to: edges[index + 1] as number, frames, upTo };
  });
}

/**
 * Finds how much of both ends of an alignment is too still to show where its first offset begins and its last one
 * ends.
 */
import type { Run } from "../../contract/alignment.ts";
import { valueAt } from "./band.ts";
import type { Costs } from "./distances.ts";
import { offsetOf } from "./segments.ts";

/**
 * Evidence against another offset that noise alone can cause, as a sum of natural logarithms of squared distances.
 * Empirical.
 */
const NOISE = 5;
/** The same for a single frame. */
const FRAME_NOISE = 1;
/** Fewest frames of an open end that are reported: frames are hardly ever lost or added among fewer. Empirical. */
const FEWEST = 24;

/** Numbers of the reference's frames at the beginning of the first run and at the end of the last one. */
export interface OpenEnds {
  readonly first: number;
  readonly last: number;
}

export const NO_OPEN_ENDS: OpenEnds = { first: 0, last: 0 };

/**
 * Returns how many frames would fit equally well if both videos began together, and how many if they ended together.
 * Frames may have been lost or added among them. Plain frames of the reference fit everywhere, as those after a fade.
 */
export function openEndsOf(runs: readonly Run[], costs: Costs, plain: readonly boolean[]): OpenEnds {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return NO_OPEN_ENDS;
  const { rows, columns } = costs.both;
  const rowsFrom = (from: number, step: 1 | -1, count: number) =>
    Array.from({ length: count }, (_, index) => from + step * index);
  const end = last.reference + last.count - 1;
  return {
    first: openRows(rowsFrom(first.reference, 1, first.count), [offsetOf(first), 0], costs, plain),
    last: openRows(rowsFrom(end, -1, last.count), [offsetOf(last), columns - rows], costs, plain),
  };
}

/** Number of leading rows that fit about as well at another offset as at their own. */
function openRows(
  rows: readonly number[],
  [own, other]: readonly [number, number],
  { both }: Costs,
  plain: readonly boolean[],
): number {
  if (own === other) return 0;
  let [against, open] = [0, 0];
  for (const [index, row] of rows.entries()) {
    // The other offset may lie outside of the band.
    const gain = plain[row] ? 0 : valueAt(both, row, other) - valueAt(both, row, own);
    if (Number.isNaN(gain)) break;
    against += gain;
    if (against > NOISE) break;
    if (gain <= FRAME_NOISE) open = index + 1;
  }
  return open < FEWEST ? 0 : open;
}

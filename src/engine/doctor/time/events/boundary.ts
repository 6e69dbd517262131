/** Finds where one run of an alignment ends and the next begins, as exactly as the evidence shows it. */
import type { Run } from "../../../contract/alignment.ts";
import { valueAt } from "../band.ts";
import type { Costs } from "../distances.ts";
import { gainOver, offsetOf } from "../segments.ts";

/**
 * A place is possible if it costs at most this much more than the best place; a sum of natural logarithms. Empirical.
 */
const TOLERANCE = 1.5;

export interface Boundary {
  /** First and last frame of the reference at which the offset may change. */
  readonly earliest: number;
  readonly latest: number;
  /** The smaller of two gains: that of the first run over the offset of the second, and the other way round. */
  readonly gain: number;
}

export function boundaryOf(before: Run, after: Run, costs: Costs): Boundary {
  const place = before.reference + before.count;
  const lost = after.reference - place;
  const price = (row: number, offset: number) => {
    const cost = valueAt(costs.both, row, offset);
    return Number.isNaN(cost) ? 0 : cost;
  };
  let earliest = place;
  // Each step back moves one frame to the later run, which pairs it at its own offset.
  for (let row = place - 1, more = 0; row > before.reference; row--) {
    more += price(row + lost, offsetOf(after)) - price(row, offsetOf(before));
    if (more > TOLERANCE) break;
    if (more <= TOLERANCE) earliest = row;
  }
  let latest = place;
  for (let row = place, more = 0; row + lost < after.reference + after.count - 1; row++) {
    more += price(row, offsetOf(before)) - price(row + lost, offsetOf(after));
    if (more > TOLERANCE) break;
    latest = row + 1;
  }
  const gains = [gainOver(costs, before, offsetOf(after)), gainOver(costs, after, offsetOf(before))];
  return { earliest, latest, gain: Math.min(...gains.map(({ pictures, changes }) => pictures + changes)) };
}

/** Where one run of an alignment ends and the next begins, as far as the evidence shows it. */
import type { Run } from "../../contract/alignment.ts";
import { valueAt } from "./band.ts";
import type { Costs } from "./distances.ts";
import { gainOver, offsetOf } from "./segments.ts";

/** Places count as possible if the evidence for the best place is weaker than this. */
const TOLERANCE = 1.5;

export interface Boundary {
  /** First and last frame of the reference at which the change of the offset may be. */
  readonly earliest: number;
  readonly latest: number;
  /** The weaker of the two runs' evidence against the offset of the other. */
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
  // A frame moves to the later run: at the lower end it is paired with that run's offset.
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

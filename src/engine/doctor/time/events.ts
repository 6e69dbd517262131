/** Events between and within the runs of an alignment: frames that are lost, added, frozen or repeated. */
import type { Run } from "../../contract/alignment.ts";
import type { FrameSpan } from "../../contract/finding.ts";
import type { Side } from "../../contract/request.ts";
import { boundaryOf } from "./boundary.ts";
import type { Costs, Motion } from "./distances.ts";
import type { Features } from "./features.ts";
import { correlation } from "./match.ts";
import { offsetOf } from "./segments.ts";

export interface TimeEvent {
  /**
   * dropped: frames of the reference that the distorted video lacks. duplicated: a frame of the distorted video shown
   * again, all later ones come later. frozen: the same, but later frames come in time. repeated: other frames of the reference again. inserted: other content.
   */
  readonly kind: "dropped" | "duplicated" | "frozen" | "repeated" | "inserted";
  /** The side whose frames are counted. */
  readonly side: Side;
  readonly frames: FrameSpan;
  /** The first and the last frame at which the event may start, within the evidence. */
  readonly earliest: number;
  readonly latest: number;
  /** Evidence, as a sum of natural logarithms of squared distances; 0: not measured in this way. */
  readonly gain: number;
}

export interface Evidence {
  readonly costs: Costs;
  readonly motion: Motion;
  readonly reference: Features;
  readonly distorted: Features;
}

/** Correlation from which frames show the same content. */
const ALIKE = 0.3;
/** Motion of a frame that stands still, relative to the same frame of the reference. */
const STILL = 0.1;

export function eventsOf(runs: readonly Run[], evidence: Evidence): TimeEvent[] {
  return runs.slice(1).flatMap((run, index) => eventsBetween(runs[index] as Run, run, evidence));
}

function eventsBetween(before: Run, after: Run, evidence: Evidence): TimeEvent[] {
  const boundary = boundaryOf(before, after, evidence.costs);
  const lost = {
    first: before.reference + before.count,
    count: after.reference - before.reference - before.count,
  };
  const added = {
    first: before.distorted + before.count,
    count: after.distorted - before.distorted - before.count,
  };
  const events: TimeEvent[] = [];
  if (lost.count > 0) events.push({ kind: "dropped", side: "reference", frames: lost, ...boundary });
  if (added.count > 0) {
    const kind = kindOfAdded(added, [offsetOf(before), offsetOf(after)], evidence);
    const shift = offsetOf(before);
    const [earliest, latest] = [boundary.earliest + shift, boundary.latest + shift];
    events.push({ kind, side: "distorted", frames: added, earliest, latest, gain: boundary.gain });
  }
  return events;
}

/** Added frames that move are frames of the reference shown again, before or after their turn, or of other content. */
function kindOfAdded(
  { first, count }: FrameSpan,
  offsets: readonly number[],
  { reference, distorted, motion }: Evidence,
): TimeEvent["kind"] {
  let [moved, usual] = [0, 0];
  // The change to the first added frame may be a jump.
  for (let column = first + 1; column < first + count; column++) {
    moved += motion.distorted[column] as number;
    usual += motion.reference[column - (offsets[0] as number)] ?? 0;
  }
  if (count === 1 || moved <= STILL * usual) return "duplicated";
  const middle = first + Math.floor(count / 2);
  const alike = offsets.map((offset) => middle - offset).filter((row) => row >= 0 && row < reference.count);
  return alike.some((row) => correlation(reference, row, distorted, middle) >= ALIKE)
    ? "repeated"
    : "inserted";
}

/** Finds events between and within the runs of an alignment: frames that are lost, added, frozen or repeated. */
import type { Run } from "../../../contract/alignment.ts";
import type { FrameSpan } from "../../../contract/finding.ts";
import type { Side } from "../../../contract/request.ts";
import type { Costs, Motion } from "../distances.ts";
import type { Features } from "../features.ts";
import { contrastOf, correlation } from "../match.ts";
import { offsetOf } from "../segments.ts";
import { boundaryOf } from "./boundary.ts";

export interface TimeEvent {
  /**
   * dropped: the distorted video lacks frames of the reference.
   * duplicated: the distorted video repeats a frame, and all later frames are late.
   * frozen: the same, but later frames are in time.
   * repeated: the distorted video shows other frames of the reference again.
   * inserted: the distorted video shows other content.
   */
  readonly kind: "dropped" | "duplicated" | "frozen" | "repeated" | "inserted";
  /** The side whose frames are counted. */
  readonly side: Side;
  readonly frames: FrameSpan;
  /** The first and the last frame at which the event may start, according to the evidence. */
  readonly earliest: number;
  readonly latest: number;
  /** Strength of the evidence, as a sum of natural logarithms of squared distances; 0: not measured in this way. */
  readonly gain: number;
}

export interface Evidence {
  readonly costs: Costs;
  readonly motion: Motion;
  readonly reference: Features;
  readonly distorted: Features;
}

/** Least correlation of frames that show the same content. Empirical. */
const ALIKE = 0.3;
/** Least contrast at the end of a held picture, as a part of that at its beginning. Empirical. */
const KEPT = 0.8;
/** Most motion of frames that stand still, as a part of the reference's motion in the same frames. Empirical. */
const STILL = 0.1;

export function eventsOf(runs: readonly Run[], evidence: Evidence): TimeEvent[] {
  return runs.slice(1).flatMap((run, index) => eventsBetween(runs[index] as Run, run, evidence));
}

/**
 * Whether an event is a picture that fades out instead of standing still: it loses contrast. At low rates, encodes
 * keep faint pictures at the end of a fade a little longer.
 */
export function isFade({ kind, frames: { first, count } }: TimeEvent, distorted: Features): boolean {
  // The last frame can already be the next picture.
  return kind === "frozen" && contrastOf(distorted, first + count - 2) < KEPT * contrastOf(distorted, first);
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

/**
 * The kind of an event that adds frames. Added frames that move either show frames of the reference before or after
 * their time, or other content.
 */
function kindOfAdded(
  { first, count }: FrameSpan,
  offsets: readonly number[],
  { reference, distorted, motion }: Evidence,
): TimeEvent["kind"] {
  let [moved, usual] = [0, 0];
  // The change to the first added frame is left out, because it may be a jump.
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

/** The event of frames of the distorted video that show other frames than their own. */
export function stretchOf(kind: "frozen" | "repeated", first: number, count: number): TimeEvent {
  return { kind, side: "distorted", frames: { first, count }, earliest: first, latest: first, gain: 0 };
}

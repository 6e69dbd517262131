/**
 * Lines that encoders and packagers add at the end of a frame to fill blocks, such as 1088 lines for 1080. Thresholds
 * were tuned on the development half of the corpus of bench/doctor.
 */
import { WHOLE } from "./box.ts";
import type { Plane } from "./plane.ts";
import { judge, type Registration } from "./register.ts";
import type { Axes, PlanePair } from "./tile-places.ts";
import { IDENTITY } from "./view.ts";

/** Most lines that are added, in samples. */
export const FILLING = 16;
/**
 * Filled frames are preferred to another area that leaves at least this part of their mismatch (1 − match): encodes
 * of smooth pictures move their edges by more than the difference.
 */
const ABOUT = 1 / 1.5;
/** Part of the mismatch of scaled frames that filled ones must stay below, unless the added lines are black. */
const CLEARLY = 0.75;

type Size = Pick<Plane, "width" | "height">;

/** Lines that one side has more at the end of an axis. */
export interface Filling {
  readonly axis: keyof Axes;
  /** The scale of this axis in the map to the distorted frame: below 1 if that side has the lines. */
  readonly scale: number;
}

/**
 * The lines by which one frame is longer than the other at the scale of the other axis; undefined if the sizes differ in
 * another way.
 */
export function fillingOf(reference: Size, distorted: Size): Filling | undefined {
  const [byX, byY] = [distorted.width / reference.width, distorted.height / reference.height];
  const isFilled = (scale: number, length: number) => {
    const lines = Math.abs(1 - scale) * length;
    return lines >= 1.5 && lines <= FILLING;
  };
  if (byY !== 1 && isFilled(byX / byY, distorted.height)) return { axis: "y", scale: byX / byY };
  if (byX !== 1 && isFilled(byY / byX, distorted.width)) return { axis: "x", scale: byY / byX };
  return undefined;
}

/** The registration of filled frames if the planes, at least a pair, match about as well that way; else `found`. */
export function preferFilling(pairs: readonly PlanePair[], found: Registration): Registration {
  const first = pairs[0] as PlanePair;
  const filling = fillingOf(first.reference, first.distorted);
  if (filling === undefined) return found;
  const { axis, scale } = filling;
  const filled = judge(pairs, { x: IDENTITY.x, y: IDENTITY.y, [axis]: { scale, shift: 0 } });
  const left = 1 - filled.match;
  const isClear = left <= CLEARLY * (1 - judge(pairs, IDENTITY).match);
  return ABOUT * left <= 1 - found.match && (isClear || hasOneBar(first, filling)) ? filled : found;
}

/** Whether the side with more lines has a bar at the end of that axis, and none at its start. */
function hasOneBar({ inside }: PlanePair, { axis, scale }: Filling): boolean {
  const { start, end } = inside[scale < 1 ? "distorted" : "reference"][axis];
  return start === WHOLE[axis].start && end < WHOLE[axis].end;
}

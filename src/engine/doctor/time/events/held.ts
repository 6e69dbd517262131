/** Finds held pictures: the distorted video stands still while the reference moves. Thresholds are empirical. */
import type { Run } from "../../../contract/alignment.ts";
import type { Features } from "../features.ts";
import { correlation } from "../match.ts";
import { offsetOf } from "../segments.ts";
import { type Evidence, stretchOf, type TimeEvent } from "./events.ts";

/** Fewest frames of a stretch, because encoders at low rates hold a picture for a few frames anyway. */
export const FEWEST = 5;
/** The same if the stretch lasts to the end, because no later frame could show that the encoder catches up. */
const FEWEST_LAST = 24;
/** Most motion of a held picture, as a part of the reference's motion there. */
const HELD = 0.07;
/** The same for the frames before it, as a part of the reference's mean motion meanwhile: encodes refine a held picture. */
const REFINED = 0.15;
/** Least motion of the jump after it, as a multiple of the reference's mean motion meanwhile. */
const JUMP = 2;
/** Motion per cell, squared, that can be noise of the encode. */
const LEAST_MOTION = 0.004;
/** By how much the correlation of paired frames is below the usual one where other frames are shown. */
export const FALL = 0.25;

/** Finds held pictures in a run: the distorted video stands still while the reference moves, and then jumps. */
export function heldPictures(run: Run, evidence: Evidence): TimeEvent[] {
  const events: TimeEvent[] = [];
  const end = run.reference + run.count;
  for (let row = run.reference + 1; row < end; row++) {
    let last = row;
    while (last < end && isHeld(last, offsetOf(run), evidence)) last++;
    const count = last - row;
    if (count >= (last === end ? FEWEST_LAST : FEWEST) && jumps(row, last, end, offsetOf(run), evidence)) {
      const first = beginningOf(row, last, run, evidence);
      events.push(stretchOf("frozen", first + offsetOf(run), last - first));
    }
    if (count > 0) row = last;
  }
  return events;
}

/** The first row of a held picture that is certainly held from `row` to `last` − 1. */
function beginningOf(row: number, last: number, run: Run, { motion }: Evidence): number {
  const offset = offsetOf(run);
  const most = REFINED * meanMotion(motion.reference, row, last);
  let first = row;
  while (first - 1 > run.reference && (motion.distorted[first - 1 + offset] as number) <= most) first--;
  return first;
}

function isHeld(row: number, offset: number, { motion }: Evidence): boolean {
  return (motion.distorted[row + offset] as number) <= HELD * (motion.reference[row] as number);
}

/** Whether the reference moved meanwhile, and the distorted video catches up or showed something else. */
function jumps(
  first: number,
  last: number,
  end: number,
  offset: number,
  { motion, reference, distorted }: Evidence,
): boolean {
  const usual = meanMotion(motion.reference, first, last);
  if (usual < noiseOf(reference)) return false;
  const alike = (row: number) => correlation(reference, row, distorted, row + offset);
  if (last === end) return alike(end - 1) < alike(first - 1) - FALL;
  // Frames that move fast have so little in common that a jump is no larger than their motion.
  const isOther = (row: number) => alike(row) < Math.min(alike(first - 1), alike(last)) - FALL;
  return (motion.distorted[last + offset] as number) >= JUMP * usual || isOther((first + last) >> 1);
}

/** Motion of a frame that can be noise of the encode. */
export function noiseOf({ cells }: Features): number {
  return LEAST_MOTION * Math.min(2048, cells);
}

export function meanMotion(motion: Float64Array, first: number, end: number): number {
  let sum = 0;
  for (let row = first; row < end; row++) sum += motion[row] as number;
  return sum / (end - first);
}

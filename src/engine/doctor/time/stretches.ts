/** Stretches of the distorted video that do not show what their place says: a picture that stands still, earlier frames. */
import type { Run } from "../../contract/alignment.ts";
import type { Evidence, TimeEvent } from "./events.ts";
import { correlation } from "./match.ts";
import { offsetOf } from "./segments.ts";

/** Fewest frames of a stretch: encoders at low rates hold a picture for a few. */
const FEWEST = 5;
/** Fewest frames of a stretch that lasts to the end: nothing follows by which the encoder catches up. */
const FEWEST_LAST = 24;
/** Motion of a held picture, and of the jump after it, relative to the motion that the reference has there. */
const HELD = 0.07;
const JUMP = 2;
/** Motion of a stretch of held pictures as a whole, relative to the reference's. */
const STILL = 0.3;
/** Motion below this, squared, per cell, is noise of the encode. */
const LEAST_MOTION = 0.004;
/** How far the likeness of paired frames falls, against the usual, where other frames are shown. */
const FALL = 0.25;
/** How far back earlier frames are looked for. */
const BACK = 300;

/** What a run's distorted frames show in the wrong place, by first frame; a held picture is not called repeated. */
export function stretchesOf(run: Run, evidence: Evidence): TimeEvent[] {
  const frozen = frozenStretches(run, evidence);
  const repeated = repeatedStretches(run, evidence).filter(
    (event) => !frozen.some((other) => overlap(event, other)),
  );
  return [...frozen, ...repeated];
}

function overlap({ frames: a }: TimeEvent, { frames: b }: TimeEvent): boolean {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/** Held pictures within a run: the distorted video stands still while the reference moves, then jumps. */
function frozenStretches(run: Run, evidence: Evidence): TimeEvent[] {
  const events: TimeEvent[] = [];
  const end = run.reference + run.count;
  for (let row = run.reference + 1; row < end; row++) {
    let last = row;
    while (last < end && isHeld(last, offsetOf(run), evidence)) last++;
    const count = last - row;
    if (count >= (last === end ? FEWEST_LAST : FEWEST) && jumps(row, last, end, offsetOf(run), evidence))
      events.push(at("frozen", row + offsetOf(run), count));
    if (count > 0) row = last;
  }
  return events;
}

function isHeld(row: number, offset: number, { motion }: Evidence): boolean {
  return (motion.distorted[row + offset] as number) <= HELD * (motion.reference[row] as number);
}

/** True if the reference moved meanwhile, and the distorted video catches up, or shows something else at the end. */
function jumps(
  first: number,
  last: number,
  end: number,
  offset: number,
  { motion, reference, distorted }: Evidence,
): boolean {
  let moved = 0;
  for (let row = first; row < last; row++) moved += motion.reference[row] as number;
  const usual = moved / (last - first);
  const cells = Math.min(2048, reference.cells);
  if (usual < LEAST_MOTION * cells) return false;
  if (last < end) return (motion.distorted[last + offset] as number) >= JUMP * usual;
  const alike = (row: number) => correlation(reference, row, distorted, row + offset);
  return alike(end - 1) < alike(first - 1) - FALL;
}

/** Stretches within a run that show frames of the reference again that were shown before. */
function repeatedStretches(run: Run, evidence: Evidence): TimeEvent[] {
  const offset = offsetOf(run);
  const alike = Array.from({ length: run.count }, (_, index) =>
    correlation(evidence.reference, run.reference + index, evidence.distorted, run.distorted + index),
  );
  const usual = alike.toSorted((a, b) => a - b)[Math.floor(alike.length / 2)] ?? 0;
  const events: TimeEvent[] = [];
  for (let index = 0; index < alike.length; index++) {
    let last = index;
    while (last < alike.length && (alike[last] as number) < usual - FALL) last++;
    const count = last - index;
    const row = run.reference + index;
    if (count >= FEWEST && showsEarlier(row, count, offset, evidence, usual - FALL))
      events.push(at(standsStill(row, count, offset, evidence) ? "frozen" : "repeated", row + offset, count));
    if (count > 0) index = last;
  }
  return events;
}

/** Noise of the encode moves a held picture as well. */
function standsStill(row: number, count: number, offset: number, { motion }: Evidence): boolean {
  let [moved, usual] = [0, 0];
  for (let other = row; other < row + count; other++) {
    moved += motion.distorted[other + offset] as number;
    usual += motion.reference[other] as number;
  }
  return moved < STILL * usual;
}

/** True if the middle of a stretch is alike to earlier frames of the reference at one distance. */
function showsEarlier(
  row: number,
  count: number,
  offset: number,
  { reference, distorted }: Evidence,
  least: number,
): boolean {
  const rows = [0.3, 0.5, 0.7].map((part) => row + Math.floor(count * part));
  for (let back = 1; back <= Math.min(BACK, row); back++)
    if (
      rows.every((one) => one >= back && correlation(reference, one - back, distorted, one + offset) >= least)
    )
      return true;
  return false;
}

function at(kind: "frozen" | "repeated", first: number, count: number): TimeEvent {
  return { kind, side: "distorted", frames: { first, count }, earliest: first, latest: first, gain: 0 };
}

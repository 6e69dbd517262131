/** Stretches of the distorted video that stand still or show earlier frames. Thresholds are empirical. */
import type { Run } from "../../../contract/alignment.ts";
import { median } from "../../median.ts";
import { correlation, isPlain } from "../match.ts";
import { offsetOf } from "../segments.ts";
import { type Evidence, stretchOf, type TimeEvent } from "./events.ts";
import { FALL, FEWEST, heldPictures, meanMotion, noiseOf } from "./held.ts";

/** Most motion of a frozen stretch as a whole, as a part of the reference's. */
const STILL = 0.3;
/** Least motion of a jump after a frozen stretch that the encode moves, as a multiple of the reference's. */
const LARGE_JUMP = 6;
/** Fewest frames before such a jump; least evidence, as natural logarithms, in total and per frame. */
const FEWEST_BEFORE_JUMP = 4;
const SHOWN = 3;
const SHOWN_PER_FRAME = 0.25;
/** 1 − correlation of equal frames, because of rounding. It keeps the logarithms finite. */
const ROUNDING = 0.005;
/** By how much log(1 − correlation) of frames that show others exceeds the usual one of their run. */
const APART = 1;
/** Longest gap in such a stretch, in frames. In a gap, what moves passes the place where it belongs. */
const GAP = 8;
/** Least evidence for each frame of such a stretch, as a natural logarithm. */
const AGAIN_PER_FRAME = 0.5;
/** Most such stretches of a run that are examined. */
const MOST_SLIGHT = 2;
/** Number of distances to earlier frames that are tried on more than one frame. */
const LIKELY = 4;
/** How far back earlier frames are searched, in frames. */
const BACK = 300;

/**
 * Returns the events of a run in which distorted frames show other content than their own: first the held pictures,
 * then the repeated frames. A held picture does not count as repeated.
 */
export function stretchesOf(run: Run, evidence: Evidence): TimeEvent[] {
  const held = heldPictures(run, evidence);
  const beforeJumps = stretchesBeforeJumps(run, evidence).filter(
    (event) => !held.some((one) => overlap(event, one)),
  );
  const known = [...held, ...beforeJumps];
  const alike = likenessOf(run, evidence);
  const repeated = repeatedStretches(run, alike, evidence).filter(
    (event) => !known.some((one) => overlap(event, one)),
  );
  const slight = slightStretches(run, alike, evidence).filter(
    (event) => ![...known, ...repeated].some((one) => overlap(event, one)),
  );
  return [...known, ...repeated, ...slight];
}

/** The correlation of each of a run's pairs of frames. */
function likenessOf(run: Run, { reference, distorted }: Evidence): readonly number[] {
  return Array.from({ length: run.count }, (_, index) =>
    correlation(reference, run.reference + index, distorted, run.distorted + index),
  );
}

function overlap({ frames: a }: TimeEvent, { frames: b }: TimeEvent): boolean {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/**
 * Finds stretches that end with a jump and until then show one frame of the reference, or earlier frames again, even
 * if noise or the encode moves them.
 */
function stretchesBeforeJumps(run: Run, evidence: Evidence): TimeEvent[] {
  const { motion, reference } = evidence;
  const least = noiseOf(reference);
  const events: TimeEvent[] = [];
  let from = run.reference;
  for (let row = from + FEWEST_BEFORE_JUMP + 1; row < run.reference + run.count; row++) {
    const usual = Math.max(least, motion.reference[row] as number);
    if ((motion.distorted[row + offsetOf(run)] as number) < LARGE_JUMP * usual) continue;
    const found = eventBeforeJump(row, from, offsetOf(run), evidence);
    if (found !== undefined) events.push(found);
    from = row;
  }
  return events;
}

/** The event at the end of the frames from `from` to `end` − 1; undefined if they show their own content. */
function eventBeforeJump(
  end: number,
  from: number,
  offset: number,
  { reference, distorted }: Evidence,
): TimeEvent | undefined {
  /** log(1 − correlation) of the frame paired with a row, and another frame of the reference. */
  const apart = (row: number, other: number) =>
    Math.log(1 + ROUNDING - correlation(reference, other, distorted, row + offset));
  const shown = nearest(end - 2, Math.max(from, end - BACK), (other) => apart(end - 1, other));
  const count = end - 1 - shown.place;
  if (count < FEWEST_BEFORE_JUMP || shown.apart >= apart(end - 1, end - 1)) return undefined;
  const some = [0.2, 0.5, 0.8].map((part) => shown.place + 1 + Math.floor(part * count));
  const over = (of: (row: number) => number) => some.reduce((sum, row) => sum + apart(row, of(row)), 0);
  const back = nearest(Math.min(BACK, ...some), 2, (by) => over((row) => row - by));
  const isFrozen = over(() => shown.place) <= back.apart;
  const seen = (row: number) => apart(row, isFrozen ? shown.place : row - back.place);
  let [first, gain] = [end, 0];
  while (
    first > (isFrozen ? shown.place + 1 : from + back.place) &&
    (isFrozen || seen(first - 1) < apart(first - 1, first - 1))
  )
    gain += apart(--first, first) - seen(first);
  const isClear =
    end - first >= FEWEST_BEFORE_JUMP && gain >= Math.max(SHOWN, SHOWN_PER_FRAME * (end - first));
  return isClear ? stretchOf(isFrozen ? "frozen" : "repeated", first + offset, end - first) : undefined;
}

/** The place from `last` down to `first` with the smallest value of `of`. */
function nearest(
  last: number,
  first: number,
  of: (place: number) => number,
): { place: number; apart: number } {
  let found = { place: last, apart: Number.POSITIVE_INFINITY };
  for (let place = last; place >= first; place--) {
    const apart = of(place);
    if (apart < found.apart) found = { place, apart };
  }
  return found;
}

/** Finds stretches of a run that show earlier frames of the reference again. */
function repeatedStretches(run: Run, alike: readonly number[], evidence: Evidence): TimeEvent[] {
  const offset = offsetOf(run);
  const isShown = (index: number) => !isPlain(evidence.reference, run.reference + index);
  const usual = median(alike.filter((_, index) => isShown(index)));
  const isLow = (index: number) => (alike[index] as number) < usual - FALL && isShown(index);
  const events: TimeEvent[] = [];
  for (let index = 0; index < alike.length; index++) {
    let last = index;
    while (last < alike.length && isLow(last)) last++;
    const count = last - index;
    const row = run.reference + index;
    if (count >= FEWEST && showsEarlier(row, count, offset, evidence, usual - FALL))
      events.push(
        stretchOf(standsStill(row, count, offset, evidence) ? "frozen" : "repeated", row + offset, count),
      );
    if (count > 0) index = last;
  }
  return events;
}

/**
 * The same where little of the picture moves: a frame resembles its own place almost as much as the earlier frame it
 * shows.
 */
function slightStretches(
  { reference: from, ...run }: Run,
  alike: readonly number[],
  evidence: Evidence,
): TimeEvent[] {
  const offset = offsetOf({ reference: from, ...run });
  const { reference, distorted } = evidence;
  const own = new Map(alike.map((likeness, index) => [from + index, apartBy(likeness)]));
  const usual = median([...own.values()]);
  const apart = (row: number, back: number) =>
    back === 0
      ? (own.get(row) ?? Number.NEGATIVE_INFINITY)
      : apartBy(correlation(reference, row - back, distorted, row + offset));
  const rows = [...own.keys()].filter((row) => apart(row, 0) >= usual + APART && !isPlain(reference, row));
  return groupsOf(rows)
    .filter(({ length }) => length >= FEWEST)
    .slice(0, MOST_SLIGHT)
    .flatMap((group) => {
      const found = shownAgain(group, usual, apart);
      return found === undefined ? [] : [stretchOf("repeated", found.first + offset, found.count)];
    });
}

/** log(1 − correlation), which is lower for frames that are more alike. */
function apartBy(likeness: number): number {
  return Math.log(1 + ROUNDING - likeness);
}

/** Groups ascending numbers that are separated only by small gaps. */
function groupsOf(rows: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && row - (last.at(-1) ?? row) <= GAP) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** The stretch around a group of rows in which frames from one distance back match as usual; undefined: none. */
function shownAgain(
  group: readonly number[],
  usual: number,
  apart: (row: number, back: number) => number,
): { first: number; count: number } | undefined {
  const third = (part: number) => Math.floor((part * group.length) / 3);
  const clear = [0, 1, 2].map((part) =>
    group
      .slice(third(part), third(part + 1))
      .reduce((most, row) => (apart(row, 0) > apart(most, 0) ? row : most)),
  );
  // One frame is compared with all earlier ones, the others only at the best distances of the first.
  const farthest = Math.min(BACK, ...clear);
  const backs = Array.from({ length: Math.max(0, farthest + 1 - FEWEST) }, (_, index) => {
    return { place: FEWEST + index, apart: apart(clear[1] as number, FEWEST + index) };
  });
  const likely = backs.toSorted((a, b) => a.apart - b.apart).slice(0, LIKELY);
  const sum = (by: number) => clear.reduce((total, row) => total + apart(row, by), 0);
  const back = likely
    .map(({ place }) => place)
    .reduce((one, other) => (sum(other) < sum(one) ? other : one), 0);
  if (back === 0 || clear.some((row) => apart(row, back) > usual + APART / 2)) return undefined;
  let [first, end, gain] = [clear[1] as number, clear[1] as number, 0];
  const gained = (row: number) => (row < back ? 0 : apart(row, 0) - apart(row, back));
  for (let more = gained(end); more > 0; more = gained(++end)) gain += more;
  for (let more = gained(first - 1); more > 0; more = gained(--first - 1)) gain += more;
  const count = end - first;
  const isClear = count >= FEWEST && gain >= Math.max(SHOWN, AGAIN_PER_FRAME * count);
  return isClear ? { first, count } : undefined;
}

/** Whether a stretch moves so little that only noise of the encode moves it. */
function standsStill(row: number, count: number, offset: number, { motion }: Evidence): boolean {
  const moved = meanMotion(motion.distorted, row + offset, row + offset + count);
  return moved < STILL * meanMotion(motion.reference, row, row + count);
}

/** Whether the middle of a stretch resembles frames of the reference that lie one constant distance back. */
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

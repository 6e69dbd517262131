/** The filters that drop the frames of a side that have no partner, by their numbers. */
import type { Run } from "../contract/alignment.ts";
import type { Side } from "../contract/request.ts";
import type { Track } from "../media/track.ts";
import { type Pairing, runsWithin, stepOf } from "../planning/pairing.ts";
import type { Segment } from "../planning/segment.ts";

/** Consecutive frames of one side, or every n-th of them. */
interface Stretch {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/**
 * Returns the filters for the frames of a segment and its context. The frames that they see are numbered from the first
 * of the segment's time range.
 */
export function selection(track: Track, pairing: Pairing, segment: Segment): readonly string[] {
  const { side } = track;
  const step = stepOf(pairing, side);
  const from = segment.first - segment.before;
  const end = segment.first + segment.count + segment.after;
  const all = stretches(runsWithin(pairing, from, end), side, step);
  const [first, last] = [all[0]?.first ?? 0, all.at(-1)?.last ?? 0];
  const range = segment.cut?.[side].range;
  // A time range begins with its first compared frame.
  const base = range?.start === undefined ? 0 : first;
  // If no frame follows, the end stays open, so that a file with more frames than its container states is noticed.
  const ends = segment.cut === undefined && last + step < track.frames;
  const trim = [
    ...(first > base ? [`start_frame=${first - base}`] : []),
    ...(ends ? [`end_frame=${last + 1 - base}`] : []),
  ];
  return [
    ...(trim.length > 0 ? [`trim=${trim.join(":")}`] : []),
    ...(all.length > 1 || step > 1 ? [`select=${condition(all, first, step)}`] : []),
  ];
}

/** Whether a side's compared frames are its first ones, without gaps. */
export function isFromFirst({ side }: Track, pairing: Pairing): boolean {
  const step = stepOf(pairing, side);
  const all = stretches(runsWithin(pairing, 0, pairing.frameCount), side, step);
  return step === 1 && all.length === 1 && all[0]?.first === 0;
}

/**
 * Returns the stretches of frames that runs have on one side. Runs that follow each other without a gap form one
 * stretch.
 */
function stretches(runs: readonly Run[], side: Side, step: number): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const run of runs) {
    const last = run[side] + (run.count - 1) * step;
    const before = all.at(-1);
    if (before !== undefined && before.last + step === run[side])
      all.splice(-1, 1, { first: before.first, last });
    else all.push({ first: run[side], last });
  }
  return all;
}

/**
 * Returns the condition for frame `n`, counted from frame `base`. It halves the stretches at each step: a sum of 10,000
 * comparisons would be computed for every frame, and exceeds the depth of ffmpeg's parser.
 */
function condition(all: readonly Stretch[], base: number, step: number, hasNext = false): string {
  const [first] = all;
  if (first === undefined) return "0";
  if (all.length === 1) return within(first, base, step, hasNext);
  const middle = all.length >> 1;
  const [left, right] = [all.slice(0, middle), all.slice(middle)];
  const halves = [condition(left, base, step, true), condition(right, base, step, hasNext)];
  return `if(lt(n\\,${(right[0]?.first ?? 0) - base})\\,${halves.join("\\,")})`;
}

/**
 * Returns the condition for one stretch. The last stretch has no upper bound here: if frames follow, the
 * filter trim ends it.
 */
function within({ first, last }: Stretch, base: number, step: number, hasNext: boolean): string {
  const [from, to] = [first - base, last - base];
  const bounds = hasNext ? `between(n\\,${from}\\,${to})` : `gte(n\\,${from})`;
  return step === 1 ? bounds : `${bounds}*not(mod(n-${from}\\,${step}))`;
}

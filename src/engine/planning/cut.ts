/**
 * Cuts a pair into segments that are scored independently. Each has the frames around it that the metrics look at as
 * context, so that its values equal those of a whole run.
 */

import { perSide, SIDES, type Side } from "../contract/request.ts";
import { toNumber } from "../media/rational.ts";
import { seekIn } from "../media/seek.ts";
import type { FrameTimes, Track } from "../media/track.ts";
import { LOOK_AHEAD, wholeSteps } from "./context.ts";
import { type Pairing, sourceFrames } from "./pairing.ts";
import type { Cut, Segment } from "./segment.ts";

export interface Cutting {
  readonly segments: readonly Segment[];
  /** Why the pair is scored whole although segments were requested. */
  readonly whole: string | undefined;
}

export interface CutOptions {
  /** Approximate number of frames in a segment; undefined: score the pair whole. */
  readonly length: number | undefined;
  /** Every n-th frame is scored. */
  readonly subsample: number;
  /** Number of frames before a segment that the models look at. */
  readonly lookBehind: number;
}

/** The segment of all frames. */
export function wholeSegment({ frameCount }: Pick<Pairing, "frameCount">): Segment {
  return { first: 0, count: frameCount, before: 0, after: 0, cut: undefined };
}

/** Cuts a pair into segments. */
export function cut(tracks: Readonly<Record<Side, Track>>, pairing: Pairing, options: CutOptions): Cutting {
  const { length } = options;
  const whole = wholeSegment(pairing);
  if (length === undefined || pairing.frameCount <= length) return { segments: [whole], whole: undefined };
  const times = cuttable(tracks, pairing);
  if (typeof times === "string") return { segments: [whole], whole: times };
  const context = wholeSteps(options.lookBehind, options.subsample);
  const sourceOf = sourceFrames(pairing);
  const sources = perSide((side) => (frame: number) => sourceOf(side, frame));
  const wasted = wasteOf(tracks, { times, sources }, pairing);
  const starts = spread(Math.round(pairing.frameCount / length), wasted, pairing, { ...options, context });
  const cutters = perSide((side) => cutter(tracks[side], times[side], sources[side]));
  const segments = starts.map((first, index) => {
    const end = starts[index + 1] ?? pairing.frameCount;
    return segment(cutters, pairing.frameCount, { first, end, context });
  });
  return { segments, whole: undefined };
}

/**
 * Returns a segment with all frames of a pairing, for which only these frames are decoded; or the reason why
 * the pair cannot be cut.
 */
export function cutAlone(tracks: Readonly<Record<Side, Track>>, pairing: Pairing): Segment | string {
  const times = cuttable(tracks, pairing);
  if (typeof times === "string") return times;
  const sourceOf = sourceFrames(pairing);
  const cutters = perSide((side) => cutter(tracks[side], times[side], (frame) => sourceOf(side, frame)));
  return segment(cutters, pairing.frameCount, { first: 0, end: pairing.frameCount, context: 0 });
}

/** The latest time in seconds, in both directions from 0, that ffmpeg accepts: it counts microseconds in 64 bits. */
export const LATEST_SECONDS = 9e12;

type Times = Readonly<Record<Side, FrameTimes>>;
/** For each side, a function from the number of a compared frame to that of the side's own frame. */
type Sources = Readonly<Record<Side, (frame: number) => number>>;

/** Returns the times to cut by, or the reason why the pair cannot be cut. */
function cuttable(tracks: Readonly<Record<Side, Track>>, pairing: Pairing): Times | string {
  for (const side of SIDES) {
    const reason = tracks[side].uncuttable;
    if (reason) return `The ${side} video cannot be cut: ${reason}.`;
  }
  if (pairing.thin) return "The two videos have different frame rates.";
  const [reference, distorted] = [tracks.reference.times, tracks.distorted.times];
  if (!reference || !distorted) return "One of the two videos has frames without a presentation time.";
  if (!isReliable(reference) || !isReliable(distorted))
    return "One of the two videos has presentation times that are too large to seek to.";
  return { reference, distorted };
}

function isReliable({ pts, timeBase }: FrameTimes): boolean {
  const furthest = Math.max(Math.abs(pts[0] ?? 0), Math.abs(pts.at(-1) ?? 0));
  return furthest * toNumber(timeBase) < LATEST_SECONDS / 2;
}

/**
 * Returns the first frames of segments of about the same length. Each boundary is moved, by at most half of
 * that length, to where the fewest frames are decoded only to be dropped: the frame after a key frame, which
 * is then the context before the segment. Differences in length also count, but less the more segments there
 * are: dropped frames add up, while only one segment ends last.
 */
function spread(
  count: number,
  wasted: (from: number) => number,
  { frameCount }: Pairing,
  { subsample, context }: { readonly subsample: number; readonly context: number },
): readonly number[] {
  const starts = [0];
  for (let left = count; left > 1; left--) {
    const start = starts.at(-1) ?? 0;
    const length = (frameCount - start) / left;
    const target = Math.round(start + length);
    const reach = Math.floor(length / 2);
    let [best, least] = [target, Number.POSITIVE_INFINITY];
    for (let first = target - reach; first <= target + reach; first++) {
      const from = first - context;
      if (first % subsample !== 0 || from < 0) continue;
      const cost = wasted(from) + Math.abs(first - target) / (2 * count);
      if (cost < least) [best, least] = [first, cost];
    }
    if (least < Number.POSITIVE_INFINITY) starts.push(best);
  }
  return starts;
}

/**
 * Returns a function from the first frame of a segment's context to the cost of the frames that are decoded before it
 * only to be dropped, in scored frames. A frame of a 120 Mbit/s master costs nine times as much to decode as one of its
 * encode, so key frames of the side that is more expensive to decode weigh more.
 */
function wasteOf(
  tracks: Readonly<Record<Side, Track>>,
  { times, sources }: { readonly times: Times; readonly sources: Sources },
  { width, height, frameCount }: Pairing,
): (from: number) => number {
  const costs = SIDES.map((side) => decodingCost(tracks[side], times[side]));
  const frameCost = costs.reduce((sum, cost) => sum + cost, SCORING_COST * width * height);
  const gaps = SIDES.map((side) => framesSinceKey(times[side], sources[side](frameCount - 1) + 1));
  return (from) =>
    SIDES.reduce(
      (sum, side, index) =>
        sum + ((gaps[index]?.[sources[side](from)] ?? 0) * (costs[index] ?? 0)) / frameCost,
      0,
    );
}

/** The cost of decoding one byte, in pixels: a byte of H.264 takes 68 ns, a pixel 2.5 ns. */
const PIXELS_PER_BYTE = 25;
/** The cost of scoring one pixel, in the same unit: vmaf_v0.6.1 takes 12 ns. */
const SCORING_COST = 5;

/** The approximate cost of decoding a frame, in pixels. */
function decodingCost({ width, height }: Track, { frameBytes }: FrameTimes): number {
  return width * height + PIXELS_PER_BYTE * frameBytes;
}

/** Returns, for each frame, how many frames before it decoding must begin. */
function framesSinceKey({ pts, keys }: FrameTimes, frameCount: number): Uint32Array {
  const gaps = new Uint32Array(frameCount);
  let key = 0;
  for (let frame = 0; frame < frameCount; frame++) {
    while (key < keys.length && (keys[key] ?? 0) < (pts[frame] ?? 0)) key++;
    const isKey = keys[key] === pts[frame];
    gaps[frame] = isKey || frame === 0 ? 0 : (gaps[frame - 1] ?? 0) + 1;
  }
  return gaps;
}

/**
 * Limit of the frames that the first segment decodes before its own, to prove that the file's frames are
 * those that its timestamps number. A file whose first frames do not decode then fails by its counts, and is
 * scored whole.
 */
const MOST_COUNTED = 1000;

function segment(
  cutters: Readonly<Record<Side, Cutter>>,
  frameCount: number,
  { first, end, context }: { first: number; end: number; context: number },
): Segment {
  const before = Math.min(first, context);
  const after = Math.min(frameCount - end, LOOK_AHEAD);
  const from = first - before;
  const to = end + after;
  return {
    first,
    count: end - first,
    before,
    after,
    cut: perSide((side) => cutters[side](from, to)),
  };
}

/** Cuts the compared frames from `first` up to and excluding `past` out of one side. */
type Cutter = (first: number, past: number) => Cut;

function cutter(track: Track, times: FrameTimes, source: Sources[Side]): Cutter {
  const seek = seekIn(track, times);
  return (first, past) => {
    const [from, to] = [source(first), source(past - 1) + 1];
    const isFirst = from === 0 || (first === 0 && from <= MOST_COUNTED);
    const start = isFirst ? undefined : between(times, from);
    const end = to >= times.pts.length ? undefined : between(times, to);
    return { seek: start === undefined ? undefined : seek(from), range: { start, end } };
  };
}

/**
 * A time between a frame and the one before it, in seconds. ffmpeg rounds it to the nearest tick. Where a tick is one
 * frame long, the midpoint could round either way, so the time is closer to the frame.
 */
function between({ pts, timeBase }: FrameTimes, frame: number): number {
  return (((pts[frame - 1] ?? 0) + 3 * (pts[frame] ?? 0)) / 4) * toNumber(timeBase);
}

/**
 * Cuts a pair into segments that are scored by themselves, each with the frames around
 * it that the metrics look at, so that a segment's values equal those of a whole run.
 */
import type { Pairing } from "./compare.ts";
import { LOOK_AHEAD, wholeSteps } from "./context.ts";
import type { TimeRange } from "./graph.ts";
import { toNumber } from "./rational.ts";
import { perSide, SIDES, type Side } from "./request.ts";
import { seekIn } from "./seek.ts";
import type { FrameTimes, Track } from "./track.ts";

/** A run of frames that is scored by itself. */
export interface Segment {
  /** Number of its first frame in the whole. */
  readonly first: number;
  /** Frames of its own. */
  readonly count: number;
  /** Frames scored in front of and behind its own, only because motion is measured between neighbours. */
  readonly before: number;
  readonly after: number;
  /** Per side, where decoding begins and which frames are kept; undefined for a segment that is the whole. */
  readonly cut: Readonly<Record<Side, Cut>> | undefined;
}

export interface Cut {
  /** Seconds to seek to before decoding; undefined: from the beginning. */
  readonly seek: number | undefined;
  /** Presentation times of the frames to keep, context included. */
  readonly range: TimeRange;
}

export interface Cutting {
  readonly segments: readonly Segment[];
  /** Why the pair is scored whole although segments were asked for. */
  readonly whole: string | undefined;
}

export interface CutOptions {
  /** Frames of a segment, about; undefined: whole. */
  readonly length: number | undefined;
  /** Every n-th frame is scored. */
  readonly subsample: number;
  /** Frames before a segment that the models look at. */
  readonly lookBehind: number;
}

/** All frames in one piece. */
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
  const starts = boundaries(tracks, times, pairing.frameCount, { ...options, length, context });
  const cutters = perSide((side) => cutter(tracks[side], times[side]));
  const segments = starts.map((first, index) => {
    const end = starts[index + 1] ?? pairing.frameCount;
    return segment(cutters, pairing.frameCount, { first, end, context });
  });
  return { segments, whole: undefined };
}

/** Moments beyond this many seconds from 0 cannot be told to ffmpeg: it counts microseconds in 64 bits. */
export const LATEST_SECONDS = 9e12;

type Times = Readonly<Record<Side, FrameTimes>>;

/** The times that cuts are made by, or the reason why none can be made. */
function cuttable(tracks: Readonly<Record<Side, Track>>, pairing: Pairing): Times | string {
  for (const side of SIDES) {
    const reason = tracks[side].uncuttable;
    if (reason) return `The ${side} video cannot be cut: ${reason}.`;
  }
  if (pairing.thin) return "The two have different frame rates.";
  const [reference, distorted] = [tracks.reference.times, tracks.distorted.times];
  if (!reference || !distorted) return "One of the two has frames without a presentation time.";
  if (!isTellable(reference) || !isTellable(distorted))
    return "One of the two has presentation times that are too large to be searched.";
  return { reference, distorted };
}

function isTellable({ pts, timeBase }: FrameTimes): boolean {
  const furthest = Math.max(Math.abs(pts[0] ?? 0), Math.abs(pts.at(-1) ?? 0));
  return furthest * toNumber(timeBase) < LATEST_SECONDS / 2;
}

/**
 * First frames of the segments, about `length` apart. Each is moved, by half of that at most,
 * to where the least must be decoded in vain: the frame after a key frame, which is then the
 * context before the segment. A master of 120 Mbit/s costs nine times its encode a frame, so
 * key frames of the side that is dear to decode count for more.
 */
function boundaries(
  tracks: Readonly<Record<Side, Track>>,
  times: Times,
  frameCount: number,
  { length, subsample, context }: { length: number; subsample: number; context: number },
): readonly number[] {
  const starts = [0];
  const reach = Math.floor(length / 2);
  const costs = SIDES.map((side) => decodingCost(tracks[side], times[side]));
  const cheaper = Math.min(...costs);
  const gaps = SIDES.map((side) => framesSinceKey(times[side], frameCount));
  // Frames decoded in vain, counted in those of the side that is cheaper to decode.
  const wasted = (from: number): number =>
    gaps.reduce((sum, gap, side) => sum + ((gap[from] ?? 0) * (costs[side] ?? 1)) / cheaper, 0);
  // A last segment shorter than half a length is left with the one before it.
  for (let target = length; target < frameCount - length / 2; target = (starts.at(-1) ?? 0) + length) {
    let [best, least] = [target, Number.POSITIVE_INFINITY];
    const latest = Math.min(target + reach, frameCount - Math.ceil(length / 4));
    for (let first = target - reach; first <= latest; first++) {
      const from = first - context;
      if (first % subsample !== 0 || from < 0) continue;
      const waste = wasted(from) + Math.abs(first - target) / length;
      if (waste < least) [best, least] = [first, waste];
    }
    if (least === Number.POSITIVE_INFINITY) break;
    starts.push(best);
  }
  return starts;
}

/** Bytes of H.264 cost 68 ns each to decode, pixels 2.5 ns: what one more byte costs, in pixels. */
const PIXELS_PER_BYTE = 25;

/** What it costs to decode a frame, about, in pixels. */
function decodingCost({ width, height }: Track, { frameBytes }: FrameTimes): number {
  return width * height + PIXELS_PER_BYTE * frameBytes;
}

/** Per frame, how many frames before it decoding must begin. */
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

/** Cuts the frames from `from` up to, without, `to` out of one side. */
type Cutter = (from: number, to: number) => Cut;

function cutter(track: Track, times: FrameTimes): Cutter {
  const seek = seekIn(track, times);
  return (from, to) => {
    const start = from === 0 ? undefined : between(times, from);
    const end = to >= times.pts.length ? undefined : between(times, to);
    return { seek: start === undefined ? undefined : seek(from), range: { start, end } };
  };
}

/**
 * A moment between a frame and the one before it, in seconds. ffmpeg rounds it to the nearest
 * tick: where a tick lasts a frame the middle would go either way, so it is nearer to the frame.
 */
function between({ pts, timeBase }: FrameTimes, frame: number): number {
  return (((pts[frame - 1] ?? 0) + 3 * (pts[frame] ?? 0)) / 4) * toNumber(timeBase);
}

/**
 * A reference implementation of cutting that looks at all frames for each question. It is slow; src/engine/planning/cut.ts must
 * give the same result.
 */

import type { FrameTimes, Track } from "../../../src/engine/media/track.ts";
import type { CutOptions } from "../../../src/engine/planning/cut.ts";
import type { Cut, Segment } from "../../../src/engine/planning/segment.ts";

export interface TimedTrack extends Track {
  readonly times: FrameTimes;
}

const SIDES = ["reference", "distorted"] as const;
type Tracks = Readonly<Record<(typeof SIDES)[number], TimedTrack>>;

export function plainSegments(
  tracks: Tracks,
  frameCount: number,
  { subsample, lookBehind, ...options }: CutOptions,
): Segment[] {
  const { length = frameCount } = options;
  if (frameCount <= length) return [{ first: 0, count: frameCount, before: 0, after: 0, cut: undefined }];
  const context = Math.ceil(lookBehind / subsample) * subsample;
  const cut = { tracks, frameCount, subsample, context };
  const starts = plainStarts(cut, Math.round(frameCount / length));
  return starts.map((first, index) => {
    const end = starts[index + 1] ?? frameCount;
    const [before, after] = [Math.min(first, context), Math.min(frameCount - end, 1)];
    const [reference, distorted] = SIDES.map((side) => sideCut(tracks[side], first - before, end + after));
    if (!reference || !distorted) throw new Error("expected cuts of two sides");
    return { first, count: end - first, before, after, cut: { reference, distorted } };
  });
}

interface PlainCut {
  readonly tracks: Tracks;
  readonly frameCount: number;
  readonly subsample: number;
  readonly context: number;
}

/** Each boundary is the cheapest one of those that make the segment before it half to one and a half times as long as the rest. */
function plainStarts(cut: PlainCut, count: number): number[] {
  const starts = [0];
  for (let left = count; left > 1; left--) {
    const start = starts.at(-1) ?? 0;
    const length = (cut.frameCount - start) / left;
    const target = Math.round(start + length);
    const [best] = Array.from({ length: cut.frameCount }, (_, first) => first)
      .filter((first) => Math.abs(first - target) <= Math.floor(length / 2))
      .filter((first) => first % cut.subsample === 0 && first >= cut.context)
      .map((first) => ({ first, cost: wasted(cut, first) + Math.abs(first - target) / (2 * count) }))
      .sort((one, other) => one.cost - other.cost || one.first - other.first);
    if (best !== undefined) starts.push(best.first);
  }
  return starts;
}

/** The cost of decoding up to the context of a segment, in frames that are scored; scoring a pixel costs five of decoding. */
function wasted({ tracks, context, ...cut }: PlainCut, first: number): number {
  const [reference, distorted] = SIDES.map((side) => price(tracks[side]));
  const frame = 5 * pixels({ ...cut, tracks, context }) + (reference ?? 0) + (distorted ?? 0);
  const from = Math.max(0, first - context);
  return SIDES.reduce(
    (sum, side) => sum + (sinceKey(tracks[side].times, from) * price(tracks[side])) / frame,
    0,
  );
}

const pixels = ({ tracks }: PlainCut) => tracks.reference.width * tracks.reference.height;

/** The cost of a frame in pixels; a byte costs 25. */
const price = ({ width, height, times }: TimedTrack) => width * height + 25 * times.frameBytes;

/** Returns the frames from the last key frame to this one, or from the first frame if no key frame is before. */
function sinceKey({ pts, keys }: FrameTimes, frame: number): number {
  for (let from = frame; from > 0; from--) if (keys.includes(pts[from] ?? Number.NaN)) return frame - from;
  return frame;
}

function sideCut({ container, samples, times }: TimedTrack, from: number, to: number): Cut {
  const { pts, keys, timeBase } = times;
  const tick = timeBase.num / timeBase.den;
  const between = (frame: number) => (((pts[frame - 1] ?? 0) + 3 * (pts[frame] ?? 0)) / 4) * tick;
  const range = {
    start: from === 0 ? undefined : between(from),
    end: to >= pts.length ? undefined : between(to),
  };
  if (from === 0) return { seek: undefined, range };
  const [first, wanted] = [pts[0] ?? 0, pts[from] ?? 0];
  if (["mpegts", "mxf", "flv"].includes(container)) {
    const gops = Array.from(keys, (key, index) => (keys[index + 1] ?? pts.at(-1) ?? 0) - key);
    const seek = wanted * tick - Math.max(0, ...gops) * tick - 0.5;
    return { seek: seek <= first * tick ? undefined : seek, range };
  }
  const index = keys.findLastIndex((key) => key <= wanted);
  const key = keys[index];
  if (key === undefined || key === first) return { seek: undefined, range };
  const room = ((keys[index + 1] ?? Number.POSITIVE_INFINITY) - key) * tick;
  return { seek: key * tick + (samples === undefined ? Math.min(0.135, room / 2) : 0), range };
}

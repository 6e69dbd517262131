/**
 * Finds which of several offsets the key frames show. At low rates, encodes of slow content lag by up to a frame,
 * because each frame inherits from earlier ones. Key frames inherit nothing.
 */
import type { FrameSpan } from "../../contract/finding.ts";
import type { Track } from "../../media/track.ts";
import type { Features } from "./features.ts";
import { correlation } from "./match.ts";

/** Most key frames that are compared; some codecs have two per second. */
const MOST = 16;
/** Least evidence for an offset against each other one, as a difference of sums of log(1 − correlation). Empirical. */
const CLEAR = 0.05;
/** Least part of the key frames that must prefer the offset. Empirical. */
const AGREED = 0.7;
/** 1 − correlation of equal frames, because of rounding. It keeps the logarithms finite. */
const ROUNDING = 0.005;

/**
 * Numbers of the key frames in a span of a track, counted from the first frame of the span; none if the file has no
 * index.
 */
export function keyFramesWithin({ times }: Pick<Track, "times">, { first, count }: FrameSpan): number[] {
  if (times === undefined) return [];
  const keys = new Set(times.keys);
  return Array.from({ length: count }, (_, frame) => frame).filter((frame) =>
    keys.has(times.pts[first + frame] as number),
  );
}

/**
 * Returns the offset that the key frames show; undefined if they do not decide. `keys` are frames of the distorted
 * side. `offsets` has at least two offsets, and only key frames with a counterpart at each of them are compared.
 * `others` are compared too, as far as these key frames have counterparts.
 */
export function offsetAtKeys(
  [reference, distorted]: readonly [Features, Features],
  keys: readonly number[],
  offsets: readonly number[],
  others: readonly number[],
): number | undefined {
  const has = (key: number, offset: number) => key >= offset && key - offset < reference.count;
  const usable = keys.filter((key) => key < distorted.count && offsets.every((offset) => has(key, offset)));
  const step = Math.ceil(usable.length / MOST);
  const chosen = usable.filter((_, index) => index % step === 0);
  const compared = [...offsets, ...others.filter((offset) => chosen.every((key) => has(key, offset)))];
  if (chosen.length === 0 || compared.length < 2) return undefined;
  const distances = compared.map((offset) =>
    chosen.map((key) => Math.log(1 + ROUNDING - correlation(reference, key - offset, distorted, key))),
  );
  const sums = distances.map((own) => own.reduce((sum, distance) => sum + distance, 0));
  const least = Math.min(...sums);
  const best = sums.indexOf(least);
  const isClear = sums.every((sum, index) => index === best || sum >= least + CLEAR);
  const agreeing = chosen.filter((_, key) =>
    distances.every((own) => (own[key] as number) >= (distances[best]?.[key] as number)),
  );
  return isClear && agreeing.length >= AGREED * chosen.length ? compared[best] : undefined;
}

/**
 * Which of several offsets the key frames show. Encodes at low rates lag behind slow content by up to a frame, as they
 * carry over what they showed before; key frames carry over nothing.
 */
import type { FrameSpan } from "../../contract/finding.ts";
import type { Track } from "../../media/track.ts";
import type { Features } from "./features.ts";
import { correlation } from "./match.ts";

/** Key frames that are compared: some codecs have two a second. */
const MOST = 16;
/** Least evidence for an offset against each other one: a sum of natural logarithms of what the likeness lacks of 1. */
const CLEAR = 0.05;
/** Part of the key frames that must prefer it. */
const AGREED = 0.7;
/** What likeness lacks of 1 in the same frames. */
const ROUNDING = 0.005;

/** Numbers of the key frames within a span of a track, counted from its first frame; none if the file has no index. */
export function keyFramesWithin({ times }: Pick<Track, "times">, { first, count }: FrameSpan): number[] {
  if (times === undefined) return [];
  const keys = new Set(times.keys);
  return Array.from({ length: count }, (_, frame) => frame).filter((frame) =>
    keys.has(times.pts[first + frame] as number),
  );
}

/**
 * `keys`: frames of the distorted side. `offsets`: at least two, of which each must have been seen; `others`: more, where
 * frames have counterparts. Returns undefined if the key frames do not decide.
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

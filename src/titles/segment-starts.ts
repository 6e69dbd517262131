/** At which frames the segments of a rendition begin. */
import type { Rendition } from "./title.ts";

/**
 * Returns the first frame of each segment, ascending, from 0, by the durations in the manifest; undefined if the manifest
 * does not say where segments lie. Segments shorter than a frame are left out.
 *
 * @param rate frames per second
 */
export function segmentStarts({ segments, isCut }: Rendition, rate: number): readonly number[] | undefined {
  if (!isCut) return undefined;
  const starts: number[] = [];
  let seconds = 0;
  for (const segment of segments) {
    const frame = Math.round(seconds * rate);
    if (starts.length === 0 || frame > (starts.at(-1) ?? 0)) starts.push(frame);
    seconds += segment.seconds;
  }
  return starts;
}

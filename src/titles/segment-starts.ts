/** When the segments of a rendition begin. */
import type { Rendition } from "./title.ts";

/**
 * Returns when each segment begins, in seconds, ascending from 0, by the durations in the manifest; undefined
 * if the manifest does not list the segments.
 */
export function segmentStarts({ segments, isCut }: Rendition): readonly number[] | undefined {
  if (!isCut) return undefined;
  let next = 0;
  return segments.map(({ seconds }) => {
    const start = next;
    next += seconds;
    return start;
  });
}

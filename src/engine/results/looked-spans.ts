/** Selects the frames of a segment that the doctor examines while the segment is scored. */
import type { FrameSpan } from "../contract/finding.ts";
import type { Segment } from "../planning/segment.ts";

/**
 * Limit of frames that are examined together: 24 s at 25 frames per second, 58 MB of pictures of both sides.
 */
const MOST_TOGETHER = 600;
/** Longest run whose frames are all examined. */
const MOST_OF_ALL = 2 * MOST_TOGETHER;
/** Spans of a longer run, and frames of each. */
const SPANS = 4;
export const SPAN = 300;

/**
 * Minimum frames of a segment that is examined: fewer show too little, and examining them would take longer
 * than scoring.
 */
const FEWEST = 24;

/** Returns the frames of a segment and its context that are examined: all, or spans spread over a long run. */
export function spansOf({ before, count, after, cut }: Segment): readonly FrameSpan[] {
  const frames = before + count + after;
  if (cut !== undefined && frames < FEWEST) return [];
  if (frames > MOST_OF_ALL)
    return Array.from({ length: SPANS }, (_, index) => ({
      first: Math.floor((index * (frames - SPAN)) / (SPANS - 1)),
      count: SPAN,
    }));
  const parts = Math.max(1, Math.ceil(frames / MOST_TOGETHER));
  const edge = (index: number) => Math.floor((index * frames) / parts);
  return Array.from({ length: parts }, (_, index) => ({
    first: edge(index),
    count: edge(index + 1) - edge(index),
  }));
}

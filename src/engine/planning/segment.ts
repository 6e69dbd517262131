/** A segment of a pair and the frames that its scoring decodes. Adjacent segments can be joined. */
import { perSide, type Side } from "../contract/request.ts";
import type { Coverages } from "../coverage/ranges.ts";

/** A range of frames that is scored independently. */
export interface Segment {
  /** Number of its first frame in the whole video. */
  readonly first: number;
  /** Number of its own frames, without context. */
  readonly count: number;
  /** Context frames scored before and after its own, because motion is measured between adjacent frames. */
  readonly before: number;
  readonly after: number;
  /** Per side, where decoding begins and which frames are kept; undefined if the segment is the whole video. */
  readonly cut: Readonly<Record<Side, Cut>> | undefined;
  /** The part of each fetched side that is decoded; undefined if not known. */
  readonly coverages?: Coverages | undefined;
}

/** A range of frames by presentation time in seconds; undefined means unbounded. */
export interface TimeRange {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

export interface Cut {
  /** Seconds to seek to before decoding; undefined: from the beginning. */
  readonly seek: number | undefined;
  /** Presentation times of the frames to keep, context included. */
  readonly range: TimeRange;
}

/**
 * Joins segments that follow each other into segments of up to `longest` frames; longer ones stay as they
 * are. The result is the same as if the pair were cut at these frames, because the start of decoding depends
 * only on the first frame.
 *
 * @param segments in frame order, from one cutting of a pair
 */
export function merged(segments: readonly Segment[], longest: number): Segment[] {
  const longer: Segment[] = [];
  for (const segment of segments) {
    const before = longer.at(-1);
    const joined = before && joinedWith(before, segment);
    if (joined !== undefined && joined.count <= longest) longer[longer.length - 1] = joined;
    else longer.push(segment);
  }
  return longer;
}

/** Returns undefined if the second segment does not follow the first one. */
function joinedWith(one: Segment, other: Segment): Segment | undefined {
  const [start, end] = [one.cut, other.cut];
  if (one.first + one.count !== other.first || start === undefined || end === undefined) return undefined;
  const cut = perSide((side) => ({
    seek: start[side].seek,
    range: { start: start[side].range.start, end: end[side].range.end },
  }));
  const { coverages: _, ...rest } = one;
  return { ...rest, count: one.count + other.count, after: other.after, cut };
}

/** Joins adjacent segments. */
import { perSide } from "../contract/request.ts";
import type { Segment } from "./segment.ts";

/**
 * Joins segments that follow each other into segments of up to `longest` frames; longer ones stay as they are. They are
 * those that cutting at the same frames gives: where decoding begins depends on the first frame alone.
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
  return { ...one, count: one.count + other.count, after: other.after, cut };
}

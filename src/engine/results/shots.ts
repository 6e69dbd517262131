/** Finds the first frames of shots by how much each frame of the reference differs from the one before. */
import { MOST_SPANS } from "../../jobs/scores/spans.ts";
import type { SegmentShots } from "../contract/shots.ts";
import type { Segment } from "../planning/segment.ts";

/**
 * A frame begins a shot if its change is at least this many percent, and differs by at least as much from the
 * change of the frame before: the rule and the default of ffmpeg's filter scdet (libavfilter/vf_scdet.c).
 * Motion changes all frames alike, and a flash changes two in a row.
 */
const THRESHOLD = 10;

function isStart(change: number, before: number): boolean {
  return Math.min(change, Math.abs(change - before)) >= THRESHOLD;
}

/**
 * Returns the shots that a segment shows.
 *
 * @param changes of each frame of the segment and its context: the mean absolute difference of its luma from the frame
 * before, in percent of the range of samples; 0 for the first
 */
export function segmentShots(segment: Segment, changes: Float64Array): SegmentShots | undefined {
  const { first, before, after } = segment;
  const count = changes.length - before - after;
  if (count < 1) return undefined;
  // The change of the first frame that the filter saw is known only if it is the first of the video.
  const known = first === before ? 0 : 1;
  if (before < known) return undefined;
  const change = (index: number): number => changes[index] ?? 0;
  const starts: number[] = [];
  for (let index = Math.max(before, known + 1); index < before + count; index++)
    if (isStart(change(index), change(index - 1))) starts.push(first - before + index);
  if (starts.length > MOST_SPANS) return undefined;
  const isOpen = known === 1 && before === 1;
  return {
    starts,
    ...(isOpen && { firstChange: change(before) }),
    lastChange: change(before + count - 1),
  };
}

/** The shots of a segment and its first frame; undefined if its shots are not known. */
export interface PlacedShots {
  readonly first: number;
  readonly shots: SegmentShots | undefined;
}

/**
 * Returns the first frames of all shots, beginning with 0; undefined if there are too many, or if the shots
 * of a segment are not known. Segments are in frame order.
 */
export function joinShots(segments: readonly PlacedShots[]): readonly number[] | undefined {
  if (segments.length === 0) return undefined;
  const all = [0];
  let before = 0;
  for (const { first, shots } of segments) {
    if (shots === undefined) return undefined;
    if (shots.firstChange !== undefined && isStart(shots.firstChange, before)) all.push(first);
    for (const start of shots.starts) all.push(start);
    before = shots.lastChange;
  }
  return all.length > MOST_SPANS ? undefined : all;
}

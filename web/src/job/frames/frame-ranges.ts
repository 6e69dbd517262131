/** Which frames of a job are scored, and which of those are still to be loaded. */
import type { components } from "../../../../src/gen/rest/controller.ts";

type Job = components["schemas"]["Job"];

export interface FrameRange {
  readonly first: number;
  readonly count: number;
}

export interface JobFrames {
  /** Frames of the pair; 0 if not yet known. */
  readonly total: number;
  /** One frame in `step` is scored. */
  readonly step: number;
  /** Scored ranges, by first frame. */
  readonly done: readonly FrameRange[];
}

export function framesOf({ spec, state, work = [], progress }: Job): JobFrames {
  const segments = work.filter(
    ({ kind, frameCount }) => (kind === "SEGMENT" || kind === "WHOLE") && frameCount > 0,
  );
  const ends = segments.map(({ firstFrame, frameCount }) => firstFrame + frameCount);
  const total = Math.max(progress?.framesTotal ?? 0, ...ends, 0);
  const done = segments
    .filter((segment) => segment.state === "DONE")
    .map(({ firstFrame, frameCount }) => ({ first: firstFrame, count: frameCount }))
    .sort((one, other) => one.first - other.first);
  const isWhole = state === "SUCCEEDED" && done.length === 0 && total > 0;
  return { total, step: spec.subsample || 1, done: isWhole ? [{ first: 0, count: total }] : done };
}

/**
 * Returns ranges that are done but not yet held. Adjacent ones are merged. If `isFinal` (no more frames will
 * be scored) and nothing is held, they are merged to a single range. `count`: the number of scored frames,
 * without the gaps of an estimate.
 */
export function missingRanges(
  done: readonly FrameRange[],
  held: readonly FrameRange[],
  isFinal: boolean,
): (FrameRange & { readonly segments: readonly FrameRange[] })[] {
  const holds = new Set(held.map(({ first, count }) => `${first}+${count}`));
  const ranges: { first: number; count: number; segments: FrameRange[] }[] = [];
  for (const segment of done) {
    if (holds.has(`${segment.first}+${segment.count}`)) continue;
    const before = ranges.at(-1);
    const isAdjacent = before !== undefined && before.first + before.count === segment.first;
    if (before !== undefined && (isAdjacent || (isFinal && held.length === 0))) {
      before.count += segment.count;
      before.segments.push(segment);
    } else ranges.push({ ...segment, segments: [segment] });
  }
  return ranges;
}

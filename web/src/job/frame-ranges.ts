/** Which frames of a job are scored, and which of them are still to be read. */
import type { components } from "../../../src/gen/rest/controller.ts";

type Job = components["schemas"]["Job"];

export interface FrameRange {
  readonly first: number;
  readonly count: number;
}

export interface JobFrames {
  /** Frames of the pair; 0: not known yet. */
  readonly total: number;
  /** Every step-th of them is scored. */
  readonly step: number;
  /** Ranges that are scored, by their first frames. */
  readonly done: readonly FrameRange[];
}

export function framesOf({ spec, state, work = [], progress }: Job): JobFrames {
  const pieces = work.filter(
    ({ kind, frameCount }) => (kind === "SEGMENT" || kind === "WHOLE") && frameCount > 0,
  );
  const ends = pieces.map(({ firstFrame, frameCount }) => firstFrame + frameCount);
  const total = Math.max(progress?.framesTotal ?? 0, ...ends, 0);
  const done = pieces
    .filter((piece) => piece.state === "DONE")
    .map(({ firstFrame, frameCount }) => ({ first: firstFrame, count: frameCount }))
    .sort((one, other) => one.first - other.first);
  const isWhole = state === "SUCCEEDED" && done.length === 0 && total > 0;
  return { total, step: spec.subsample || 1, done: isWhole ? [{ first: 0, count: total }] : done };
}

/** What is done and not held, with neighbours as one range. */
export function missingRanges(
  done: readonly FrameRange[],
  held: readonly FrameRange[],
): (FrameRange & { readonly pieces: readonly FrameRange[] })[] {
  const holds = new Set(held.map(({ first, count }) => `${first}+${count}`));
  const ranges: { first: number; count: number; pieces: FrameRange[] }[] = [];
  for (const piece of done) {
    if (holds.has(`${piece.first}+${piece.count}`)) continue;
    const before = ranges.at(-1);
    if (before !== undefined && before.first + before.count === piece.first) {
      before.count += piece.count;
      before.pieces.push(piece);
    } else ranges.push({ ...piece, pieces: [piece] });
  }
  return ranges;
}

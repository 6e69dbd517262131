/** Scores of parts of a video, such as its shots or the segments of a stream. */
import type { Moment, Series } from "./moments.ts";

/** Maximum spans of a list. A film has some 2,000 shots. */
export const MOST_SPANS = 10_000;

/** Consecutive frames, and the scores of one metric in them. */
export interface ScoredSpan {
  readonly firstFrame: number;
  readonly frameCount: number;
  /** Mean of its scored frames, to six decimals. */
  readonly mean: number;
  readonly min: number;
  /** The first frame with that score. */
  readonly worstFrame: number;
}

/**
 * Returns the first frame of each span that begins at a time, in seconds and ascending. Spans shorter than a frame are left
 * out.
 *
 * @param rate frames per second
 */
export function firstFrames(starts: readonly number[], rate: number): readonly number[] {
  const frames: number[] = [];
  for (const seconds of starts) {
    const frame = Math.round(seconds * rate);
    if (frame > (frames.at(-1) ?? -1)) frames.push(frame);
  }
  return frames;
}

/**
 * Returns the spans of a video in order.
 *
 * @param starts first frame of each span, ascending, from 0
 * @param frames per-frame scores in frame order; a span without any, as subsampling leaves, is not returned
 */
export function scoreSpans(starts: readonly number[], frames: Series, metric: string): ScoredSpan[] {
  if (frames.length === 0) return [];
  const end = frames.frame(frames.length - 1) + 1;
  const spans: ScoredSpan[] = [];
  let row = 0;
  for (const [index, firstFrame] of starts.entries()) {
    const next = starts[index + 1] ?? Math.max(end, firstFrame + 1);
    let [sum, count] = [0, 0];
    let worst: Pick<Moment, "frame" | "value"> | undefined;
    for (; row < frames.length && frames.frame(row) < next; row++) {
      const value = frames.value(metric, row);
      if (value === undefined) continue;
      [sum, count] = [sum + value, count + 1];
      if (worst === undefined || value < worst.value) worst = { frame: frames.frame(row), value };
    }
    if (worst === undefined) continue;
    const mean = Math.round((sum / count) * 1e6) / 1e6;
    spans.push({
      firstFrame,
      frameCount: next - firstFrame,
      mean,
      min: worst.value,
      worstFrame: worst.frame,
    });
  }
  return spans;
}

/** Default number of worst spans. */
export const WORST_SPANS = 5;

/** Returns up to `count` spans, the lowest mean first; among equal means, the earlier one. */
export function worstSpans<S extends Pick<ScoredSpan, "mean">>(
  spans: readonly S[],
  count = WORST_SPANS,
): S[] {
  return spans.toSorted((one, other) => one.mean - other.mean).slice(0, count);
}

/** A segment of one of several streams, such as the encodes of a comparison. */
export interface StreamSegment<Cell> extends ScoredSpan {
  readonly cell: Cell;
  /** From 1. */
  readonly number: number;
}

/** Returns the segments of all cells, in order. */
export function segmentsOf<Cell extends { readonly segments?: readonly ScoredSpan[] }>(
  cells: readonly Cell[],
): StreamSegment<Cell>[] {
  return cells.flatMap((cell) =>
    (cell.segments ?? []).map((segment, index) => ({ ...segment, cell, number: index + 1 })),
  );
}

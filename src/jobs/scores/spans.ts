/** Scores of parts of a video, such as its shots or the segments of a stream. */
import type { Moment, Series } from "./moments.ts";

/** Consecutive frames, and the scores of one metric in them. */
export interface ScoredSpan {
  readonly firstFrame: number;
  readonly frameCount: number;
  /** Over its scored frames, to six decimals. */
  readonly mean: number;
  readonly min: number;
  /** The first frame with that score. */
  readonly worstFrame: number;
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

/** Shots of a video: the frames between two cuts, and how each of them scored. */
import type { Moment, Series } from "./moments.ts";

/** A shot, and the scores of one metric in it. */
export interface Shot {
  readonly firstFrame: number;
  readonly frameCount: number;
  /** Over its scored frames, to six decimals. */
  readonly mean: number;
  readonly min: number;
  /** The first frame with that score. */
  readonly worstFrame: number;
}

/**
 * Returns the shots of a video in order.
 *
 * @param starts first frame of each shot, ascending, from 0
 * @param frames per-frame scores in frame order; a shot without any, as subsampling leaves, is not returned
 */
export function shotsOf(starts: readonly number[], frames: Series, metric: string): Shot[] {
  if (frames.length === 0) return [];
  const end = frames.frame(frames.length - 1) + 1;
  const shots: Shot[] = [];
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
    shots.push({
      firstFrame,
      frameCount: next - firstFrame,
      mean,
      min: worst.value,
      worstFrame: worst.frame,
    });
  }
  return shots;
}

/** Default number of worst shots. */
export const WORST_SHOTS = 5;

/** Returns up to `count` shots, the lowest mean first; among equal means, the earlier shot. */
export function worstShots<S extends Pick<Shot, "mean">>(shots: readonly S[], count = WORST_SHOTS): S[] {
  return shots.toSorted((one, other) => one.mean - other.mean).slice(0, count);
}

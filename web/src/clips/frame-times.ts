/** Converts between the times of a video and its frames. */

export interface Timing {
  /** Number of frames of the video. */
  readonly count: number;
  /** Seconds. */
  readonly duration: number;
}

/**
 * Tolerance as a share of a frame's duration: times are rounded to a microsecond, or to the clock of the
 * media.
 */
const ROUNDED = 0.01;

/** The index of the frame that is shown at a time in seconds. */
export function indexAt(time: number, { count, duration }: Timing): number {
  const index = Math.floor((time / duration) * count + ROUNDED);
  return Number.isFinite(index) ? within(index, count) : 0;
}

/** The time in the middle of a frame, so that no rounding leads to the frame before. */
export function timeOf(index: number, { count, duration }: Timing): number {
  return ((within(index, count) + 0.5) / count) * duration;
}

/** Limits an index to the frames of the video. */
export function within(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}

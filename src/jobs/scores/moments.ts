/** The worst moments of a video: the lowest scores of a metric, at a minimum distance from each other. */

/** Per-frame scores, by row. */
export interface Series {
  readonly length: number;
  frame(row: number): number;
  /** undefined: the row has no score of this metric. */
  value(metric: string, row: number): number | undefined;
}

export interface Moment {
  readonly row: number;
  readonly frame: number;
  readonly value: number;
}

/** Default number of worst moments. */
export const WORST_MOMENTS = 5;
/** A viewer perceives frames closer than this as one moment. */
const APART_SECONDS = 2;
/** The same distance if the frame rate is unknown: 2 s at 25 fps. */
const APART_FRAMES = 50;

/** Minimum distance of two moments in frames, at a rate in frames per second. */
export function framesApart(rate: number | undefined): number {
  return rate === undefined ? APART_FRAMES : Math.ceil(APART_SECONDS * rate);
}

/** Returns up to `count` moments, the worst first; among equal scores, the earlier one. */
export function worstMoments(series: Series, metric: string, apart: number, count = WORST_MOMENTS): Moment[] {
  const moments: Moment[] = [];
  while (moments.length < count) {
    const next = lowest(series, metric, apart, moments);
    if (!next) break;
    moments.push(next);
  }
  return moments;
}

function lowest(series: Series, metric: string, apart: number, taken: readonly Moment[]): Moment | undefined {
  let found: Moment | undefined;
  for (let row = 0; row < series.length; row++) {
    const value = series.value(metric, row);
    if (value === undefined || (found && value >= found.value)) continue;
    const frame = series.frame(row);
    if (taken.every((moment) => Math.abs(moment.frame - frame) >= apart)) found = { row, frame, value };
  }
  return found;
}

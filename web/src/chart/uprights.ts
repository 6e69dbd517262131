/** A line of more values than pixels, as one upright stroke for each column of pixels. */

export interface Upright {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Point {
  /** Whole; never less than the point's before. */
  readonly column: number;
  /** NaN: no value, so that the line has a gap. */
  readonly y: number;
}

/**
 * Each from the smallest to the largest y of its column, and to the last one of the column before: the line is whole.
 * What values stand for is up to a little wider than a column, so one that is passed over is as the one before.
 */
export function uprightsOf(points: Iterable<Point>): readonly Upright[] {
  const uprights: Upright[] = [];
  let [column, top, bottom, last] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  const put = (next: number) => {
    if (Number.isNaN(top)) return;
    const end = Number.isNaN(last) ? column + 1 : next;
    for (let each = column; each < end; each++) uprights.push({ column: each, top, bottom });
  };
  for (const point of points) {
    if (point.column !== column) {
      put(point.column);
      ({ column } = point);
      top = bottom = Number.NaN;
      if (!Number.isNaN(point.y)) top = bottom = last;
    }
    last = point.y;
    if (Number.isNaN(last)) continue;
    top = Number.isNaN(top) ? last : Math.min(top, last);
    bottom = Number.isNaN(bottom) ? last : Math.max(bottom, last);
  }
  put(column + 1);
  return uprights;
}

/** Whether a dashed line has ink at a place. @param dash lengths of dashes and gaps in turn, of an even number; none: no gaps. */
export function isInked(dash: readonly number[], place: number): boolean {
  let rest = place % dash.reduce((sum, length) => sum + length, 0);
  for (const [index, length] of dash.entries()) {
    if (rest < length) return index % 2 === 0;
    rest -= length;
  }
  return true;
}

/** Reduces a line with more points than pixels to one vertical stroke per pixel column. */

export interface Upright {
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Point {
  /** An integer, not less than that of the previous point. */
  readonly column: number;
  /** NaN: no score, so that the line has a gap. */
  readonly y: number;
}

/**
 * Each stroke covers the smallest to the largest y of its column and the last y of the previous column, so that the
 * line is continuous. Bins can be slightly wider than a column; a column without a point repeats the previous stroke.
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

/**
 * Whether a dashed line is drawn at a position.
 *
 * @param dash alternating lengths of dashes and gaps, an even number of them; empty: no gaps.
 */
export function isInked(dash: readonly number[], place: number): boolean {
  let rest = place % dash.reduce((sum, length) => sum + length, 0);
  for (const [index, length] of dash.entries()) {
    if (rest < length) return index % 2 === 0;
    rest -= length;
  }
  return true;
}

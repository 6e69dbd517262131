/** Which points stand for a range of rows in so many pixels. */
import type { Column } from "./column.ts";

export interface Samples {
  /** Rows, none less than the one before; a bin's two points are in its middle. */
  readonly rows: number[];
  /** Of each column, its values at these rows; null: none. */
  readonly values: (number | null)[][];
}

/**
 * Of rows from ≤ row < to, and the ones next to them so that lines reach the edges. Every bin of rows is
 * drawn by its smallest and its largest value: no minimum is ever lost. Bins begin at multiples of their
 * length, so that they do not change while somebody pans.
 */
export function sample(columns: readonly Column[], from: number, to: number, pixels: number): Samples {
  const length = Math.ceil((to - from) / Math.max(1, pixels));
  if (length <= 2) return each(columns, Math.max(0, from - 1), to + 1);
  const samples = each(columns, from - 1, from);
  for (let start = Math.floor(from / length) * length; start < to; start += length) {
    const first = Math.max(start, from);
    const end = Math.min(start + length, to);
    const middle = (first + end - 1) / 2;
    samples.rows.push(middle, middle);
    for (const [index, column] of columns.entries()) samples.values[index]?.push(...ends(column, first, end));
  }
  const last = each(columns, to, to + 1);
  samples.rows.push(...last.rows);
  for (const [index, values] of last.values.entries()) samples.values[index]?.push(...values);
  return samples;
}

/** The smallest and the largest value of a bin, in the order in which they come. */
function ends(column: Column, from: number, to: number): readonly [number | null, number | null] {
  const { low, high } = column.extremes(from, to);
  if (low < 0) return [null, null];
  return low <= high ? [column.at(low), column.at(high)] : [column.at(high), column.at(low)];
}

function each(columns: readonly Column[], from: number, to: number): Samples {
  const rows = Array.from({ length: to - from }, (_, index) => from + index);
  return {
    rows,
    values: columns.map((column) =>
      rows.map((row) => {
        const value = column.at(row);
        return Number.isNaN(value) ? null : value;
      }),
    ),
  };
}

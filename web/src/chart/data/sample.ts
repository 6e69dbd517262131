/** Reduces a range of rows to the points that fit a number of pixels. */
import type { Column } from "./column.ts";

export interface Samples {
  /** Rows in ascending order; both points of a bin are placed in its middle. */
  readonly rows: number[];
  /** Per column, its scores at these rows; null: none. */
  readonly values: (number | null)[][];
}

/**
 * Samples rows from ≤ row < to, and their neighbours so that lines reach the edges. Every bin of rows is drawn by its
 * smallest and its largest score, so that no minimum is ever lost. Bins start at multiples of their length, so that
 * they do not change while panning.
 */
export function sample(columns: readonly Column[], from: number, to: number, pixels: number): Samples {
  const length = Math.ceil((to - from) / Math.max(1, pixels));
  if (length <= 2) return everyRow(columns, Math.max(0, from - 1), to + 1);
  const samples = everyRow(columns, from - 1, from);
  for (let start = Math.floor(from / length) * length; start < to; start += length) {
    const first = Math.max(start, from);
    const end = Math.min(start + length, to);
    const middle = (first + end - 1) / 2;
    samples.rows.push(middle, middle);
    for (const [index, column] of columns.entries()) samples.values[index]?.push(...ends(column, first, end));
  }
  const last = everyRow(columns, to, to + 1);
  samples.rows.push(...last.rows);
  for (const [index, values] of last.values.entries()) samples.values[index]?.push(...values);
  return samples;
}

/** The smallest and the largest score of a bin, in their order of occurrence. */
function ends(column: Column, from: number, to: number): readonly [number | null, number | null] {
  const { low, high } = column.extremes(from, to);
  if (low < 0) return [null, null];
  return low <= high ? [column.at(low), column.at(high)] : [column.at(high), column.at(low)];
}

function everyRow(columns: readonly Column[], from: number, to: number): Samples {
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

/**
 * Draws a metric over the frames in characters. Each column spans the lowest to the highest value of its
 * frames, so that a single bad frame of a long film is visible even on a narrow terminal.
 */

import type { Moment } from "../../jobs/scores/moments.ts";
import { timeCode } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { type Axis, endingAt, valueAxis } from "./axis.ts";
import type { Series } from "./view.ts";

export interface ChartOptions {
  readonly terminal: Terminal;
  /** Frames per second, for time codes; undefined: frame numbers only. */
  readonly rate: number | undefined;
  /** The largest value that the metric can have; absent: any. */
  readonly limit?: number;
  /** Rows of characters of the plot. */
  readonly height?: number;
  /** Moments to mark below the plot, numbered from 1. */
  readonly marks?: readonly Moment[];
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

const DEFAULT_HEIGHT = 8;
/** Fewer ticks than rows: a label in every row would hide the plot. */
const TICKS_PER_ROW = 0.75;
const MIN_PLOT_COLUMNS = 8;
/** Bits of the dots of a braille character: 2 across, 4 down. */
const BRAILLE_BITS = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** Returns the range of values in each of `columns` equal parts; undefined for a part without values. */
export function columnRanges(series: Series, metric: string, columns: number): (Range | undefined)[] {
  return Array.from({ length: columns }, (_, column) => {
    const [first, end] = rowsOf(column, columns, series.length);
    let range: Range | undefined;
    for (let row = first; row < end; row++) {
      const value = series.value(metric, row);
      if (value === undefined) continue;
      range = range
        ? { min: Math.min(range.min, value), max: Math.max(range.max, value) }
        : { min: value, max: value };
    }
    return range;
  });
}

/** Returns the rows of a column as [first, end): at least one. If there are fewer rows than columns, rows repeat. */
function rowsOf(column: number, columns: number, rows: number): [number, number] {
  const first = Math.floor((column * rows) / columns);
  return [first, Math.min(rows, Math.max(first + 1, Math.floor(((column + 1) * rows) / columns)))];
}

/** Returns the chart's lines; none if the metric has no value. */
export function chart(series: Series, metric: string, options: ChartOptions): string[] {
  const { terminal, limit = Number.POSITIVE_INFINITY, height = DEFAULT_HEIGHT } = options;
  const whole = columnRanges(series, metric, 1)[0];
  if (!whole) return [];
  const round = valueAxis(whole.min, whole.max, Math.max(2, Math.floor(height * TICKS_PER_ROW)));
  const axis = endingAt(round, Math.max(limit, whole.max));
  const labels = tickLabels(axis, height);
  const gutter = Math.max(...[...labels.values()].map((label) => label.length));
  const columns = Math.max(MIN_PLOT_COLUMNS, terminal.columns - gutter - 1);
  const plot = terminal.unicode
    ? braillePlot(columnRanges(series, metric, columns * 2), axis, columns, height)
    : asciiPlot(columnRanges(series, metric, columns), axis, height);
  const [tick, side] = terminal.unicode ? ["┤", "│"] : ["+", "|"];
  const lines = plot.map((line, row) => {
    const label = labels.get(row);
    return `${(label ?? "").padStart(gutter)}${label ? tick : side}${paint(terminal, "cyan", line)}`;
  });
  const below = timeAxis(series, columns, options);
  return [...lines, ...below.map((line) => (" ".repeat(gutter) + line).trimEnd())];
}

/** Returns row → label of its tick. */
function tickLabels(axis: Axis, height: number): Map<number, string> {
  const rows = new Map<number, string>();
  for (const tick of axis.ticks) {
    const row = level(tick, axis, height);
    if (!rows.has(row)) rows.set(row, tick.toFixed(axis.decimals));
  }
  return rows;
}

/** Returns the level at which a value is drawn: one of `levels` equal steps, with 0 at the top. */
function level(value: number, axis: Axis, levels: number): number {
  return Math.round(((axis.high - value) / (axis.high - axis.low)) * (levels - 1));
}

/** The levels that a column fills, from 0 at the top. */
interface Span {
  top: number;
  readonly bottom: number;
}

/**
 * Returns what each column fills. If neighbours don't meet, the lower one is extended up to the other: the line stays
 * connected, and no column is drawn below its own lowest value.
 */
function columnSpans(
  ranges: readonly (Range | undefined)[],
  axis: Axis,
  levels: number,
): readonly (Span | undefined)[] {
  const spans = ranges.map(
    (range): Span | undefined =>
      range && { top: level(range.max, axis, levels), bottom: level(range.min, axis, levels) },
  );
  const own = spans.map((span) => span && { ...span });
  for (let column = 1; column < spans.length; column++) {
    joinUp(spans[column - 1], own[column]);
    joinUp(spans[column], own[column - 1]);
  }
  return spans;
}

function joinUp(lower: Span | undefined, upper: Span | undefined): void {
  if (lower && upper && lower.top > upper.bottom) lower.top = Math.min(lower.top, upper.bottom + 1);
}

function braillePlot(
  ranges: readonly (Range | undefined)[],
  axis: Axis,
  columns: number,
  height: number,
): string[] {
  const cells = Array.from({ length: height }, () => new Uint8Array(columns));
  for (const [x, span] of columnSpans(ranges, axis, height * 4).entries()) {
    if (!span) continue;
    for (let y = span.top; y <= span.bottom; y++) {
      const row = cells[y >> 2];
      const bit = BRAILLE_BITS[y & 3]?.[x & 1];
      if (row && bit) row[x >> 1] = (row[x >> 1] ?? 0) | bit;
    }
  }
  return cells.map((row) => String.fromCharCode(...Array.from(row, (bits) => (bits ? 0x2800 + bits : 0x20))));
}

function asciiPlot(ranges: readonly (Range | undefined)[], axis: Axis, height: number): string[] {
  const spans = columnSpans(ranges, axis, height);
  return Array.from({ length: height }, (_, y) =>
    spans
      .map((span) => (!span || y < span.top || y > span.bottom ? " " : span.top === span.bottom ? "-" : "|"))
      .join(""),
  );
}

/** Returns the lines below the plot: the axis with ticks, marks, frame numbers and time codes. */
function timeAxis(series: Series, columns: number, options: ChartOptions): string[] {
  const { terminal, rate, marks = [] } = options;
  const lastFrame = series.frame(series.length - 1);
  const timeText = (frame: number) => timeCode(frame / (rate ?? 1));
  const widest = (rate === undefined ? String(lastFrame) : timeText(lastFrame)).length;
  const count = Math.max(2, Math.min(5, Math.floor(columns / (widest + 4)), series.length));
  const ticks = Array.from({ length: count }, (_, index) => {
    const column = Math.round((index * (columns - 1)) / (count - 1));
    const row = index === count - 1 ? series.length - 1 : rowsOf(column, columns, series.length)[0];
    return { column, frame: series.frame(row) };
  });
  const [corner, line, tick] = terminal.unicode ? ["└", "─", "┬"] : ["+", "-", "+"];
  const bar = Array.from({ length: columns }, () => line);
  for (const { column } of ticks) bar[column] = tick;
  const label = (text: (frame: number) => string) =>
    ` ${place(
      ticks.map(({ column, frame }) => ({ column, text: text(frame) })),
      columns,
    )}`;
  const lines = [corner + bar.join("")];
  if (marks.length > 0) lines.push(` ${paint(terminal, "yellow", markLine(series, columns, marks))}`);
  lines.push(label(String));
  if (rate !== undefined) lines.push(label(timeText));
  return lines;
}

/** Puts each mark's number below its column. If two share a column, the worse one is shown. */
function markLine(series: Series, columns: number, marks: readonly Moment[]): string {
  const line = Array.from({ length: columns }, () => " ");
  for (const [index, { row }] of [...marks.entries()].toReversed()) {
    line[Math.min(columns - 1, Math.floor(((row + 0.5) * columns) / series.length))] = String(index + 1);
  }
  return line.join("").trimEnd();
}

/**
 * Centres texts on their columns, inside the line. Leaves out a text that would touch its left neighbour or
 * is wider than the line.
 */
function place(texts: readonly { column: number; text: string }[], columns: number): string {
  let line = "";
  for (const [index, { column, text }] of texts.entries()) {
    const centred = index === 0 ? 0 : Math.round(column - text.length / 2);
    const start = Math.max(0, Math.min(columns - text.length, centred));
    if (text.length > columns || (index > 0 && start < line.length + 1)) continue;
    line = line.padEnd(start) + text;
  }
  return line;
}

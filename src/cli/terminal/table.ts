/** Tables: one line per item, as many columns as fit. */
import { printable } from "./escape.ts";
import { paint, type Terminal } from "./terminal.ts";
import { columnsOf, cut, padded } from "./width.ts";

export interface TableColumn<T> {
  readonly heading: string;
  /** Returns the cell's text; it is printed escaped. */
  text(thing: T): string;
  /** Minimum width, so that the pages of a long list align. */
  readonly atLeast: number;
  readonly align?: "right";
  /** If the terminal is too narrow, columns are left out, the highest number first; without a number, never. */
  readonly dispensable?: number;
}

const GAP = "  ";
/** Minimum width of the last column before others are left out. */
const LAST_COLUMNS = 10;

export interface TableOptions {
  readonly heading: boolean;
  /** Default: LAST_COLUMNS. */
  readonly lastColumns?: number;
}

/** Returns the lines. The last column gets the rest of the width and is cut there. */
export function tableLines<T>(
  things: readonly T[],
  all: readonly TableColumn<T>[],
  terminal: Terminal,
  { heading, lastColumns = LAST_COLUMNS }: TableOptions,
): string[] {
  const widths = new Map(all.map((column) => [column, widthOf(column, things)]));
  const columns = fitting(all, widths, terminal.columns - lastColumns);
  const last = columns.at(-1);
  const line = (textOf: (column: TableColumn<T>) => string) => {
    const before = columns
      .slice(0, -1)
      .map((column) => padded(textOf(column), widths.get(column) ?? 0, column.align ?? "left"));
    const room = terminal.columns - columnsOf([...before, ""].join(GAP));
    return [...before, last ? cut(textOf(last), room, terminal.unicode) : ""].join(GAP).trimEnd();
  };
  const lines = things.map((thing) => line((column) => printable(column.text(thing))));
  return heading
    ? [
        paint(
          terminal,
          "dim",
          line((column) => column.heading),
        ),
        ...lines,
      ]
    : lines;
}

function widthOf<T>(column: TableColumn<T>, things: readonly T[]): number {
  const texts = things.map((thing) => columnsOf(printable(column.text(thing))));
  return Math.max(column.atLeast, column.heading.length, ...texts);
}

/** Returns the columns that fit: all but the last take at most `room`. */
function fitting<T>(
  all: readonly TableColumn<T>[],
  widths: ReadonlyMap<TableColumn<T>, number>,
  room: number,
): readonly TableColumn<T>[] {
  const needed = (columns: readonly TableColumn<T>[]) =>
    columns.slice(0, -1).reduce((sum, column) => sum + (widths.get(column) ?? 0) + GAP.length, 0);
  let columns = all;
  while (needed(columns) > room) {
    const next = columns
      .filter((column) => column.dispensable !== undefined)
      .toSorted((a, b) => (b.dispensable ?? 0) - (a.dispensable ?? 0))[0];
    if (next === undefined) break;
    columns = columns.filter((column) => column !== next);
  }
  return columns;
}

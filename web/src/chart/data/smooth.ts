/**
 * Moving means of scores, so that the chart of a long video shows how quality changes, and not the pattern of
 * frame types.
 */
import { Column } from "./column.ts";
import { FrameTable } from "./frame-table.ts";

/** Seconds of the window that can be chosen; 0: the scores as they are. */
export const WINDOWS = [0, 0.5, 2, 10] as const;
/** The frame rate if no file states one. */
const USUAL_RATE = 25;

/**
 * Returns a table of metrics in which each score is the mean of the scores around it: a window in seconds, centred on the
 * frame. Frames without a score have none.
 *
 * @param rate frames per second; undefined if unknown
 */
export function smoothed(
  table: FrameTable,
  metrics: readonly string[],
  seconds: number,
  rate = USUAL_RATE,
): FrameTable {
  const reach = Math.floor((seconds * rate) / table.step / 2);
  if (reach === 0) return table;
  const means = new FrameTable(table.total, table.step);
  for (const metric of metrics) {
    const column = table.column(metric);
    if (column !== undefined) means.adopt(metric, meansOf(column, table.rows, reach));
  }
  return means;
}

function meansOf(column: Column, rows: number, reach: number): Column {
  const means = new Column(rows);
  for (let row = 0; row < rows; row++)
    if (!Number.isNaN(column.at(row))) means.set(row, column.mean(row - reach, row + reach + 1));
  means.commit(0, rows);
  return means;
}

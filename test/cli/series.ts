/** Per-frame scores for tests of their display. */
import { FrameTable } from "../../src/engine/frames/frame-table.ts";

/**
 * Returns a table with one metric, "vmaf": frame n has the n-th value; undefined stands for a value that isn't finite.
 */
export function vmafSeries(
  values: readonly (number | undefined)[],
  firstFrame = 0,
  everyNth = 1,
): FrameTable {
  const table = new FrameTable(["vmaf"], Math.max(1, values.length));
  for (const [row, value] of values.entries())
    table.append(firstFrame + row * everyNth, [value ?? Number.NaN]);
  return table;
}

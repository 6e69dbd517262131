/** Per-frame values for tests of what is drawn from them. */
import { FrameTable } from "../../src/engine/frames.ts";

/** A table of one metric, "vmaf": frame n has the n-th value, undefined is not finite. */
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

import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameTable } from "../../../web/src/chart/data/frame-table.ts";
import { smoothed } from "../../../web/src/chart/data/smooth.ts";

function tableOf(values: readonly number[], step = 1): FrameTable {
  const table = new FrameTable(values.length * step, step);
  const writer = table.writer();
  writer.header(["vmaf"]);
  for (const [row, value] of values.entries()) writer.row(row * step, Float64Array.of(value));
  writer.commit();
  return table;
}

const VALUES = [10, 20, 60, Number.NaN, 30, 40];
const shown = (table: FrameTable) => VALUES.map((_, row) => table.column("vmaf")?.at(row));

test("each score is the mean of the window around it, without frames that have none", () => {
  // 0.12 s at 25 frames per second: one frame to each side.
  assert.deepEqual(shown(smoothed(tableOf(VALUES), ["vmaf"], 0.12, 25)), [15, 30, 40, Number.NaN, 35, 35]);
});

test("a window of less than three scores changes nothing", () => {
  const table = tableOf(VALUES);
  assert.equal(smoothed(table, ["vmaf"], 0.06, 25), table);
  assert.equal(smoothed(table, ["vmaf"], 0), table);
  const every5th = tableOf(VALUES, 5);
  assert.equal(smoothed(every5th, ["vmaf"], 0.2, 25), every5th);
});

test("range queries see the means, and metrics without scores are left out", () => {
  const table = smoothed(tableOf(VALUES), ["vmaf", "psnr_y"], 0.12, 25);
  assert.deepEqual(table.column("vmaf")?.extremes(0, 6), { low: 0, high: 2 });
  assert.deepEqual(table.metrics, ["vmaf"]);
});

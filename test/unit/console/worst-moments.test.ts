/** The console lists the same worst moments that the controller makes stills of and `svc score` prints. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { framesApart, worstMoments } from "../../../src/jobs/scores/moments.ts";
import { FrameTable } from "../../../web/src/chart/data/frame-table.ts";
import { worstFrames } from "../../../web/src/stills/worst-moments.ts";
import { vmafSeries } from "../../cli/series.ts";

/** Few distinct values, to get ties; undefined: no score. */
const values = fc.array(fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }), { maxLength: 300 });

function tableOf(all: readonly (number | undefined)[], step: number): FrameTable {
  const table = new FrameTable(all.length * step, step);
  const writer = table.writer();
  writer.header(["vmaf"]);
  for (const [row, value] of all.entries()) writer.row(row * step, Float64Array.of(value ?? Number.NaN));
  writer.commit();
  return table;
}

test("lists the same frames in the same order, also if only every n-th is scored", () => {
  fc.assert(
    fc.property(
      values,
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(undefined, 10, 24),
      (all, step, rate) => {
        const expected = worstMoments(vmafSeries(all, 0, step), "vmaf", framesApart(rate));
        assert.deepEqual(
          worstFrames(tableOf(all, step), "vmaf", rate),
          expected.map(({ frame }) => frame),
        );
      },
    ),
  );
});

test("lists none for an unknown metric", () => {
  assert.deepEqual(worstFrames(tableOf([1, 2], 1), "psnr_y", 25), []);
});

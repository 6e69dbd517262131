/** Encodes as points of charts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellPoint } from "../../../src/report/cell-point.ts";

type Cell = Parameters<typeof cellPoint>[0];

const MEDIA = { codec: "h264", width: 640, height: 360 };

/** As JSON has it: REST writes numbers that are not finite as texts. */
function cell(media: object | undefined, mean: unknown): Cell {
  return JSON.parse(JSON.stringify({ media, pooled: { vmaf: { mean } } })) as Cell;
}

test("is the bit rate of the video and the mean of the metric", () => {
  const point = cellPoint(cell({ ...MEDIA, videoBitRate: 2e6 }, 93.2), "vmaf");
  assert.deepEqual(point, { rate: 2e6, score: 93.2 });
});

test("there is no point without a bit rate, a score, or a finite score", () => {
  const rated = { ...MEDIA, videoBitRate: 2e6 };
  for (const without of [cell(undefined, 93), cell(MEDIA, 93), cell(rated, undefined), cell(rated, "NaN")])
    assert.equal(cellPoint(without, "vmaf"), undefined, JSON.stringify(without));
  assert.equal(cellPoint(cell(rated, 93), "psnr_y"), undefined);
});

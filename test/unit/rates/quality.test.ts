/** What the name of a column of scores says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inDecibels, qualityOf } from "../../../src/rates/quality.ts";

test("knows the largest score of VMAF and SSIM by their names", () => {
  const cases: readonly (readonly [name: string, max: number | undefined])[] = [
    ["vmaf", 100],
    ["VMAF_Y-NEG", 100],
    ["vmaf_v0.6.1", 100],
    ["v1", 100],
    ["v1-tv", 110],
    ["vmaf_tv", 110],
    ["vmaf_v1.0.16_3d0h_2160", 110],
    ["ssim", 1],
    ["float_ms_ssim", 1],
    ["MS-SSIM", 1],
    ["ssim_y", 1],
    ["ssim_db", undefined],
    ["ssimulacra2", undefined],
    ["psnr_y", undefined],
    ["xpsnr_y", undefined],
    ["vif", undefined],
  ];
  for (const [name, max] of cases) assert.equal(qualityOf(name).max, max, name);
});

test("only VMAF with a maximum of 100 saturates as in AOM's test conditions; for banding, less is better", () => {
  assert.deepEqual(
    ["vmaf", "v1-tv", "ssim"].map((name) => qualityOf(name).isVmaf),
    [true, false, false],
  );
  assert.deepEqual(
    ["cambi", "CAMBI", "vmaf", "psnr_y"].map((name) => qualityOf(name).isLower),
    [true, true, false, false],
  );
});

test("in decibels a tenth of the distance from the largest score is 10 dB more", () => {
  assert.ok(Math.abs(inDecibels(90, 100) - 10) < 1e-12);
  assert.ok(Math.abs(inDecibels(0.999, 1) - 30) < 1e-9);
  assert.equal(inDecibels(100, 100), Number.POSITIVE_INFINITY);
  assert.ok(Number.isNaN(inDecibels(101, 100)));
});

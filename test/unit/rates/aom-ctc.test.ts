/**
 * BD-rate of AOM's common test conditions. The expected numbers were computed by the published steps with numpy 2.4.6
 * and scipy 1.17.1: pchip_interpolate at 100 samples, and trapezoid.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { aomBdRate, aomLadder } from "../../../src/rates/aom-ctc.ts";
import type { RatePoint } from "../../../src/rates/points.ts";

function ladder(rates: readonly number[], scores: readonly number[]): RatePoint[] {
  return rates.map((rate, index) => ({ rate, score: scores[index] ?? Number.NaN }));
}

function bdRateOf(anchor: readonly RatePoint[], test: readonly RatePoint[], saturates: boolean) {
  const outcome = aomBdRate(aomLadder(anchor, saturates), aomLadder(test, saturates));
  return "delta" in outcome ? outcome.delta.value : outcome.refusal;
}

function near(actual: number | string, expected: number): void {
  assert.ok(
    Math.abs(Number(actual) - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${actual}, ${expected}`,
  );
}

const RATES = [1299.84, 2108.4, 3304.32, 4894.8, 6923.28, 9563.04];
const OTHER_RATES = [1306.56, 2178, 3446.4, 5073.36, 7111.68, 9758.88];

test("the integral is that of 100 samples", () => {
  const psnr = ladder(RATES, [32.3055, 35.8063, 39.6659, 43.4791, 46.9709, 50.0198]);
  const other = ladder(OTHER_RATES, [31.5938, 35.2944, 39.297, 43.2038, 46.7027, 49.6767]);
  near(bdRateOf(psnr, other, false), 7.909282487807445);
  const sample = ladder([686.76, 309.58, 157.11, 85.95], [40.28, 37.18, 34.24, 31.42]);
  const dearer = ladder([893.34, 407.8, 204.93, 112.75], [40.39, 37.21, 34.17, 31.24]);
  near(bdRateOf(sample, dearer, false), 31.379848953547285);
});

test("drops VMAF from a fall at saturation on, and the dearer of two points with the same score", () => {
  const anchor = ladder(RATES, [88.3, 94.9, 98.1, 99.6, 99.58, 99.9]);
  const other = ladder(OTHER_RATES, [87.1, 94.2, 97.9, 99.5, 99.8, 99.8]);
  near(bdRateOf(anchor, other, true), 9.22633601670395);
  assert.deepEqual(aomLadder(anchor, true).points, anchor.slice(0, 4));
  assert.equal(aomLadder(anchor, true).dropped, 2);
  assert.deepEqual(aomLadder(other, true).points, other.slice(0, 5));
});

test("a fall is refused below saturation, and for other metrics", () => {
  const falling = ladder(RATES, [88.3, 94.9, 99.4, 99.3, 99.58, 99.9]);
  const { flaw } = aomLadder(falling, true);
  assert.deepEqual(flaw, { refusal: "NOT_MONOTONE", between: [falling[2], falling[3]] });
  assert.equal(
    aomLadder(ladder(RATES, [88.3, 94.9, 98.1, 99.6, 99.58, 99.9]), false).flaw?.refusal,
    "NOT_MONOTONE",
  );
});

test("an infinite score counts as 100; rates may be the same", () => {
  const lossless = ladder([100, 200, 400, 800], [30, 40, 50, Number.POSITIVE_INFINITY]);
  assert.equal(aomLadder(lossless, false).points.at(-1)?.score, 100);
  const equal = ladder([100, 100, 400, 800], [30, 40, 50, 60]);
  assert.equal(aomLadder(equal, false).flaw, undefined);
});

test("an infinite score is above 100 where a fall is looked for", () => {
  const infinite = Number.POSITIVE_INFINITY;
  const falling = ladder([100, 200, 400, 800], [30, 40, infinite, 100]);
  const { flaw } = aomLadder(falling, false);
  assert.deepEqual(flaw, { refusal: "NOT_MONOTONE", between: [falling[2], falling[3]] });
  assert.deepEqual(
    aomLadder(falling, true).points.map(({ score }) => score),
    [30, 40, 100],
  );
  const twice = ladder([100, 200, 400, 800], [30, 40, infinite, infinite]);
  assert.deepEqual(
    aomLadder(twice, false).points.map(({ rate }) => rate),
    [100, 200, 400],
  );
  const above = ladder([100, 200, 400, 800], [30, 40, 105, infinite]);
  assert.equal(aomLadder(above, false).flaw?.refusal, "NOT_MONOTONE");
});

test("returns the reason if a ladder has too few points, or no numbers", () => {
  const refusal = (rates: readonly number[], scores: readonly number[]) =>
    aomLadder(ladder(rates, scores), true).flaw?.refusal;
  assert.equal(refusal([1, 2, 3], [1, 2, 3]), "TOO_FEW_POINTS");
  assert.equal(refusal([1, 2, 3, 4], [99.9, 99.8, 99.7, 99.6]), "TOO_FEW_POINTS");
  assert.equal(refusal([1, 2, 3, 4], [1, 2, 3, Number.NaN]), "NO_SCORE");
  assert.equal(refusal([1, 2, 3, 0], [1, 2, 3, 4]), "NO_RATE");
  assert.equal(
    bdRateOf(ladder([1, 2, 3, 4], [1, 2, 3, 4]), ladder([1, 2, 3, 4], [5, 6, 7, 8]), true),
    "NO_OVERLAP",
  );
});

test("a ladder equals itself, and scaling its rates scales the delta", () => {
  const points = ladder(RATES, [60, 70, 80, 90, 95, 97]);
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 10, noNaN: true }), (factor) => {
      const dearer = points.map(({ rate, score }) => ({ rate: rate * factor, score }));
      near(bdRateOf(points, dearer.toReversed(), true), (factor - 1) * 100);
    }),
  );
});

/**
 * BD-rate as the Alliance for Open Media's common test conditions compute it. Written after BD_RATE and
 * filter_vmaf_non_monotonic of convexhull_framework/src/CalcBDRate.py in xiph/awcy (commit bb5ddddab2f7), by
 * the authors of the test framework. It differs from PCHIP as JVET uses it in three points:
 *
 * - For VMAF, if a point scores less than the point before, and that one scores 99.5 or more, this point and
 *   all points with higher rates are dropped.
 * - Of points with the same score, the one with the lowest rate is kept. Points with the same rate are
 *   allowed.
 * - The integral is computed from 100 samples by the trapezoidal rule.
 *
 * An infinite score counts as 100, except that it is above 100 when the order of points is checked. A
 * BD-score is not defined there.
 *
 * The hull of several picture sizes is that of CalcASBDRate in the test framework of AV2, with Interpolate_Bilinear
 * and eight pieces between two encodes. The hull ends at its highest score, so nothing saturates or falls.
 */
import { differenceOf, inPercent, type Outcome } from "./bd-rate.ts";
import type { Curve } from "./hermite.ts";
import { interpolatedHull } from "./ladder-hulls.ts";
import { pchip } from "./pchip.ts";
import {
  byRate,
  type Flaw,
  MIN_POINTS,
  numberFlaw,
  type PictureSize,
  type RatePoint,
  rateOverScore,
} from "./points.ts";

/** VMAF score from which a decrease counts as saturation. */
const SATURATED = 99.5;
const INFINITE_SCORE = 100;
const SAMPLES = 100;
/**
 * Minimum number of points that must remain. At least MIN_POINTS must be given; the test conditions use six.
 */
export const MIN_REMAINING = 2;

export interface AomLadder<Point extends RatePoint = RatePoint> {
  /** Sorted by score, each score once; empty if there is a flaw. */
  readonly points: readonly RatePoint[];
  readonly dropped: number;
  readonly flaw: Flaw<Point> | undefined;
}

/** Returns the points of a ladder that count. `saturates`: the scores are VMAF's, of 100. */
export function aomLadder<Point extends RatePoint>(
  given: readonly Point[],
  saturates: boolean,
): AomLadder<Point> {
  const flawed = (flaw: Flaw<Point>) => ({ points: [], dropped: 0, flaw });
  if (given.length < MIN_POINTS) return flawed({ refusal: "TOO_FEW_POINTS" });
  const flaw = numberFlaw(given, (score) => score > Number.NEGATIVE_INFINITY);
  if (flaw !== undefined) return flawed(flaw);
  const sorted = byRate(given);
  const kept = (saturates ? unsaturated(sorted) : sorted).toSorted(byScore);
  const falling = pairs(kept).find(([before, after]) => after.rate < before.rate);
  // Of two adjacent points in the order of scores, the later one has the lower rate, so it comes first in the
  // order of rates.
  if (falling !== undefined) return flawed({ refusal: "NOT_MONOTONE", between: [falling[1], falling[0]] });
  const finite = kept.map((point) =>
    point.score === Number.POSITIVE_INFINITY ? { ...point, score: INFINITE_SCORE } : point,
  );
  // A score can be higher than the number that stands for an infinite one.
  const above = pairs(finite).find(([before, after]) => after.score < before.score);
  if (above !== undefined) return flawed({ refusal: "NOT_MONOTONE", between: above });
  const points = finite.filter(({ score }, index) => score !== finite[index - 1]?.score);
  const dropped = given.length - points.length;
  if (points.length < MIN_REMAINING) return { points: [], dropped, flaw: { refusal: "TOO_FEW_POINTS" } };
  return { points, dropped, flaw: undefined };
}

/** Returns the points of the hull of encodes of several sizes. Rates and scores must be numbers, rates above 0. */
export function aomHull<Point extends RatePoint & { readonly size: PictureSize | undefined }>(
  given: readonly Point[],
): AomLadder<Point> {
  const points = given.length < MIN_POINTS ? [] : interpolatedHull(given);
  if (points.length < MIN_REMAINING) return { points: [], dropped: 0, flaw: { refusal: "TOO_FEW_POINTS" } };
  return { points, dropped: 0, flaw: undefined };
}

/** Returns how many percent more bits `test` needs than `anchor` for the same score. */
export function aomBdRate(anchor: AomLadder, test: AomLadder): Outcome {
  const flaw = anchor.flaw ?? test.flaw;
  if (flaw !== undefined) return { refusal: flaw.refusal };
  const [one, other] = [rateOverScore(anchor.points), rateOverScore(test.points)];
  return inPercent(
    differenceOf(one, other, (from, to) => sampled(pchip(other), from, to) - sampled(pchip(one), from, to)),
  );
}

function unsaturated<Point extends RatePoint>(sorted: readonly Point[]): readonly Point[] {
  const fall = pairs(sorted).findIndex(
    ([before, after]) => after.score < before.score && before.score >= SATURATED,
  );
  return fall < 0 ? sorted : sorted.slice(0, fall + 1);
}

function byScore(one: RatePoint, other: RatePoint): number {
  // Scores are compared instead of subtracted, because two infinite scores have no difference.
  if (one.score !== other.score) return one.score < other.score ? -1 : 1;
  return one.rate - other.rate;
}

function pairs<Point>(points: readonly Point[]): (readonly [Point, Point])[] {
  return points.slice(1).map((point, index) => [points[index] ?? point, point]);
}

/** Returns the integral by the trapezoidal rule. */
function sampled(curve: Curve, from: number, to: number): number {
  const step = (to - from) / (SAMPLES - 1);
  const at = (index: number) => curve.at(from + index * step);
  let sum = 0;
  for (let index = 0; index < SAMPLES; index++) sum += at(index);
  return step * (sum - (at(0) + at(SAMPLES - 1)) / 2);
}

/**
 * Estimates the mean over all frames of a video from a sample of its units, with a 95 % confidence interval.
 *
 * One unit per stratum, each with the probability 1/c in a stratum of c units (sampling-plan.ts), so a unit stands for
 * c units. With sums of scores t and numbers of frames m of the drawn units:
 *
 *   mean      R = Σ c·t / Σ c·m, the combined ratio estimator (W. Cochran: Sampling Techniques, 3rd ed., 1977, 6.11)
 *   variance  v = Σ c·(c − 1)·s² / (Σ c·m)²: stratified with finite population correction (Cochran 5.4) of the
 *             linearized ratio (C.-E. Särndal, B. Swensson, J. Wretman: Model Assisted Survey Sampling, 1992, 5.5-5.6)
 *   s²        the average of (z − z′)² / 2 over the neighboring strata, z = t − R·m: successive differences, because
 *             a stratum with one unit does not show its own variance (K. Wolter: Introduction to Variance Estimation,
 *             2nd ed., 2007, 8.2). Different means of neighboring strata make it larger on average, not smaller.
 *   half      t(ν)·√v, Student's t with Satterthwaite's degrees of freedom, estimated from the squared differences d of
 *   width     disjoint pairs: ν = 3·(Σd)² / Σd² − 2 (F. Satterthwaite, Biometrics 2, 1946; E. Johnson and K. Rust,
 *             ASA Proceedings of Survey Research Methods, 1992). One outlier gives ν = 1, and a wide interval.
 *
 * A sample cannot show parts that it does not contain, so the half width is at least what such parts may weigh
 * (unseenShare), if their scores are up to UNSEEN_DEPTH from the mean.
 */

import { student975 } from "../../statistics/student.ts";
import type { SamplingPlan } from "./sampling-plan.ts";

/** The confidence of all intervals. */
export const CONFIDENCE = 0.95;

/** The assumed distance of parts that no unit of the sample shows from the mean, in points of VMAF. */
export const UNSEEN_DEPTH = 70;

/** The scores of the frames of a unit. */
export interface UnitScore {
  /** Number of frames, at least 1. */
  readonly frames: number;
  /** Sum of their scores. */
  readonly sum: number;
}

export interface Estimate {
  readonly mean: number;
  /** Half width of the 95 % confidence interval; 0 if all units are in the sample. */
  readonly halfWidth: number;
  /** Standard error of the mean; 0 if all units are in the sample. */
  readonly standardError: number;
  /** Number of units in the sample. */
  readonly units: number;
  /** Number of frames in the sample. */
  readonly frames: number;
}

/** A drawn unit: its stratum's number of units, and its scores. */
interface Drawn extends UnitScore {
  readonly size: number;
}

/**
 * Estimates from the first `units` units of the plan's order, at least 2 or all. `scoreOf` returns the scores of a unit
 * by its number in time; it is called for these units only.
 */
export function estimateMean(
  plan: SamplingPlan,
  units: number,
  scoreOf: (unit: number) => UnitScore,
): Estimate {
  const drawn = drawnUnits(plan, units, scoreOf);
  const weight = drawn.reduce((sum, unit) => sum + unit.size * unit.frames, 0);
  const mean = drawn.reduce((sum, unit) => sum + unit.size * unit.sum, 0) / weight;
  const frames = drawn.reduce((sum, unit) => sum + unit.frames, 0);
  const total = plan.order.length;
  if (units === total) return { mean, halfWidth: 0, standardError: 0, units, frames };
  const residuals = drawn.map(({ sum, frames: count }) => sum - mean * count);
  const standardError = Math.sqrt(variance(drawn, residuals)) / weight;
  const error = standardError * student975(freedom(drawn, residuals));
  const halfWidth = Math.max(error, UNSEEN_DEPTH * unseenShare(units, total));
  return { mean, halfWidth, standardError, units, frames };
}

/**
 * The largest share of a video's units that a sample misses completely with a probability over 5 %. A unit is in the
 * sample with the probability f = units / total, so b units in different strata are all missed with (1 − f)^b. For a
 * small f it is 3 / units, the rule of three (J. Hanley, A. Lippman-Hand, JAMA 249, 1983). Neighboring units, in one
 * stratum, are missed less often.
 */
export function unseenShare(units: number, total: number): number {
  return Math.log(1 - CONFIDENCE) / (total * Math.log1p(-units / total));
}

/**
 * The inverse of unseenShare: the number of units, as a real number, with which a sample misses `share` with
 * a probability of 5 %.
 */
export function unitsToShow(share: number, total: number): number {
  return -total * Math.expm1(Math.log(1 - CONFIDENCE) / (total * share));
}

/** Returns the drawn units in the order of time. */
function drawnUnits(plan: SamplingPlan, units: number, scoreOf: (unit: number) => UnitScore): Drawn[] {
  const starts = plan.starts.slice(0, units).sort();
  const numbers = plan.order.slice(0, units).sort();
  return Array.from(numbers, (number, stratum) => {
    const { frames, sum } = scoreOf(number);
    return { size: (starts[stratum + 1] ?? plan.order.length) - (starts[stratum] ?? 0), frames, sum };
  });
}

/** The variance of Σ c·z. */
function variance(drawn: readonly Drawn[], residuals: readonly number[]): number {
  return drawn.reduce((sum, { size }, index) => {
    const own = residuals[index] ?? 0;
    const neighbors = [residuals[index - 1], residuals[index + 1]].filter((value) => value !== undefined);
    const squares = neighbors.reduce((total, other) => total + (own - other) ** 2 / 2, 0);
    return sum + size * (size - 1) * (squares / neighbors.length);
  }, 0);
}

function freedom(drawn: readonly Drawn[], residuals: readonly number[]): number {
  let [sum, squares] = [0, 0];
  for (let index = 1; index < drawn.length; index += 2) {
    const [one = { size: 1 }, other = { size: 1 }] = [drawn[index - 1], drawn[index]];
    const weight = one.size * (one.size - 1) + other.size * (other.size - 1);
    const pair = weight * ((residuals[index - 1] ?? 0) - (residuals[index] ?? 0)) ** 2;
    sum += pair;
    squares += pair ** 2;
  }
  const estimated = (3 * sum ** 2) / squares - 2;
  // If all differences are 0, or if their squares overflow, it is not a number.
  return Number.isNaN(estimated) ? 1 : Math.max(1, estimated);
}

/** Proposes the rungs of a ladder: in steps of equal quality, up to a rate, along the convex hull of given encodes. */
import type { Curve } from "./hermite.ts";
import { upperHull } from "./hull.ts";
import { pchip } from "./pchip.ts";
import { type RatePoint, rateOverScore } from "./points.ts";

/**
 * - "BEST": the encode with the highest score
 * - "MAX_RATE": the highest score within the rate
 * - "STEP": a step below the rung above
 */
export type ProposalReason = "BEST" | "MAX_RATE" | "STEP";

export interface ProposedRung<Point extends RatePoint = RatePoint> extends RatePoint {
  readonly reason: ProposalReason;
  /** The encode on the hull whose score is nearest; its resolution, for example, can be used for the rung. */
  readonly like: Point;
}

/** Smaller steps than this would make ladders of thousands of rungs, whose steps no viewer can see. */
export const MIN_STEP = 0.1;

export interface ProposalRequest {
  /** Points between neighbouring rungs, MIN_STEP or more. */
  readonly step: number;
  /** In the unit of the points' rates; undefined: no limit. */
  readonly maxRate?: number | undefined;
}

/**
 * Returns rungs from the best one down to the lowest score of the encodes. Rates between encodes are those of
 * PCHIP curves through the hull, over the logarithm of the rate. Returns none if fewer than two encodes are
 * on the hull, or none is within the rate.
 */
export function proposedLadder<Point extends RatePoint>(
  points: readonly Point[],
  { step, maxRate = Number.POSITIVE_INFINITY }: ProposalRequest,
): readonly ProposedRung<Point>[] {
  const hull = upperHull(points.filter(({ rate }) => rate > 0));
  const [lowest, best] = [hull[0], hull.at(-1)];
  if (lowest === undefined || best === undefined || hull.length < 2 || lowest.rate > maxRate) return [];
  const isLimited = best.rate > maxRate;
  const rates = pchip(rateOverScore(hull));
  const top = isLimited ? scoreAt(Math.log10(maxRate), rates, [lowest.score, best.score]) : best.score;
  const rungs: ProposedRung<Point>[] = [];
  for (let score = top; score >= lowest.score; score -= step) {
    const reason = rungs.length > 0 ? "STEP" : isLimited ? "MAX_RATE" : "BEST";
    const rate = reason === "STEP" ? 10 ** rates.at(score) : Math.min(maxRate, best.rate);
    rungs.push({ score, rate, reason, like: nearest(hull, score) });
  }
  return rungs;
}

/** Halvings after which the interval of scores is as small as numbers allow. */
const HALVINGS = 60;

/** Returns the score at which a rising curve has a value. */
function scoreAt(value: number, curve: Curve, [from, to]: readonly [number, number]): number {
  let [low, high] = [from, to];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (curve.at(middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}

function nearest<Point extends RatePoint>(hull: readonly Point[], score: number): Point {
  return hull.reduce((one, other) =>
    Math.abs(other.score - score) < Math.abs(one.score - score) ? other : one,
  );
}

/** Finds the rungs of a ladder that are wasted, misplaced or missing, by scores of VMAF's scale. */
import { upperHull } from "./hull.ts";
import { pchip } from "./pchip.ts";
import { flawOf, type RatePoint, rateOverScore } from "./points.ts";

/**
 * - "DOMINATED": another rung needs no more bits and scores at least as high, such as one of another resolution
 * - "CLOSE": it gains too little over the rung below for viewers to notice
 * - "BELOW_HULL": a mixture of two other rungs scores higher with the same bits
 * - "GAP": a step is so large that a rung between is missing
 */
export type RungFaultKind = "DOMINATED" | "CLOSE" | "BELOW_HULL" | "GAP";

export interface RungFault<Point extends RatePoint = RatePoint> {
  readonly kind: RungFaultKind;
  /** The rung; for GAP, the one above the gap. */
  readonly rung: Point;
  /**
   * The rung that it is compared with: the better one, or the one below; for BELOW_HULL, the nearest lower
   * one on the hull.
   */
  readonly other: Point;
  /** Points between them; for BELOW_HULL, the points by which the mixture scores higher. */
  readonly points: number;
  /** For GAP: the rate of a rung in the middle of the step. */
  readonly rate?: number;
}

/**
 * Points of VMAF below which a rung gains too little: a third of the 6 points that count as a just noticeable
 * difference.
 */
const CLOSE_POINTS = 2;
/**
 * Points of VMAF from which a rung in between is missing: two just noticeable differences, so that viewers
 * notice a switch between such rungs.
 */
const GAP_POINTS = 12;
/**
 * Points of VMAF below the hull from which a rung counts as below it. A smaller distance lies within the
 * variation between scenes.
 */
const BELOW_POINTS = 1;

/** Returns the faults of one clip's rungs, from the cheapest on; none where a rate or score is not a number. */
export function rungFaults<Point extends RatePoint>(points: readonly Point[]): readonly RungFault<Point>[] {
  if (points.some(({ rate, score }) => !(rate > 0) || !Number.isFinite(rate) || !Number.isFinite(score)))
    return [];
  const sorted = points.toSorted((a, b) => a.rate - b.rate || b.score - a.score);
  const hull = upperHull(sorted);
  const kept: Point[] = [];
  const faults: RungFault<Point>[] = [];
  for (const rung of sorted) {
    const better = kept.find(({ score }) => score >= rung.score);
    if (better === undefined) kept.push(rung);
    else faults.push({ kind: "DOMINATED", rung, other: better, points: better.score - rung.score });
  }
  const curve = rateCurve(kept);
  for (const [index, rung] of kept.entries()) {
    const below = kept[index - 1];
    if (below === undefined) continue;
    const points = rung.score - below.score;
    if (points < CLOSE_POINTS) faults.push({ kind: "CLOSE", rung, other: below, points });
    if (points > GAP_POINTS) {
      const rate = curve?.(below.score + points / 2) ?? Math.sqrt(below.rate * rung.rate);
      faults.push({ kind: "GAP", rung, other: below, points, rate });
    }
    const missed = points < CLOSE_POINTS ? undefined : underHull(rung, hull);
    if (missed !== undefined) faults.push(missed);
  }
  return faults.toSorted((a, b) => a.rung.rate - b.rung.rate);
}

/** Returns the rate at a score, by PCHIP; undefined: no curve passes through the points. */
function rateCurve(points: readonly RatePoint[]): ((score: number) => number) | undefined {
  if (flawOf(points, 2) !== undefined) return undefined;
  const curve = pchip(rateOverScore(points.toSorted((a, b) => a.score - b.score)));
  return (score) => 10 ** curve.at(score);
}

function underHull<Point extends RatePoint>(
  rung: Point,
  hull: readonly Point[],
): RungFault<Point> | undefined {
  const above = hull.findIndex(({ rate }) => rate > rung.rate);
  const [left, right] = [hull[above - 1], hull[above]];
  if (left === undefined || right === undefined || left === rung) return undefined;
  const share = (rung.rate - left.rate) / (right.rate - left.rate);
  const points = left.score + share * (right.score - left.score) - rung.score;
  return points > BELOW_POINTS ? { kind: "BELOW_HULL", rung, other: left, points } : undefined;
}

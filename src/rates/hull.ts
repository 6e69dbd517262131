/** The convex hull of rate and score. */
import type { RatePoint } from "./points.ts";

/**
 * The upper convex hull of score over bit rate, from the cheapest point to the best one: no mixture of other
 * encodes reaches a higher score with the same bits. Computed by Andrew's monotone chain. Rate and score
 * ascend, and each further bit improves the score by less than the one before. Points on a straight line
 * between others are left out.
 */
export function upperHull<Point extends RatePoint>(points: readonly Point[]): Point[] {
  const sorted = points
    .filter(({ rate, score }) => Number.isFinite(rate) && Number.isFinite(score))
    .toSorted((one, other) => one.rate - other.rate || other.score - one.score);
  const hull: Point[] = [];
  for (const point of sorted) {
    const last = hull.at(-1);
    // The point needs more bits without a higher score.
    if (last !== undefined && point.score <= last.score) continue;
    while (isBelow(hull.at(-2), hull.at(-1), point)) hull.pop();
    hull.push(point);
  }
  return hull;
}

/** Whether the middle point is on or below the line between the others. */
function isBelow(left: RatePoint | undefined, middle: RatePoint | undefined, right: RatePoint): boolean {
  if (left === undefined || middle === undefined) return false;
  const rise = (middle.score - left.score) * (right.rate - left.rate);
  return rise <= (right.score - left.score) * (middle.rate - left.rate);
}

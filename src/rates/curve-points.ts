/** Points along the curve of a ladder, to draw it. */
import { curveOf } from "./bd-rate.ts";
import { byRate, type RatePoint, refusalOf, upright } from "./points.ts";

/**
 * Returns points at `steps` equal steps of the score along the curve that BD-rate averages; if no curve
 * passes through the given points, returns these, sorted by rate. `isLower`: whether a lower score is better.
 */
export function curvePoints(
  points: readonly RatePoint[],
  isLower: boolean,
  steps: number,
): readonly RatePoint[] {
  const sorted = byRate(upright(points, isLower));
  if (refusalOf(sorted) !== undefined) return upright(sorted, isLower);
  const curve = curveOf(sorted);
  const [low, high] = [sorted[0]?.score ?? 0, sorted.at(-1)?.score ?? 0];
  const scores = Array.from({ length: steps + 1 }, (_, step) => low + ((high - low) * step) / steps);
  const along = scores.map((score) => ({ rate: 10 ** curve.at(score), score }));
  return upright(along, isLower);
}

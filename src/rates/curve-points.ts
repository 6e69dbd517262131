/** Points along the curve of a ladder, to draw it. */
import { curveOf } from "./bd-rate.ts";
import { byRate, type RatePoint, refusalOf } from "./points.ts";

/**
 * Returns points at `steps` equal steps of the score along the curve that BD-rate averages; if no curve
 * passes through the given points, returns these, sorted by rate. `isLower`: whether a lower score is better.
 */
export function curvePoints(
  points: readonly RatePoint[],
  isLower: boolean,
  steps: number,
): readonly RatePoint[] {
  // Curves need scores for which higher is better.
  const turn = (some: readonly RatePoint[]) =>
    isLower ? some.map(({ rate, score }) => ({ rate, score: -score })) : some;
  const sorted = byRate(turn(points));
  if (refusalOf(sorted) !== undefined) return turn(sorted);
  const curve = curveOf(sorted);
  const [low, high] = [sorted[0]?.score ?? 0, sorted.at(-1)?.score ?? 0];
  const scores = Array.from({ length: steps + 1 }, (_, step) => low + ((high - low) * step) / steps);
  return turn(scores.map((score) => ({ rate: 10 ** curve.at(score), score })));
}

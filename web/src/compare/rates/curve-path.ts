/** SVG paths of rates and scores. */
import { curveOf } from "../../../../src/rates/bd-rate.ts";
import { type RatePoint, refusalOf } from "../../../../src/rates/points.ts";
import type { Better } from "../../chart/data/metrics.ts";
import { upright } from "./ladders.ts";
import type { Place } from "./rate-place.ts";

/** A line through the points. */
export function linePath(points: readonly RatePoint[], place: Place): string {
  return points.map(({ rate, score }, at) => `${at === 0 ? "M" : "L"}${place.at(rate, score)}`).join("");
}

/** The curve that BD-rate averages; straight lines if no curve passes through the points. */
export function curvePath(points: readonly RatePoint[], better: Better, place: Place): string {
  const sorted = upright(points, better).toSorted((one, other) => one.rate - other.rate);
  const [low, high] = [sorted[0]?.score ?? 0, sorted.at(-1)?.score ?? 0];
  if (refusalOf(sorted) !== undefined) return linePath(upright(sorted, better), place);
  const curve = curveOf(sorted);
  const steps = Array.from({ length: 121 }, (_, step) => low + ((high - low) * step) / 120);
  const path = steps.map((score) => ({ rate: 10 ** curve.at(score), score }));
  return linePath(upright(path, better), place);
}

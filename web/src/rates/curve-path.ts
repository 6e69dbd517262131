/** SVG paths of rates and scores. */
import { curvePoints } from "../../../src/rates/curve-points.ts";
import type { RatePoint } from "../../../src/rates/points.ts";
import type { Better } from "../chart/data/metrics.ts";
import type { Place } from "./rate-place.ts";

/** Steps of a curve. */
const STEPS = 120;

/** A line through the points. */
export function linePath(points: readonly RatePoint[], place: Place): string {
  return points.map(({ rate, score }, at) => `${at === 0 ? "M" : "L"}${place.at(rate, score)}`).join("");
}

/** The curve that BD-rate averages; straight lines if no curve passes through the points. */
export function curvePath(points: readonly RatePoint[], better: Better, place: Place): string {
  return linePath(curvePoints(points, better === "lower", STEPS), place);
}

/** What is worth knowing about the curves that numbers are computed from, in words. */
import type { components } from "../gen/rest/controller.ts";

type Schemas = components["schemas"];

/** Whether an encode is a point of its ladder's curve by a metric, as far as it has a rate and a score. */
export function isOnCurve(
  { offHull = [] }: Pick<Schemas["ComparisonCell"], "offHull">,
  metric: string,
): boolean {
  return !offHull.includes(metric);
}

/**
 * Returns the metrics by which an encode is not a point of its ladder's curve: "not on the hull", "not on the hull by
 * vmaf"; "" if there are none. `count`: how many metrics there are.
 */
export function offHullText(offHull: readonly string[], count: number): string {
  if (offHull.length === 0) return "";
  return offHull.length === count ? "not on the hull" : `not on the hull by ${offHull.join(", ")}`;
}

/** Returns sentences about the curves of a clip. */
export function curveNotes({
  crossings,
  offHull,
}: Pick<Schemas["ClipDelta"], "crossings" | "offHull">): readonly string[] {
  const scores = crossings.map(({ score }) => shortScore(score)).join(", ");
  return [
    ...(crossings.length > 0 ? [`The curves cross at ${scores}.`] : []),
    ...(offHull > 0 ? [`${offHull} ${offHull === 1 ? "encode is" : "encodes are"} not on the hulls.`] : []),
  ];
}

/** Three digits: "67.1". */
export function shortScore(score: number): string {
  return String(Number(score.toPrecision(3)));
}

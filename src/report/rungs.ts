/** Describes the faults of ladders' rungs in sentences. */
import type { components } from "../gen/rest/controller.ts";
import { bitRateText, resolutionText } from "../jobs/quantities.ts";
import { fileName } from "../jobs/text/file-name.ts";
import type { RatePoint } from "../rates/points.ts";
import { type Quality, qualityOf } from "../rates/quality.ts";
import { type RungFault, rungFaults } from "../rates/rungs.ts";
import { cellPoint } from "./cell-point.ts";
import { isOnCurve } from "./curve-notes.ts";

type Comparison = components["schemas"]["Comparison"];

/** An encode of a ladder. */
export interface NamedPoint extends RatePoint {
  readonly ladder: string;
  /** Empty if there are no clips. */
  readonly clip: string;
  /** Its name in the sentences. */
  readonly name: string;
}

/** The encodes of a ladder in a clip. */
export interface Rungs {
  readonly ladder: string;
  readonly clip: string;
  readonly points: readonly NamedPoint[];
}

export interface RungNote {
  readonly ladder: string;
  readonly clip: string;
  readonly fault: RungFault<NamedPoint>;
  readonly text: string;
}

/** The rungs of all ladders, with their faults. */
export interface JudgedRungs {
  /** The metric that judges them. */
  readonly metric: string;
  readonly rungs: readonly Rungs[];
  readonly notes: readonly RungNote[];
}

/** A metric whose largest score is at least this has VMAF's scale. */
const VMAF_SCALE = 100;

/** Whether rungs can be judged by a metric: steps are given in points of VMAF. */
export function judgesRungs({ max, isLower }: Quality): boolean {
  return max !== undefined && max >= VMAF_SCALE && !isLower;
}

export function rungsOf(points: readonly NamedPoint[]): readonly Rungs[] {
  return [...Map.groupBy(points, ({ ladder, clip }) => JSON.stringify([ladder, clip])).values()].flatMap(
    (own) => (own[0] === undefined ? [] : { ladder: own[0].ladder, clip: own[0].clip, points: own }),
  );
}

/** `rateText`: formats a rate. */
export function rungNotes(rungs: readonly Rungs[], rateText: (rate: number) => string): readonly RungNote[] {
  return rungs.flatMap(({ ladder, clip, points }) =>
    rungFaults(points).map((fault) => ({ ladder, clip, fault, text: textOf(fault, rateText) })),
  );
}

function textOf(
  { kind, rung, other, points, rate = 0 }: RungFault<NamedPoint>,
  rateText: (rate: number) => string,
) {
  const by = points.toFixed(1);
  if (kind === "DOMINATED")
    return `${rung.name} is wasted: ${other.name} needs no more bits and scores ${points > 0 ? `${by} points higher` : "the same"}`;
  if (kind === "CLOSE")
    return `${rung.name} gains only ${by} points over ${other.name}: one of them is enough`;
  if (kind === "GAP")
    return `${rung.name} is ${by} points above ${other.name}: a rung near ${rateText(rate)} would halve the step`;
  return `${rung.name} scores ${by} points less than a mix of its neighbours at its rate: try another resolution or setting`;
}

/**
 * Judges the rungs of a comparison by its first metric of VMAF's scale, as far as its encodes are scored and on the
 * curves of their ladders; undefined: it has no such metric.
 */
export function comparisonRungs({
  cells = [],
  metrics = [],
}: Pick<Comparison, "cells" | "metrics">): JudgedRungs | undefined {
  const metric = metrics.find(({ name }) => judgesRungs(qualityOf(name)))?.name;
  if (metric === undefined) return undefined;
  const points = cells.flatMap((cell) => {
    const { ladder, clip, media, distorted } = cell;
    const point = isOnCurve(cell, metric) ? cellPoint(cell, metric) : undefined;
    if (point === undefined || media === undefined || ladder === "") return [];
    const size = resolutionText(media.width, media.height);
    const name = `${fileName(distorted)} (${size}, ${bitRateText(point.rate)}, ${point.score.toFixed(1)})`;
    return { ladder, clip, ...point, name };
  });
  const rungs = rungsOf(points);
  return { metric, rungs, notes: rungNotes(rungs, bitRateText) };
}

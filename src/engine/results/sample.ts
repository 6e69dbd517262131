/** Estimates the means of metrics from the frames of a sample. */

import type { Interval } from "../../jobs/gates/interval.ts";
import { Failure } from "../../platform/failure.ts";
import type { EstimateInfo, SampleRequest } from "../contract/estimate.ts";
import type { Warning } from "../contract/result.ts";
import { CONFIDENCE, estimateMean, type UnitScore } from "../estimate/mean.ts";
import type { SamplingPlan } from "../estimate/sampling-plan.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import type { Pairing } from "../planning/pairing.ts";
import type { PlannedModel } from "../planning/plan-json.ts";
import type { Segment } from "../planning/segment.ts";
import { round } from "./pool.ts";

/** The units that were scored for an estimate. */
export interface Sample extends SampleRequest {
  readonly plan: SamplingPlan;
  /** Number of units in the sample, from the beginning of the plan's order. */
  readonly units: number;
  /** All units of the video, in frame order. */
  readonly segments: readonly Segment[];
}

/** The mean of a metric over all frames of a video, or its estimate. */
export interface Mean {
  readonly mean: number;
  /** Undefined for a mean over all frames, and for metrics whose error is not known. */
  readonly interval?: Interval;
}

/**
 * Estimates the mean of a metric, rounded to six decimals. `table` has the frames of the sample, with at
 * least one value of the metric. `largest`: the largest score of a model; undefined for other metrics, which
 * have no interval, because the bound for parts outside of the sample is in points of VMAF.
 */
export function estimateMetric(
  sample: Sample,
  table: FrameTable,
  metric: string,
  largest: number | undefined,
): Mean {
  const scores = new Map<number, UnitScore>();
  for (const { unit, segment, row } of drawnUnits(sample))
    scores.set(unit, unitScore(table, metric, row, row + segment.count));
  const { mean, halfWidth } = estimateMean(
    sample.plan,
    sample.units,
    (unit) => scores.get(unit) ?? { frames: 0, sum: 0 },
  );
  if (largest === undefined) return { mean: round(mean) };
  const low = Math.max(mean - halfWidth, Math.min(mean, 0));
  const high = Math.min(mean + halfWidth, Math.max(mean, largest));
  return { mean: round(mean), interval: { low: round(low), high: round(high) } };
}

/** A unit of a sample. */
export interface DrawnUnit {
  readonly unit: number;
  readonly segment: Segment;
  /** The first of its rows in a table of the sample's frames. */
  readonly row: number;
}

/** Returns the units of a sample in frame order. */
export function drawnUnits({
  plan,
  units,
  segments,
}: Pick<Sample, "plan" | "units" | "segments">): DrawnUnit[] {
  let next = 0;
  return Array.from(plan.order.slice(0, units).sort(), (unit) => {
    const segment = segments[unit] as Segment;
    const row = next;
    next += segment.count;
    return { unit, segment, row };
  });
}

/**
 * Returns the scores of a unit for the first model: those of the rows from `row` on, one for each of its frames. Throws
 * SCORER_FAILED if one has no score.
 */
export function scoreOfUnit(
  { first, count }: Segment,
  table: FrameTable,
  row: number,
  { metric, name }: Pick<PlannedModel, "metric" | "name">,
): UnitScore {
  const score = unitScore(table, metric, row, row + count);
  if (score.frames === count) return score;
  throw new Failure(
    "SCORER_FAILED",
    `The scorer returned no value of the model ${name} for ${count - score.frames} of the ${count} frames from frame ${first} on.`,
  );
}

/** Returns the warning that a score is not an estimate although one was requested. `why` is a sentence. */
export function allFramesScored(why: string): Warning {
  return { code: "ALL_FRAMES_SCORED", message: `All frames were scored, not a sample. ${why}` };
}

/** Returns the reason for scoring all frames: a sample of the requested precision would take longer. */
export function tooImprecise({ tolerance }: Pick<SampleRequest, "tolerance">): string {
  return `No sample of up to a third of them is precise enough for ±${tolerance}.`;
}

/** Adds up the finite values of a metric in the rows [first, end). */
function unitScore(table: FrameTable, metric: string, first: number, end: number): UnitScore {
  let [frames, sum] = [0, 0];
  for (let row = first; row < end; row++) {
    const value = table.value(metric, row);
    if (value === undefined) continue;
    frames++;
    sum += value;
  }
  return { frames, sum };
}

/** Returns the facts about a sample for its result. */
export function sampleFacts(
  { tolerance, seed, units, segments }: Sample,
  { table, pairing }: { readonly table: FrameTable; readonly pairing: Pick<Pairing, "frameCount"> },
): Omit<EstimateInfo, keyof Interval> {
  return {
    tolerance,
    confidence: CONFIDENCE,
    scoredShare: round(table.length / pairing.frameCount),
    totalFrames: pairing.frameCount,
    units,
    totalUnits: segments.length,
    seed,
  };
}

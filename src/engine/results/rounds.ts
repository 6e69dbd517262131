/**
 * The sample of a pair that several machines score: it is drawn in rounds, and assessed when all units of a round are
 * scored. It ends as on one machine (scoring/sample.ts), with the same units and the same result.
 */

import type { Interval } from "../../jobs/gates/interval.ts";
import type { SampleRequest } from "../contract/estimate.ts";
import type { ScoreResult } from "../contract/result.ts";
import type { StoredPart } from "../contract/work.ts";
import type { UnitScore } from "../estimate/mean.ts";
import { type SamplingPlan, samplingPlan } from "../estimate/sampling-plan.ts";
import { assess } from "../estimate/stopping.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import { factsOf } from "../planning/model-facts.ts";
import { readPlan, type StoredPlan } from "../planning/plan-json.ts";
import type { Segment } from "../planning/segment.ts";
import { merged } from "../planning/segment.ts";
import { readSegment } from "../planning/segment-json.ts";
import { toResult } from "./assemble.ts";
import { Joiner } from "./join.ts";
import { addPart, type Chunks, findingsOfParts, misfit, segmentOf } from "./parts.ts";
import { drawnUnits, estimateMetric, type Sample, scoreOfUnit } from "./sample.ts";

/** The frames to score next. */
export interface Round {
  /** Units in the order in which they are drawn, or the rest in frame order. */
  readonly segments: readonly Segment[];
  /** Whether they are all remaining frames, in longer segments, because a larger sample would save no time. */
  readonly isRest: boolean;
}

/** An estimate of the first model's mean. */
export interface SampleMean extends Interval {
  readonly score: number;
  /** Share of the frames that was scored, from 0 to 1. */
  readonly scoredShare: number;
}

/** A sample that is precise enough, or the next round and the estimate so far. */
export type Assessed =
  | { readonly result: ScoreResult }
  | { readonly round: Round; readonly mean: SampleMean };

/**
 * Returns the first round of a sample. `units`: all units of the pair, in frame order. `longest`: frames of a segment
 * if all frames are scored.
 */
export function firstRound(units: readonly Segment[], request: SampleRequest, longest: number): Round {
  const drawing = samplingPlan(units.length, request.seed);
  const { needed } = assess(drawing, request.tolerance, () => undefined);
  return roundAfter(0, needed, { drawing, units, longest });
}

/**
 * Returns the frames that are not scored yet, in segments of up to `longest` frames. `scored`: first frames
 * of the scored units.
 */
export function restOf(units: readonly Segment[], scored: ReadonlySet<number>, longest: number): Segment[] {
  return merged(
    units.filter(({ first }) => !scored.has(first)),
    longest,
  );
}

/** Parses units that are stored one per line. */
export function readUnits(text: string): Segment[] {
  return text.split("\n").map(readSegment);
}

function roundAfter(
  drawn: number,
  needed: number,
  { drawing, units, longest }: { drawing: SamplingPlan; units: readonly Segment[]; longest: number },
): Round {
  const isRest = needed === units.length;
  if (!isRest) return { segments: unitsOf(drawing, drawn, needed, units), isRest };
  const scored = unitsOf(drawing, 0, drawn, units).map(({ first }) => first);
  return { segments: restOf(units, new Set(scored), longest), isRest };
}

function unitsOf({ order }: SamplingPlan, from: number, to: number, units: readonly Segment[]): Segment[] {
  return Array.from(order.subarray(from, to), (unit) => units[unit] as Segment);
}

export interface ScoredSample {
  readonly plan: string;
  /** All units of the pair, in frame order. */
  readonly units: readonly Segment[];
  /** Those that are scored, in frame order. */
  readonly parts: readonly StoredPart<Chunks>[];
  readonly request: SampleRequest;
  /** Maximum frames of a segment outside of the sample. */
  readonly longest: number;
  readonly durationMs: number;
}

/**
 * Assesses a sample whose rounds so far are all scored. Throws SegmentMismatch if its parts are not the first units of
 * the order or do not fit together, and SCORER_FAILED if a frame has no score.
 */
export async function assessSample(scored: ScoredSample): Promise<Assessed> {
  const { units, parts, request, longest } = scored;
  const facts = readPlan(scored.plan);
  const drawing = samplingPlan(units.length, request.seed);
  const sample = { ...request, plan: drawing, units: parts.length, segments: units };
  const table = await joinUnits(scored, facts, sample);
  const scores = scoresOf(table, sample, facts);
  const { precise, needed } = assess(drawing, request.tolerance, (unit) => scores.get(unit));
  if (!precise) {
    const round = roundAfter(parts.length, needed, { drawing, units, longest });
    return { round, mean: meanOf(table, sample, facts) };
  }
  const drawn = { ...sample, units: needed };
  const findings = findingsOfParts(facts, parts);
  const finished = {
    ...facts,
    segments: parts.length,
    table,
    sample: drawn,
    findings,
    shotStarts: undefined,
  };
  return { result: await toResult(finished, facts.scorer, scored.durationMs) };
}

async function joinUnits({ parts }: ScoredSample, facts: StoredPlan, sample: Sample): Promise<FrameTable> {
  const drawn = drawnUnits(sample);
  const joiner = new Joiner(
    facts.models,
    drawn.reduce((sum, { segment }) => sum + segment.count, 0),
  );
  for (const [index, part] of parts.entries()) {
    const segment = segmentOf(part, facts);
    const { first, count } = drawn[index]?.segment ?? {};
    if (segment.first !== first || segment.count !== count)
      throw misfit(part, `the part from frame ${segment.first} on is not in the sample`);
    await addPart(joiner, part, segment, facts);
  }
  return joiner.finish();
}

/** Returns the scores of each unit for the first model. */
function scoresOf(table: FrameTable, sample: Sample, { models }: StoredPlan): Map<number, UnitScore> {
  const scores = drawnUnits(sample).map(
    ({ unit, segment, row }) => [unit, scoreOfUnit(segment, table, row, firstOf(models))] as const,
  );
  return new Map(scores);
}

function meanOf(table: FrameTable, sample: Sample, { models, pairing }: StoredPlan): SampleMean {
  const model = firstOf(models);
  const { mean, interval } = estimateMetric(sample, table, model.metric, factsOf(model).max);
  const scoredShare = table.length / pairing.frameCount;
  return { score: mean, low: mean, high: mean, ...interval, scoredShare };
}

/** Returns the first model; readPlan accepts no plan without one. */
function firstOf(models: StoredPlan["models"]): StoredPlan["models"][number] {
  return models[0] as StoredPlan["models"][number];
}

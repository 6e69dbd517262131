/** Assembles the result of a scored plan: pooled metrics, the properties of both files, and warnings. */
import { setImmediate as letOthersRun } from "node:timers/promises";
import { scoreSpans } from "../../jobs/scores/spans.ts";
import { Failure } from "../../platform/failure.ts";
import type { Finding } from "../contract/finding.ts";
import { type Feature, givenSides, type Side } from "../contract/request.ts";
import type {
  ColourConversion,
  ModelScore,
  Pooled,
  ScoreResult,
  ScorerInfo,
  Warning,
} from "../contract/result.ts";
import type { FrameTable } from "../frames/frame-table.ts";
import { bitsOf, withBits } from "../media/pixels.ts";
import { fileInfo, type Track } from "../media/track.ts";
import { factsOf } from "../planning/model-facts.ts";
import { alignmentInfo, type Pairing, type Recolouring } from "../planning/pairing.ts";
import type { PlannedModel } from "../planning/plan-json.ts";
import { findingWarnings } from "./findings.ts";
import { poolMetrics } from "./pool.ts";
import { estimateMetric, type Mean, type Sample, sampleFacts } from "./sample.ts";

/** A scored pair: its final plan and the values of all its frames. */
export interface Finished {
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly files: Readonly<Record<Side, { readonly size: number }>>;
  readonly pairing: Pairing;
  readonly models: readonly PlannedModel[];
  readonly features: readonly Feature[];
  /** Number of segments that were scored. */
  readonly segments: number;
  /** Why the pair was scored whole although segments were requested. */
  readonly whole: string | undefined;
  /** In frame order. */
  readonly table: FrameTable;
  /** The units whose frames the table has; undefined: it has all frames. */
  readonly sample?: Sample;
  readonly findings: readonly Finding[];
  /** First frames of the shots; undefined: not known. */
  readonly shotStarts: readonly number[] | undefined;
  /** As in Plan. */
  readonly streamSegments?: readonly number[] | undefined;
}

/** The values of a pair's metrics, pooled over its frames. */
interface Summary {
  /** Empty in an estimate. */
  readonly pooled: Readonly<Record<string, Pooled>>;
  /** Metric → mean, for metrics that have values. */
  readonly means: ReadonlyMap<string, Mean>;
}

/** Pools the metrics. A film takes seconds, so it yields to the event loop after each metric. */
export async function toResult(
  finished: Finished,
  scorer: ScorerInfo,
  durationMs: number,
): Promise<ScoreResult> {
  const { tracks, files, pairing, models, table, sample } = finished;
  const { pooled, means } = await (sample === undefined ? poolAll(table) : estimateAll(finished, sample));
  const scores = models.map((model) => {
    const { mean, interval } = modelMean(model, table, means);
    return { ...described(model, pairing), score: mean, ...(interval && { interval }) };
  });
  const [first] = scores;
  if (first === undefined) throw new Failure("INVALID_REQUEST", "The request names no model.");
  const features = [...means].filter(([metric]) => !models.some((model) => model.metric === metric));
  return {
    score: first.score,
    model: first.model,
    models: scores,
    features: Object.fromEntries(features.map(([feature, { mean }]) => [feature, mean])),
    pooled,
    frameCount: table.length,
    estimate: sample && first.interval && { ...sampleFacts(sample, finished), ...first.interval },
    reference: fileInfo(tracks.reference, files.reference.size),
    distorted: fileInfo(tracks.distorted, files.distorted.size),
    scaling: pairing.scaling,
    alignment: alignmentInfo(pairing),
    crop: givenSides(pairing.crop),
    mirror: givenSides(pairing.mirror),
    colourConversion: pairing.recolour && conversionOf(pairing.recolour),
    warnings: [
      ...pairing.warnings,
      ...missingValues(finished.features, table),
      ...findingWarnings(finished.findings),
    ],
    findings: finished.findings,
    shots: scoreSpans(finished.shotStarts ?? [], table, first.metric),
    streamSegments: sample ? [] : scoreSpans(finished.streamSegments ?? [], table, first.metric),
    scorer,
    durationMs: Math.round(durationMs * 100) / 100,
    cutting: { segments: finished.segments, whole: finished.whole },
    frames: table,
  };
}

function conversionOf({ from, to }: Recolouring): ColourConversion {
  return {
    ...(from.range !== to.range && { fromRange: from.range, toRange: to.range }),
    ...(from.matrix !== to.matrix && { fromMatrix: from.matrix, toMatrix: to.matrix }),
  };
}

async function poolAll(table: FrameTable): Promise<Summary> {
  const pooled: Record<string, Pooled> = {};
  const means = new Map<string, Mean>();
  for (const [metric, values] of poolMetrics(table)) {
    if (!Object.values(values).every(Number.isFinite)) throw beyondNumbers(metric);
    pooled[metric] = values;
    means.set(metric, { mean: values.mean });
    await letOthersRun();
  }
  return { pooled, means };
}

/** Estimates the means of the metrics, those of models with their intervals. */
async function estimateAll({ models, table }: Finished, sample: Sample): Promise<Summary> {
  const means = new Map<string, Mean>();
  for (const metric of table.metrics) {
    if (countMissing(metric, table) === table.length) continue;
    const model = models.find((one) => one.metric === metric);
    const mean = estimateMetric(sample, table, metric, model && factsOf(model).max);
    if (!Number.isFinite(mean.mean)) throw beyondNumbers(metric);
    means.set(metric, mean);
    await letOthersRun();
  }
  return { pooled: {}, means };
}

/** Returns the facts about a model for the result, without its score. */
function described(model: PlannedModel, { format }: Pairing): Omit<ModelScore, "score"> {
  const { asked, name, metric, reason = "", encode } = model;
  const { max, bits } = factsOf(model);
  const maxScore = { maxScore: max, bitDepth: bitsOf(withBits(format, bits)) };
  return { model: asked, metric, name, reason, ...maxScore, ...(encode && { encode }) };
}

/** Returns a model's mean. Every frame must have a value: a missing one would silently raise or lower the mean. */
function modelMean({ name, metric }: PlannedModel, table: FrameTable, means: Summary["means"]): Mean {
  const mean = means.get(metric);
  const missing = countMissing(metric, table);
  if (mean !== undefined && missing === 0) return mean;
  throw new Failure(
    "SCORER_FAILED",
    `The scorer returned no value of the model ${name} for ${missing} of ${table.length} frames.`,
    {
      found: { model: name, frames: table.length, withoutValue: missing },
    },
  );
}

/** One value can be up to 1.8e308, but the sum of several can overflow, and a result cannot hold infinity. */
function beyondNumbers(metric: string): Failure {
  const detail = `The scorer's values of ${metric} cannot be pooled: their sum is not a finite number.`;
  return new Failure("SCORER_FAILED", detail, { found: { metric } });
}

/** The metric that shows whether a feature was computed. */
const MAIN_METRIC: Readonly<Record<Feature, string>> = {
  psnr: "psnr_y",
  ssim: "float_ssim",
  ms_ssim: "float_ms_ssim",
  ciede: "ciede2000",
  cambi: "cambi",
  psnr_hvs: "psnr_hvs",
  xpsnr: "xpsnr_y",
};

/** Scorers silently omit what they do not compute: MS-SSIM of small frames, infinite values. */
function missingValues(features: readonly Feature[], table: FrameTable): readonly Warning[] {
  return features.flatMap((feature) => {
    const missing = countMissing(MAIN_METRIC[feature], table);
    if (missing === 0) return [];
    const message =
      missing === table.length
        ? `The scorer returned no value of ${feature} for these frames; it is not in the result.`
        : `${missing} of ${table.length} frames have no finite value of ${feature}; it is pooled over the others.`;
    return [{ code: "VALUES_MISSING", message }];
  });
}

function countMissing(metric: string, table: FrameTable): number {
  let missing = 0;
  for (let row = 0; row < table.length; row++) if (table.value(metric, row) === undefined) missing++;
  return missing;
}

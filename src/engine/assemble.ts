/** Makes the result of a scored plan: pooled values, what was found, and what a reader must know. */
import { setImmediate as letOthersRun } from "node:timers/promises";
import { Failure } from "../platform/failure.ts";
import type { Pairing } from "./compare.ts";
import type { FrameTable } from "./frames.ts";
import type { Model } from "./models.ts";
import { poolMetrics } from "./pool.ts";
import type { Feature, Side } from "./request.ts";
import type { Pooled, ScoreResult, ScorerInfo, Warning } from "./result.ts";
import { fileInfo, type Track } from "./track.ts";

/** A scored pair: what was planned in the end, and the values of all its frames. */
export interface Finished {
  readonly tracks: Readonly<Record<Side, Track>>;
  readonly files: Readonly<Record<Side, { readonly size: number }>>;
  readonly pairing: Pairing;
  readonly models: readonly NamedModel[];
  readonly features: readonly Feature[];
  /** Segments that were scored. */
  readonly segments: number;
  /** Why it was scored whole although segments were asked for. */
  readonly whole: string | undefined;
  readonly table: FrameTable;
}

type NamedModel = Pick<Model, "name" | "metric">;

/** Pools a film's values for seconds; other work of this process goes on between the metrics. */
export async function toResult(
  finished: Finished,
  scorer: ScorerInfo,
  durationMs: number,
): Promise<ScoreResult> {
  const { tracks, files, pairing, models, table } = finished;
  const pooled: Record<string, Pooled> = {};
  for (const [metric, values] of poolMetrics(table)) {
    if (!Object.values(values).every(Number.isFinite)) throw beyondNumbers(metric);
    pooled[metric] = values;
    await letOthersRun();
  }
  const scores = models.map((model) => ({
    model: model.name,
    metric: model.metric,
    score: modelScore(model, table, pooled),
  }));
  const [first] = scores;
  if (first === undefined) throw new Failure("INVALID_REQUEST", "No model was named.");
  const features = Object.entries(pooled).filter(
    ([metric]) => !models.some((model) => model.metric === metric),
  );
  return {
    score: first.score,
    model: first.model,
    models: scores,
    features: Object.fromEntries(features.map(([feature, { mean }]) => [feature, mean])),
    pooled,
    frameCount: table.length,
    reference: fileInfo(tracks.reference, files.reference.size),
    distorted: fileInfo(tracks.distorted, files.distorted.size),
    scaling: pairing.scaling,
    warnings: [...pairing.warnings, ...missingValues(finished.features, table)],
    scorer,
    durationMs: Math.round(durationMs * 100) / 100,
    cutting: { segments: finished.segments, whole: finished.whole },
    frames: table,
  };
}

/** A model's mean counts only when every frame has its value: one left out would raise or lower it unseen. */
function modelScore(
  { name, metric }: NamedModel,
  table: FrameTable,
  pooled: Readonly<Record<string, Pooled>>,
): number {
  const mean = pooled[metric]?.mean;
  const missing = countMissing(metric, table);
  if (mean !== undefined && missing === 0) return mean;
  throw new Failure(
    "SCORER_FAILED",
    `The scorer gave no number for ${missing} of ${table.length} frames by the model ${name}.`,
    {
      found: { model: name, frames: table.length, withoutValue: missing },
    },
  );
}

/** Values of up to 1.8e308 each can be told, but not their sum: no number stands for it in a result. */
function beyondNumbers(metric: string): Failure {
  const detail = `The scorer gave values of ${metric} that cannot be pooled: they add up to no finite number.`;
  return new Failure("SCORER_FAILED", detail, { found: { metric } });
}

/** The metric by which each feature is known to be there. */
const MAIN_METRIC: Readonly<Record<Feature, string>> = {
  psnr: "psnr_y",
  ssim: "float_ssim",
  ms_ssim: "float_ms_ssim",
  ciede: "ciede2000",
  cambi: "cambi",
  psnr_hvs: "psnr_hvs",
};

/** libvmaf leaves out, without a word, what it does not compute: MS-SSIM of small frames, infinite values. */
function missingValues(features: readonly Feature[], table: FrameTable): readonly Warning[] {
  return features.flatMap((feature) => {
    const missing = countMissing(MAIN_METRIC[feature], table);
    if (missing === 0) return [];
    const message =
      missing === table.length
        ? `The scorer gave no value of ${feature} for these frames; it is not in the result.`
        : `${missing} of ${table.length} frames have no finite value of ${feature}; it is pooled over the others.`;
    return [{ code: "VALUES_MISSING", message }];
  });
}

function countMissing(metric: string, table: FrameTable): number {
  let missing = 0;
  for (let row = 0; row < table.length; row++) if (table.value(metric, row) === undefined) missing++;
  return missing;
}

/** Converts the engine's result to messages. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Progress, ScoreResult } from "../engine/contract/result.ts";
import {
  type FrameScoreSchema,
  type ScoreProgress,
  ScoreProgressSchema,
  type ScoreResult as ScoreResultMessage,
  ScoreResultSchema,
} from "../gen/proto/svc/v1/scoring_pb.ts";
import { findingMessage } from "./findings.ts";
import { conversionMessage, mirrorMessage } from "./picture.ts";

export type { Progress, ScoreResult };

/** Everything but the per-frame scores: there can be too many to hold as objects, so each transport streams them. */
export function resultMessage(result: ScoreResult): ScoreResultMessage {
  const { frames: _, scaling, alignment, crop, mirror, colourConversion, ...rest } = result;
  const { models, warnings, findings, shots, streamSegments, ...same } = rest;
  return create(ScoreResultSchema, {
    ...same,
    models: models.map(({ encode, ...model }) => ({ ...model, ...(encode && { encode }) })),
    warnings: [...warnings],
    findings: findings.map(findingMessage),
    shots: [...shots],
    streamSegments: [...streamSegments],
    ...(scaling && { scalingApplied: scaling }),
    ...(crop && { crop }),
    ...(mirror && { mirror: mirrorMessage(mirror) }),
    ...(colourConversion && { colourConversion: conversionMessage(colourConversion) }),
    ...(alignment && { alignment: { ...alignment, runs: [...alignment.runs] } }),
  });
}

export function progressMessage(progress: Progress): ScoreProgress {
  const { secondsLeft, ...same } = progress;
  return create(ScoreProgressSchema, { ...same, ...(secondsLeft !== undefined && { secondsLeft }) });
}

type FrameInit = MessageInitShape<typeof FrameScoreSchema>;

/** Field tags, lengths and the 8-byte value of one metric, without its key. */
const METRIC_BYTES = 13;
/** Tag and length of a frame, and its number. */
const FRAME_BYTES = 10;

/** Largest size of one frame of a table in a message, in bytes. */
export function frameBytes(metrics: readonly string[]): number {
  return metrics.reduce((sum, metric) => sum + Buffer.byteLength(metric) + METRIC_BYTES, FRAME_BYTES);
}

/** Consecutive frames and their metrics. */
export interface Frames {
  readonly metrics: readonly string[];
  rows(): Iterable<{ readonly frame: number; readonly metrics: Readonly<Record<string, number>> }>;
}

/** Splits the rows of a table into batches that take less than `maxBytes` each as a message. */
export function* frameBatches(table: Frames, maxBytes: number): Generator<FrameInit[]> {
  const perBatch = Math.max(1, Math.floor(maxBytes / frameBytes(table.metrics)));
  let batch: FrameInit[] = [];
  for (const row of table.rows()) {
    batch.push(row);
    if (batch.length < perBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

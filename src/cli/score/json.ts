/** The result as JSON, in the same form as the 200 response of POST /v1/score. */

import type { ScoreResult } from "../../engine/contract/result.ts";
import type { FrameTable } from "../../engine/frames/frame-table.ts";
import type { ScoreResultJson } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { printableJson } from "../terminal/escape.ts";

/** Frames per chunk, so that a film's frames are never in one string. */
const FRAMES_PER_CHUNK = 1000;

/** Returns the text in chunks, with per-frame scores if `frames` is set. */
export async function* resultJson(result: ScoreResult, frames: boolean): AsyncGenerator<string> {
  const head = printableJson(withoutFrames(result, await findingsJson(result)), 2);
  if (!frames) {
    yield `${head}\n`;
    return;
  }
  yield `${head.slice(0, head.lastIndexOf("\n}"))},\n  "frames": [`;
  yield* frameRows(result.frames);
  yield "\n  ]\n}\n";
}

function* frameRows(table: FrameTable): Generator<string> {
  let chunk = "";
  let count = 0;
  for (const row of table.rows()) {
    chunk += `${count++ === 0 ? "" : ","}\n    ${printableJson(row)}`;
    if (count % FRAMES_PER_CHUNK === 0) {
      yield chunk;
      chunk = "";
    }
  }
  yield chunk;
}

/**
 * Returns the findings in the API's form. The API's messages take time to load, so they are loaded only for
 * findings.
 */
async function findingsJson({ findings }: ScoreResult): Promise<readonly object[]> {
  if (findings.length === 0) return [];
  const { findingJson } = await import("../../messages/json.ts");
  return findings.map(findingJson);
}

function withoutFrames(
  result: ScoreResult,
  findings: readonly object[],
): Omit<ScoreResultJson, "findings"> & { readonly findings: readonly object[] } {
  return {
    score: result.score,
    model: result.model,
    models: [...result.models],
    features: result.features,
    pooled: result.pooled,
    frameCount: result.frameCount,
    ...(result.estimate ? { estimate: result.estimate } : {}),
    reference: result.reference,
    distorted: result.distorted,
    ...(result.scaling ? { scaling: result.scaling } : {}),
    ...(result.crop ? { crop: result.crop } : {}),
    ...(result.mirror ? { mirror: result.mirror } : {}),
    ...(result.colourConversion ? { colourConversion: result.colourConversion } : {}),
    ...(result.alignment ? { alignment: { ...result.alignment, runs: [...result.alignment.runs] } } : {}),
    warnings: [...result.warnings],
    findings,
    shots: [...result.shots],
    streamSegments: [...result.streamSegments],
    scorer: result.scorer,
    durationMs: result.durationMs,
  };
}

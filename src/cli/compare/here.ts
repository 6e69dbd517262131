/** Compares pairs here and now: the embedded engine scores one after the other. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ScoreResult } from "../../engine/contract/result.ts";
import type { Engine } from "../../engine/engine.ts";
import { openEngine } from "../../engine/open.ts";
import {
  type Comparison,
  type ComparisonCellSchema,
  ComparisonSchema,
} from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { isComponent } from "../../jobs/feature-names.ts";
import { withTables } from "../../messages/comparison.ts";
import { Failure } from "../../platform/failure.ts";
import { requestOf } from "../score/pair-request.ts";
import { type ProgressLine, progressLine } from "../score/progress.ts";
import { checkModelDir, engineOptions, terminalOf, warnOfFallback } from "../score/run.ts";
import type { CompareFlags } from "./options.ts";
import type { Pair } from "./pairs.ts";
import { scoredSegments } from "./segments.ts";
import { RenditionFiles } from "./titles.ts";

type CellInit = MessageInitShape<typeof ComparisonCellSchema>;

interface Scoring {
  readonly engine: Engine;
  readonly flags: CompareFlags;
  readonly line: ProgressLine;
  readonly signal: AbortSignal;
  readonly files: RenditionFiles;
}

/**
 * Returns the comparison, without an id. A pair that cannot be scored has an error in its cell, and the others are
 * scored. Throws Failure if no pair can be scored at all, and SCORE_CANCELLED if the signal aborts.
 */
export async function compareHere(
  pairs: readonly Pair[],
  flags: CompareFlags,
  signal: AbortSignal,
): Promise<Comparison> {
  if (flags.modelDir !== undefined) await checkModelDir(flags.modelDir);
  // Refuses options that do not go together before anything is scored.
  requestOf("", "", flags);
  await warnOfFallback(flags);
  const line = progressLine(process.stderr, () => terminalOf(process.stderr, flags));
  await using files = new RenditionFiles();
  try {
    const engine = await openEngine(engineOptions(flags));
    const cells: CellInit[] = [];
    for (const [index, pair] of pairs.entries()) {
      line.note(`Encode ${index + 1} of ${pairs.length}: reading the two files …`);
      cells.push(await cellOf(index, pair, { engine, flags, line, signal, files }));
    }
    return withTables(
      create(ComparisonSchema, { anchor: flags.anchor ?? "", progress: counts(cells), cells }),
    );
  } finally {
    line.clear();
  }
}

async function cellOf(index: number, pair: Pair, scoring: Scoring): Promise<CellInit> {
  const { reference, distorted, ladder, clip } = pair;
  const cell = { number: index + 1, reference, distorted, ladder, clip };
  try {
    const result = await scored(pair, scoring);
    const segments = scoredSegments(pair.part, result.frames, result);
    return { ...cell, ...scoredInit(result), segments };
  } catch (thrown) {
    const { code, message, found, kind } = Failure.from(thrown);
    if (kind === "cancelled" || scoring.signal.aborted) throw thrown;
    const error = { code, message, ...(found && { found: JSON.parse(JSON.stringify(found)) }) };
    return { ...cell, state: Job_State.FAILED, error };
  }
}

async function scored(pair: Pair, scoring: Scoring): Promise<ScoreResult> {
  const { engine, flags, line, signal, files } = scoring;
  const distorted = await files.fileOf(pair, signal);
  try {
    return await engine.score(requestOf(pair.reference, distorted, flags), {
      signal,
      timeoutMs: flags.timeout === undefined ? undefined : Math.ceil(flags.timeout * 1000),
      onProgress: (progress) => line.update(progress),
    });
  } finally {
    await files.release(distorted);
  }
}

function scoredInit({ distorted, pooled, scorer }: ScoreResult) {
  const { codec, width, height, videoBitRate } = distorted;
  return {
    state: Job_State.SUCCEEDED,
    media: { codec, width, height, ...(videoBitRate !== undefined && { videoBitRate }) },
    pooled: Object.fromEntries(Object.entries(pooled).filter(([metric]) => !isComponent(metric))),
    scorer,
  };
}

function counts(cells: readonly CellInit[]) {
  const succeeded = cells.filter(({ state }) => state === Job_State.SUCCEEDED).length;
  return { cells: cells.length, succeeded, failed: cells.length - succeeded };
}

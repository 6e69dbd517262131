/** Compares pairs on this machine: the embedded engine scores the encodes of a reference together. */
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
import type { Gate } from "../../jobs/gates/gate.ts";
import { judgeGates } from "../../jobs/gates/outcome.ts";
import { withTables } from "../../messages/comparison.ts";
import { gateMessage } from "../../messages/gate.ts";
import { batchesOf } from "../../platform/batches.ts";
import { Failure } from "../../platform/failure.ts";
import { expectedGates } from "../score/gates.ts";
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
  readonly gates: readonly Gate[];
  readonly line: ProgressLine;
  readonly signal: AbortSignal;
  readonly files: RenditionFiles;
}

/**
 * Most encodes of a reference that are scored at once: all are open, and renditions among them are joined to
 * temporary files.
 */
const MOST_AT_ONCE = 16;

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
  // Refuses options that do not go together, and gates without a metric, before anything is scored.
  const gates = expectedGates(flags.failUnder, requestOf("", "", flags), false);
  await warnOfFallback(flags);
  const line = progressLine(process.stderr, () => terminalOf(process.stderr, flags));
  await using files = new RenditionFiles();
  try {
    const engine = await openEngine(engineOptions(flags));
    const cells: CellInit[] = [];
    for (const part of partsOf(pairs)) {
      line.note(`Encodes ${partText(part, pairs.length)}: reading the files …`);
      cells.push(...(await cellsOf(part, { engine, flags, gates, line, signal, files })));
    }
    cells.sort((one, other) => (one.number ?? 0) - (other.number ?? 0));
    return withTables(
      create(ComparisonSchema, {
        anchor: flags.anchor ?? "",
        groupBy: [...(flags.groupBy ?? [])],
        progress: counts(cells),
        cells,
      }),
    );
  } finally {
    line.clear();
  }
}

/** A pair, and the number of its cell. */
interface Numbered extends Pair {
  readonly number: number;
}

/** Divides the pairs into parts. The pairs of a part have the same reference and are scored together. */
function partsOf(pairs: readonly Pair[]): readonly (readonly Numbered[])[] {
  const numbered = pairs.map((pair, index) => ({ ...pair, number: index + 1 }));
  return [...Map.groupBy(numbered, ({ reference }) => reference).values()].flatMap((all) =>
    batchesOf(all, MOST_AT_ONCE),
  );
}

/** "3 of 8", "1, 2, 4 of 8". */
function partText(part: readonly Numbered[], count: number): string {
  return `${part.map(({ number }) => number).join(", ")} of ${count}`;
}

async function cellsOf(part: readonly Numbered[], scoring: Scoring): Promise<readonly CellInit[]> {
  const { engine, flags, gates, line, signal, files } = scoring;
  const cells: CellInit[] = [];
  const opened: { readonly pair: Numbered; readonly file: string }[] = [];
  try {
    for (const pair of part) {
      const file = await fileOf(pair, scoring);
      if (file instanceof Failure) cells.push(failedCell(pair, file));
      else opened.push({ pair, file });
    }
    const requests = opened.map(({ pair, file }) => requestOf(pair.reference, file, flags));
    const results = await engine.scoreTogether(requests, {
      signal,
      timeoutMs: flags.timeout === undefined ? undefined : Math.ceil(flags.timeout * 1000),
      onProgress: (progress) => line.update(progress),
    });
    for (const [index, { pair }] of opened.entries()) {
      const result = results[index];
      if (result instanceof Failure) cells.push(failedCell(pair, result));
      else if (result !== undefined) cells.push(scoredCell(pair, result, gates));
    }
    return cells;
  } finally {
    for (const { file } of opened) await files.release(file);
  }
}

/** Returns the file of a pair's distorted video, or the failure to make it. Throws if the signal aborts. */
async function fileOf(pair: Pair, { files, signal }: Scoring): Promise<string | Failure> {
  if (pair.failure !== undefined) return pair.failure;
  try {
    return await files.fileOf(pair, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return Failure.from(error);
  }
}

function cellInit({ number, reference, distorted, ladder, clip }: Numbered) {
  return { number, reference, distorted, ladder, clip };
}

function failedCell(pair: Numbered, { code, message, found }: Failure): CellInit {
  const error = { code, message, ...(found && { found: JSON.parse(JSON.stringify(found)) }) };
  return { ...cellInit(pair), state: Job_State.FAILED, error };
}

function scoredCell(pair: Numbered, result: ScoreResult, gates: readonly Gate[]): CellInit {
  const segments = scoredSegments(pair.part, result.frames, result);
  return {
    ...cellInit(pair),
    ...scoredInit(result),
    segments,
    gates: judgeGates(gates, result).map(gateMessage),
  };
}

function scoredInit({ distorted, pooled, scorer }: ScoreResult) {
  const { codec, width, height, videoBitRate, encoder } = distorted;
  return {
    state: Job_State.SUCCEEDED,
    media: {
      ...{ codec, width, height },
      ...(videoBitRate !== undefined && { videoBitRate }),
      ...(encoder !== undefined && { encoder }),
    },
    pooled: Object.fromEntries(Object.entries(pooled).filter(([metric]) => !isComponent(metric))),
    scorer,
  };
}

function counts(cells: readonly CellInit[]) {
  const succeeded = cells.filter(({ state }) => state === Job_State.SUCCEEDED).length;
  return { cells: cells.length, succeeded, failed: cells.length - succeeded };
}

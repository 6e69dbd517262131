/** Prints a comparison as tables, JSON or CSV, and chooses the exit code. */
import type { Comparison, ComparisonCell } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { csvRow } from "../../messages/csv.ts";
import { comparisonJson } from "../../messages/json.ts";
import { Failure, isFailureCode } from "../../platform/failure.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { worst } from "../jobs/state.ts";
import { printableJson } from "../terminal/escape.ts";
import { tableTerminal } from "../terminal/terminal.ts";
import { reportLines } from "./report.ts";

export interface OutputFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Returns the exit code: the worst of the cells. */
export async function printComparison(comparison: Comparison, { json, csv }: OutputFlags): Promise<number> {
  const lines = json
    ? [`${printableJson(comparisonJson(comparison), 2)}\n`]
    : csv
      ? csvLines(comparison)
      : reportLines(comparison, tableTerminal(process.stdout, process.env)).map((line) => `${line}\n`);
  await writeAll(process.stdout, lines);
  return worst(comparison.cells.map(exitCodeOfCell));
}

/** Columns as `svc bd` reads them: scores are means, and codec and size are remarks. */
function* csvLines({ cells, metrics }: Comparison): Generator<string> {
  const names = metrics.map(({ name }) => name);
  yield csvRow(["ladder", "clip", "rate", "codec", "size", "distorted", ...names]);
  for (const { ladder, clip, media, distorted, pooled, state } of cells) {
    if (state !== Job_State.SUCCEEDED || media?.videoBitRate === undefined) continue;
    const { codec, width, height, videoBitRate } = media;
    const scores = names.map((name) => String(pooled[name]?.mean ?? ""));
    yield csvRow([ladder, clip, String(videoBitRate), codec, `${width}x${height}`, distorted, ...scores]);
  }
}

function exitCodeOfCell({ state, error }: ComparisonCell): number {
  if (state === Job_State.SUCCEEDED) return EXIT.scored;
  if (error === undefined || !isFailureCode(error.code)) return EXIT.scorer;
  return exitCodeOf(new Failure(error.code, error.message));
}

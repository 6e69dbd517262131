/** Prints a comparison as tables, JSON or CSV, and chooses the exit code. */
import type { Comparison, ComparisonCell } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { comparisonJson } from "../../messages/json.ts";
import { Failure, isFailureCode } from "../../platform/failure.ts";
import { comparisonCsv } from "../../report/csv.ts";
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
      ? comparisonCsv(comparisonJson(comparison))
      : reportLines(comparison, tableTerminal(process.stdout, process.env)).map((line) => `${line}\n`);
  await writeAll(process.stdout, lines);
  return worst(comparison.cells.map(exitCodeOfCell));
}

function exitCodeOfCell({ state, error }: ComparisonCell): number {
  if (state === Job_State.SUCCEEDED) return EXIT.scored;
  if (error === undefined || !isFailureCode(error.code)) return EXIT.scorer;
  return exitCodeOf(new Failure(error.code, error.message));
}

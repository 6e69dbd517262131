/** Prints a comparison as tables, JSON or CSV, and chooses the exit code. */
import type { Option } from "commander";
import type { Comparison, ComparisonCell } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { isMissed } from "../../jobs/gates/outcome.ts";
import { comparisonJson } from "../../messages/json.ts";
import { Failure, invalid, isFailureCode } from "../../platform/failure.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import { COMPARISON_TABLES, type ComparisonTable, tableCsv } from "../../report/csv/comparison.ts";
import { proposalJson, proposalsOf } from "../../report/proposals.ts";
import { comparisonRungs } from "../../report/rungs.ts";
import { rungJson } from "../bd/json.ts";
import { checkProposalTable, type ProposalFlags, proposalOf } from "../bd/proposal-options.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { optional } from "../flags/optional.ts";
import { checkTable, tableOption } from "../flags/table.ts";
import { keptGates } from "../jobs/gates.ts";
import { worst } from "../jobs/state.ts";
import { printableJson } from "../terminal/escape.ts";
import { tableTerminal } from "../terminal/terminal.ts";
import { reportLines } from "./report.ts";

export interface OutputFlags extends ProposalFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
  /** Undefined: the first one. */
  readonly table?: ComparisonTable;
}

/** The options that print CSV. */
export function csvOptions(): Option[] {
  return [
    optional("--csv", "print a table as CSV: the encodes, which svc bd reads, or that of --table", "tables"),
    tableOption(COMPARISON_TABLES),
  ];
}

/** Throws INVALID_REQUEST: call it before anything is scored. */
export function checkOutput(flags: OutputFlags): void {
  if (flags.json && flags.csv)
    throw invalid("--json and --csv both write to standard output. Give only one of them.");
  checkTable(flags);
  checkProposalTable(flags);
}

/** Prints the comparison and returns the exit code, which is the worst of its cells. */
export async function printComparison(comparison: Comparison, flags: OutputFlags): Promise<number> {
  const { json, csv, table = COMPARISON_TABLES[0] } = flags;
  const request = proposalOf(flags);
  const lines = json
    ? [`${printableJson(jsonOf(comparison, request), 2)}\n`]
    : csv
      ? tableCsv(table, comparisonJson(comparison), request)
      : reportLines(comparison, tableTerminal(process.stdout, process.env), request).map(
          (line) => `${line}\n`,
        );
  await writeAll(process.stdout, lines);
  return worst(comparison.cells.map(exitCodeOfCell));
}

/**
 * Returns the comparison in the form of the REST API, with the faults of its rungs. With a request it also has the
 * proposed ladders. Both need a metric on VMAF's scale.
 */
function jsonOf(comparison: Comparison, request: ProposalRequest | undefined): object {
  const found = comparisonJson(comparison);
  const { rungs = [], notes = [], metric = "" } = comparisonRungs(found) ?? {};
  return {
    ...found,
    rungs: notes.map((note) => rungJson(note, metric)),
    ...(request && { proposals: proposalsOf(rungs, request).map((each) => proposalJson(each, metric)) }),
  };
}

function exitCodeOfCell({ state, error, gates }: ComparisonCell): number {
  if (state === Job_State.SUCCEEDED)
    return keptGates({ gates }).some(isMissed) ? EXIT.underGate : EXIT.scored;
  if (error === undefined || !isFailureCode(error.code)) return EXIT.scorer;
  return exitCodeOf(new Failure(error.code, error.message));
}

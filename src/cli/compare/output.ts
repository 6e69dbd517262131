/** Prints a comparison as tables, JSON or CSV, and chooses the exit code. */
import type { Comparison, ComparisonCell } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import { isMissed } from "../../jobs/gates/outcome.ts";
import { comparisonJson } from "../../messages/json.ts";
import { Failure, invalid, isFailureCode } from "../../platform/failure.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import { comparisonCsv } from "../../report/csv.ts";
import { proposalJson, proposalsOf } from "../../report/proposals.ts";
import { comparisonRungs } from "../../report/rungs.ts";
import { type ProposalFlags, proposalOf } from "../bd/proposal-options.ts";
import { EXIT, exitCodeOf, writeAll } from "../exit.ts";
import { keptGates } from "../jobs/gates.ts";
import { worst } from "../jobs/state.ts";
import { printableJson } from "../terminal/escape.ts";
import { tableTerminal } from "../terminal/terminal.ts";
import { reportLines } from "./report.ts";

export interface OutputFlags extends ProposalFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Throws INVALID_REQUEST: call it before anything is scored. */
export function checkOutput(flags: OutputFlags): void {
  if (flags.json && flags.csv)
    throw invalid("--json and --csv both write to standard output. Give only one of them.");
  if (proposalOf(flags) !== undefined && flags.csv)
    throw invalid(
      "--csv does not print the ladder of --propose. Use --json instead of --csv, or leave out --csv.",
    );
}

/** Prints the comparison and returns the exit code, which is the worst of its cells. */
export async function printComparison(comparison: Comparison, flags: OutputFlags): Promise<number> {
  const { json, csv } = flags;
  const request = proposalOf(flags);
  const lines = json
    ? [`${printableJson(jsonOf(comparison, request), 2)}\n`]
    : csv
      ? comparisonCsv(comparisonJson(comparison))
      : reportLines(comparison, tableTerminal(process.stdout, process.env), request).map(
          (line) => `${line}\n`,
        );
  await writeAll(process.stdout, lines);
  return worst(comparison.cells.map(exitCodeOfCell));
}

/**
 * Returns the comparison in the form of the REST API. With a request it also has the proposed ladders, which
 * need a metric on VMAF's scale.
 */
function jsonOf(comparison: Comparison, request: ProposalRequest | undefined): object {
  const found = comparisonJson(comparison);
  if (request === undefined) return found;
  const { rungs = [], metric = "" } = comparisonRungs(found) ?? {};
  return { ...found, proposals: proposalsOf(rungs, request).map((each) => proposalJson(each, metric)) };
}

function exitCodeOfCell({ state, error, gates }: ComparisonCell): number {
  if (state === Job_State.SUCCEEDED)
    return keptGates({ gates }).some(isMissed) ? EXIT.underGate : EXIT.scored;
  if (error === undefined || !isFailureCode(error.code)) return EXIT.scorer;
  return exitCodeOf(new Failure(error.code, error.message));
}

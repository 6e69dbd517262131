/** The rungs of ladders as CSV: their faults, and the ladders that are proposed instead. */
import { type CsvColumn, csvTable } from "../../jobs/text/csv-row.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import { proposalsCsv, proposalsOf } from "../proposals.ts";
import type { JudgedRungs, RungNote } from "../rungs.ts";

/** The metric that headings name if none judges rungs; then no rung is listed. */
const NO_METRIC = "vmaf";

/** Returns the lines of a table. Without `request`, no ladders are proposed. */
export function judgedCsv(
  table: "rungs" | "proposals",
  { metric, rungs, notes }: JudgedRungs = { metric: NO_METRIC, rungs: [], notes: [] },
  request?: ProposalRequest,
): Generator<string> {
  if (table === "rungs") return rungsCsv(notes, metric);
  return proposalsCsv(request === undefined ? [] : proposalsOf(rungs, request), metric);
}

/** Returns a line for each fault. `metric`: judges the rungs. */
export function rungsCsv(notes: Iterable<RungNote>, metric: string): Generator<string> {
  const columns: readonly CsvColumn<RungNote>[] = [
    ["ladder", ({ ladder }) => ladder],
    ["clip", ({ clip }) => clip],
    ["metric", () => metric],
    ["fault", ({ fault }) => fault.kind],
    ["rate", ({ fault }) => fault.rung.rate],
    ["score", ({ fault }) => fault.rung.score],
    ["other_rate", ({ fault }) => fault.other.rate],
    ["other_score", ({ fault }) => fault.other.score],
    ["points", ({ fault }) => fault.points],
    ["missing_rate", ({ fault }) => fault.rate],
    ["text", ({ text }) => text],
  ];
  return csvTable(columns, notes);
}

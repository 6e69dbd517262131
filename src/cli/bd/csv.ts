/** The tables of `svc bd` as CSV. docs/cli.md documents the columns. */
import type { Comparison, Result } from "../../rates/comparison.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import { reasonText } from "../../rates/reasons.ts";
import { averagesCsv, bdRatesCsv, type ClipBdRate } from "../../report/csv/bd-rates.ts";
import { rungsCsv } from "../../report/csv/rungs.ts";
import { proposalsCsv, proposalsOf } from "../../report/proposals.ts";
import type { JudgedRungs } from "./json.ts";

/** The names of the tables; the first is the default. */
export const BD_TABLES = ["bd-rates", "averages", "rungs", "proposals"] as const;
export type BdTable = (typeof BD_TABLES)[number];

/** What the command prints. */
export interface BdTables {
  readonly comparison: Comparison;
  /** Undefined if no metric judges rungs. */
  readonly judged: JudgedRungs | undefined;
  /** Undefined: no ladders are proposed. */
  readonly request: ProposalRequest | undefined;
}

export function bdCsv(table: BdTable, { comparison, judged, request }: BdTables): Generator<string> {
  const { anchor, results, averages } = comparison;
  const { metric = "vmaf", rungs = [], notes = [] } = judged ?? {};
  if (table === "bd-rates") return bdRatesCsv(results.map((result) => rateOf(result, anchor)));
  if (table === "averages")
    return averagesCsv(averages.map((average) => ({ ...average, anchor, metric: average.metric.name })));
  if (table === "rungs") return rungsCsv(notes, metric);
  return proposalsCsv(request === undefined ? [] : proposalsOf(rungs, request), metric);
}

function rateOf(result: Result, anchor: string): ClipBdRate {
  const { metric, refused } = result;
  const refusal = refused && { code: refused.code, message: reasonText(result, refused, anchor) };
  return { ...result, anchor, metric: metric.name, refusal };
}

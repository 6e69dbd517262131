/** The tables of `svc bd` as CSV. docs/cli.md documents the columns. */
import type { Comparison, Result } from "../../rates/comparison.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import { reasonText } from "../../rates/reasons.ts";
import { averagesCsv, bdRatesCsv, type ClipBdRate } from "../../report/csv/bd-rates.ts";
import { judgedCsv } from "../../report/csv/rungs.ts";
import type { JudgedRungs } from "../../report/rungs.ts";

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
  if (table === "bd-rates") return bdRatesCsv(results.map((result) => rateOf(result, anchor)));
  if (table === "averages")
    return averagesCsv(averages.map((average) => ({ ...average, anchor, metric: average.metric.name })));
  return judgedCsv(table, judged, request);
}

function rateOf(result: Result, anchor: string): ClipBdRate {
  const { metric, refused } = result;
  const refusal = refused && { code: refused.code, message: reasonText(result, refused, anchor) };
  return { ...result, anchor, metric: metric.name, refusal };
}

/** The tables of a comparison as CSV, by name. */
import type { ProposalRequest } from "../../rates/proposal.ts";
import type { Comparison } from "../page.ts";
import { comparisonRungs } from "../rungs.ts";
import { averagesCsv, bdRatesCsv } from "./bd-rates.ts";
import { comparisonCsv } from "./encodes.ts";
import { judgedCsv } from "./rungs.ts";
import { cellScoresCsv } from "./scores.ts";
import { segmentsCsv } from "./spans.ts";

/** The names of the tables; the first is the default. */
export const COMPARISON_TABLES = [
  "encodes",
  "scores",
  "bd-rates",
  "averages",
  "rungs",
  "proposals",
  "segments",
] as const;
export type ComparisonTable = (typeof COMPARISON_TABLES)[number];

/** Returns the lines of a table. Without `request`, no ladders are proposed. */
export function tableCsv(
  table: ComparisonTable,
  comparison: Comparison,
  request?: ProposalRequest,
): Generator<string> {
  const { anchor, deltas = [] } = comparison;
  if (table === "encodes") return comparisonCsv(comparison);
  if (table === "scores") return cellScoresCsv(comparison);
  if (table === "segments") return segmentsCsv(comparison);
  if (table === "averages") return averagesCsv(deltas.map((delta) => ({ ...delta, anchor })));
  if (table === "bd-rates")
    return bdRatesCsv(
      deltas.flatMap(({ byClip, ladder, metric, method, scale }) =>
        byClip.map((delta) => ({ ladder, metric, method, scale, anchor, ...delta })),
      ),
    );
  return judgedCsv(table, comparisonRungs(comparison), request);
}

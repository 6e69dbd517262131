/** Runs `svc bd`: reads the encodes, compares their ladders and prints the deltas. */

import { type Comparison, compareLadders } from "../../rates/comparison.ts";
import { qualityOf } from "../../rates/quality.ts";
import { type JudgedRungs, judgesRungs, rungNotes, rungsOf } from "../../report/rungs.ts";
import { EXIT, writeAll } from "../exit.ts";
import { checkTable } from "../flags/table.ts";
import { readText } from "../input/read-text.ts";
import { quoteName } from "../terminal/escape.ts";
import { detectTerminal } from "../terminal/terminal.ts";
import { BD_TABLES, type BdTable, type BdTables, bdCsv } from "./csv.ts";
import { comparisonJson } from "./json.ts";
import { type PointsTable, parsePoints, unusable } from "./points-file.ts";
import { checkProposalTable, type ProposalFlags, proposalOf } from "./proposal-options.ts";
import { plainRate, proposalLines, rungLines } from "./rungs.ts";
import { comparisonLines } from "./tables.ts";

export interface BdFlags extends ProposalFlags {
  readonly anchor?: string;
  readonly metric?: readonly string[];
  readonly json?: boolean;
  readonly csv?: boolean;
  /** Undefined: the first one. */
  readonly table?: BdTable;
}

/** Compares the ladders of a file and returns the exit code. Throws Failure. */
export async function runBd(name: string, flags: BdFlags, signal: AbortSignal): Promise<number> {
  checkTable(flags);
  checkProposalTable(flags);
  const input = { what: "the points", unusable: (why: string) => unusable(name, why) };
  const text = await readText(name, process.stdin, signal, input);
  const table = parsePoints(name, text, flags.metric ?? []);
  const { encodes, metrics, ignored } = table;
  const ladders = [...new Set(encodes.map(({ ladder }) => ladder))];
  const request = proposalOf(flags);
  const anchor = anchorOf(name, ladders, flags.anchor, request !== undefined);
  const comparison = compareLadders(encodes, metrics.map(qualityOf), anchor);
  const judged = judgedRungs(table, comparison);
  if (request !== undefined && judged === undefined)
    throw unusable(name, "--propose needs a column of VMAF scores, such as vmaf, and it has none");
  await writeAll(process.stdout, linesOf({ comparison, judged, request }, ignored, flags));
  const isCompared = comparison.results.some(({ bdRate }) => bdRate !== undefined);
  return isCompared || request !== undefined ? EXIT.scored : EXIT.input;
}

function linesOf(
  { comparison, judged, request }: BdTables,
  ignored: readonly string[],
  { json, csv, table = BD_TABLES[0] }: BdFlags,
): Iterable<string> {
  if (json) return comparisonJson(comparison, judged, request);
  if (csv) return bdCsv(table, { comparison, judged, request });
  const terminal = detectTerminal(process.stdout, process.env);
  return [
    ...comparisonLines(comparison, ignored, terminal),
    ...(judged === undefined ? [] : ["", ...rungLines(judged.notes, judged.metric, terminal)]),
    ...(judged && request ? proposalLines(judged, request, plainRate, terminal) : []),
  ].map((line) => `${line}\n`);
}

/**
 * Returns the rungs of all ladders, judged by the first metric on VMAF's scale; undefined if there is no such metric.
 * Encodes that are not on the hull of their ladder are no rungs.
 */
function judgedRungs({ encodes, metrics }: PointsTable, { hulls }: Comparison): JudgedRungs | undefined {
  const at = metrics.findIndex((metric) => judgesRungs(qualityOf(metric)));
  const metric = metrics[at];
  if (metric === undefined) return undefined;
  const off = new Set(hulls.flatMap((hull) => (hull.metric.name === metric ? hull.off : [])));
  const rungEncodes = encodes.filter((encode) => !off.has(encode));
  const points = rungEncodes.map(({ ladder, clip, rate, scores }) => {
    const score = scores[at] ?? Number.NaN;
    return { ladder, clip, rate, score, name: `${plainRate(rate)} (${score.toFixed(1)})` };
  });
  const rungs = rungsOf(points);
  return { metric, rungs, notes: rungNotes(rungs, plainRate) };
}

/** `isEnough`: whether a file with a single ladder is accepted. */
function anchorOf(
  name: string,
  ladders: readonly string[],
  asked: string | undefined,
  isEnough: boolean,
): string {
  const [first = "", second] = ladders;
  if (second === undefined && !isEnough)
    throw unusable(name, `it has one ladder, ${quoteName(first)}, and nothing to compare with it`);
  if (asked === undefined || ladders.includes(asked)) return asked ?? first;
  const known = ladders.slice(0, 10).map(quoteName).join(", ");
  throw unusable(
    name,
    `--anchor: no ladder is named ${quoteName(asked)}. Its ladders: ${known}${ladders.length > 10 ? ", …" : ""}`,
  );
}

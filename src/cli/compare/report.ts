/** Formats a comparison for people: its encodes by clip and ladder, then how the ladders compare with the anchor. */
import { basename } from "node:path";
import type { Comparison, ComparisonCell } from "../../gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../gen/proto/svc/v1/job_pb.ts";
import type { Pooled } from "../../gen/proto/svc/v1/scoring_pb.ts";
import { withoutEncoderText } from "../../jobs/media/grouping.ts";
import { bitRateText, resolutionText } from "../../jobs/quantities.ts";
import { scorersOf } from "../../jobs/scored-apart.ts";
import { comparedCells } from "../../messages/comparison.ts";
import { comparisonJson } from "../../messages/json.ts";
import type { ProposalRequest } from "../../rates/proposal.ts";
import { offHullText } from "../../report/curve-notes.ts";
import { comparisonRungs } from "../../report/rungs.ts";
import { inOptions } from "../api-names.ts";
import { proposalLines, rungLines } from "../bd/rungs.ts";
import { comparisonLines } from "../bd/tables.ts";
import { missedGates } from "../jobs/gates.ts";
import { scorersLines } from "../jobs/scored-apart.ts";
import { stateName } from "../jobs/state.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { decimalsFor } from "../terminal/numbers.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { cut } from "../terminal/width.ts";
import { wrap } from "../terminal/wrap.ts";
import { segmentLines } from "./segments.ts";

const MAX_NAME = 32;
/** Statistics of the first metric. */
const STATS: readonly (readonly [heading: string, stat: "mean" | "harmonicMean" | "p5" | "min"])[] = [
  ["mean", "mean"],
  ["harmonic", "harmonicMean"],
  ["p5", "p5"],
  ["min", "min"],
];

/** Returns the lines of a comparison. Without `request`, no ladders are proposed. */
export function reportLines(comparison: Comparison, terminal: Terminal, request?: ProposalRequest): string[] {
  const names = comparison.metrics.map(({ name }) => name);
  const clips = [...Map.groupBy(comparison.cells, ({ clip }) => clip)];
  const tables = clips.flatMap(([clip, cells]) => [
    ...(clips.length > 1 ? [paint(terminal, "bold", printable(clip))] : []),
    ...tableLines(inOrder(cells), columnsFor(names, terminal), terminal, { heading: true }),
    "",
  ]);
  const { comparison: compared } = comparedCells(comparison);
  const deltas =
    compared.results.length === 0 || !comparison.ladders.some(({ name }) => name === compared.anchor)
      ? noDeltas(comparison, terminal)
      : comparisonLines(compared, [], terminal);
  const rungs = comparisonRungs(comparisonJson(comparison));
  const scorers = scorersLines(scorersOf(comparison.cells), terminal);
  return [
    ...tables,
    ...faultLines(comparison, terminal),
    ...encoderLines(comparison, terminal),
    ...segmentLines(comparison.cells, (cell) => nameOf(cell, terminal), terminal),
    ...deltas,
    ...(rungs === undefined || rungs.notes.length === 0
      ? []
      : ["", ...rungLines(rungs.notes, rungs.metric, terminal)]),
    ...(request === undefined ? [] : proposed(rungs, request, terminal)),
    ...scorers,
  ];
}

function proposed(
  judged: ReturnType<typeof comparisonRungs>,
  request: ProposalRequest,
  terminal: Terminal,
): string[] {
  if (judged === undefined)
    return ["", "No ladder is proposed: no metric of the comparison has VMAF's scale."];
  if (judged.rungs.length === 0) return ["", "No ladder is proposed: no encode has a bit rate and a score."];
  return ["", ...proposalLines(judged, request, bitRateText, terminal)];
}

/** Sorts cells by ladder, in the order in which ladders were first given, then by rate. */
function inOrder(cells: readonly ComparisonCell[]): readonly ComparisonCell[] {
  const rateOf = ({ media }: ComparisonCell) => media?.videoBitRate ?? Number.POSITIVE_INFINITY;
  return [...Map.groupBy(cells, ({ ladder }) => ladder).values()].flatMap((own) =>
    own.toSorted((one, other) => rateOf(one) - rateOf(other)),
  );
}

function columnsFor(metrics: readonly string[], terminal: Terminal): readonly TableColumn<ComparisonCell>[] {
  const [first = "", ...others] = metrics;
  const right = { align: "right", atLeast: 7 } as const;
  return [
    { heading: "LADDER", atLeast: 0, text: ({ ladder }) => ladder || "-" },
    {
      ...{ heading: "ENCODE", atLeast: 0 },
      text: (cell) => nameOf(cell, terminal),
    },
    { heading: "SIZE", atLeast: 0, dispensable: 3, text: sizeText },
    { heading: "RATE", ...right, text: rateText },
    ...STATS.map(([heading, stat], index) => ({
      ...{ heading: index === 0 ? `${first || "score"} ${heading}` : heading, ...right },
      ...(index > 0 && { dispensable: index === 1 ? 2 : 1 }),
      text: ({ pooled }: ComparisonCell) => scoreText(pooled[first], stat),
    })),
    ...others.map((metric, index) => ({
      ...{ heading: metric, ...right, dispensable: 4 + index },
      text: ({ pooled }: ComparisonCell) => scoreText(pooled[metric], "mean"),
    })),
    { heading: "", atLeast: 0, text: (cell) => noteOf(cell, metrics.length, terminal) },
  ];
}

function nameOf({ distorted }: ComparisonCell, terminal: Terminal): string {
  return cut(basename(distorted), MAX_NAME, terminal.unicode);
}

function sizeText({ media }: ComparisonCell): string {
  return media === undefined ? "-" : resolutionText(media.width, media.height);
}

function rateText({ media }: ComparisonCell): string {
  return media?.videoBitRate === undefined ? "-" : bitRateText(media.videoBitRate);
}

function scoreText(pooled: Pooled | undefined, stat: (typeof STATS)[number][1]): string {
  return pooled === undefined ? "-" : pooled[stat].toFixed(decimalsFor(pooled.max));
}

/** `metrics`: how many there are. */
function noteOf(
  { state, error, gates, offHull }: ComparisonCell,
  metrics: number,
  { unicode }: Terminal,
): string {
  if (state === Job_State.SUCCEEDED)
    return [missedGates({ gates }, unicode), offHullText(offHull, metrics)].filter(Boolean).join(", ");
  return error?.code ?? stateName(state);
}

/** A comparison that a controller keeps has the numbers by which its cells are run again. */
function faultLines({ id, cells }: Comparison, terminal: Terminal): string[] {
  const faults = cells.flatMap(({ number, distorted, error }) => {
    const name = id === "" ? basename(distorted) : `cell ${number}, ${basename(distorted)}`;
    return error === undefined ? [] : `! ${name}: ${inOptions(error.message)} [${error.code}]`;
  });
  const lines = faults.flatMap((text) => wrap(printable(text), terminal.columns, "  "));
  return lines.length === 0 ? [] : [...lines.map((line) => paint(terminal, "red", line)), ""];
}

/** Says for how many encodes the codec stands for the encoder. */
function encoderLines({ ladders }: Comparison, terminal: Terminal): string[] {
  const own = ladders.filter(({ withoutEncoder }) => withoutEncoder > 0);
  if (own.length === 0) return [];
  const count = own.reduce((sum, { withoutEncoder }) => sum + withoutEncoder, 0);
  const names = own.map(({ name }) => printable(name)).join(", ");
  return [...wrap(`${withoutEncoderText(count)} Ladders: ${names}.`, terminal.columns), ""];
}

function noDeltas({ anchor, ladders }: Comparison, terminal: Terminal): string[] {
  const isKnown = anchor === "" || ladders.some(({ name }) => name === anchor);
  const names = ladders.map(({ name }) => quoteName(name)).join(", ");
  if (!isKnown)
    return wrap(
      `No BD-rates: no encode is of the anchor, ${quoteName(anchor)}. The ladders: ${names || "none yet"}.`,
      terminal.columns,
    );
  return ladders.length > 1
    ? ["No BD-rates yet: the anchor has no score."]
    : [
        "No BD-rates: there is only one ladder. Use --ladder NAME=FILES or --group-by to divide the encodes into ladders.",
      ];
}

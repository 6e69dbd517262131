/** A comparison as one self-contained HTML page: no script, no network, fit for paper. */
import type { components } from "../gen/rest/controller.ts";
import { bitRateText, resolutionText, signedText } from "../jobs/quantities.ts";
import { fileName } from "../jobs/text/file-name.ts";
import { MIN_OVERLAP } from "../rates/bd-rate.ts";
import { METHODS } from "../rates/comparison.ts";
import { differences } from "../rates/difference-curves.ts";
import { overlapText } from "../rates/overlap-text.ts";
import { cellPoint } from "./cell-point.ts";
import { chart, type DifferenceLine, differenceChart, type Ink, type Series, swatch } from "./chart.ts";
import { curveNotes, isOnCurve, offHullText } from "./curve-notes.ts";
import { dashesOf, type LadderLook, ladderLooks } from "./ladder-looks.ts";
import { type Column, escaped, table } from "./markup.ts";
import { missedGates } from "./missed-gates.ts";
import { origin } from "./origin.ts";
import { type PicturePair, picturesSection } from "./pictures.ts";
import { briefNotes } from "./rung-groups.ts";
import { comparisonRungs, type RungNote } from "./rungs.ts";
import { STYLE } from "./style.ts";

type Schemas = components["schemas"];
/** A comparison as REST returns it. */
export type Comparison = Schemas["Comparison"];
type ComparisonCell = Schemas["ComparisonCell"];
type ClipDelta = Schemas["ClipDelta"];
type LadderDelta = Schemas["LadderDelta"];
/** A comparison whose lists are set; without cells they are empty. */
type Tables = Comparison & Required<Pick<Comparison, "cells" | "metrics" | "ladders" | "deltas">>;

/** Colours that people with any colour vision can distinguish (Okabe and Ito). */
const COLOURS = [...["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"]];

/** Limit of the characters of a page with pictures. */
const MAX_LENGTH = 4_900_000;

/**
 * @param version of svc, which the page names
 * @param pictures of the worst moments; those that would make the page too long are left out
 */
export function* reportPage(
  given: Comparison,
  version: string,
  pictures: readonly PicturePair[] = [],
): Generator<string> {
  const comparison: Tables = { cells: [], metrics: [], ladders: [], deltas: [], ...given };
  const title = comparison.name || `Comparison ${comparison.id}`;
  yield `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">` +
    `<meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>` +
    `<style>${STYLE}</style></head><body>\n<h1>${escaped(title)}</h1>\n`;
  const head = [summary(comparison), ...curves(comparison), ...rungSection(comparison)];
  const rest = [
    ...details(comparison),
    `<h2>Encodes</h2>\n${encodes(comparison)}`,
    ...origin(comparison, version),
    "</body></html>\n",
  ];
  const length = [...head, ...rest].reduce((sum, part) => sum + part.length, STYLE.length);
  yield* head;
  yield picturesSection(pictures, MAX_LENGTH - length);
  yield* rest;
}

function summary({ cells, ladders, anchor, progress, metrics, deltas }: Tables): string {
  const clips = new Set(cells.map(({ clip }) => clip)).size;
  const scored = progress.succeeded;
  const missing = cells.length - scored;
  const facts = [
    `${cells.length} encodes of ${clips} ${clips === 1 ? "clip" : "clips"} in ${ladders.length} ${ladders.length === 1 ? "ladder" : "ladders"}`,
    ...(missing > 0 ? [`${missing} without a score, which are left out of the curves`] : []),
  ];
  const shown = deltas.filter(({ method, scale }) => method === "pchip" && scale === "linear");
  const others = ladders.filter(({ name }) => name !== anchor);
  const columns: Column<(typeof metrics)[number]>[] = [
    { heading: "Metric", text: ({ name }) => name },
    ...others.map((ladder) => ({
      ...{ heading: ladder.name, isNumber: true },
      text: (metric: (typeof metrics)[number]) =>
        averageText(shown.find((one) => one.ladder === ladder.name && one.metric === metric.name)),
    })),
  ];
  const rates =
    shown.length === 0
      ? ""
      : `<h2>BD-rate against ${escaped(anchor)}</h2>\n` +
        `<p>Mean over clips, PCHIP. −20 % means a fifth fewer bits for the same quality.</p>\n${table(metrics, columns)}`;
  return `<p>${escaped(facts.join("; "))}.</p>\n${rates}`;
}

function averageText(delta: LadderDelta | undefined): string {
  if (delta?.bdRate === undefined) return "–";
  const all = delta.clips + delta.refused;
  return `${percent(delta.bdRate)}${delta.refused > 0 ? ` (${delta.clips} of ${all} clips)` : ""}`;
}

function percent(value: number | undefined): string {
  return value === undefined ? "–" : `${signedText(value, 2)} %`;
}

function* curves({ cells, ladders, metrics, anchor }: Tables): Generator<string> {
  if (metrics.length === 0) return;
  const inks = new Map(
    [...ladderLooks({ cells, ladders }, COLOURS.length)].map(([name, look]) => [name, inkOf(look)]),
  );
  const key = [...inks].map(([name, ink]) => `<li>${swatch(ink)} ${escaped(name)}</li>`);
  yield `<h2>Rate and quality</h2>\n<ul class="key">${key.join("")}</ul>\n`;
  if (cells.some(({ offHull = [] }) => offHull.length > 0)) yield `<p>${HULL_NOTE}</p>\n`;
  for (const [clip, own] of Map.groupBy(cells, (cell) => cell.clip)) {
    yield `<h3>${escaped(clip)}</h3>\n<div class="charts">\n`;
    for (const [index, { name, lowerIsBetter }] of metrics.entries()) {
      const series = [...Map.groupBy(own, ({ ladder }) => ladder)].flatMap(
        ([ladder, encodes]): LadderSeries[] => {
          const pointsOf = (isOn: boolean) =>
            encodes.flatMap((cell) => (isOnCurve(cell, name) === isOn ? (cellPoint(cell, name) ?? []) : []));
          const [points, others] = [pointsOf(true), pointsOf(false)];
          const ink = inks.get(ladder);
          return points.length === 0 || ink === undefined ? [] : [{ ladder, points, others, ink }];
        },
      );
      if (series.length > 0) yield chart(name, series, lowerIsBetter);
      // Of the main metric only: those of all would double the page.
      const base = index === 0 ? series.find(({ ladder }) => ladder === anchor) : undefined;
      const lines = base === undefined ? [] : differenceLines(base, series, lowerIsBetter);
      if (lines.length > 0) yield differenceChart(`Bits against ${anchor}, over ${name}`, lines);
    }
    yield "</div>\n";
  }
}

function inkOf(look: LadderLook): Ink {
  return { colour: COLOURS[look.colour] ?? "#000000", dashes: dashesOf(look) };
}

const HULL_NOTE =
  "Where the rates of picture sizes overlap, ladders are compared over the convex hulls of their encodes. Encodes that " +
  "are not on them are drawn faintly.";

interface LadderSeries extends Series {
  readonly ladder: string;
}

/** Steps of a curve. */
const STEPS = 48;

function differenceLines(
  anchor: LadderSeries,
  series: readonly LadderSeries[],
  isLower: boolean,
): readonly DifferenceLine[] {
  return series.flatMap((one) => {
    if (one === anchor) return [];
    const pair = { anchor: anchor.points, test: one.points, isLower };
    const points = differences(pair, "rate", STEPS);
    return points.length === 0 ? [] : [{ points, ink: one.ink }];
  });
}

/** Limit of notes that are listed one by one. */
const FEW_NOTES = 12;
/** Limit of notes in the list of all; 1,440 encodes could lead to a thousand. */
const MOST_NOTES = 60;

function* rungSection(comparison: Tables): Generator<string> {
  const { metric = "", notes = [] } = comparisonRungs(comparison) ?? {};
  if (notes.length === 0) return;
  yield `<h2>Rungs, by ${escaped(metric)}</h2>\n${rungList(briefNotes(notes, FEW_NOTES))}`;
  if (notes.length > FEW_NOTES) yield `<details><summary>One by one</summary>${rungList(notes)}</details>\n`;
}

function rungList(notes: readonly Pick<RungNote, "ladder" | "clip" | "text">[]): string {
  const items = notes
    .slice(0, MOST_NOTES)
    .map(({ ladder, clip, text }) => `<li>${escaped(ladder)}, ${escaped(clip)}: ${escaped(text)}</li>`);
  const more = notes.length > MOST_NOTES ? `<li>and ${notes.length - MOST_NOTES} more</li>` : "";
  return `<ul>${items.join("")}${more}</ul>\n`;
}

interface DetailRow {
  readonly ladder: string;
  readonly clip: string;
  readonly byMethod: ReadonlyMap<string, ClipDelta>;
}

function* details({ deltas, anchor }: Tables): Generator<string> {
  if (deltas.length === 0) return;
  yield `<h2>BD-rate by clip and method, against ${escaped(anchor)}</h2>\n`;
  const byTable = Map.groupBy(deltas, ({ metric, scale }) => (scale === "log" ? `${metric} in dB` : metric));
  for (const [heading, own] of byTable) {
    const rows = [...Map.groupBy(own, ({ ladder }) => ladder)].flatMap(([ladder, methods]) =>
      (methods[0]?.byClip ?? []).map(({ clip }, index): DetailRow => {
        const values = methods.flatMap(({ method, byClip }) => {
          const delta = byClip[index];
          return delta === undefined ? [] : [[method, delta] as const];
        });
        return { ladder, clip, byMethod: new Map(values) };
      }),
    );
    const isDoubtful = ({ byMethod }: DetailRow) => (byMethod.get("pchip")?.lowOverlap ? "doubtful" : "");
    yield `<h3>${escaped(heading)}</h3>\n${table(rows, DETAILS, isDoubtful)}`;
  }
  yield `<p>Rows in italics: less than ${MIN_OVERLAP * 100} % of the range of quality is common, and the numbers do not describe the rest.</p>\n`;
}

const DETAILS: readonly Column<DetailRow>[] = [
  { heading: "Ladder", text: ({ ladder }) => ladder },
  { heading: "Clip", text: ({ clip }) => clip },
  ...METHODS.map((method) => ({
    ...{ heading: method, isNumber: true },
    text: ({ byMethod }: DetailRow) => percent(byMethod.get(method)?.bdRate),
  })),
  {
    ...{ heading: "BD-quality", isNumber: true },
    text: ({ byMethod }) => {
      const quality = byMethod.get("pchip")?.bdQuality;
      return quality === undefined ? "–" : signedText(quality, 4);
    },
  },
  {
    ...{ heading: "Overlap", isNumber: true },
    text: ({ byMethod }) => {
      const overlap = byMethod.get("pchip")?.overlap;
      return overlap === undefined ? "–" : overlapText(overlap);
    },
  },
  {
    heading: "Note",
    text: ({ byMethod }) => {
      const delta = byMethod.get("pchip");
      return delta === undefined ? "" : (delta.refusal?.message ?? curveNotes(delta).join(" "));
    },
  },
];

function encodes({ cells, metrics }: Tables): string {
  const [first, ...others] = metrics.map(({ name }) => name);
  const stat = (name: string, of: "mean" | "harmonicMean" | "p5" | "min", heading: string) => ({
    ...{ heading, isNumber: true },
    // JSON has no NaN and no infinity: REST writes texts.
    text: ({ pooled }: ComparisonCell) => {
      const value = pooled[name]?.[of];
      return value !== undefined && Number.isFinite(value) ? value.toFixed(4) : "–";
    },
  });
  return table(inOrder(cells), [
    { heading: "Clip", text: ({ clip }) => clip },
    { heading: "Ladder", text: ({ ladder }) => ladder || "–" },
    { heading: "Encode", text: ({ distorted }) => fileName(distorted) },
    { heading: "Size", text: ({ media }) => (media ? resolutionText(media.width, media.height) : "–") },
    {
      ...{ heading: "Rate", isNumber: true },
      text: ({ media }) => (media?.videoBitRate === undefined ? "–" : bitRateText(media.videoBitRate)),
    },
    ...(first === undefined
      ? []
      : [
          stat(first, "mean", `${first} mean`),
          stat(first, "harmonicMean", "harmonic mean"),
          stat(first, "p5", "5th percentile"),
          stat(first, "min", "min"),
        ]),
    ...others.map((name) => stat(name, "mean", name)),
    { heading: "Note", text: (cell) => noteOf(cell, metrics.length) },
  ]);
}

/** Sorts cells by clip and ladder, in the order in which these were first given, then by rate. */
function inOrder(cells: readonly ComparisonCell[]): readonly ComparisonCell[] {
  const rateOf = ({ media }: ComparisonCell) => media?.videoBitRate ?? Number.POSITIVE_INFINITY;
  return [...Map.groupBy(cells, ({ clip }) => clip).values()]
    .flatMap((own) => [...Map.groupBy(own, ({ ladder }) => ladder).values()])
    .flatMap((own) => own.toSorted((one, other) => rateOf(one) - rateOf(other)));
}

/**
 * Returns the gates that a scored cell misses and whether it is a point of its curve, or why there is no score.
 * `metrics`: how many there are.
 */
function noteOf({ state, error, gates = [], offHull = [] }: ComparisonCell, metrics: number): string {
  const missed = missedGates({ gates }).map(({ gate }) => `misses ${gate}`);
  if (state === "SUCCEEDED") return [...missed, offHullText(offHull, metrics)].filter(Boolean).join(", ");
  return error === undefined ? state : `${error.message} [${error.code}]`;
}

/** Formats the comparison for people: a table for each metric and scale, then notes on its numbers. */
import { signedText } from "../../jobs/quantities.ts";
import { MIN_OVERLAP } from "../../rates/bd-rate.ts";
import { type Average, type Comparison, METHODS, type Method, type Result } from "../../rates/comparison.ts";
import { overlapText } from "../../rates/overlap-text.ts";
import type { Quality } from "../../rates/quality.ts";
import type { Scale } from "../../rates/side.ts";
import { printable } from "../terminal/escape.ts";
import { type TableColumn, tableLines } from "../terminal/table.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { columnsOf, cut } from "../terminal/width.ts";
import { notesOf } from "./notes.ts";

/** A line of a table: a clip, the mean of some or all clips of a ladder, or a heading above them. */
interface Line {
  readonly name: string;
  readonly kind: "heading" | "clip" | "mean" | "partial";
  readonly rates: ReadonlyMap<Method, number | undefined>;
  readonly quality: number | undefined;
  readonly overlap: number | undefined;
}

const NUMBER_WIDTH = 8;
const QUALITY = "BD-quality";
const OVERLAP = "overlap";
/** Largest width of the number columns, including the gaps before them. */
const NUMBERS_WIDTH = METHODS.length * (NUMBER_WIDTH + 2) + QUALITY.length + 2 + OVERLAP.length + 2;
const MIN_NAME = 14;
/** Differences below this are shown with more decimals. */
const SMALL = 0.2;

export function comparisonLines(
  comparison: Comparison,
  ignored: readonly string[],
  terminal: Terminal,
): string[] {
  const { anchor, metrics, results, averages } = comparison;
  const lines = metrics.flatMap((metric) => {
    const own = results.filter((result) => result.metric === metric);
    const means = averages.filter((average) => average.metric === metric);
    const scales: readonly Scale[] = metric.max === undefined ? ["linear"] : ["linear", "log"];
    const tables = scales.flatMap((scale) => [
      ...titleLines(metric, scale, anchor, terminal),
      ...tableOf(
        linesOf(own.filter(hasScale(scale)), means.filter(hasScale(scale))),
        scale === "log" ? METHODS.slice(0, -1) : METHODS,
        decimalsOf(own.filter(hasScale(scale)), scale),
        terminal,
      ),
      "",
    ]);
    const hulls = comparison.hulls.filter((hull) => hull.metric === metric);
    const notes = notesOf(own, hulls, anchor, terminal);
    return [...tables, ...notes, ...(notes.length > 0 ? [""] : [])];
  });
  return ignored.length === 0
    ? lines.slice(0, -1)
    : [
        ...lines,
        paint(
          terminal,
          "dim",
          `Not compared, because they hold no numbers: ${printable(ignored.join(", "))}`,
        ),
      ];
}

function hasScale(scale: Scale): (one: { readonly scale: Scale }) => boolean {
  return (one) => one.scale === scale;
}

function titleLines(metric: Quality, scale: Scale, anchor: string, terminal: Terminal): string[] {
  const name = printable(metric.name);
  const share = metric.max === 1 ? name : `${name}/${metric.max}`;
  const formula = terminal.unicode ? `−10·log10(1 − ${share})` : `-10*log10(1 - ${share})`;
  const of = scale === "log" ? ` as ${formula}, in dB` : "";
  const against = `BD-rate in % against ${printable(anchor)}`;
  const title = `${paint(terminal, "bold", name)}${of}:`;
  const joined = `${title} ${against}`;
  return columnsOf(joined) <= terminal.columns ? [joined] : [title, `  ${against}`];
}

/** The ladders, each with its clips and their average if the table has clips. */
function linesOf(results: readonly Result[], averages: readonly Average[]): readonly Line[] {
  return [...Map.groupBy(results, ({ ladder }) => ladder)].flatMap(([ladder, own]) => {
    const clips = [...Map.groupBy(own, ({ clip }) => clip)];
    if (clips.length === 1)
      return clips.map(([clip, all]) => clipLine(clip === "" ? ladder : `${ladder}, ${clip}`, all));
    const means = averages.filter((average) => average.ladder === ladder);
    const heading = { name: ladder, kind: "heading", ...NO_NUMBERS } as const;
    return [heading, ...clips.map(([clip, all]) => clipLine(`  ${clip}`, all)), meanLine(means)];
  });
}

const NO_NUMBERS = { rates: new Map(), quality: undefined, overlap: undefined };

function clipLine(name: string, all: readonly Result[]): Line {
  const shown = all.find(({ method }) => method === "pchip");
  return {
    ...{ name, kind: "clip" as const, quality: shown?.bdQuality },
    rates: new Map(all.map(({ method, bdRate }) => [method, bdRate])),
    overlap: all.find(({ overlap }) => overlap !== undefined)?.overlap,
  };
}

function meanLine(means: readonly Average[]): Line {
  const shown = means.find(({ method }) => method === "pchip");
  const counts = means.map(({ clips }) => clips);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  const all = (shown?.clips ?? 0) + (shown?.refused ?? 0);
  const part = fewest === most ? `${most}/` : `${fewest}-${most}/`;
  return {
    name: `  mean of ${fewest === all ? "" : part}${all}`,
    kind: fewest === all ? "mean" : "partial",
    rates: new Map(means.map(({ method, bdRate }) => [method, bdRate])),
    quality: shown?.bdQuality,
    overlap: undefined,
  };
}

function tableOf(
  lines: readonly Line[],
  methods: readonly Method[],
  decimals: number,
  terminal: Terminal,
): string[] {
  const room = Math.max(MIN_NAME, terminal.columns - NUMBERS_WIDTH);
  const columns: TableColumn<Line>[] = [
    { heading: "", atLeast: 0, text: ({ name }) => cut(printable(name), room, terminal.unicode) },
    ...methods.map((method, index) => ({
      ...{ heading: method, align: "right" as const, atLeast: NUMBER_WIDTH },
      ...(index > 0 && { dispensable: index + 1 }),
      text: ({ kind, rates }: Line) => (kind === "heading" ? "" : signed(rates.get(method), 2, terminal)),
    })),
    {
      ...{ heading: QUALITY, align: "right", atLeast: QUALITY.length, dispensable: 1 },
      text: ({ kind, quality }) => (kind === "heading" ? "" : signed(quality, decimals, terminal)),
    },
    { heading: OVERLAP, atLeast: OVERLAP.length, text: overlapOf },
  ];
  const [heading = "", ...rows] = tableLines(lines, columns, terminal, {
    heading: true,
    lastColumns: OVERLAP.length,
  });
  return [heading, ...rows.map((row, index) => painted(row, lines[index], terminal))];
}

/** Returns a text as wide as the column's heading. */
function overlapOf({ overlap }: Line): string {
  return overlap === undefined ? "" : overlapText(overlap).padStart(OVERLAP.length);
}

function painted(row: string, line: Line | undefined, terminal: Terminal): string {
  if (line?.kind === "mean") return paint(terminal, "bold", row);
  const isSmall = line?.overlap !== undefined && line.overlap < MIN_OVERLAP;
  return isSmall || line?.kind === "partial" ? paint(terminal, "yellow", row) : row;
}

function signed(value: number | undefined, decimals: number, { unicode }: Terminal): string {
  if (value === undefined) return unicode ? "–" : "-";
  const text = signedText(value, decimals);
  return unicode ? text : text.replace("−", "-");
}

/** Small differences, such as those of SSIM, need more decimals. */
function decimalsOf(results: readonly Result[], scale: Scale): number {
  if (scale === "log") return 2;
  const largest = results.reduce((most, { bdQuality = 0 }) => Math.max(most, Math.abs(bdQuality)), 0);
  return largest < SMALL ? 4 : 2;
}

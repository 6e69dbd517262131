/** The report of a score, for people. */

import { framesText } from "../../engine/media/track.ts";
import { scoredRate } from "../../jobs/frame-rate.ts";
import { bitRatesText } from "../../jobs/quantities.ts";
import { scorerText } from "../../jobs/scored-apart.ts";
import { maxScoreOf, USUAL_MAX_SCORE } from "../../jobs/scored-models.ts";
import { FIRST_METRIC } from "../../jobs/scores/metric-names.ts";
import { framesApart, type Moment, worstMoments } from "../../jobs/scores/moments.ts";
import { inOptions } from "../api-names.ts";
import { findingsSection } from "../findings/finding-lines.ts";
import { printable, quoteName } from "../terminal/escape.ts";
import { exact, rateText, timeCode } from "../terminal/numbers.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { wrap } from "../terminal/wrap.ts";
import { chart } from "./chart.ts";
import { estimateLines, estimateText, featureMeans } from "./estimate.ts";
import { figures } from "./figures.ts";
import { modelLines } from "./model-lines.ts";
import { featureLegend, pooledTable } from "./pooled-table.ts";
import { spanLines } from "./span-lines.ts";
import { type AlignmentView, type MediaView, type ScoreView, shownMetrics, sourcesOf } from "./view.ts";

export interface ReportOptions {
  readonly terminal: Terminal;
  /** File names as the user gave them. */
  readonly names: { readonly reference: string; readonly distorted: string };
  /** Metrics requested in addition to the models. */
  readonly features: readonly string[];
  /** Whether to show the models' own features in the table too. */
  readonly allMetrics: boolean;
  /** Whether the request has `fix`. */
  readonly fix: boolean;
  /** Rows of the chart. */
  readonly chartHeight?: number;
}

/** Returns the lines of the whole report. */
export function report(view: ScoreView, options: ReportOptions): string[] {
  const { terminal, features, allMetrics } = options;
  const { estimate } = view;
  const metrics = shownMetrics(view, features, allMetrics);
  const sections = [
    headline(view, terminal),
    estimate === undefined ? [] : estimateLines(estimate, terminal),
    [...files(view, options), ...view.models.flatMap((model) => modelLines(model, terminal))],
    warningLines(otherWarnings(view), terminal),
    findingsSection(view.findings, options.fix, terminal),
    estimate === undefined
      ? pooledTable(view.pooled, metrics, terminal)
      : featureMeans(view, metrics, terminal),
    allMetrics ? featureLegend(metrics, terminal) : [],
    frameSection(view, options),
    spanLines("shots", view.shots, scoredRate(view), terminal),
    spanLines("segments", view.streamSegments, scoredRate(view), terminal),
    scorerLine(view, terminal),
  ];
  return sections.filter((section) => section.length > 0).flatMap((section) => [...section, ""]);
}

/** The score in large figures, if they can be drawn, and with all digits. */
function headline(view: ScoreView, terminal: Terminal): string[] {
  const models = view.models.map((model) => {
    const { score, interval } = model;
    const mean = view.pooled[model.metric]?.mean ?? score;
    const text = interval === undefined ? exact(mean) : estimateText(score, interval, terminal);
    const most = maxScoreOf(model);
    const of = most === USUAL_MAX_SCORE ? "" : ` of ${most}`;
    return `${paint(terminal, "bold", `VMAF ${text}`)}${of}  ${printable(model.model)}`;
  });
  const large = figures(view.score.toFixed(view.estimate === undefined ? 2 : 1));
  if (!terminal.unicode || large.some((line) => line.length > terminal.columns)) return models;
  return [...large.map((line) => paint(terminal, "bold", line)), "", ...models];
}

function files(view: ScoreView, { terminal, names }: ReportOptions): string[] {
  return [
    ...fileLine("Reference", names.reference, view.reference, terminal),
    ...fileLine("Distorted", names.distorted, view.distorted, terminal),
  ];
}

function fileLine(label: string, name: string, media: MediaView, terminal: Terminal): string[] {
  const described = mediaText(media, terminal);
  return wrap(`${label}  ${quoteName(name)}  ${described}`, terminal.columns, " ".repeat(11));
}

/** Describes a file in one line. */
export function mediaText(media: MediaView, terminal: Terminal): string {
  const separator = terminal.unicode ? " · " : ", ";
  const bitRates = bitRatesText(media);
  const facts = [
    media.container,
    media.codec,
    `${media.width}x${media.height}`,
    ...(["", "1:1"].includes(media.sampleAspectRatio)
      ? []
      : [`sample aspect ratio ${media.sampleAspectRatio}`]),
    media.pixelFormat,
    rateText(media.frameRate) ?? "unknown frame rate",
    ...(bitRates === undefined ? [] : [bitRates]),
    framesText(media.frames),
    ...(media.colorRange === "full" ? ["full range"] : []),
    ...(media.rotation === 0 ? [] : [`rotated ${media.rotation}°`]),
  ];
  return facts.map(printable).join(separator);
}

/** Returns the warnings that are not about a finding. */
function otherWarnings({ warnings, findings }: ScoreView): ScoreView["warnings"] {
  const found = new Set(findings.map(({ code, evidence }) => `${code} ${evidence}`));
  return warnings.filter(({ code, message }) => !found.has(`${code} ${message}`));
}

export function warningLines(warnings: ScoreView["warnings"], terminal: Terminal): string[] {
  return warnings.flatMap(({ code, message }) => {
    const [first = "", ...rest] = wrap(
      `Warning: ${printable(inOptions(message))} (${printable(code)})`,
      terminal.columns,
      " ".repeat(9),
    );
    return [paint(terminal, "yellow", first), ...rest.map((line) => paint(terminal, "yellow", line))];
  });
}

/**
 * The chart of the first model, and the worst moments, which the chart marks by number. An estimate has no
 * worst moments: those of the whole video are usually not in its sample.
 */
function frameSection(view: ScoreView, { terminal, chartHeight }: ReportOptions): string[] {
  const rate = scoredRate(view);
  const moments = worstMoments(view.frames, FIRST_METRIC, framesApart(rate));
  if (moments.length === 0) return [];
  const [first] = view.models;
  const limit = first === undefined ? {} : { limit: maxScoreOf(first) };
  const size = chartHeight === undefined ? limit : { ...limit, height: chartHeight };
  if (view.estimate !== undefined)
    return [
      paint(terminal, "dim", "VMAF by frame, of the scored frames"),
      ...chart(view.frames, FIRST_METRIC, { terminal, rate, ...size }),
    ];
  return [
    paint(terminal, "dim", "VMAF by frame"),
    ...chart(view.frames, FIRST_METRIC, { terminal, rate, marks: moments, ...size }),
    "",
    paint(
      terminal,
      "dim",
      `Worst frames, at least ${rate === undefined ? `${framesApart(rate)} frames` : "2 s"} apart`,
    ),
    ...momentLines(moments, rate, view.alignment, terminal),
  ];
}

/** Returns a line for each moment. In an aligned pair, it also has the frame's numbers in the two files. */
function momentLines(
  moments: readonly Moment[],
  rate: number | undefined,
  alignment: AlignmentView | undefined,
  terminal: Terminal,
): string[] {
  const frameWidth = Math.max(...moments.map(({ frame }) => String(frame).length));
  const valueWidth = Math.max(...moments.map(({ value }) => exact(value).length));
  return moments.map(({ frame, value }, index) => {
    const number = paint(terminal, "yellow", String(index + 1));
    const time = rate === undefined ? "" : `  ${timeCode(frame / rate)}`;
    const sources = sourcesOf(frame, alignment);
    const files = sources ? `  (reference ${sources.reference}, distorted ${sources.distorted})` : "";
    return `  ${number}  frame ${String(frame).padStart(frameWidth)}${time}  ${exact(value).padStart(valueWidth)}${files}`;
  });
}

function scorerLine(view: ScoreView, terminal: Terminal): string[] {
  const seconds = view.durationMs / 1000;
  const fps = seconds > 0 ? ` (${(view.frameCount / seconds).toFixed(1)} fps)` : "";
  const text =
    `Scored ${framesText(view.frameCount)} in ${seconds.toFixed(1)} s${fps} ` +
    `with ${printable(scorerText(view.scorer))}.`;
  return wrap(text, terminal.columns).map((line) => paint(terminal, "dim", line));
}

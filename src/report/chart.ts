/** Curves of one clip by one metric, as SVG elements: quality over the rate, and differences from the anchor. */
import { roundRateText } from "../jobs/quantities.ts";
import { curvePoints } from "../rates/curve-points.ts";
import type { Difference } from "../rates/difference-curves.ts";
import type { RatePoint } from "../rates/points.ts";
import { linearAxis, logAxis, ratios, ticks } from "../rates/ticks.ts";
import { escaped } from "./markup.ts";

/** A ladder. */
export interface Series {
  /** The points of its curve, at least one. */
  readonly points: readonly RatePoint[];
  /** Encodes that the curve does not pass through. */
  readonly others: readonly RatePoint[];
  readonly ink: Ink;
}

/** Colour and dashes of a line, as CSS has them. */
export interface Ink {
  readonly colour: string;
  readonly dashes: string;
}

const SIZE = { width: 460, height: 280 };
const MARGIN = { left: 46, right: 30, top: 12, bottom: 26 };
/** Steps of a curve. */
const STEPS = 32;

/** Positions and texts of ticks. */
type Ticks = readonly { readonly at: number; readonly text: string }[];

interface Scales {
  readonly across: Ticks;
  readonly up: Ticks;
  readonly x: (rate: number) => number;
  readonly y: (score: number) => number;
}

/** `isLower`: whether a lower score is better. */
export function chart(title: string, series: readonly Series[], isLower: boolean): string {
  const scales = scalesOf(series.flatMap(({ points, others }) => [...points, ...others]));
  const lines = series.map((one) => seriesMarkup(one, scales, isLower)).join("");
  return figure(title, `${axes(scales)}${lines}`);
}

/** A ladder, and how many percent more bits it needs than the anchor at each score. */
export interface DifferenceLine {
  /** At least one. */
  readonly points: readonly Difference[];
  readonly ink: Ink;
}

export function differenceChart(title: string, lines: readonly DifferenceLine[]): string {
  const all = lines.flatMap(({ points }) => points);
  const [scores, values] = [all.map(({ at }) => at), all.map(({ value }) => value)];
  const across = ticks(Math.min(...scores), Math.max(...scores), 5);
  // Zero, where a ladder is like the anchor, is always on the axis.
  const up = ticks(Math.min(0, ...values), Math.max(0, ...values), 5);
  const x = linearAxis(across, MARGIN.left, SIZE.width - MARGIN.right);
  const y = linearAxis(up, SIZE.height - MARGIN.bottom, MARGIN.top);
  const axisTicks = {
    across: across.map((score) => ({ at: x(score), text: String(score) })),
    up: up.map((value) => ({ at: y(value), text: `${value} %`.replace("-", "−") })),
  };
  const curves = lines.map(({ points, ink }) => {
    const path = points.map(({ at, value }) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("L");
    return curveMarkup(ink, `M${path}`);
  });
  const zero = `<path class="zero" d="M${MARGIN.left} ${y(0).toFixed(1)}H${SIZE.width - MARGIN.right}"/>`;
  return figure(title, `${axes(axisTicks)}${zero}${curves.join("")}`);
}

function figure(title: string, content: string): string {
  return (
    `<figure><figcaption>${escaped(title)}</figcaption>` +
    `<svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${escaped(title)}">` +
    `${content}</svg></figure>\n`
  );
}

function scalesOf(points: readonly RatePoint[]): Scales {
  const [rates, scores] = [points.map(({ rate }) => rate), points.map(({ score }) => score)];
  const rateTicks = ratios(Math.min(...rates), Math.max(...rates), 5);
  const scoreTicks = ticks(Math.min(...scores), Math.max(...scores), 5);
  const x = logAxis(rateTicks, MARGIN.left, SIZE.width - MARGIN.right);
  const y = linearAxis(scoreTicks, SIZE.height - MARGIN.bottom, MARGIN.top);
  return {
    ...{ x, y },
    across: rateTicks.map((rate) => ({ at: x(rate), text: roundRateText(rate) })),
    up: scoreTicks.map((score) => ({ at: y(score), text: String(score) })),
  };
}

function axes({ across, up }: Pick<Scales, "across" | "up">): string {
  const [bottom, right] = [SIZE.height - MARGIN.bottom, SIZE.width - MARGIN.right];
  const vertical = across.map(({ at, text }) => {
    const x = at.toFixed(1);
    return `<path d="M${x} ${MARGIN.top}V${bottom}"/><text x="${x}" y="${bottom + 16}" text-anchor="middle">${text}</text>`;
  });
  const horizontal = up.map(({ at, text }) => {
    const y = at.toFixed(1);
    return `<path d="M${MARGIN.left} ${y}H${right}"/><text x="${MARGIN.left - 6}" y="${Number(y) + 4}" text-anchor="end">${text}</text>`;
  });
  return `<g class="axes">${[...vertical, ...horizontal].join("")}</g>`;
}

/** Points are lines without length, with round ends: a page has thousands of them. */
function seriesMarkup({ points, others, ink }: Series, { x, y }: Scales, isLower: boolean): string {
  const at = ({ rate, score }: RatePoint) => `${x(rate).toFixed(1)} ${y(score).toFixed(1)}`;
  const path = curvePoints(points, isLower, STEPS).map(at).join("L");
  const marks = (all: readonly RatePoint[]) => all.map((point) => `M${at(point)}h0`).join("");
  const faint = others.length === 0 ? "" : `<path class="marks faint" d="${marks(others)}"/>`;
  return `${curveMarkup(ink, `M${path}`)}<g stroke="${ink.colour}">${faint}<path class="marks" d="${marks(points)}"/></g>`;
}

function curveMarkup({ colour, dashes }: Ink, path: string): string {
  const dashed = dashes === "none" ? "" : ` stroke-dasharray="${dashes}"`;
  return `<path class="curve" stroke="${colour}"${dashed} d="${path}"/>`;
}

/** A short line that stands for a ladder. */
export function swatch(ink: Ink): string {
  return `<svg class="swatch" viewBox="0 0 28 10" aria-hidden="true">${curveMarkup(ink, "M0 5h28")}</svg>`;
}

/** Rate–quality curves of one clip by one metric, as an SVG element. */
import { roundRateText } from "../jobs/quantities.ts";
import { curvePoints } from "../rates/curve-points.ts";
import type { RatePoint } from "../rates/points.ts";
import { linearAxis, logAxis, ratios, ticks } from "../rates/ticks.ts";
import { escaped } from "./markup.ts";

/** A ladder. */
export interface Series {
  /** At least one. */
  readonly points: readonly RatePoint[];
  readonly colour: string;
}

const SIZE = { width: 460, height: 280 };
const MARGIN = { left: 46, right: 30, top: 12, bottom: 26 };
/** Steps of a curve. */
const STEPS = 32;

interface Scales {
  readonly rates: readonly number[];
  readonly scores: readonly number[];
  readonly x: (rate: number) => number;
  readonly y: (score: number) => number;
}

/** `isLower`: whether a lower score is better. */
export function chart(title: string, series: readonly Series[], isLower: boolean): string {
  const scales = scalesOf(series.flatMap(({ points }) => points));
  const lines = series.map((one) => seriesMarkup(one, scales, isLower)).join("");
  return (
    `<figure><figcaption>${escaped(title)}</figcaption>` +
    `<svg viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${escaped(title)}">` +
    `${axes(scales)}${lines}</svg></figure>\n`
  );
}

function scalesOf(points: readonly RatePoint[]): Scales {
  const [rates, scores] = [points.map(({ rate }) => rate), points.map(({ score }) => score)];
  const rateTicks = ratios(Math.min(...rates), Math.max(...rates), 5);
  const scoreTicks = ticks(Math.min(...scores), Math.max(...scores), 5);
  return {
    rates: rateTicks,
    scores: scoreTicks,
    x: logAxis(rateTicks, MARGIN.left, SIZE.width - MARGIN.right),
    y: linearAxis(scoreTicks, SIZE.height - MARGIN.bottom, MARGIN.top),
  };
}

function axes({ rates, scores, x, y }: Scales): string {
  const [bottom, right] = [SIZE.height - MARGIN.bottom, SIZE.width - MARGIN.right];
  const vertical = rates.map((rate) => {
    const at = x(rate).toFixed(1);
    return `<path d="M${at} ${MARGIN.top}V${bottom}"/><text x="${at}" y="${bottom + 16}" text-anchor="middle">${roundRateText(rate)}</text>`;
  });
  const horizontal = scores.map((score) => {
    const at = y(score).toFixed(1);
    return `<path d="M${MARGIN.left} ${at}H${right}"/><text x="${MARGIN.left - 6}" y="${Number(at) + 4}" text-anchor="end">${score}</text>`;
  });
  return `<g class="axes">${[...vertical, ...horizontal].join("")}</g>`;
}

/** Points are lines without length, with round ends: a page has thousands of them. */
function seriesMarkup({ points, colour }: Series, { x, y }: Scales, isLower: boolean): string {
  const at = ({ rate, score }: RatePoint) => `${x(rate).toFixed(1)} ${y(score).toFixed(1)}`;
  const path = curvePoints(points, isLower, STEPS).map(at).join("L");
  const marks = points.map((point) => `M${at(point)}h0`).join("");
  return `<g stroke="${colour}"><path class="curve" d="M${path}"/><path class="marks" d="${marks}"/></g>`;
}

/** Positions of bit rates and scores in the chart, in CSS pixels. */
import { linearAxis, logAxis, ratios, ticks } from "../../../src/rates/ticks.ts";

export interface Place {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Ticks of the axes. */
  readonly rates: readonly number[];
  readonly scores: readonly number[];
  readonly x: (rate: number) => number;
  readonly y: (score: number) => number;
  /** Both coordinates, in the syntax of an SVG path. */
  readonly at: (rate: number, score: number) => string;
}

const HEIGHT = 340;
/** Room for the axis labels. */
const MARGIN = { left: 46, right: 26, top: 24, bottom: 28 };

/**
 * The linear rate axis starts at 0, so that a distance is a number of bits; if `isLog`, a distance is a ratio of bits.
 * The score axis starts below the lowest score and ends at most at `largest`, the largest score of the metric.
 */
export function placeOf(
  points: readonly { readonly rate: number; readonly score: number }[],
  width: number,
  isLog: boolean,
  largest: number,
): Place {
  const scores = points.map(({ score }) => score);
  const rates = points.map(({ rate }) => rate);
  const count = Math.max(2, width / 130);
  const [least, most] = [Math.min(...rates), Math.max(1, ...rates)];
  const rateTicks = isLog ? ratios(least, most, count) : ticks(0, most, count);
  const highest = Math.max(...scores);
  const scoreTicks = ticks(Math.min(...scores), highest, 6).map((tick) =>
    Math.min(tick, Math.max(largest, highest)),
  );
  const [left, right] = [MARGIN.left, Math.max(MARGIN.left + 50, width - MARGIN.right)];
  const [top, bottom] = [MARGIN.top, HEIGHT - MARGIN.bottom];
  const x = isLog ? logAxis(rateTicks, left, right) : linearAxis(rateTicks, left, right);
  const y = linearAxis(scoreTicks, bottom, top);
  return {
    width: right + MARGIN.right,
    height: HEIGHT,
    ...{ left, right, top, bottom, x, y },
    rates: rateTicks,
    scores: scoreTicks,
    at: (rate, score) => `${x(rate).toFixed(1)} ${y(score).toFixed(1)}`,
  };
}

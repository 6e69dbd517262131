/** Why there is no BD-rate, in words. */
import type { Code, Refused, Result } from "./comparison.ts";
import type { GivenPoint } from "./points.ts";

interface Facts extends Refused {
  readonly result: Result;
  readonly anchor: string;
  /** The ladder with the flaw. */
  readonly whose: string;
  /** The metric's name. */
  readonly name: string;
}

const REASONS: Readonly<Record<Code, (facts: Facts) => string>> = {
  TOO_FEW_POINTS: ({ whose, points, needed, encodes }) =>
    encodes === undefined
      ? `${whose} has ${pointsText(points)}, but at least ${needed} are needed`
      : `${whose} has ${pointsText(points)} on the convex hull of its ${encodes} encodes of several sizes, but at least ${needed} are needed`,
  NO_RATE: ({ whose }) => `${whose} has a rate that is not above 0`,
  NO_SCORE: ({ whose, name }) => `${whose} has a point whose ${name} is not finite`,
  AT_MAXIMUM: ({ whose, name, result }) =>
    `${whose} reaches the largest ${name}, ${result.metric.max}, which has no logarithm`,
  SAME_POINT: ({ whose, name, between }) =>
    `${whose} has two points with the same rate or ${name}: ${betweenText(between, "and")}`,
  NOT_MONOTONE: ({ whose, name, between, result }) =>
    `${name} of ${whose} does not ${result.metric.isLower ? "fall" : "rise"} with the rate: ${betweenText(between, "but")}`,
  NO_OVERLAP: ({ result, anchor, name }) => `${result.ladder} and ${anchor} have no ${name} in common`,
  OUT_OF_RANGE: ({ result, anchor }) =>
    `the difference of ${result.ladder} and ${anchor} is too large for a number`,
};

/** Returns a clause without a full stop. `anchor`: the ladder that the result's is compared with. */
export function reasonText(result: Result, refused: Refused, anchor: string): string {
  const whose = refused.ladder ?? result.ladder;
  return REASONS[refused.code]({ ...refused, result, anchor, whose, name: result.metric.name });
}

function pointsText(points: number): string {
  return points === 1 ? "1 point" : `${points} points`;
}

function betweenText(between: readonly [GivenPoint, GivenPoint] | undefined, word: string): string {
  const [one, other] = (between ?? []).map(({ rate, given }) => `${given} at ${rateText(rate)}`);
  return `${one}, ${word} ${other}`;
}

/** Returns up to seven digits: a rate is computed from bytes and a duration, and has no unit here. */
function rateText(rate: number): string {
  return String(Number(rate.toPrecision(7)));
}

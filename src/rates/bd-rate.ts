/**
 * Bjøntegaard delta of two ladders: how much more bit rate one needs for the same score, and how much higher its score
 * is at the same bit rate, averaged over the range that both cover. Formula and sources: docs/bd-rate.md.
 */
import { akima } from "./akima.ts";
import { cubic } from "./cubic.ts";
import type { Curve, Knots } from "./hermite.ts";
import { pchip } from "./pchip.ts";
import {
  byRate,
  type Flaw,
  flawOf,
  MIN_POINTS,
  type RatePoint,
  type Refusal,
  rateOverScore,
  scoreOverRate,
} from "./points.ts";

export interface Delta {
  /** For the rate: percent, −10 means 10 % fewer bits. For the score: in the score's unit. */
  readonly value: number;
  /** The range averaged over: scores for the rate, log10 of rates for the score. */
  readonly from: number;
  readonly to: number;
  /** This range as a share of the wider ladder's range, 0 to 1. */
  readonly overlap: number;
}

export type Outcome = { readonly delta: Delta } | { readonly refusal: Refusal };

/** Which curve passes through the points of a ladder. */
export type Interpolation = "pchip" | "akima" | "cubic";

interface Interpolator {
  /** Minimum number of points in a ladder. */
  readonly points: number;
  readonly curve: (knots: Knots) => Curve;
}

export const INTERPOLATORS: Readonly<Record<Interpolation, Interpolator>> = {
  pchip: { points: MIN_POINTS, curve: pchip },
  // Three points have two intervals, which is the minimum for slopes that differ from those of a line.
  akima: { points: 3, curve: akima },
  cubic: { points: MIN_POINTS, curve: cubic },
};

/** Share of the wider ladder's range below which a delta does not describe the ladders. */
export const MIN_OVERLAP = 0.75;

/** Returns how many percent more bits `test` needs than `anchor` for the same score. */
export function bdRate(
  anchor: readonly RatePoint[],
  test: readonly RatePoint[],
  interpolation: Interpolation = "pchip",
): Outcome {
  return bdRateOf(fitsOf(anchor)(interpolation), fitsOf(test)(interpolation));
}

/** Returns how much higher the score of `test` is than that of `anchor` at the same bit rate. */
export function bdScore(
  anchor: readonly RatePoint[],
  test: readonly RatePoint[],
  interpolation: Interpolation = "pchip",
): Outcome {
  return bdScoreOf(fitsOf(anchor)(interpolation), fitsOf(test)(interpolation));
}

/** A curve and the knots that it passes through. It is computed when it is first needed. */
interface Line {
  readonly knots: Knots;
  readonly curve: () => Curve;
}

/** A ladder with its curves, for several comparisons. */
export interface Fitted<Point extends RatePoint = RatePoint> {
  /** Why no curve passes through it; undefined if one does. */
  readonly flaw: Flaw<Point> | undefined;
  readonly rate: Line;
  readonly score: Line;
}

/** Returns how a ladder is fitted by each interpolation. */
export function fitsOf<Point extends RatePoint>(
  points: readonly Point[],
): (interpolation: Interpolation) => Fitted<Point> {
  const sorted = byRate(points);
  const shape = flawOf(sorted, 0);
  const [rate, score] = [rateOverScore(sorted), scoreOverRate(sorted)];
  return (interpolation) => {
    const { points: needed, curve } = INTERPOLATORS[interpolation];
    const flaw = sorted.length < needed ? ({ refusal: "TOO_FEW_POINTS" } as const) : shape;
    return { flaw, rate: lineOf(rate, curve), score: lineOf(score, curve) };
  };
}

function lineOf(knots: Knots, curveOf: (knots: Knots) => Curve): Line {
  let curve: Curve | undefined;
  return {
    knots,
    curve: () => {
      curve ??= curveOf(knots);
      return curve;
    },
  };
}

/** Like bdRate, for fitted ladders. */
export function bdRateOf(anchor: Fitted, test: Fitted): Outcome {
  return inPercent(deltaOf(anchor, test, "rate"));
}

/** Like bdScore, for fitted ladders. */
export function bdScoreOf(anchor: Fitted, test: Fitted): Outcome {
  return deltaOf(anchor, test, "score");
}

/**
 * Returns the curve through a ladder that BD-rate averages by default: log10 of the rate as a function of the
 * score.
 */
export function curveOf(points: readonly RatePoint[]): Curve {
  return pchip(rateOverScore(byRate(points)));
}

/** Turns a difference of log10 of rates into percent. */
export function inPercent(outcome: Outcome): Outcome {
  if ("refusal" in outcome) return outcome;
  const { delta } = outcome;
  return { delta: { ...delta, value: (10 ** delta.value - 1) * 100 } };
}

/** Returns the mean difference of two curves over the range that both cover. */
export function differenceOf(
  one: Knots,
  other: Knots,
  difference: (from: number, to: number) => number,
): Outcome {
  const [from, to] = [Math.max(lowest(one), lowest(other)), Math.min(highest(one), highest(other))];
  if (!(to > from)) return { refusal: "NO_OVERLAP" };
  const widest = Math.max(highest(one) - lowest(one), highest(other) - lowest(other));
  return { delta: { value: difference(from, to) / (to - from), from, to, overlap: (to - from) / widest } };
}

function deltaOf(anchor: Fitted, test: Fitted, direction: "rate" | "score"): Outcome {
  const flaw = anchor.flaw ?? test.flaw;
  if (flaw !== undefined) return { refusal: flaw.refusal };
  const [one, other] = [anchor[direction], test[direction]];
  return differenceOf(
    one.knots,
    other.knots,
    (from, to) => other.curve().integral(from, to) - one.curve().integral(from, to),
  );
}

function lowest(knots: Knots): number {
  return knots[0]?.[0] ?? Number.NaN;
}

function highest(knots: Knots): number {
  return knots.at(-1)?.[0] ?? Number.NaN;
}

/**
 * Bjøntegaard delta of two ladders: how much more bit rate one needs for the same score, and how much higher its score
 * is at the same bit rate, averaged over the range that both cover. Formula and sources: docs/bd-rate.md.
 */
import { type Knots, Pchip } from "./pchip.ts";

/** One encode of a ladder. */
export interface RatePoint {
  /** Bits per second, or another unit shared by both ladders; above 0. */
  readonly rate: number;
  readonly score: number;
}

/** Why no delta can be computed. */
export type Refusal =
  | "TOO_FEW_POINTS"
  | "NO_RATE"
  | "NO_SCORE"
  /** Two points have the same score or the same rate, so no curve passes through both. */
  | "SAME_POINT"
  /** The score decreases somewhere as the rate increases. */
  | "NOT_MONOTONE"
  | "NO_OVERLAP";

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

export const MIN_POINTS = 4;

/** How many percent more bits `test` needs than `anchor` for the same score. */
export function bdRate(anchor: readonly RatePoint[], test: readonly RatePoint[]): Outcome {
  const outcome = deltaOf(anchor, test, ({ rate, score }) => [score, Math.log10(rate)]);
  if ("refusal" in outcome) return outcome;
  const { delta } = outcome;
  return { delta: { ...delta, value: (10 ** delta.value - 1) * 100 } };
}

/** How much higher the score of `test` is than that of `anchor` at the same bit rate. */
export function bdScore(anchor: readonly RatePoint[], test: readonly RatePoint[]): Outcome {
  return deltaOf(anchor, test, ({ rate, score }) => [Math.log10(rate), score]);
}

type Place = (point: RatePoint) => readonly [x: number, y: number];

function deltaOf(anchor: readonly RatePoint[], test: readonly RatePoint[], place: Place): Outcome {
  const refusal = refusalOf(anchor) ?? refusalOf(test);
  if (refusal !== undefined) return { refusal };
  const [one, other] = [knotsOf(anchor, place), knotsOf(test, place)];
  const [from, to] = [Math.max(lowest(one), lowest(other)), Math.min(highest(one), highest(other))];
  if (!(to > from)) return { refusal: "NO_OVERLAP" };
  const more = new Pchip(other).integral(from, to) - new Pchip(one).integral(from, to);
  const widest = Math.max(highest(one) - lowest(one), highest(other) - lowest(other));
  return { delta: { value: more / (to - from), from, to, overlap: (to - from) / widest } };
}

/** Why no curve passes through the points of a ladder; undefined if one does. */
export function refusalOf(points: readonly RatePoint[]): Refusal | undefined {
  if (points.length < MIN_POINTS) return "TOO_FEW_POINTS";
  if (points.some(({ rate }) => !(rate > 0 && Number.isFinite(rate)))) return "NO_RATE";
  if (points.some(({ score }) => !Number.isFinite(score))) return "NO_SCORE";
  const sorted = byRate(points);
  const steps = sorted.slice(1).map((point, index) => {
    const before = sorted[index] ?? point;
    return { rate: Math.log10(point.rate) - Math.log10(before.rate), score: point.score - before.score };
  });
  if (steps.some(({ rate, score }) => rate === 0 || score === 0)) return "SAME_POINT";
  return steps.some(({ score }) => score < 0) ? "NOT_MONOTONE" : undefined;
}

/** The curve through a ladder that is averaged: log10 of the rate as a function of the score. */
export function curveOf(points: readonly RatePoint[]): Pchip {
  return new Pchip(knotsOf(points, ({ rate, score }) => [score, Math.log10(rate)]));
}

function byRate(points: readonly RatePoint[]): readonly RatePoint[] {
  return points.toSorted((one, other) => one.rate - other.rate || one.score - other.score);
}

function knotsOf(points: readonly RatePoint[], place: Place): Knots {
  return byRate(points).map(place);
}

function lowest(knots: Knots): number {
  return knots[0]?.[0] ?? Number.NaN;
}

function highest(knots: Knots): number {
  return knots.at(-1)?.[0] ?? Number.NaN;
}

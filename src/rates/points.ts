/** The encodes of a ladder, and why no curve passes through them. */
import type { Knots } from "./hermite.ts";

/** One encode of a ladder. */
export interface RatePoint {
  /** Bits per second, or another unit shared by both ladders; above 0. */
  readonly rate: number;
  readonly score: number;
}

/** Width and height of a picture. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** One row of a table of encodes. */
export interface Encode {
  readonly ladder: string;
  /** Empty if the table has no clips. */
  readonly clip: string;
  readonly rate: number;
  /** Of the encode itself, before it is scaled to be scored; undefined: not known. */
  readonly size?: PictureSize | undefined;
  /** In the order of the metrics; NaN if there is none. */
  readonly scores: readonly number[];
}

/** A point with its score as given; the point's own score can be negated or scaled. */
export interface GivenPoint extends RatePoint {
  readonly given: number;
  readonly size: PictureSize | undefined;
}

/**
 * Negates scores of which a lower one is better, because curves and hulls need scores of which a higher one is better.
 * Applying it twice restores the scores.
 */
export function upright<Point extends RatePoint>(
  points: readonly Point[],
  isLower: boolean,
): readonly Point[] {
  return isLower ? points.map((point) => ({ ...point, score: -point.score })) : points;
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

/** Why no curve passes through a ladder. */
export interface Flaw<Point extends RatePoint = RatePoint> {
  readonly refusal: Exclude<Refusal, "NO_OVERLAP">;
  /** For SAME_POINT and NOT_MONOTONE: the two points, which are neighbours by rate. */
  readonly between?: readonly [Point, Point];
}

export const MIN_POINTS = 4;

/** Why no curve passes through the points of a ladder; undefined if one does. */
export function refusalOf(points: readonly RatePoint[]): Refusal | undefined {
  return flawOf(points)?.refusal;
}

/** Like refusalOf, but also returns the two points. */
export function flawOf<Point extends RatePoint>(
  points: readonly Point[],
  atLeast: number = MIN_POINTS,
): Flaw<Point> | undefined {
  if (points.length < atLeast) return { refusal: "TOO_FEW_POINTS" };
  return numberFlaw(points, Number.isFinite) ?? orderFlaw(points);
}

/** The flaw of a rate that is not above 0, or of a score that is not a number. */
export function numberFlaw<Point extends RatePoint>(
  points: readonly Point[],
  isScore: (score: number) => boolean,
): Flaw<Point> | undefined {
  if (points.some(({ rate }) => !(rate > 0 && Number.isFinite(rate)))) return { refusal: "NO_RATE" };
  return points.some(({ score }) => !isScore(score)) ? { refusal: "NO_SCORE" } : undefined;
}

function orderFlaw<Point extends RatePoint>(points: readonly Point[]): Flaw<Point> | undefined {
  let before: Point | undefined;
  let falling: readonly [Point, Point] | undefined;
  for (const point of byRate(points)) {
    if (before !== undefined) {
      const isSame = point.score === before.score || Math.log10(point.rate) === Math.log10(before.rate);
      if (isSame) return { refusal: "SAME_POINT", between: [before, point] };
      if (point.score < before.score) falling ??= [before, point];
    }
    before = point;
  }
  return falling && { refusal: "NOT_MONOTONE", between: falling };
}

export function byRate<Point extends RatePoint>(points: readonly Point[]): readonly Point[] {
  return points.toSorted((one, other) => one.rate - other.rate || one.score - other.score);
}

/** log10 of the rate over the score. */
export function rateOverScore(sorted: readonly RatePoint[]): Knots {
  return sorted.map(({ rate, score }) => [score, Math.log10(rate)]);
}

/** The score over log10 of the rate. */
export function scoreOverRate(sorted: readonly RatePoint[]): Knots {
  return sorted.map(({ rate, score }) => [Math.log10(rate), score]);
}

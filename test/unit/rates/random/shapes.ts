/** Shapes of random ladders. */
import type { RatePoint } from "../../../../src/rates/points.ts";

/** Returns numbers from 0 to 1. */
export type Random = () => number;

interface Shape {
  readonly gain?: number;
  readonly slope?: number;
  /** Equal steps, with one bend. */
  readonly isStraight?: boolean;
}

/** A whole number of a range that includes both ends. */
export function drawn(random: Random, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** Scores that rise with the logarithm of the rate, by steps of random sizes. */
export function curve(count: number, random: Random, shape: Shape = {}): readonly RatePoint[] {
  const { gain = 0, slope = 1, isStraight = false } = shape;
  let [rate, score] = [100 + random() * 400, 30 + random() * 10 + gain];
  const bend = drawn(random, 1, count - 1);
  return Array.from({ length: count }, (_, index) => {
    const point = { rate: digits(rate), score: digits(score) };
    rate *= isStraight ? 2 : 1.2 + random();
    score += isStraight ? (index < bend ? 5 : 3) : slope * (1 + random() * 7);
    return point;
  });
}

/** The highest one to three rates score 99.5 or more, in any order. */
export function saturated(points: readonly RatePoint[], random: Random): readonly RatePoint[] {
  return topped(points, drawn(random, 1, 3), () => digits(99.5 + random() * 0.5));
}

/** The highest two or three rates score exactly 99.5 or 100; the last one may score less. */
export function plateau(points: readonly RatePoint[], random: Random): readonly RatePoint[] {
  const top = random() < 0.5 ? 100 : 99.5;
  const flat = topped(points, drawn(random, 2, 3), () => top);
  const fall = random() < 0.5 ? digits(random() / 2) : 0;
  return flat.map((point, index) =>
    index === flat.length - 1 ? { ...point, score: digits(top - fall) } : point,
  );
}

function topped(points: readonly RatePoint[], count: number, top: () => number): readonly RatePoint[] {
  const first = points.length - count;
  const most = points[first]?.score ?? 0;
  return points.map(({ rate, score }, index) => {
    return { rate, score: index < first ? digits((score * 99.4) / most) : top() };
  });
}

/** The scores of two neighbours are exchanged. */
export function swapped(points: readonly RatePoint[], random: Random): readonly RatePoint[] {
  const at = drawn(random, 0, points.length - 2);
  const [one, other] = [points[at]?.score ?? 0, points[at + 1]?.score ?? 0];
  return points.map((point, index) =>
    index === at ? { ...point, score: other } : index === at + 1 ? { ...point, score: one } : point,
  );
}

/** A point has the rate, the score or both of the one before. */
export function repeated(
  points: readonly RatePoint[],
  random: Random,
  keys: readonly (keyof RatePoint)[],
): readonly RatePoint[] {
  const at = drawn(random, 0, points.length - 2);
  const same = Object.fromEntries(keys.map((key) => [key, points[at]?.[key] ?? 0]));
  return points.map((point, index) => (index === at + 1 ? { ...point, ...same } : point));
}

export function moved(points: readonly RatePoint[], by: number): readonly RatePoint[] {
  return points.map(({ rate, score }) => ({ rate, score: digits(score + by) }));
}

/** Few digits, as measured. */
export function digits(value: number): number {
  return Number(value.toFixed(4));
}

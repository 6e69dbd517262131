/** Pairs of random ladders by seed: usual ones, and the kinds of which a BD-rate is difficult or none. */
import type { RatePoint } from "../../../../src/rates/points.ts";

export const KINDS = [
  "usual",
  "crossing",
  "saturated",
  "falling",
  "barely overlapping",
  "disjoint",
  "equal scores",
  "few points",
] as const;

export interface LadderPair {
  readonly kind: (typeof KINDS)[number];
  readonly anchor: readonly RatePoint[];
  readonly test: readonly RatePoint[];
}

/** Pairs of each kind. */
const EACH = 200;

export function ladderPairs(): readonly LadderPair[] {
  const random = mulberry32(1);
  return KINDS.flatMap((kind) => Array.from({ length: EACH }, () => pairOf(kind, random)));
}

function pairOf(kind: LadderPair["kind"], random: () => number): LadderPair {
  const count = () => (kind === "few points" ? 2 + Math.floor(random() * 3) : 4 + Math.floor(random() * 6));
  const anchor = curve(count(), random);
  const near = curve(count(), random, { gain: (random() - 0.5) * 6, slope: 1 + (random() - 0.5) * 0.2 });
  switch (kind) {
    case "crossing": {
      const middle = (anchor[0]?.score ?? 0) / 2 + (anchor.at(-1)?.score ?? 0) / 2;
      const crossed = near.map(({ rate, score }) => ({ rate, score: middle + (score - middle) * 0.8 }));
      return { kind, anchor, test: crossed };
    }
    case "saturated":
      return { kind, anchor: saturated(anchor, random), test: saturated(near, random) };
    case "falling":
      return { kind, anchor, test: swapped(near, random) };
    case "barely overlapping":
      return {
        kind,
        anchor,
        test: moved(near, (anchor.at(-1)?.score ?? 0) - (near[0]?.score ?? 0) - random()),
      };
    case "disjoint":
      return {
        kind,
        anchor,
        test: moved(near, (anchor.at(-1)?.score ?? 0) - (near[0]?.score ?? 0) + 1 + random()),
      };
    case "equal scores":
      return { kind, anchor, test: repeated(near, random) };
    default:
      return { kind, anchor, test: near };
  }
}

/** Scores that rise with the logarithm of the rate, by steps of random sizes. */
function curve(count: number, random: () => number, { gain = 0, slope = 1 } = {}): RatePoint[] {
  let [rate, score] = [100 + random() * 400, 30 + random() * 10 + gain];
  return Array.from({ length: count }, () => {
    const point = { rate: digits(rate), score: digits(score) };
    rate *= 1.2 + random();
    score += slope * (1 + random() * 7);
    return point;
  });
}

/** The highest rates reach the largest score; one of them may fall below the one before. */
function saturated(points: readonly RatePoint[], random: () => number): RatePoint[] {
  const top = points.length - 1 - Math.floor(random() * 2);
  const most = points[top]?.score ?? 0;
  return points.map(({ rate, score }, index) => {
    if (index < top) return { rate, score: digits((score * 99.4) / most) };
    return { rate, score: digits(99.5 + random() * 0.5) };
  });
}

function swapped(points: readonly RatePoint[], random: () => number): RatePoint[] {
  const at = Math.floor(random() * (points.length - 1));
  const [one, other] = [points[at]?.score ?? 0, points[at + 1]?.score ?? 0];
  return points.map((point, index) =>
    index === at ? { ...point, score: other } : index === at + 1 ? { ...point, score: one } : point,
  );
}

function repeated(points: readonly RatePoint[], random: () => number): RatePoint[] {
  const at = Math.floor(random() * (points.length - 1));
  return points.map((point, index) =>
    index === at + 1 ? { ...point, score: points[at]?.score ?? 0 } : point,
  );
}

function moved(points: readonly RatePoint[], by: number): RatePoint[] {
  return points.map(({ rate, score }) => ({ rate, score: digits(score + by) }));
}

/** Few digits, so that every language reads the same number. */
function digits(value: number): number {
  return Number(value.toFixed(4));
}

/** A small generator of numbers from 0 to 1 (Tommy Ettinger's Mulberry32, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Pairs of random ladders by seed: usual ones, and the kinds of which a BD-rate is difficult or none. */
import type { RatePoint } from "../../../../src/rates/points.ts";
import { random as seeded } from "../../random.ts";
import { curve, digits, drawn, moved, plateau, type Random, repeated, saturated, swapped } from "./shapes.ts";

/** Pairs of each kind. */
export const KINDS = {
  usual: 400,
  crossing: 300,
  "barely overlapping": 300,
  saturated: 250,
  plateau: 100,
  straight: 100,
  lossless: 100,
  falling: 150,
  disjoint: 100,
  "equal scores": 150,
  "equal rates": 100,
  "equal points": 100,
  "few points": 150,
} as const;

export type Kind = keyof typeof KINDS;

export interface LadderPair {
  readonly kind: Kind;
  readonly anchor: readonly RatePoint[];
  readonly test: readonly RatePoint[];
}

export function ladderPairs(): readonly LadderPair[] {
  return Object.entries(KINDS).flatMap(([name, count], index) => {
    const [kind, random] = [name as Kind, seeded(index + 1)];
    return Array.from({ length: count }, () => ({ kind, ...pairOf(kind, random) }));
  });
}

function pairOf(kind: Kind, random: Random): Omit<LadderPair, "kind"> {
  const count = () => (kind === "few points" ? drawn(random, 2, 4) : drawn(random, 4, 9));
  const anchor = curve(count(), random, { isStraight: kind === "straight" });
  const [gain, slope] = [(random() - 0.5) * 6, 1 + (random() - 0.5) * 0.2];
  const near = curve(count(), random, { gain, slope, isStraight: kind === "straight" });
  const rise = (anchor.at(-1)?.score ?? 0) - (near[0]?.score ?? 0);
  switch (kind) {
    case "crossing":
      return { anchor, test: crossing(anchor, near) };
    case "saturated":
      return { anchor: saturated(anchor, random), test: saturated(near, random) };
    case "plateau":
      return { anchor: plateau(anchor, random), test: saturated(near, random) };
    case "lossless":
      return { anchor, test: lossless(near, random) };
    case "falling":
      return { anchor, test: swapped(near, random) };
    case "barely overlapping":
      return { anchor, test: moved(near, rise - random()) };
    case "disjoint":
      // Some have one score in common, which is not a range.
      return { anchor, test: moved(near, rise + (random() < 0.3 ? 0 : 1 + random())) };
    case "equal scores":
      return { anchor, test: repeated(near, random, ["score"]) };
    case "equal rates":
      return { anchor, test: repeated(near, random, ["rate"]) };
    case "equal points":
      return { anchor, test: repeated(near, random, ["rate", "score"]) };
    default:
      return { anchor, test: near };
  }
}

/** A flatter ladder through the middle of the other one. */
function crossing(anchor: readonly RatePoint[], near: readonly RatePoint[]): readonly RatePoint[] {
  const [first, last] = [anchor[0], anchor.at(-1)];
  const score = ((first?.score ?? 0) + (last?.score ?? 0)) / 2;
  const own = ((near[0]?.score ?? 0) + (near.at(-1)?.score ?? 0)) / 2;
  // Rates are moved as well, so that both have the middle score at about the same rate.
  const factor = Math.sqrt(
    ((first?.rate ?? 1) * (last?.rate ?? 1)) / ((near[0]?.rate ?? 1) * (near.at(-1)?.rate ?? 1)),
  );
  return near.map((point) => ({
    rate: digits(point.rate * factor),
    score: digits(score + (point.score - own) * 0.6),
  }));
}

/** One of the last two points has no error; a score of exactly 100, or one above it, may be beside it. */
function lossless(points: readonly RatePoint[], random: Random): readonly RatePoint[] {
  const at = points.length - drawn(random, 1, 2);
  const beside = [undefined, 100, 105, Number.POSITIVE_INFINITY][drawn(random, 0, 3)];
  return points.map(({ rate, score }, index) => {
    if (index === at) return { rate, score: Number.POSITIVE_INFINITY };
    return { rate, score: index >= points.length - 2 ? (beside ?? score) : score };
  });
}

/**
 * How two ladders differ along their curves: how many more bits one needs at each score, and how much higher its score
 * is at each rate. BD-rate and BD-quality are the means of these curves, on a logarithmic scale of the rate.
 */
import { bdRateOf, bdScoreOf, type Fitted, fitsOf } from "./bd-rate.ts";
import { type RatePoint, upright } from "./points.ts";

export interface Difference {
  /** A score, or a rate. */
  readonly at: number;
  /** Percent of the anchor's bits at this score; or points at this rate, above 0: a higher score. */
  readonly value: number;
}

/** What is compared at which value: bits at the same score, or scores at the same rate. */
export type Direction = "rate" | "score";

/** Both along the curves of PCHIP, which BD-rate averages. */
interface Ladders {
  readonly anchor: readonly RatePoint[];
  readonly test: readonly RatePoint[];
  /** Whether a lower score is better. */
  readonly isLower: boolean;
}

/**
 * Returns the differences at the ends of `steps` equal steps of the score, or of the logarithm of the rate, over what
 * both ladders cover; none if they have no BD-rate.
 */
export function differences(ladders: Ladders, direction: Direction, steps: number): readonly Difference[] {
  const [anchor, test] = [fitted(ladders.anchor, ladders.isLower), fitted(ladders.test, ladders.isLower)];
  const sign = ladders.isLower ? -1 : 1;
  return sampled(anchor, test, direction, steps).map(({ at, value }) =>
    direction === "rate"
      ? { at: sign * at, value: (10 ** value - 1) * 100 }
      : { at: 10 ** at, value: sign * value },
  );
}

function fitted(points: readonly RatePoint[], isLower: boolean): Fitted {
  return fitsOf(upright(points, isLower))("pchip");
}

/** Differences of log10 of rates over scores, or of scores over log10 of rates. */
function sampled(anchor: Fitted, test: Fitted, direction: Direction, steps: number): readonly Difference[] {
  const outcome = direction === "rate" ? bdRateOf(anchor, test) : bdScoreOf(anchor, test);
  if (!("delta" in outcome)) return [];
  const { from, to } = outcome.delta;
  const [one, other] = [anchor[direction].curve(), test[direction].curve()];
  return Array.from({ length: steps + 1 }, (_, step) => {
    const at = step === steps ? to : from + ((to - from) * step) / steps;
    return { at, value: other.at(at) - one.at(at) };
  });
}

const STEPS = 64;
/** log10 of the ratio of rates: curves that differ by less than 1 % on one side of a point only touch there. */
const LEAST = Math.log10(1.01);

/**
 * Returns the scores at which one ladder begins to need more bits than the other instead of fewer, or the reverse. There,
 * a BD-rate is the mean of numbers with both signs.
 */
export function crossings(anchor: Fitted, test: Fitted): readonly number[] {
  const far = sampled(anchor, test, "rate", STEPS).filter(({ value }) => Math.abs(value) >= LEAST);
  return far.flatMap((after, index) => {
    const before = far[index - 1];
    if (before === undefined || Math.sign(before.value) === Math.sign(after.value)) return [];
    return [zeroBetween(before, after, (at) => test.rate.curve().at(at) - anchor.rate.curve().at(at))];
  });
}

/** Bisects until the scores differ by less than what is displayed. */
function zeroBetween(before: Difference, after: Difference, difference: (at: number) => number): number {
  let [low, high] = [before.at, after.at];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (Math.sign(difference(middle)) === Math.sign(before.value)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

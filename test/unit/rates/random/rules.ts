/** What docs/bd-rate.md says of pairs of ladders, written without src/rates. */
import type { Interpolation } from "../../../../src/rates/bd-rate.ts";
import type { RatePoint, Refusal } from "../../../../src/rates/points.ts";
import type { LadderPair } from "./ladders.ts";

export const LEAST_POINTS = { pchip: 4, akima: 3, cubic: 4 } as const;

/** Why a pair is refused before any curve is compared. bjontegaard computes most of these. */
export function flawOf({ anchor, test }: LadderPair, method: Interpolation): Refusal | undefined {
  return ladderFlaw(anchor, LEAST_POINTS[method]) ?? ladderFlaw(test, LEAST_POINTS[method]);
}

function ladderFlaw(points: readonly RatePoint[], least: number): Refusal | undefined {
  if (points.length < least) return "TOO_FEW_POINTS";
  if (points.some(({ score }) => score === Number.POSITIVE_INFINITY)) return "NO_SCORE";
  const [rates, scores] = [points.map(({ rate }) => rate), points.map(({ score }) => score)];
  if (new Set(rates).size < points.length || new Set(scores).size < points.length) return "SAME_POINT";
  return pairsOf(points).some(([before, after]) => after.score < before.score) ? "NOT_MONOTONE" : undefined;
}

/** Over this, in percent, bjontegaard's cubic has fewer than nine digits. */
const HUGE = 1e6;
const HUGE_TOLERANCE = 1e-5;
/** Akima's weights are the changes of secants beside a bend. Less than this of the largest, they count as none. */
const LEAST_CHANGE = 1e-10;
/** Less than this of the bend itself, the weights are mostly rounding errors. */
const SMALL_CHANGE = 1e-7;
const BEND_TOLERANCE = 1e-6;

/** Why a number is compared to fewer digits, and how many. */
export interface Coarse {
  readonly rule: "huge cubic" | "sharp bend";
  readonly tolerance: number;
}

/** The rule by which fewer digits are compared; undefined: nine digits are. */
export function coarseOf(
  pair: LadderPair,
  method: Interpolation,
  key: keyof RatePoint,
  expected: number,
): Coarse | undefined {
  if (key === "score") return undefined;
  if (method === "cubic" && expected > HUGE) return { rule: "huge cubic", tolerance: HUGE_TOLERANCE };
  if (method === "akima" && (hasSharpBend(pair.anchor) || hasSharpBend(pair.test)))
    return { rule: "sharp bend", tolerance: BEND_TOLERANCE };
  return undefined;
}

/** Whether the ladder bends at a point, and is straight before and after it but for rounding errors. */
function hasSharpBend(points: readonly RatePoint[]): boolean {
  const secants = pairsOf(points).map(
    ([one, other]) => (Math.log10(other.rate) - Math.log10(one.rate)) / (other.score - one.score),
  );
  const around = continued(continued(secants).toReversed()).toReversed();
  const changes = pairsOf(around).map(([before, after]) => Math.abs(after - before));
  const sums = points.map((_, index) => (changes[index] ?? 0) + (changes[index + 2] ?? 0));
  const largest = Math.max(...sums);
  return sums.some((sum, index) => {
    const bend = changes[index + 1] ?? 0;
    return sum > LEAST_CHANGE * largest && sum < SMALL_CHANGE * bend;
  });
}

/** Two more secants at the end, by the same change. */
function continued(secants: readonly number[]): readonly number[] {
  const [last = 0, before = last] = secants.toReversed();
  return [...secants, 2 * last - before, 3 * last - 2 * before];
}

function pairsOf<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.slice(1).map((item, index) => [items[index] ?? item, item]);
}

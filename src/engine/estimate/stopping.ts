/**
 * Decides when a sample is large enough. The decision is made only on fixed beginnings of the plan's order ("looks"):
 * units that were scored beyond the look that ends the sample do not change the estimate. It is therefore the same in
 * whichever order the units' scores arrive, and a node that is slow on difficult units cannot bias it.
 */
import { type Estimate, estimateMean, UNSEEN_DEPTH, type UnitScore, unitsToShow } from "./mean.ts";
import type { SamplingPlan } from "./sampling-plan.ts";

/**
 * Each look has 20 % more units than the one before it, so a sample has on average a tenth more units than
 * necessary.
 */
const GROWTH = 1.2;
/**
 * The largest share of the units in a sample. A unit takes two to three times as long as its frames do in one piece:
 * the scorer starts, and decoding begins at the key frame before it. A larger sample would save no time.
 */
const LARGEST_SHARE = 1 / 3;
/** The 0.975 quantile of the standard normal distribution. */
const NORMAL = 1.96;
/** Units of a trial, which cannot be the whole sample but shows whether a third of the units will be enough. */
const TRIAL_UNITS = 80;
/**
 * A sample of a third of the units is given up if its expected half width is more than this many times the tolerance.
 * Above 1, because the standard error is uncertain.
 */
const MARGIN = 1.25;
/** The variance of a smaller sample is too uncertain to stop. */
const FEWEST_UNITS = 40;

export interface Assessment {
  /**
   * The estimate of the look that ended the sample, or else of the last complete look or the trial; undefined
   * before these.
   */
  readonly estimate: Estimate | undefined;
  /** Whether the estimate is as precise as requested: no further units are needed. */
  readonly precise: boolean;
  /** Number of units, from the beginning of the order, that the last decision was based on or the next one needs. */
  readonly needed: number;
}

/**
 * Returns the numbers of units at which the sample may end, ascending. At the first, parts of the video that are missing
 * from the sample change the mean by at most `tolerance`. The last is `units`; the others are at most a third of it.
 */
export function looks(units: number, tolerance: number): readonly number[] {
  if (!(tolerance > 0)) throw new RangeError(`a tolerance of ${tolerance}`);
  const first = unitsToShow(tolerance / UNSEEN_DEPTH, units);
  const sizes: number[] = [];
  for (let size = Math.max(FEWEST_UNITS, first); size <= units * LARGEST_SHARE; size *= GROWTH) {
    sizes.push(Math.ceil(size));
  }
  return [...sizes, units];
}

/**
 * Whether even a sample of LARGEST_SHARE is probably not precise enough, judged by the standard error of this
 * one. Giving up early saves the looks in between. A wrong decision costs only time, because the mean of all
 * units is exact.
 */
function isHopeless({ standardError, units }: Estimate, total: number, tolerance: number): boolean {
  const remaining = (share: number): number => (1 - share) / share;
  const shrink = Math.sqrt(remaining(LARGEST_SHARE) / remaining(units / total));
  return NORMAL * standardError * shrink > MARGIN * tolerance;
}

/**
 * Assesses the scores so far. `tolerance`: the half width of the interval to reach, above 0. `scoreOf` returns the
 * scores of a unit by its number in time, or undefined if it is not scored.
 */
export function assess(
  plan: SamplingPlan,
  tolerance: number,
  scoreOf: (unit: number) => UnitScore | undefined,
): Assessment {
  let estimate: Estimate | undefined;
  const total = plan.order.length;
  const sizes = looks(total, tolerance);
  const [first = total] = sizes;
  const trial = first > TRIAL_UNITS && first < total ? [TRIAL_UNITS] : [];
  for (const needed of [...trial, ...sizes]) {
    if (estimate !== undefined && needed < total && isHopeless(estimate, total, tolerance)) continue;
    const scores = new Map<number, UnitScore>();
    for (const unit of plan.order.subarray(0, needed)) {
      const score = scoreOf(unit);
      if (score === undefined) return { estimate, precise: false, needed };
      scores.set(unit, score);
    }
    estimate = estimateMean(plan, needed, (unit) => scores.get(unit) as UnitScore);
    if (estimate.halfWidth <= tolerance) return { estimate, precise: true, needed };
  }
  return { estimate, precise: true, needed: total };
}

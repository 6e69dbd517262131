/**
 * The order in which a sample of a video's units is drawn. Each beginning of the order is a stratified random sample:
 * the video is divided into as many strata of neighboring units as there are units in the sample, and exactly one is
 * drawn from each, every unit of a stratum with the same probability, independently of the other strata.
 *
 * The first unit is drawn from all. Each further step halves a stratum and draws a unit from the half without one. Given
 * the halves, the unit that was there before is uniformly distributed in its half, and the other half's is independent
 * of it, so that the design is the same after every step. On a number of units that is a power of 2, this is A. Owen's
 * scrambled van der Corput sequence (Randomly permuted (t,m,s)-nets and (t,s)-sequences, 1995), without replacement.
 * The strata of one size are halved in random order, before smaller ones: no two sizes differ by more than a factor of
 * 2, give or take a unit.
 */

import { Random } from "./random.ts";

/** The largest seed. Seeds are whole numbers from 0. */
export const MAX_SEED = 2 ** 32 - 1;

export interface SamplingPlan {
  readonly seed: number;
  /** Units, numbered from 0 in the order of time, in the order in which they are drawn: each exactly once. */
  readonly order: Uint32Array;
  /**
   * The stratum that each step adds begins with this unit. The strata of the first n steps therefore begin with the
   * first n of these, sorted, and the i-th of them contains the i-th of the first n units, sorted.
   */
  readonly starts: Uint32Array;
}

/** Units [first, end), one of which has been drawn. */
interface Stratum {
  readonly first: number;
  readonly end: number;
  readonly drawn: number;
}

/** `units`: at least 1. `seed`: a whole number up to MAX_SEED. The same arguments give the same plan, in all versions. */
export function samplingPlan(units: number, seed: number): SamplingPlan {
  if (!Number.isSafeInteger(units) || units < 1) throw new RangeError(`a sample of ${units} units`);
  if (!Number.isInteger(seed) || seed < 0 || seed > MAX_SEED) throw new RangeError(`the seed ${seed}`);
  const random = Random.ofSeed(seed);
  const order = new Uint32Array(units);
  const starts = new Uint32Array(units);
  const first = random.below(units);
  order[0] = first;
  let steps = 1;
  let strata: Stratum[] = [{ first: 0, end: units, drawn: first }];
  while (steps < units) {
    const halves: Stratum[] = [];
    for (const stratum of largestFirst(strata, random)) {
      const [kept, added] = halve(stratum, random);
      order[steps] = added.drawn;
      starts[steps] = Math.max(kept.first, added.first);
      steps++;
      halves.push(kept, added);
    }
    strata = halves;
  }
  return { seed, order, starts };
}

/** The strata that can be halved: the larger size first, each size in random order. */
function largestFirst(strata: Stratum[], random: Random): Stratum[] {
  const divisible = strata.filter((stratum) => sizeOf(stratum) > 1);
  return random.shuffle(divisible).sort((a, b) => sizeOf(b) - sizeOf(a));
}

function sizeOf({ first, end }: Stratum): number {
  return end - first;
}

/** Returns the half with the unit that was drawn, and the other one with a new unit. An odd unit goes to either half. */
function halve({ first, end, drawn }: Stratum, random: Random): readonly [Stratum, Stratum] {
  const middle = first + Math.floor((end - first + random.below(2)) / 2);
  const halves = [
    [first, middle],
    [middle, end],
  ] as const;
  const [kept, other] = drawn < middle ? halves : ([halves[1], halves[0]] as const);
  const unit = other[0] + random.below(other[1] - other[0]);
  return [
    { first: kept[0], end: kept[1], drawn },
    { first: other[0], end: other[1], drawn: unit },
  ];
}

/** Simulated releases, by seed: the same clips, whose scores differ by chance. */
import { Random } from "../../../src/engine/estimate/random.ts";

/** Draws from a distribution with the mean 0 and the standard deviation 1. */
export type Noise = (random: Random) => number;

function uniform(random: Random): number {
  return (random.next() + 0.5) / 2 ** 32;
}

/** G. Box, M. Muller: A Note on the Generation of Random Normal Deviates, 1958. */
export const normal: Noise = (random) =>
  Math.sqrt(-2 * Math.log(uniform(random))) * Math.cos(2 * Math.PI * uniform(random));

/** Many small differences and some large ones. */
export const laplace: Noise = (random) => {
  const side = uniform(random) - 0.5;
  return (-Math.sign(side) * Math.log(1 - 2 * Math.abs(side))) / Math.SQRT2;
};

/** Most clips gain a little, few lose a lot. */
export const fewLosses: Noise = (random) => 1 + Math.log(uniform(random));
/** Most clips lose a little, few gain a lot. */
export const fewGains: Noise = (random) => -fewLosses(random);

export interface Simulated {
  readonly seed: number;
  readonly clips: number;
  readonly releases: number;
  readonly noise: Noise;
  /** Standard deviation of what a release changes in a clip, in points. */
  readonly deviation: number;
  /** What release number `at` adds to every clip, and all later ones keep. */
  readonly shift?: { readonly at: number; readonly by: number };
}

/** Returns the scores of each clip by release. Each release changes every clip by chance, and later ones keep it. */
export function simulate(simulated: Simulated): number[][] {
  const { seed, clips, releases, noise, deviation, shift } = simulated;
  const random = Random.ofSeed(seed);
  return Array.from({ length: clips }, () => {
    let score = 60 + 35 * uniform(random);
    return Array.from({ length: releases }, (_, release) => {
      if (release > 0) score += deviation * noise(random);
      if (release === shift?.at) score += shift.by;
      return score;
    });
  });
}

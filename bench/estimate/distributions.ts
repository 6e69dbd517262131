/** Random numbers of the distributions that the generated films use. */
import type { Random } from "../../src/engine/estimate/random.ts";

export function uniform(random: Random, low = 0, high = 1): number {
  return low + ((high - low) * random.next()) / 2 ** 32;
}

/** Standard normal (G. Box, M. Muller: A note on the generation of random normal deviates, 1958). */
export function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform(random)));
  return radius * Math.cos(2 * Math.PI * uniform(random));
}

/** `sigma` is the standard deviation of the logarithm. */
export function lognormal(random: Random, median: number, sigma: number): number {
  return median * Math.exp(sigma * normal(random));
}

/** Draws from a seeded generator. */
import type { Random } from "../../../src/engine/estimate/random.ts";
import { uniform } from "../../estimate/distributions.ts";

export class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + this.#random.below(Math.max(1, Math.floor(high) - low + 1));
  }

  number(low: number, high: number): number {
    return uniform(this.#random, low, high);
  }

  one<T>(items: readonly T[]): T {
    const item = items[this.#random.below(items.length)];
    if (item === undefined) throw new Error("cannot draw from an empty list");
    return item;
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.number(0, 1) < probability;
  }

  /** Returns `count` ascending integers from `low` to `high`, at least `apart` from each other, or fewer. */
  places(count: number, { low, high, apart }: { low: number; high: number; apart: number }): number[] {
    const places: number[] = [];
    for (let tries = 0; places.length < count && tries < 200; tries++) {
      const place = this.integer(low, high);
      if (places.every((other) => Math.abs(other - place) >= apart)) places.push(place);
    }
    return places.sort((a, b) => a - b);
  }
}

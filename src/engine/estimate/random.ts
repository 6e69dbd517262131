/**
 * A seeded generator of uniform random integers. A recorded seed must give the same sample in every later version, so
 * the algorithm is fixed here and tested against its published output.
 *
 * xoshiro128** 1.1 (D. Blackman, S. Vigna: Scrambled linear pseudorandom number generators. ACM Transactions on
 * Mathematical Software 47, 2021; https://prng.di.unimi.it/xoshiro128starstar.c), with its 128 bits of state.
 */
export class Random {
  readonly #state: Uint32Array;

  /** `state`: four 32-bit integers, not all 0. */
  constructor(state: Uint32Array) {
    this.#state = Uint32Array.from(state);
  }

  /**
   * Expands a seed, an integer from 0 to 2^32 − 1, to a state. Weyl sequence with the 32-bit finalizer of MurmurHash3
   * (A. Appleby), the construction of SplitMix (G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number
   * generators. OOPSLA 2014).
   */
  static ofSeed(seed: number): Random {
    return new Random(Uint32Array.from({ length: 4 }, (_, word) => mix(seed + (word + 1) * GOLDEN)));
  }

  /** Returns an integer from 0 to 2^32 − 1. */
  next(): number {
    const state = this.#state;
    const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = state;
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const mixed2 = s2 ^ s0;
    const mixed3 = s3 ^ s1;
    state[0] = s0 ^ mixed3;
    state[1] = s1 ^ mixed2;
    state[2] = mixed2 ^ (s1 << 9);
    state[3] = rotateLeft(mixed3, 11);
    return result;
  }

  /** Returns an integer from 0 to bound − 1, each with the same probability. `bound` is from 1 to 2^32. */
  below(bound: number): number {
    // Values in the incomplete last group would make the first integers more probable.
    const limit = 2 ** 32 - (2 ** 32 % bound);
    for (;;) {
      const value = this.next();
      if (value < limit) return value % bound;
    }
  }

  /** Puts the items into a random order, each with the same probability (Fisher and Yates). */
  shuffle<T>(items: T[]): T[] {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [items[last], items[other]] = [items[other] as T, items[last] as T];
    }
    return items;
  }
}

/** 2^32 divided by the golden ratio, odd: the increment of the Weyl sequence. */
const GOLDEN = 0x9e3779b9;

function mix(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function rotateLeft(value: number, bits: number): number {
  return ((value << bits) | (value >>> (32 - bits))) >>> 0;
}

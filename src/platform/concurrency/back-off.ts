/** Exponential back-off with jitter. */

/** Default share of a pause that is random, so that many clients do not retry at the same moment. */
const SPREAD = 0.5;

export class BackOff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #spread: number;
  #nextMs: number;

  /** Pauses double from `firstMs` to `longestMs`. Up to the share `spread` (0 to 1) of each is taken off at random. */
  constructor(firstMs: number, longestMs: number, spread = SPREAD) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#spread = spread;
    this.#nextMs = firstMs;
  }

  /** Returns the next pause in milliseconds. */
  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(this.#longestMs, pauseMs * 2);
    return pauseMs * (1 - this.#spread * Math.random());
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}

/** How long to wait before something that failed is tried again. */

/** Share of a pause that is left to chance if nothing is said, so that many do not come back as one. */
const SPREAD = 0.5;

export class BackOff {
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #spread: number;
  #nextMs: number;

  /** Pauses double from `firstMs` to `longestMs`; chance takes up to `spread` of each, from 0 to 1. */
  constructor(firstMs: number, longestMs: number, spread = SPREAD) {
    this.#firstMs = firstMs;
    this.#longestMs = longestMs;
    this.#spread = spread;
    this.#nextMs = firstMs;
  }

  /** Milliseconds of the next pause. */
  next(): number {
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(this.#longestMs, pauseMs * 2);
    return pauseMs * (1 - this.#spread * Math.random());
  }

  reset(): void {
    this.#nextMs = this.#firstMs;
  }
}

/** A semaphore, first in, first out. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves to whether a permit was taken; false if the signal aborts first. */
  async take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const given = () => resolve(true);
    const abort = () => {
      const at = this.#waiting.indexOf(given);
      // A permit that was handed over already is kept; its holder returns it.
      if (at >= 0) this.#waiting.splice(at, 1);
      resolve(false);
    };
    this.#waiting.push(given);
    signal.addEventListener("abort", abort);
    const acquired = await promise;
    signal.removeEventListener("abort", abort);
    return acquired;
  }

  /** Returns a permit, or hands it to the longest waiting caller. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

/** A number of permits, each held by one piece of work at a time. */
export class Permits {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with whether a permit was taken: not when the signal aborts first. */
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
      // One that was given already is kept: its holder gives it back.
      if (at >= 0) this.#waiting.splice(at, 1);
      resolve(false);
    };
    this.#waiting.push(given);
    signal.addEventListener("abort", abort);
    const taken = await promise;
    signal.removeEventListener("abort", abort);
    return taken;
  }

  /** Gives a permit back, to who has waited longest. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

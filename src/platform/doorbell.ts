/** Waiting for something that may happen before, while or after one begins to wait for it. */

/** The longest that a timer can be set to. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Remembers one ring until somebody waits; any number of rings before that are one. */
export class Doorbell {
  #rung = false;
  #answer: (() => void) | undefined;

  /** To be handed on as a callback. */
  readonly ring = (): void => {
    this.#rung = true;
    this.#answer?.();
  };

  /** Waits for a ring, at most `limitMs`; false when there was none. One waits at a time. */
  async wait(limitMs = MAX_TIMER_MS): Promise<boolean> {
    if (!this.#rung && limitMs > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.min(limitMs, MAX_TIMER_MS));
      this.#answer = resolve;
      await promise;
      clearTimeout(timer);
      this.#answer = undefined;
    }
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }
}

/** Rings when a signal aborts, at once when it has. Returns what ends that. */
export function ringOnAbort(signal: AbortSignal, bell: Doorbell): () => void {
  if (signal.aborted) bell.ring();
  else signal.addEventListener("abort", bell.ring, { once: true });
  return () => signal.removeEventListener("abort", bell.ring);
}

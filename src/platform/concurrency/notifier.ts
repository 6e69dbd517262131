/** A notifier: waits for an event that may happen before, during or after the wait begins. */

/** Longest delay of a Node.js timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Remembers one notification until it is waited for; several before that count as one. */
export class Notifier {
  #rung = false;
  #answer: (() => void) | undefined;

  /** Notifies. Can be passed as a callback. */
  readonly notify = (): void => {
    this.#rung = true;
    this.#answer?.();
  };

  /** Waits for a notification for at most `limitMs`. Returns false on timeout. Only one caller may wait at a time. */
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

/** Notifies when a signal aborts, or at once if it is aborted. Returns a function that removes the listener. */
export function notifyOnAbort(signal: AbortSignal, notifier: Notifier): () => void {
  if (signal.aborted) notifier.notify();
  else signal.addEventListener("abort", notifier.notify, { once: true });
  return () => signal.removeEventListener("abort", notifier.notify);
}

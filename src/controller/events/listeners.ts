/** Callbacks by key. */
export class Listeners {
  readonly #byKey = new Map<string, Set<() => void>>();

  /** Returns a function that unsubscribes. */
  on(key: string, listener: () => void): () => void {
    const listeners = this.#byKey.get(key) ?? new Set();
    listeners.add(listener);
    this.#byKey.set(key, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byKey.get(key) === listeners) this.#byKey.delete(key);
    };
  }

  notifyAll(): void {
    for (const key of [...this.#byKey.keys()]) this.notify(key);
  }

  notify(key: string): void {
    for (const listener of this.#byKey.get(key) ?? []) listener();
  }
}

/** A semaphore per key, such as a tenant: first in, first out, and no key holds up another. */
interface Slots {
  running: number;
  readonly waiting: (() => void)[];
}

export class KeyedSemaphore {
  readonly #atOnce: number;
  /** Only keys with running work. */
  readonly #byKey = new Map<string, Slots>();

  /** @param atOnce per key, 1 or more */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#byKey.get(key) ?? { running: 0, waiting: [] };
    this.#byKey.set(key, slots);
    if (slots.running < this.#atOnce) slots.running++;
    else await new Promise<void>((begin) => slots.waiting.push(begin));
    try {
      return await work();
    } finally {
      this.#leave(key, slots);
    }
  }

  /** Hands the slot to the next waiter, or frees it. */
  #leave(key: string, slots: Slots): void {
    const next = slots.waiting.shift();
    if (next !== undefined) next();
    else slots.running--;
    if (slots.running === 0) this.#byKey.delete(key);
  }
}

/** A semaphore per tenant, first in, first out, so that no tenant takes all threads. */
interface Slots {
  running: number;
  readonly waiting: (() => void)[];
}

export class KeyedSemaphore {
  readonly #atOnce: number;
  /** By tenant; only tenants with running work. */
  readonly #byKey = new Map<string, Slots>();

  /** @param atOnce per tenant, 1 or more */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const slots = this.#byKey.get(tenant) ?? { running: 0, waiting: [] };
    this.#byKey.set(tenant, slots);
    if (slots.running < this.#atOnce) slots.running++;
    else await new Promise<void>((begin) => slots.waiting.push(begin));
    try {
      return await work();
    } finally {
      this.#leave(tenant, slots);
    }
  }

  /** Hands the slot to the next waiter, or frees it. */
  #leave(tenant: string, slots: Slots): void {
    const next = slots.waiting.shift();
    if (next !== undefined) next();
    else slots.running--;
    if (slots.running === 0) this.#byKey.delete(tenant);
  }
}

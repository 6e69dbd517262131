/** A semaphore per tenant, first in, first out, so that no tenant takes all threads. */
interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

export class Lanes {
  readonly #atOnce: number;
  /** By tenant; only tenants with running work. */
  readonly #lanes = new Map<string, Lane>();

  /** @param atOnce per tenant, 1 or more */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(tenant) ?? { running: 0, waiting: [] };
    this.#lanes.set(tenant, lane);
    if (lane.running < this.#atOnce) lane.running++;
    else await new Promise<void>((begin) => lane.waiting.push(begin));
    try {
      return await work();
    } finally {
      this.#leave(tenant, lane);
    }
  }

  /** Hands the slot to the next waiter, or frees it. */
  #leave(tenant: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next !== undefined) next();
    else lane.running--;
    if (lane.running === 0) this.#lanes.delete(tenant);
  }
}

/** Work that is done a few at a time for each tenant, the first that came first: none has all the threads that there are. */
interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

export class Lanes {
  readonly #atOnce: number;
  /** By tenant; none in which nothing runs. */
  readonly #lanes = new Map<string, Lane>();

  /** @param atOnce of one tenant, 1 or more */
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

  /** The place is handed on to who waits, or is free. */
  #leave(tenant: string, lane: Lane): void {
    const next = lane.waiting.shift();
    if (next !== undefined) next();
    else lane.running--;
    if (lane.running === 0) this.#lanes.delete(tenant);
  }
}

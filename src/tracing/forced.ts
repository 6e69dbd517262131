/** Rate limit of traces that are recorded only because the caller asks for it. */

/**
 * Traces per second and process. The limit of a tenant is enough to examine single requests; the limit of all
 * tenants is a negligible load.
 */
const MAX_OF_TENANT = 100;
const MOST = 1_000;
const SECOND_MS = 1_000;

export class Forced {
  readonly #now: () => number;
  /** Number of traces that each tenant took in this second; at most MOST tenants. */
  readonly #taken = new Map<string, number>();
  #left = MOST;
  #since: number;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** Takes one trace for a tenant; returns whether it is within the limits. */
  take(tenant: string): boolean {
    const now = this.#now();
    if (now - this.#since >= SECOND_MS) {
      this.#since = now;
      this.#left = MOST;
      this.#taken.clear();
    }
    const taken = this.#taken.get(tenant) ?? 0;
    if (this.#left === 0 || taken >= MAX_OF_TENANT) return false;
    this.#left--;
    this.#taken.set(tenant, taken + 1);
    return true;
  }
}

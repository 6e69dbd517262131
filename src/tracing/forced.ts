/** How many traces callers can have recorded that the sampling would leave out. */

/** In a second, of a process: of one tenant enough to look at single requests, of all too few to be a load. */
const MOST_OF_TENANT = 100;
const MOST = 1_000;
const SECOND_MS = 1_000;

export class Forced {
  readonly #now: () => number;
  /** Of the tenants that had some in this second: never more than MOST. */
  readonly #taken = new Map<string, number>();
  #left = MOST;
  #since: number;

  /** `now`: milliseconds, steady. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** Whether a tenant may have one more. */
  take(tenant: string): boolean {
    const now = this.#now();
    if (now - this.#since >= SECOND_MS) {
      this.#since = now;
      this.#left = MOST;
      this.#taken.clear();
    }
    const taken = this.#taken.get(tenant) ?? 0;
    if (this.#left === 0 || taken >= MOST_OF_TENANT) return false;
    this.#left--;
    this.#taken.set(tenant, taken + 1);
    return true;
  }
}

/**
 * Limits the jobs that a tenant submits per second: a token bucket per tenant, one token per job, with a capacity
 * of one second. A submission is admitted in full while the bucket has a token, even if it takes more than the
 * bucket holds; the tenant then waits until the debt is paid. So a large batch is never refused for its size, and
 * the average rate still holds.
 */

interface Bucket {
  /** Tokens at the time `at`; negative for a debt. */
  level: number;
  /** Clock time in milliseconds. */
  at: number;
}

/** Number of tenants below which none is forgotten. */
const FEWEST_REMEMBERED = 64;
/**
 * Limits memory: beyond it, the tenants with the least debt are treated as new. A quarter of them is dropped
 * at a time, so that a new tenant rarely requires sorting.
 */
const MAX_REMEMBERED = 10_000;
const LEFT_OF_MAX = (MAX_REMEMBERED * 3) / 4;

export class SubmitRate {
  readonly #rateOf: (tenant: string) => number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();
  #pruneAt = FEWEST_REMEMBERED;

  /**
   * @param rateOf jobs per second, above 0; Infinity: unlimited. It may change at any time.
   * @param now a monotonic clock in milliseconds.
   */
  constructor(rateOf: (tenant: string) => number, now: () => number) {
    this.#rateOf = rateOf;
    this.#now = now;
  }

  /** Number of remembered tenants. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes the tokens of `count` jobs. Returns 0 if admitted, otherwise the milliseconds to wait without taking any. */
  take(tenant: string, count: number): number {
    const rate = this.#rateOf(tenant);
    if (rate === Number.POSITIVE_INFINITY) {
      this.#buckets.delete(tenant);
      return 0;
    }
    const now = this.#now();
    const level = this.#levelOf(tenant, rate, now);
    if (level < 1) return Math.max(1, ((1 - level) * 1000) / rate);
    this.#buckets.set(tenant, { level: level - count, at: now });
    this.#prune(now);
    return 0;
  }

  /** Returns the tokens of admitted jobs that were not stored. */
  giveBack(tenant: string, count: number): void {
    const bucket = this.#buckets.get(tenant);
    if (bucket !== undefined) bucket.level += count;
  }

  #levelOf(tenant: string, rate: number, now: number): number {
    const bucket = this.#buckets.get(tenant);
    if (bucket === undefined) return rate;
    return Math.min(rate, bucket.level + ((now - bucket.at) * rate) / 1000);
  }

  /** Forgets full buckets: they are equal to new ones. */
  #prune(now: number): void {
    if (this.#buckets.size < this.#pruneAt) return;
    const missing = [...this.#buckets.keys()].map((tenant) => {
      const rate = this.#rateOf(tenant);
      return { tenant, missing: rate - this.#levelOf(tenant, rate, now) };
    });
    missing.sort((one, other) => other.missing - one.missing);
    const most = missing.length > MAX_REMEMBERED ? LEFT_OF_MAX : MAX_REMEMBERED;
    for (const [place, { tenant, missing: tokens }] of missing.entries()) {
      if (place >= most || !(tokens > 0)) this.#buckets.delete(tenant);
    }
    this.#pruneAt = Math.max(FEWEST_REMEMBERED, Math.min(2 * this.#buckets.size, MAX_REMEMBERED + 1));
  }
}

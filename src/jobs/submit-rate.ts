/**
 * How many jobs a tenant may submit in a second: a bucket of tokens for each tenant, one token a job,
 * which holds those of one second. A submission is let in whole while there is a token, also when it takes
 * more than there are; the tenant then waits until the debt is paid. So a large batch is never refused for
 * its size, and the rate holds all the same.
 */

interface Bucket {
  /** Tokens at the time `at`; negative: a debt. */
  level: number;
  /** Milliseconds of the clock. */
  at: number;
}

/** Tenants that are remembered at least, before any is forgotten. */
const FEWEST_REMEMBERED = 64;

export class SubmitRate {
  readonly #rateOf: (tenant: string) => number;
  readonly #now: () => number;
  readonly #mostRemembered: number;
  readonly #buckets = new Map<string, Bucket>();
  #pruneAt = FEWEST_REMEMBERED;

  /**
   * @param rateOf jobs a second, above 0; Infinity: any number. It may change at any time.
   * @param now milliseconds of a clock that never goes back.
   * @param mostRemembered bound on memory: of more tenants, those that owe least are taken as new ones.
   */
  constructor(rateOf: (tenant: string) => number, now: () => number, mostRemembered = 10_000) {
    this.#rateOf = rateOf;
    this.#now = now;
    this.#mostRemembered = mostRemembered;
  }

  /** Tenants that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes the tokens of `count` jobs. 0: they are let in; else nothing is taken, and it is milliseconds to wait. */
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

  /** Jobs that were let in were not stored after all. */
  giveBack(tenant: string, count: number): void {
    const bucket = this.#buckets.get(tenant);
    if (bucket !== undefined) bucket.level += count;
  }

  #levelOf(tenant: string, rate: number, now: number): number {
    const bucket = this.#buckets.get(tenant);
    if (bucket === undefined) return rate;
    return Math.min(rate, bucket.level + ((now - bucket.at) * rate) / 1000);
  }

  /** Forgets buckets that are full again: they are as good as new. */
  #prune(now: number): void {
    if (this.#buckets.size < this.#pruneAt) return;
    const missing = [...this.#buckets.keys()].map((tenant) => {
      const rate = this.#rateOf(tenant);
      return { tenant, missing: rate - this.#levelOf(tenant, rate, now) };
    });
    missing.sort((one, other) => other.missing - one.missing);
    for (const [place, { tenant, missing: tokens }] of missing.entries()) {
      if (place >= this.#mostRemembered || !(tokens > 0)) this.#buckets.delete(tenant);
    }
    this.#pruneAt = Math.max(FEWEST_REMEMBERED, Math.min(2 * this.#buckets.size, this.#mostRemembered + 1));
  }
}

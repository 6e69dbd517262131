/** Limits of a tenant's submissions: jobs per second, and queued jobs. */
import type { LimitsOf } from "../../jobs/limits.ts";
import { SubmitRate } from "../../jobs/submit-rate.ts";
import { Failure } from "../../platform/failure.ts";
import type { Store } from "../../store/contract/store.ts";
import { QueueRoom, type Settle } from "./queue-quota.ts";

export interface SubmitLimitsOptions {
  readonly store: Pick<Store, "queued">;
  readonly limitsOf: LimitsOf;
}

/** Admitted jobs whose outcome is unknown. Exactly one of the two is called, once. */
export interface Admission {
  /** `created`: how many of the jobs are new. The others existed before and do not count. */
  stored(created: number): void;
  failed(failure: Failure): void;
}

const NOTHING: Admission = { stored: () => {}, failed: () => {} };

export class SubmitLimits {
  readonly #limitsOf: LimitsOf;
  readonly #rate: SubmitRate;
  readonly #room: QueueRoom;

  constructor({ store, limitsOf }: SubmitLimitsOptions) {
    this.#limitsOf = limitsOf;
    const now = () => performance.now();
    this.#rate = new SubmitRate((tenant) => limitsOf(tenant).submitsPerSecond, now);
    this.#room = new QueueRoom(store, (tenant) => limitsOf(tenant).jobsQueued, now);
  }

  /** Admits all of the jobs or none. Throws TENANT_SUBMIT_RATE, TENANT_QUEUE_FULL. */
  async admit(tenant: string, jobs: number): Promise<Admission> {
    if (jobs === 0) return NOTHING;
    const waitMs = this.#rate.take(tenant, jobs);
    if (waitMs > 0) throw tooFast(this.#limitsOf(tenant).submitsPerSecond, waitMs);
    const settle = await this.#takeRoom(tenant, jobs);
    const stored = (created: number) => {
      settle(created);
      this.#rate.giveBack(tenant, jobs - created);
    };
    // If the store became unavailable, the jobs may have been stored. After any other failure, none was.
    return { stored, failed: ({ code }) => stored(code === "STORE_UNAVAILABLE" ? jobs : 0) };
  }

  async #takeRoom(tenant: string, jobs: number): Promise<Settle> {
    try {
      return await this.#room.take(tenant, jobs);
    } catch (thrown) {
      this.#rate.giveBack(tenant, jobs);
      throw thrown;
    }
  }
}

function tooFast(limit: number, waitMs: number): Failure {
  const ahead = Math.ceil((waitMs * limit) / 1000);
  const seconds = Math.ceil(waitMs / 100) / 10;
  return new Failure(
    "TENANT_SUBMIT_RATE",
    `The tenant's rate limit at this controller is ${limit} jobs per second; it is ${ahead} ahead of that. None of these was stored. Submit them again in ${seconds} s.`,
    { found: { limit, ahead }, retryAfterMs: waitMs },
  );
}

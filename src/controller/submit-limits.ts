/** What a tenant may submit: so many jobs a second, and as many as its queue has room for. */
import type { LimitsOf } from "../jobs/limits.ts";
import { SubmitRate } from "../jobs/submit-rate.ts";
import { Failure } from "../platform/failure.ts";
import type { Store } from "../store/store.ts";
import { QueueRoom, type Settle } from "./queue-room.ts";

export interface SubmitLimitsOptions {
  readonly store: Pick<Store, "queued">;
  readonly limitsOf: LimitsOf;
}

/** What was let in, until it is known what became of it. One of the two is called, once. */
export interface Admission {
  /** So many of the jobs are new; the others were there before, and cost nothing. */
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
    this.#rate = new SubmitRate(
      (tenant) => limitsOf(tenant).submitsPerSecond,
      () => performance.now(),
    );
    this.#room = new QueueRoom(store, (tenant) => limitsOf(tenant).jobsQueued);
  }

  /** Lets jobs in, all or none. Throws TENANT_SUBMIT_RATE, TENANT_QUEUE_FULL. */
  async admit(tenant: string, jobs: number): Promise<Admission> {
    if (jobs === 0) return NOTHING;
    const waitMs = this.#rate.take(tenant, jobs);
    if (waitMs > 0) throw tooFast(this.#limitsOf(tenant).submitsPerSecond, waitMs);
    const settle = await this.#takeRoom(tenant, jobs);
    const stored = (created: number) => {
      settle(created);
      this.#rate.giveBack(tenant, jobs - created);
    };
    // A store that was lost meanwhile may have stored them; whatever else it says, it stored none.
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
    `The tenant's rate of submissions here is ${limit} a second, and it is ${ahead} ahead of that; none of these was stored. Submit them again in ${seconds} s.`,
    { found: { limit, ahead }, retryAfterMs: waitMs },
  );
}

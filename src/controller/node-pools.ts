/**
 * Nodes by what they can do. Those that serve all tenants and can do the same share one fair queue over the tenants; a
 * tenant's own need none, and are kept apart, so that whatever a tenant registers costs no other its fair share.
 */
import { FairQueue } from "../jobs/fairness.ts";
import type { LimitsOf } from "../jobs/limits.ts";
import { type Capabilities, serves } from "../jobs/work.ts";

/** Kinds of nodes that are remembered: of more fleet nodes, the fair share of those that pulled longest ago begins anew. */
const MAX_POOLS = 64;
const MAX_CLASSES = 4096;

export class Pool {
  /** undefined: of a tenant's own nodes. */
  readonly fair: FairQueue | undefined;
  readonly #capabilities: Capabilities;
  readonly #served = new Map<string, boolean>();

  constructor(capabilities: Capabilities, fair: FairQueue | undefined) {
    this.#capabilities = capabilities;
    this.fair = fair;
  }

  readonly serves = (workClass: string): boolean => {
    const known = this.#served.get(workClass);
    if (known !== undefined) return known;
    if (this.#served.size >= MAX_CLASSES) this.#served.clear();
    const served = serves(this.#capabilities, workClass);
    this.#served.set(workClass, served);
    return served;
  };
}

export class Pools {
  readonly #limitsOf: LimitsOf;
  /** Each with the pool that was asked for last at its end. */
  readonly #fleet = new Map<string, Pool>();
  readonly #own = new Map<string, Pool>();

  constructor(limitsOf: LimitsOf) {
    this.#limitsOf = limitsOf;
  }

  /** @param fleet whether the node serves all tenants. */
  of(capabilities: Capabilities, fleet: boolean): Pool {
    const pools = fleet ? this.#fleet : this.#own;
    const key = JSON.stringify(capabilities);
    const pool = pools.get(key) ?? new Pool(capabilities, fleet ? this.#fairQueue() : undefined);
    pools.delete(key);
    pools.set(key, pool);
    const [oldest] = pools.keys();
    if (pools.size > MAX_POOLS && oldest !== undefined) pools.delete(oldest);
    return pool;
  }

  #fairQueue(): FairQueue {
    return new FairQueue((tenant) => this.#limitsOf(tenant).weight);
  }
}

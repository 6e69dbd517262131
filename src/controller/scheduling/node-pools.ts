/**
 * Nodes grouped by capabilities. Fleet nodes with the same capabilities share one fair queue over the tenants. A
 * tenant's own nodes need no fair queue and are kept apart, so that their registrations never cost another tenant its
 * fair share.
 */
import { FairQueue } from "../../jobs/fairness.ts";
import type { LimitsOf } from "../../jobs/limits.ts";
import { type Capabilities, serves } from "../../jobs/work.ts";

/** Maximum pools. Beyond it, the pool used longest ago is dropped, and its fair share starts anew. */
const MAX_POOLS = 64;
const MAX_CLASSES = 4096;

export class Pool {
  /** undefined: the pool of a tenant's own nodes. */
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
  /** In order of use, the most recent last. */
  readonly #fleet = new Map<string, Pool>();
  readonly #own = new Map<string, Pool>();

  constructor(limitsOf: LimitsOf) {
    this.#limitsOf = limitsOf;
  }

  /** @param fleet whether the node serves all tenants */
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

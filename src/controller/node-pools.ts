/** Nodes by what they can do: those of equal capabilities share one fair queue over the tenants. */
import { FairQueue } from "../jobs/fairness.ts";
import type { LimitsOf } from "../jobs/limits.ts";
import { type Capabilities, serves } from "../jobs/work.ts";

/** Kinds of nodes that are remembered: of more, the fair share begins anew. */
const MAX_POOLS = 64;
const MAX_CLASSES = 4096;

export class Pool {
  readonly fair: FairQueue;
  readonly #capabilities: Capabilities;
  readonly #served = new Map<string, boolean>();

  constructor(capabilities: Capabilities, limitsOf: LimitsOf) {
    this.#capabilities = capabilities;
    this.fair = new FairQueue((tenant) => limitsOf(tenant).weight);
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
  readonly #pools = new Map<string, Pool>();

  constructor(limitsOf: LimitsOf) {
    this.#limitsOf = limitsOf;
  }

  of(capabilities: Capabilities): Pool {
    const key = JSON.stringify(capabilities);
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#pools.keys();
    if (this.#pools.size >= MAX_POOLS && oldest !== undefined) this.#pools.delete(oldest);
    const pool = new Pool(capabilities, this.#limitsOf);
    this.#pools.set(key, pool);
    return pool;
  }
}

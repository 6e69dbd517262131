/**
 * Chooses the next tenant by start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queuing",
 * 1997). Each tenant has a virtual time that grows by cost/weight for each served task. The tenant with the
 * lowest virtual time goes next. A new or returning tenant starts at the virtual time of the last turn: it
 * neither waits for the past usage of others nor catches up on turns it did not use.
 */

/** A turn of a tenant. Its cost is known once its task is chosen. */
export interface Turn {
  readonly tenant: string;
  /** Sets the actual cost of the task; until then the turn costs as much as the tenant's last task. */
  settle(cost: number): void;
  /** Cancels the turn because there was no task: it costs nothing. */
  undo(): void;
}

interface Account {
  /** Virtual time at which its next turn starts. */
  start: number;
  /** Cost of its last task, used as the estimate for the next one. */
  cost: number;
  /** Number of its last turn: among equal virtual times, the tenant that waited longest goes first. */
  turn: number;
}

/** Number of tenants below which none is forgotten. */
const FEWEST_REMEMBERED = 64;
/**
 * Limits memory: beyond it, the tenants served least are treated as new. A quarter of them is dropped at a
 * time, so that a new tenant rarely requires sorting.
 */
const MAX_REMEMBERED = 100_000;
const LEFT_OF_MAX = (MAX_REMEMBERED * 3) / 4;

export class FairQueue {
  readonly #weightOf: (tenant: string) => number;
  readonly #accounts = new Map<string, Account>();
  /** Virtual time: the start of the last turn. */
  #now = 0;
  #turns = 0;
  /** Cost of the last task of any tenant: the estimate for tenants without one. */
  #lastCost = 1;
  #pruneAt = FEWEST_REMEMBERED;

  /** @param weightOf weight of a tenant, above 0; usually 1. */
  constructor(weightOf: (tenant: string) => number = () => 1) {
    this.#weightOf = weightOf;
  }

  /** Number of remembered tenants. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Gives a turn to one of the tenants with work; undefined if there are none. */
  take(tenants: Iterable<string>): Turn | undefined {
    const chosen = this.#furthestBehind(tenants);
    if (chosen === undefined) return undefined;
    const account = this.#accountOf(chosen);
    this.#now = account.start;
    account.turn = ++this.#turns;
    const charged = this.#charge(chosen, account, account.cost);
    this.#prune();
    return this.#turnOf(chosen, account, charged);
  }

  /** Charges a tenant for usage outside its turns. */
  charge(tenant: string, cost: number): void {
    this.#charge(tenant, this.#accountOf(tenant), cost);
  }

  #turnOf(tenant: string, account: Account, charged: number): Turn {
    let open = true;
    const close = (): boolean => {
      const first = open;
      open = false;
      return first;
    };
    return {
      tenant,
      settle: (cost) => {
        if (!close()) return;
        account.start -= charged;
        account.cost = Math.max(0, cost);
        this.#charge(tenant, account, account.cost);
        this.#lastCost = account.cost;
      },
      undo: () => {
        if (close()) account.start -= charged;
      },
    };
  }

  #furthestBehind(tenants: Iterable<string>): string | undefined {
    let chosen: string | undefined;
    let [least, waited] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const tenant of tenants) {
      const account = this.#accounts.get(tenant);
      const start = Math.max(this.#now, account?.start ?? this.#now);
      const turn = account?.turn ?? 0;
      if (start < least || (start === least && turn < waited))
        [chosen, least, waited] = [tenant, start, turn];
    }
    return chosen;
  }

  #accountOf(tenant: string): Account {
    const account = this.#accounts.get(tenant) ?? { start: this.#now, cost: this.#lastCost, turn: 0 };
    account.start = Math.max(this.#now, account.start);
    this.#accounts.set(tenant, account);
    return account;
  }

  #charge(tenant: string, account: Account, cost: number): number {
    const charged = cost / this.#weightOf(tenant);
    account.start += charged;
    return charged;
  }

  /** Forgets tenants that are not ahead of the virtual time: they would restart at the same place. */
  #prune(): void {
    if (this.#accounts.size < this.#pruneAt) return;
    for (const [tenant, { start, turn }] of this.#accounts) {
      if (start <= this.#now && turn < this.#turns) this.#accounts.delete(tenant);
    }
    if (this.#accounts.size > MAX_REMEMBERED) {
      const served = [...this.#accounts].sort(([, one], [, other]) => one.start - other.start);
      for (const [tenant] of served.slice(0, -LEFT_OF_MAX)) this.#accounts.delete(tenant);
    }
    this.#pruneAt = Math.max(FEWEST_REMEMBERED, Math.min(2 * this.#accounts.size, MAX_REMEMBERED + 1));
  }
}

/**
 * Whose work goes next: start-time fair queueing (Goyal, Vin, Cheng: "Start-time Fair Queuing",
 * 1997) over tenants. Each tenant has a virtual time, which grows with what it is served by
 * cost/weight; the one that is furthest behind goes next. A tenant that comes, or comes back, begins
 * at the time of the turn given last: it neither waits behind what others had, nor gets what it
 * left out.
 */

/** A turn that was given; what it costs is known when its work is. */
export interface Turn {
  readonly tenant: string;
  /** The work that the turn was used for; until then it counts as much as the tenant's last piece did. */
  settle(cost: number): void;
  /** There was no work: the turn costs nothing. */
  undo(): void;
}

interface Account {
  /** Virtual time at which its next turn starts. */
  start: number;
  /** What its last piece of work cost, and so its next one probably. */
  cost: number;
  /** Counts turns: of tenants at the same time, the one that waited longest goes first. */
  turn: number;
}

/** Tenants that are remembered at least, before any is forgotten. */
const FEWEST_REMEMBERED = 64;

export class FairQueue {
  readonly #weightOf: (tenant: string) => number;
  readonly #mostRemembered: number;
  readonly #accounts = new Map<string, Account>();
  /** Virtual time: where the turn that was given last started. */
  #now = 0;
  #turns = 0;
  /** What the last piece of work cost: a guess for tenants that had none yet. */
  #lastCost = 1;
  #pruneAt = FEWEST_REMEMBERED;

  /**
   * @param weightOf share of a tenant, above 0; 1 is usual.
   * @param mostRemembered bound on memory: of more tenants, those served least are taken as new ones.
   */
  constructor(weightOf: (tenant: string) => number = () => 1, mostRemembered = 100_000) {
    this.#weightOf = weightOf;
    this.#mostRemembered = mostRemembered;
  }

  /** Tenants that are remembered. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Gives a turn to one of the tenants that have work; undefined when there is none. */
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

  /** What a tenant took beside what its turns cost. */
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

  /** Forgets tenants whose time has come: they are as good as new. */
  #prune(): void {
    if (this.#accounts.size < this.#pruneAt) return;
    for (const [tenant, { start, turn }] of this.#accounts) {
      if (start <= this.#now && turn < this.#turns) this.#accounts.delete(tenant);
    }
    const excess = this.#accounts.size - this.#mostRemembered;
    if (excess > 0) {
      const served = [...this.#accounts].sort(([, one], [, other]) => one.start - other.start);
      for (const [tenant] of served.slice(0, excess)) this.#accounts.delete(tenant);
    }
    this.#pruneAt = Math.max(FEWEST_REMEMBERED, Math.min(2 * this.#accounts.size, this.#mostRemembered + 1));
  }
}

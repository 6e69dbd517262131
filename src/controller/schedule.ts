/**
 * Gives work to nodes that wait for it: which tenant's goes next, and who is woken when there is some.
 *
 * What is ready is known from announcements and from looking now and then; both are hints, and the
 * store's claim decides. A piece of work wakes one pull; a pull that got some wakes two more, for
 * where one piece came there may be many, and one whose claim found none wakes one that may do other work.
 */
import { FairQueue, type Turn } from "../jobs/fairness.ts";
import { type Capabilities, serves } from "../jobs/work.ts";
import type { ClaimedWork, Ready, Store } from "../store/store.ts";
import { Doorbell, ringOnAbort } from "./doorbell.ts";
import { ReadySet } from "./ready-set.ts";

/** Kinds of nodes that are remembered: of more, the fair share begins anew. */
const MAX_POOLS = 64;
const MAX_CLASSES = 4096;
/** Classes of work that one claim asks for: of more, others come in turn. */
const CLASSES_OF_CLAIM = 64;

/** A node that pulls. */
export interface Puller {
  readonly session: string;
  readonly nodeId: string;
  readonly tenant: string;
  /** Serves all tenants. */
  readonly fleet: boolean;
  readonly capabilities: Capabilities;
}

/** Nodes of equal capabilities, which share one fair queue over the tenants. */
class Pool {
  readonly fair = new FairQueue();
  readonly #capabilities: Capabilities;
  readonly #served = new Map<string, boolean>();

  constructor(capabilities: Capabilities) {
    this.#capabilities = capabilities;
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

interface Pull {
  readonly puller: Puller;
  readonly pool: Pool;
  readonly bell: Doorbell;
  dismissed: boolean;
}

export class Schedule {
  readonly #store: Store;
  readonly #leaseMs: number;
  readonly #ready = new ReadySet();
  readonly #pools = new Map<string, Pool>();
  readonly #pulls = new Set<Pull>();
  /** Those of them that nobody has woken yet, longest waiting first. */
  readonly #waiting = new Set<Pull>();

  constructor(store: Store, leaseMs: number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
  }

  /** Tenants' classes with work that is ready, as far as is known. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Classes of a tenant's work that is ready, as far as is known. */
  classesOf(tenant: string): readonly string[] {
    return this.#ready.classes(tenant, () => true, Number.POSITIVE_INFINITY);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Leases work to a node, waiting for some for at most `waitMs`. undefined: there was none,
   * the signal aborted or the node was dismissed.
   */
  async pull(puller: Puller, waitMs: number, signal: AbortSignal): Promise<ClaimedWork | undefined> {
    const until = performance.now() + waitMs;
    const pull = { puller, pool: this.#poolOf(puller), bell: new Doorbell(), dismissed: false };
    const end = ringOnAbort(signal, pull.bell);
    this.#pulls.add(pull);
    let woken = false;
    try {
      while (!signal.aborted && !pull.dismissed) {
        const work = await this.#claim(pull);
        if (work !== undefined) return work;
        // There is none for it of what it was woken for: others that wait may do what is there besides.
        if (woken) this.#wake(1);
        const left = until - performance.now();
        if (left <= 0 || signal.aborted || pull.dismissed) break;
        // There may be some since the claim found none.
        if (this.#hasWork(pull)) continue;
        this.#waiting.add(pull);
        woken = await pull.bell.wait(left);
        this.#waiting.delete(pull);
      }
      return undefined;
    } finally {
      end();
      this.#pulls.delete(pull);
      // It may have been woken for work that it leaves behind.
      if (signal.aborted || pull.dismissed) this.#wake(1);
    }
  }

  /** There is work, at least one piece of each. */
  announce(ready: readonly Ready[]): void {
    for (const one of ready) this.#ready.add(one);
    this.#wake(ready.length);
  }

  /** Looks what is ready: what was announced to nobody, or nobody could take then. */
  async refresh(): Promise<void> {
    const since = this.#ready.stamp();
    const ready = await this.#store.ready();
    this.#ready.replace(ready, since);
    this.#wake(ready.length);
  }

  /** Ends the pulls of a node. */
  dismiss(nodeId: string): void {
    for (const pull of this.#pulls) {
      if (pull.puller.nodeId !== nodeId) continue;
      pull.dismissed = true;
      pull.bell.ring();
    }
  }

  /** undefined: there is none that is ready. */
  async #claim(pull: Pull): Promise<ClaimedWork | undefined> {
    for (;;) {
      const turn = this.#turnOf(pull);
      if (turn === undefined) return undefined;
      const since = this.#ready.stamp();
      const workClasses = this.#ready.classes(turn.tenant, pull.pool.serves, CLASSES_OF_CLAIM);
      const work = await this.#try(pull.puller.session, turn, workClasses);
      if (work !== undefined) {
        turn.settle(work.cost);
        // Another claim may have found none because this one held the head of its class.
        this.#ready.renew(turn.tenant, workClasses);
        this.#wake(2);
        return work;
      }
      // A node that serves no more gets nothing, whatever there is.
      if (!(await this.#isServing(pull))) return undefined;
      this.#ready.remove(turn.tenant, workClasses, since);
    }
  }

  /** Whose work a pull gets next. A tenant's own nodes cost it nothing of what it has of the fleet. */
  #turnOf({ puller, pool }: Pull): Turn | undefined {
    if (puller.fleet) return pool.fair.take(this.#ready.tenants(pool.serves));
    if (!this.#ready.has(puller.tenant, pool.serves)) return undefined;
    return { tenant: puller.tenant, settle: () => {}, undo: () => {} };
  }

  async #try(session: string, turn: Turn, workClasses: readonly string[]): Promise<ClaimedWork | undefined> {
    let work: ClaimedWork | undefined;
    try {
      const { tenant } = turn;
      work = await this.#store.claim({ session, tenant, workClasses, leaseMs: this.#leaseMs });
    } finally {
      if (work === undefined) turn.undo();
    }
    return work;
  }

  async #isServing(pull: Pull): Promise<boolean> {
    const node = await this.#store.nodeOf(pull.puller.session);
    if (node?.state !== "ONLINE") pull.dismissed = true;
    return !pull.dismissed;
  }

  #hasWork({ puller, pool }: Pull): boolean {
    if (!puller.fleet) return this.#ready.has(puller.tenant, pool.serves);
    return !this.#ready.tenants(pool.serves).next().done;
  }

  /** Wakes up to `count` of the pulls that wait and could get work. */
  #wake(count: number): void {
    let left = count;
    for (const pull of this.#waiting) {
      if (left === 0) return;
      if (!this.#hasWork(pull)) continue;
      this.#waiting.delete(pull);
      pull.bell.ring();
      left--;
    }
  }

  #poolOf({ capabilities }: Puller): Pool {
    const key = JSON.stringify(capabilities);
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#pools.keys();
    if (this.#pools.size >= MAX_POOLS && oldest !== undefined) this.#pools.delete(oldest);
    const pool = new Pool(capabilities);
    this.#pools.set(key, pool);
    return pool;
  }
}

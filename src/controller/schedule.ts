/**
 * Gives work to nodes that wait for it: which tenant's goes next, and who is woken when there is some.
 *
 * What is ready is known from announcements and from looking now and then; both are hints, and the
 * store's claim decides. A piece of work wakes one pull; a pull that got some wakes two more, for
 * where one piece came there may be many, and one whose claim found none wakes one that may do other work.
 */
import type { Turn } from "../jobs/fairness.ts";
import type { LimitsOf } from "../jobs/limits.ts";
import type { Capabilities } from "../jobs/work.ts";
import { Doorbell, ringOnAbort } from "../platform/doorbell.ts";
import type { Store } from "../store/store.ts";
import type { Claim, ClaimedWork, LimitedClaim, Ready } from "../store/work-records.ts";
import { FullTenants } from "./full-tenants.ts";
import { type Pool, Pools } from "./node-pools.ts";
import { ReadySet } from "./ready-set.ts";
import { SlotTime } from "./slot-time.ts";

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

interface Pull {
  readonly puller: Puller;
  readonly pool: Pool;
  readonly bell: Doorbell;
  dismissed: boolean;
}

export class Schedule {
  readonly #store: Store;
  readonly #leaseMs: number;
  readonly #limitsOf: LimitsOf;
  readonly #ready = new ReadySet();
  readonly #full = new FullTenants();
  readonly #pools: Pools;
  readonly #slots: SlotTime;
  readonly #pulls = new Set<Pull>();
  /** Those of them that nobody has woken yet, longest waiting first. */
  readonly #waiting = new Set<Pull>();

  /** @param now milliseconds of a clock that only goes on. */
  constructor(store: Store, leaseMs: number, limitsOf: LimitsOf, now = () => performance.now()) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#limitsOf = limitsOf;
    this.#pools = new Pools(limitsOf);
    this.#slots = new SlotTime(now);
  }

  /** Tenants' classes with work that is ready, as far as is known. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Classes of a tenant's work that is ready, as far as is known. */
  classesOf(tenant: string): readonly string[] {
    return this.#ready.classes(tenant, () => true, Number.POSITIVE_INFINITY);
  }

  /** Tenants that get no turn, because as much of their work runs as may. */
  get full(): number {
    return this.#full.size;
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
    const pull = {
      puller,
      pool: this.#pools.of(puller.capabilities, puller.fleet),
      bell: new Doorbell(),
      dismissed: false,
    };
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

  /** Work of these tenants, as much of which may have run as may, has ended. */
  freed(tenants: readonly string[]): void {
    for (const tenant of tenants) this.#full.free(tenant);
    this.#wake(tenants.length);
  }

  /** A node has reported how work ended that was leased to it. */
  ended(itemId: string, attempt: number): void {
    this.#slots.ended(itemId, attempt);
  }

  /** Looks what is ready: what was announced to nobody, or nobody could take then. */
  async refresh(): Promise<void> {
    const since = this.#ready.stamp();
    const ready = await this.#look();
    this.#ready.replace(ready, since);
    await this.#lookForRoom();
    this.#wake(ready.length);
  }

  async #look(): Promise<readonly Ready[]> {
    try {
      return await this.#store.ready();
    } catch (thrown) {
      this.#slots.excuse();
      throw thrown;
    }
  }

  /** Finds what nobody told of that ended, and limits that are others by now. */
  async #lookForRoom(): Promise<void> {
    const full = this.#full.all;
    const running = full.length === 0 ? [] : await this.#store.running(full);
    this.#full.looked(full.filter((tenant, n) => (running[n] ?? 0) < this.#limitsOf(tenant).segmentsRunning));
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
      const { work, full } = await this.#try(pull.puller.session, turn, workClasses);
      if (work !== undefined) {
        turn.settle(work.cost);
        if (pull.pool.fair !== undefined) this.#slots.began(work, pull.pool.fair);
        // Another claim may have found none because this one held the head of its class.
        this.#ready.renew(turn.tenant, workClasses);
        this.#wake(2);
        return work;
      }
      // What there is waits until something of the tenant ends.
      if (full) continue;
      // A node that serves no more gets nothing, whatever there is.
      if (!(await this.#isServing(pull))) return undefined;
      this.#ready.remove(turn.tenant, workClasses, since);
    }
  }

  /** Whose work a pull gets next. A tenant's own nodes cost it nothing of what it has of the fleet. */
  #turnOf({ puller, pool }: Pull): Turn | undefined {
    if (pool.fair !== undefined) return pool.fair.take(this.#tenants(pool));
    if (!this.#has(puller.tenant, pool)) return undefined;
    return { tenant: puller.tenant, settle: () => {}, undo: () => {} };
  }

  /** Tenants that may have more work on nodes, and have some for these. */
  *#tenants({ serves: served }: Pool): Generator<string> {
    for (const tenant of this.#ready.tenants(served)) if (!this.#full.has(tenant)) yield tenant;
  }

  #has(tenant: string, { serves: served }: Pool): boolean {
    return !this.#full.has(tenant) && this.#ready.has(tenant, served);
  }

  async #try(session: string, turn: Turn, workClasses: readonly string[]): Promise<LimitedClaim> {
    let claimed: LimitedClaim | undefined;
    try {
      claimed = await this.#claimOf({ session, tenant: turn.tenant, workClasses, leaseMs: this.#leaseMs });
      return claimed;
    } finally {
      if (claimed?.work === undefined) turn.undo();
    }
  }

  /** A tenant without a limit costs no more than the claim. */
  async #claimOf(claim: Claim): Promise<LimitedClaim> {
    const { segmentsRunning } = this.#limitsOf(claim.tenant);
    if (segmentsRunning === Number.POSITIVE_INFINITY)
      return { work: await this.#store.claim(claim), full: false };
    const since = this.#full.stamp();
    const claimed = await this.#store.claimWithin(claim, segmentsRunning);
    if (claimed.full) this.#full.add(claim.tenant, since);
    return claimed;
  }

  async #isServing(pull: Pull): Promise<boolean> {
    const node = await this.#store.nodeOf(pull.puller.session);
    if (node?.state !== "ONLINE") pull.dismissed = true;
    return !pull.dismissed;
  }

  #hasWork({ puller, pool }: Pull): boolean {
    if (!puller.fleet) return this.#has(puller.tenant, pool);
    return !this.#tenants(pool).next().done;
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
}

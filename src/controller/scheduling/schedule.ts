/**
 * Hands out tasks to nodes that wait for them: selects the tenant that comes next, and wakes waiting pulls.
 *
 * Claimable work is known from announcements and periodic reads. Both are hints; the store's claim decides. A new task
 * wakes one pull. A pull that got a task wakes two more, because there may be many tasks. A pull whose claim found
 * none wakes one other, which may serve other work.
 */
import type { Turn } from "../../jobs/fairness.ts";
import type { LimitsOf } from "../../jobs/limits.ts";
import type { Capabilities } from "../../jobs/work.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Claim, ClaimedWork, LimitedClaim, Ready } from "../../store/contract/task-records.ts";
import { FullTenants } from "./full-tenants.ts";
import { type Pool, Pools } from "./node-pools.ts";
import { ReadySet } from "./ready-set.ts";
import { SlotTime } from "./slot-time.ts";

/** Maximum work classes per claim; further classes follow in later claims. */
const CLASSES_OF_CLAIM = 64;

/** A node that pulls tasks. */
export interface Puller {
  readonly session: string;
  readonly nodeId: string;
  readonly tenant: string;
  /** Whether the node serves all tenants. */
  readonly fleet: boolean;
  readonly capabilities: Capabilities;
}

interface Pull {
  readonly puller: Puller;
  readonly pool: Pool;
  readonly notifier: Notifier;
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
  /** Pulls that wait and were not woken yet, longest waiting first. */
  readonly #waiting = new Set<Pull>();

  /** @param now milliseconds of a monotonic clock */
  constructor(store: Store, leaseMs: number, limitsOf: LimitsOf, now: () => number) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#limitsOf = limitsOf;
    this.#pools = new Pools(limitsOf);
    this.#slots = new SlotTime(now);
  }

  /** Number of known pairs of tenant and class with claimable work. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Returns the known classes of a tenant's claimable work. */
  classesOf(tenant: string): readonly string[] {
    return this.#ready.classes(tenant, () => true, Number.POSITIVE_INFINITY);
  }

  /** Number of tenants that are skipped because they are at their limit of running tasks. */
  get full(): number {
    return this.#full.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Leases a task to a node; waits at most `waitMs` for one. Returns undefined if there was none, the signal aborted
   * or the node was dismissed.
   */
  async pull(puller: Puller, waitMs: number, signal: AbortSignal): Promise<ClaimedWork | undefined> {
    const until = performance.now() + waitMs;
    const pull = {
      puller,
      pool: this.#pools.of(puller.capabilities, puller.fleet),
      notifier: new Notifier(),
      dismissed: false,
    };
    const end = notifyOnAbort(signal, pull.notifier);
    this.#pulls.add(pull);
    let woken = false;
    try {
      while (!signal.aborted && !pull.dismissed) {
        const work = await this.#claim(pull);
        if (work !== undefined) return work;
        // This pull found nothing to claim, but another waiting pull may serve other work.
        if (woken) this.#wake(1);
        const left = until - performance.now();
        if (left <= 0 || signal.aborted || pull.dismissed) break;
        // Work may have been announced since the claim found none.
        if (this.#hasWork(pull)) continue;
        this.#waiting.add(pull);
        woken = await pull.notifier.wait(left);
        this.#waiting.delete(pull);
      }
      return undefined;
    } finally {
      end();
      this.#pulls.delete(pull);
      // The pull may have been woken for work that it does not take.
      if (signal.aborted || pull.dismissed) this.#wake(1);
    }
  }

  /** There is at least one claimable task of each class. */
  announce(ready: readonly Ready[]): void {
    for (const one of ready) this.#ready.add(one);
    this.#wake(ready.length);
  }

  /** Running tasks of these tenants have ended; the tenants may have been at their limit. */
  capacityReleased(tenants: readonly string[]): void {
    // Others are never full, so no pull waits for them.
    const limited = tenants.filter((tenant) => Number.isFinite(this.#limitsOf(tenant).segmentsRunning));
    for (const tenant of limited) this.#full.free(tenant);
    this.#wake(limited.length);
  }

  /** A node reported the end of a task leased to it. */
  ended(itemId: string, attempt: number): void {
    this.#slots.ended(itemId, attempt);
  }

  /** Reads what is claimable, to find work whose announcement was lost or that no node could take at that time. */
  async refresh(): Promise<void> {
    const since = this.#ready.stamp();
    const ready = await this.#refresh();
    this.#ready.replace(ready, since);
    await this.#lookForRoom();
    this.#wake(ready.length);
  }

  async #refresh(): Promise<readonly Ready[]> {
    try {
      return await this.#store.ready();
    } catch (thrown) {
      this.#slots.reset();
      throw thrown;
    }
  }

  /** Finds capacity of full tenants: ends of tasks that were not announced, and changed limits. */
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
      pull.notifier.notify();
    }
  }

  /** Returns undefined if nothing is claimable. */
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
        // Another claim may have found no task because this one held the head of its class.
        this.#ready.renew(turn.tenant, workClasses);
        this.#wake(2);
        return work;
      }
      // The tenant's work waits until one of its tasks ends.
      if (full) continue;
      // A node that is not ONLINE gets no tasks, so the claim says nothing about the queue.
      if (!(await this.#isServing(pull))) return undefined;
      this.#ready.remove(turn.tenant, workClasses, since);
    }
  }

  /** Returns the tenant that a pull serves next. A tenant's own nodes do not count against its share of the fleet. */
  #turnOf({ puller, pool }: Pull): Turn | undefined {
    if (pool.fair !== undefined) return pool.fair.take(this.#tenants(pool));
    if (!this.#has(puller.tenant, pool)) return undefined;
    return { tenant: puller.tenant, settle: () => {}, undo: () => {} };
  }

  /** Tenants below their limit that have work for nodes of this pool. */
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

  /** Claims a task, within the tenant's limit if it has one; without a limit no tasks are counted. */
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

  /** Wakes up to `count` waiting pulls that could get a task. */
  #wake(count: number): void {
    let left = count;
    for (const pull of this.#waiting) {
      if (left === 0) return;
      if (!this.#hasWork(pull)) continue;
      this.#waiting.delete(pull);
      pull.notifier.notify();
      left--;
    }
  }
}

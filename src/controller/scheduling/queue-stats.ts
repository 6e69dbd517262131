/**
 * Statistics of the queue, read periodically; used to scale nodes and to alert on a stuck queue. A read costs the same
 * however long the queue is, so counts of a long queue are lower bounds.
 */
import type { LimitsOf } from "../../jobs/limits.ts";
import { needOf, type WorkNeed } from "../../jobs/work.ts";
import {
  type InWork,
  MAX_READY,
  MAX_READY_OF_TENANT,
  type Ready,
  type Waiting,
} from "../../store/contract/task-records.ts";
import type { WorkStore } from "../../store/contract/task-store.ts";
import { scorerNames } from "./scorer-names.ts";

/** Tasks counted per read; takes some tens of milliseconds of database time. */
const BUDGET = 100_000;
/** Milliseconds after which the statistics are stale. */
const STALE_MS = 60_000;

/** `limit`: the tenant is at its limit of running tasks. */
export type WaitsFor = "node" | "limit";

export interface PendingWork extends WorkNeed {
  readonly waitsFor: WaitsFor;
  readonly count: number;
}

export interface QueueView extends InWork {
  readonly pending: readonly PendingWork[];
  /** By kind: the longest time that a task has waited for a node since it became claimable. */
  readonly oldestMs: ReadonlyMap<WorkNeed["kind"], number>;
  /** Whether there are more work classes than a read covers; it covers the same ones each time. */
  readonly cut: boolean;
}

interface Pair extends Ready, Waiting {}

export class QueueStats {
  readonly #store: WorkStore;
  readonly #limitsOf: LimitsOf;
  #seen: { readonly view: QueueView; readonly at: number } | undefined;

  constructor(store: WorkStore, limitsOf: LimitsOf) {
    this.#store = store;
    this.#limitsOf = limitsOf;
  }

  /** Returns undefined if there was no recent read. */
  get view(): QueueView | undefined {
    const isStale = this.#seen === undefined || performance.now() - this.#seen.at > STALE_MS;
    return isStale ? undefined : this.#seen?.view;
  }

  /** Throws STORE_UNAVAILABLE. */
  async refresh(): Promise<void> {
    const at = performance.now();
    const ready = await this.#store.ready();
    const pairs = await this.#count(ready);
    const room = await this.#roomOf([...new Set(pairs.map(({ tenant }) => tenant))]);
    const inWork = await this.#store.inWork(BUDGET);
    this.#seen = { view: { ...viewOf(pairs, room), ...inWork, cut: isCut(ready) }, at };
  }

  /**
   * Counts the tasks of each pair. Each pair gets an equal share of the budget; the unused part of short queues goes to
   * long ones.
   */
  async #count(ready: readonly Ready[]): Promise<readonly Pair[]> {
    const most = Math.max(1, Math.floor(BUDGET / Math.max(1, ready.length)));
    const pairs = await this.#waiting(ready, most);
    const long = pairs.filter(({ count }) => count === most);
    const spent = pairs.reduce((sum, { count }) => sum + count, 0);
    const more = most + Math.floor((BUDGET - spent) / Math.max(1, long.length));
    if (long.length === 0 || more <= most) return pairs;
    return [...pairs.filter(({ count }) => count < most), ...(await this.#waiting(long, more))];
  }

  async #waiting(ready: readonly Ready[], most: number): Promise<readonly Pair[]> {
    if (ready.length === 0) return [];
    const found = await this.#store.waiting(
      ready.map(({ tenant, workClass }) => ({ tenant, workClass, most })),
    );
    return ready.map((pair, n) => ({ ...pair, ...(found[n] ?? { count: 0, ageMs: 0 }) }));
  }

  /** Returns for each limited tenant how many more of its tasks may run. */
  async #roomOf(tenants: readonly string[]): Promise<Map<string, number>> {
    const limited = tenants.filter((tenant) => Number.isFinite(this.#limitsOf(tenant).segmentsRunning));
    const running = limited.length === 0 ? [] : await this.#store.running(limited);
    return new Map(
      limited.map((tenant, n) => [
        tenant,
        Math.max(0, this.#limitsOf(tenant).segmentsRunning - (running[n] ?? 0)),
      ]),
    );
  }
}

function viewOf(pairs: readonly Pair[], room: Map<string, number>): Pick<QueueView, "pending" | "oldestMs"> {
  const counts = new Map(NOTHING.map((none) => [keyOf(none), none]));
  const oldestMs = new Map<WorkNeed["kind"], number>(NOTHING.map(({ kind }) => [kind, 0]));
  const wanted = pairs.map((pair) => ({ ...pair, ...needOf(pair.workClass) }));
  const named = scorerNames(wanted);
  for (const { tenant, kind, scorer, count, ageMs } of wanted) {
    const left = room.get(tenant) ?? Number.POSITIVE_INFINITY;
    const forNode = Math.min(count, left);
    room.set(tenant, left - forNode);
    const need = { kind, scorer: named(scorer) };
    add(counts, { ...need, waitsFor: "node", count: forNode });
    add(counts, { ...need, waitsFor: "limit", count: count - forNode });
    if (forNode > 0) oldestMs.set(kind, Math.max(oldestMs.get(kind) ?? 0, ageMs));
  }
  return { pending: [...counts.values()], oldestMs };
}

function isCut(ready: readonly Ready[]): boolean {
  const ofTenants = [...Map.groupBy(ready, ({ tenant }) => tenant).values()];
  return ready.length >= MAX_READY || ofTenants.some((own) => own.length >= MAX_READY_OF_TENANT);
}

/** Zero counts for an empty queue, so that readers find 0 instead of no value. */
const NOTHING: readonly PendingWork[] = (["PLAN", "SCORE", "STILLS"] as const).map((kind) => ({
  kind,
  scorer: "",
  waitsFor: "node",
  count: 0,
}));

const keyOf = ({ kind, scorer, waitsFor }: PendingWork) => `${kind} ${waitsFor} ${scorer}`;

function add(counts: Map<string, PendingWork>, more: PendingWork): void {
  const key = keyOf(more);
  counts.set(key, { ...more, count: more.count + (counts.get(key)?.count ?? 0) });
}

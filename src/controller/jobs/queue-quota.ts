/**
 * Enforces each tenant's limit of queued jobs. Counting them for every submission costs too much. A
 * controller counts once a second while a tenant submits, and adds the jobs that it admitted since, so it
 * never counts too few of its own. If that leaves no capacity, submissions of the tenant wait until the
 * outcome of all earlier ones is known, and the jobs are counted again, so the limit holds exactly. Jobs that
 * other controllers stored are known once they are counted.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../../platform/failure.ts";
import type { Store } from "../../store/contract/store.ts";

/** Minimum milliseconds between counts while there is capacity. */
const COUNT_EVERY_MS = 1_000;
/**
 * Factors of the pause between two counts: the duration of a count is multiplied by the first one or, without capacity,
 * by the second one.
 */
const SPARE = 20;
const SPARE_WITHOUT_ROOM = 5;
const LONGEST_PAUSE_MS = 500;
/** Milliseconds after which a tenant that submits nothing is dropped. */
const FORGET_AFTER_MS = 60_000;
/** Milliseconds by which some jobs of a full queue have usually started. */
const RETRY_AFTER_MS = 2_000;

/** Called once, with the number of jobs that were stored; with the number of all jobs if it is unknown. */
export type Settle = (stored: number) => void;

export class QueueRoom {
  readonly #store: Pick<Store, "queued">;
  readonly #limitOf: (tenant: string) => number;
  readonly #queues = new Map<string, Queue>();
  readonly #now: () => number;
  #forgotAt: number;

  /**
   * @param limitOf maximum queued jobs of a tenant; Infinity: no limit. It may change at any time.
   * @param now milliseconds of a monotonic clock
   */
  constructor(store: Pick<Store, "queued">, limitOf: (tenant: string) => number, now: () => number) {
    this.#store = store;
    this.#limitOf = limitOf;
    this.#now = now;
    this.#forgotAt = now();
  }

  /** Reserves capacity for jobs, at least one. Throws TENANT_QUEUE_FULL, and what counting throws. */
  async take(tenant: string, jobs: number): Promise<Settle> {
    if (this.#limitOf(tenant) === Number.POSITIVE_INFINITY) return () => {};
    const queue = this.#queueOf(tenant);
    await queue.take(jobs);
    return (stored) => queue.settle(jobs, stored);
  }

  #queueOf(tenant: string): Queue {
    this.#forget();
    const known = this.#queues.get(tenant);
    if (known !== undefined) return known;
    const queue = new Queue(
      () => this.#store.queued(tenant),
      () => this.#limitOf(tenant),
      this.#now,
    );
    this.#queues.set(tenant, queue);
    return queue;
  }

  #forget(): void {
    const since = this.#now() - FORGET_AFTER_MS;
    if (this.#forgotAt > since) return;
    this.#forgotAt = this.#now();
    for (const [tenant, queue] of this.#queues) if (queue.isUnusedSince(since)) this.#queues.delete(tenant);
  }
}

interface Waiter {
  readonly jobs: number;
  readonly admit: () => void;
  readonly refuse: (failure: Failure) => void;
}

/** The queue of one tenant. */
class Queue {
  readonly #store: () => Promise<number>;
  readonly #limit: () => number;
  readonly #now: () => number;
  readonly #waiting: Waiter[] = [];
  /** Jobs at the last count; Infinity before the first. */
  #counted = Number.POSITIVE_INFINITY;
  /** Admitted jobs that the last count may have missed. */
  #added = 0;
  /** Admitted jobs that may or may not be stored yet. */
  #open = 0;
  /** During a count: admitted jobs that it may not include. */
  #missed = 0;
  #counting: Promise<void> | undefined;
  #countedAt = 0;
  #countMs = 0;
  #usedAt = 0;
  #onSettled = (): void => {};

  constructor(store: () => Promise<number>, limit: () => number, now: () => number) {
    this.#store = store;
    this.#limit = limit;
    this.#now = now;
  }

  isUnusedSince(time: number): boolean {
    return this.#usedAt < time && this.#open === 0 && this.#waiting.length === 0;
  }

  async take(jobs: number): Promise<void> {
    this.#usedAt = this.#now();
    if (this.#waiting.length === 0 && this.#fits(jobs)) {
      this.#let(jobs);
      const every = Math.max(COUNT_EVERY_MS, SPARE * this.#countMs);
      // Nobody waits for this count; if it fails, the next one reports it.
      if (this.#usedAt - this.#countedAt > every) this.#count().catch(() => {});
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ jobs, admit: resolve, refuse: reject });
    if (this.#waiting.length === 1) void this.#serve();
    await promise;
  }

  settle(jobs: number, stored: number): void {
    this.#open -= jobs;
    this.#added -= jobs - stored;
    this.#missed -= jobs - stored;
    if (this.#open === 0) this.#onSettled();
  }

  #fits(jobs: number): boolean {
    return this.#counted + this.#added + jobs <= this.#limit();
  }

  #let(jobs: number): void {
    this.#added += jobs;
    this.#open += jobs;
    this.#missed += jobs;
  }

  /** Counts for waiting submissions until there are none. Never throws. */
  async #serve(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spare = Math.min(LONGEST_PAUSE_MS, SPARE_WITHOUT_ROOM * this.#countMs);
      await pause(Math.max(0, this.#countedAt + spare - this.#now()));
      await this.#settled();
      // A count that started earlier may be stale.
      await this.#counting?.catch(() => {});
      const asked = this.#waiting.length;
      try {
        await this.#count();
        this.#answer(asked);
      } catch (thrown) {
        for (const { refuse } of this.#waiting.splice(0)) refuse(Failure.from(thrown));
      }
    }
  }

  /** Submissions that arrived after the count started are refused only by the next one. */
  #answer(asked: number): void {
    for (const [place, waiter] of this.#waiting.splice(0).entries()) {
      if (this.#fits(waiter.jobs)) {
        this.#let(waiter.jobs);
        waiter.admit();
      } else if (place < asked) {
        waiter.refuse(full(this.#limit(), this.#counted + this.#added, waiter.jobs));
      } else {
        this.#waiting.push(waiter);
      }
    }
  }

  /** Waits until nothing is open. Nothing is admitted meanwhile, because a submission waits. */
  async #settled(): Promise<void> {
    if (this.#open === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSettled = resolve;
    await promise;
  }

  #count(): Promise<void> {
    this.#counting ??= this.#countNow().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countNow(): Promise<void> {
    const began = this.#now();
    this.#missed = this.#open;
    try {
      this.#counted = await this.#store();
      this.#added = this.#missed;
    } finally {
      this.#countedAt = this.#now();
      this.#countMs = this.#countedAt - began;
    }
  }
}

function full(limit: number, queued: number, submitted: number): Failure {
  const advice =
    submitted > limit
      ? `Submit at most ${limit} at once.`
      : "Submit again once some of them have begun, or cancel some.";
  return new Failure(
    "TENANT_QUEUE_FULL",
    `The tenant has ${queued} ${queued === 1 ? "job" : "jobs"} in the queue; its limit is ${limit}. None of the ${submitted} submitted was stored. ${advice}`,
    { found: { limit, queued, submitted }, retryAfterMs: RETRY_AFTER_MS },
  );
}

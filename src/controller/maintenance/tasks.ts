/**
 * Periodic maintenance. Every controller runs every task; the store keeps them from doing the same thing twice. The
 * tasks also find what was never announced.
 */
import { LeaseGuard } from "../../jobs/lease-guard.ts";
import { decideRetry } from "../../jobs/retry.ts";
import { Background } from "../../platform/concurrency/lifecycle.ts";
import { Notifier, notifyOnAbort } from "../../platform/concurrency/notifier.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Store } from "../../store/contract/store.ts";
import { POOL_HOLD_MS } from "../../store/contract/task-records.ts";
import type { ResultMover } from "../results/mover.ts";
import type { Fleet } from "../scheduling/fleet.ts";
import type { QueueStats } from "../scheduling/queue-stats.ts";
import type { Schedule } from "../scheduling/schedule.ts";
import { UNSCHEDULABLE_MS, UnschedulableWork } from "../scheduling/unschedulable.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";
import { ID_IN_PATH } from "../uploads/places.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { ClockMonitor } from "./clock-monitor.ts";
import type { Pooling } from "./pooling.ts";

/** Rows per step, few enough not to disturb other work. */
const STEP = 100;
const EVENTS_STEP = 1_000;
const AUDIT_STEP = 1_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long a stream can be resumed. */
const EVENTS_KEPT_MS = DAY_MS;
/** How long a revocation that an administrator ended or that expired is still reported to controllers. */
const REVOCATIONS_KEPT_MS = DAY_MS;
/** How long a node that left is still listed. */
const NODES_KEPT_MS = DAY_MS;
/** Milliseconds between reads of the queue statistics; often enough for scaling nodes by them. */
const QUEUE_LOOK_MS = 10_000;
/** Milliseconds between looks for uploads to delete, which read the specs of their tenants' jobs. */
const UPLOADS_LOOK_MS = 10 * MINUTE_MS;
/** Milliseconds between looks for stills and clips to move to the results storage. */
const MOVE_MS = 1_000;
/** Milliseconds until the next move after the storage failed. */
const MOVE_AGAIN_MS = 10_000;
/** Intervals vary by up to this share, to spread the tasks of several controllers. */
const JITTER = 0.2;

export interface MaintenanceOptions {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
  readonly schedule: Schedule;
  readonly pooling: Pooling;
  readonly queue: QueueStats;
  readonly leaseMs: number;
  readonly retentionMs: number;
  readonly auditRetentionMs: number;
  /** undefined: this controller takes no uploads. */
  readonly uploads: Uploads | undefined;
  /** undefined: this controller has no results storage. */
  readonly mover: ResultMover | undefined;
}

/** Dependencies that can be unavailable for a while. */
const OUTAGES = [
  { code: "STORE_UNAVAILABLE", of: "store" },
  { code: "STORAGE_UNAVAILABLE", of: "results storage" },
] as const;

/** A step of a maintenance task. Returns true if there may be more to do at once. */
type Step = () => Promise<boolean>;

export class MaintenanceTasks {
  readonly #options: MaintenanceOptions;
  readonly #guard: LeaseGuard;
  readonly #unschedulable: UnschedulableWork;
  readonly #clock: ClockMonitor;
  readonly #loops: readonly Background[];
  readonly #work = new Notifier();
  /** When results are moved next, as a time of performance.now(). */
  #moveAt = 0;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
    const { leaseMs } = options;
    this.#unschedulable = new UnschedulableWork({ ...options, afterMs: UNSCHEDULABLE_MS });
    this.#guard = new LeaseGuard(leaseMs, performance.now());
    this.#clock = new ClockMonitor({ ...options, guard: this.#guard });
    this.#loops = [
      // Needs no store, so a controller that was suspended notices that even if the store is slow.
      this.#every(leaseMs / 6, () => this.#tick()),
      this.#every(1_000, () => this.#refreshReady(), this.#work),
      this.#every(500, () => this.#promoteWaiting()),
      this.#every(2_000, () => this.#poolLeftOver()),
      this.#every(Math.min(5_000, leaseMs / 6), () => this.#expireLeases()),
      this.#every(Math.min(5_000, leaseMs / 6), () => this.#expireNodes()),
      this.#every(UNSCHEDULABLE_MS / 10, () => this.#failUnschedulable()),
      this.#every(QUEUE_LOOK_MS, () => this.#lookAtQueue()),
      this.#every(MINUTE_MS, () => this.#deleteEnded()),
      this.#every(MINUTE_MS, () => this.#deleteEvents()),
      this.#every(MINUTE_MS, () => this.#deleteRevocations()),
      this.#every(MINUTE_MS, () => this.#deleteAudit()),
      this.#every(UPLOADS_LOOK_MS, () => this.#deleteUploads()),
      this.#every(MOVE_MS, () => this.#moveResults()),
      this.#every(MINUTE_MS, () => this.#sweepResults()),
    ];
  }

  /** Signals that there may be work of any tenant. */
  lookForWork(): void {
    this.#work.notify();
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /** A maintenance task with its own loop: runs at once, then every `everyMs` and when the notifier rings. */
  #every(everyMs: number, step: Step, notifier = new Notifier()): Background {
    return new Background(async (signal, isStarted) => {
      const end = notifyOnAbort(signal, notifier);
      isStarted();
      let fails = false;
      while (!signal.aborted) {
        const { more, failure } = await attempt(step);
        this.#logChange(fails, failure);
        fails = failure !== undefined;
        if (!more) await notifier.wait(everyMs * (1 + JITTER * Math.random()));
      }
      end();
    });
  }

  /**
   * Logs once when the store or the results storage becomes unavailable for a task and once when the task works again; logs every other
   * failure.
   */
  #logChange(failed: boolean, failure: Failure | undefined): void {
    const { log } = this.#options;
    const outage = OUTAGES.find(({ code }) => code === failure?.code);
    if (failure !== undefined && outage === undefined)
      log.error({ err: failure.cause ?? failure }, "maintenance task failed; retrying");
    else if (outage !== undefined && !failed)
      log.warn({ err: failure }, `${outage.of} unavailable for a maintenance task; retrying`);
    else if (failure === undefined && failed) log.info("maintenance task works again");
  }

  async #tick(): Promise<boolean> {
    this.#guard.tick(performance.now());
    return false;
  }

  async #refreshReady(): Promise<boolean> {
    await this.#options.schedule.refresh();
    return false;
  }

  async #promoteWaiting(): Promise<boolean> {
    return (await this.#options.store.promoteWaiting(STEP)).length > 0;
  }

  async #poolLeftOver(): Promise<boolean> {
    const { store, pooling } = this.#options;
    const limit = Math.min(4, pooling.room);
    if (limit === 0) return false;
    const jobs = await store.takePoolable(limit, POOL_HOLD_MS);
    for (const job of jobs) pooling.offer(job);
    return jobs.length === limit;
  }

  async #expireLeases(): Promise<boolean> {
    const { store, metrics, log } = this.#options;
    await this.#clock.lookForOutage();
    if (!this.#guard.mayExpire(performance.now())) return false;
    const { expired, failed } = await store.expireLeases(STEP, (failures) => decideRetry(failures, false));
    if (expired === 0) return false;
    metrics.expired.inc(expired);
    log.warn({ expired }, "leases expired; their nodes are gone or unreachable");
    for (let job = 0; job < failed; job++) metrics.jobFailed("LEASE_LOST");
    return expired >= STEP;
  }

  async #expireNodes(): Promise<boolean> {
    const { store, leaseMs } = this.#options;
    if (!this.#guard.mayExpire(performance.now())) return false;
    await store.expireNodes(leaseMs, NODES_KEPT_MS);
    return false;
  }

  async #failUnschedulable(): Promise<boolean> {
    return (await this.#unschedulable.check()) > 0;
  }

  async #lookAtQueue(): Promise<boolean> {
    await this.#options.queue.refresh();
    return false;
  }

  async #deleteEnded(): Promise<boolean> {
    const { store, retentionMs } = this.#options;
    await this.#clock.check();
    if (!this.#guard.mayDelete(performance.now())) return false;
    const jobs = await store.deleteEnded(retentionMs, STEP);
    const comparisons = await store.comparisons.deleteEmpty(retentionMs, STEP);
    return Math.max(jobs, comparisons) >= STEP;
  }

  async #deleteEvents(): Promise<boolean> {
    await this.#clock.check();
    if (!this.#guard.mayDelete(performance.now())) return false;
    return (await this.#options.store.deleteEvents(EVENTS_KEPT_MS, EVENTS_STEP)) >= EVENTS_STEP;
  }

  async #deleteAudit(): Promise<boolean> {
    const { store, auditRetentionMs } = this.#options;
    await this.#clock.check();
    if (!this.#guard.mayDelete(performance.now())) return false;
    return (await store.deleteAudit(auditRetentionMs, AUDIT_STEP)) >= AUDIT_STEP;
  }

  async #deleteUploads(): Promise<boolean> {
    const { uploads, store, log } = this.#options;
    if (uploads === undefined) return false;
    await this.#clock.check();
    if (!this.#guard.mayDelete(performance.now())) return false;
    for (const tenant of await uploads.tenants()) {
      const jobsOf = () => store.idsInSpecs(tenant, ID_IN_PATH);
      const deleted = await uploads.expire(tenant, jobsOf, Date.now());
      if (deleted > 0) log.info({ tenant, deleted }, "old uploads deleted");
    }
    return false;
  }

  async #moveResults(): Promise<boolean> {
    const { mover } = this.#options;
    if (mover === undefined || performance.now() < this.#moveAt) return false;
    // Until it succeeds.
    this.#moveAt = performance.now() + MOVE_AGAIN_MS;
    const moved = await mover.move();
    this.#moveAt = 0;
    return moved > 0;
  }

  async #sweepResults(): Promise<boolean> {
    const { mover } = this.#options;
    return mover !== undefined && (await mover.deleteUnreferenced()) > 0;
  }

  async #deleteRevocations(): Promise<boolean> {
    await this.#clock.check();
    if (!this.#guard.mayDelete(performance.now())) return false;
    return (
      (await this.#options.store.revocations.deleteEnded(REVOCATIONS_KEPT_MS, EVENTS_STEP)) >= EVENTS_STEP
    );
  }
}

async function attempt(
  step: Step,
): Promise<{ readonly more: boolean; readonly failure: Failure | undefined }> {
  try {
    return { more: await step(), failure: undefined };
  } catch (thrown) {
    return { more: false, failure: Failure.from(thrown) };
  }
}

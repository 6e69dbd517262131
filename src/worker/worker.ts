/** Runs leased tasks in slots and reports their results. */
import type { WorkEngine } from "../engine/contract/work.ts";
import type { WorkItem } from "../gen/proto/svc/v1/node_pb.ts";
import type { Log } from "../platform/observability/log.ts";
import { inside, type Tracer } from "../platform/observability/span.ts";
import { Lease, type Leases } from "./lease.ts";
import type { NodeMedia } from "./media/node-media.ts";
import type { NodeMetrics } from "./metrics.ts";
import { type Outcome, perform } from "./perform.ts";
import { logFields, type Reporter } from "./reporter.ts";
import { Semaphore } from "./semaphore.ts";
import { endWork, workSpan } from "./tracing.ts";

export interface WorkerParts {
  readonly engine: () => WorkEngine;
  readonly slots: number;
  /** Wall-clock limit of one task in milliseconds. */
  readonly timeoutMs: number;
  readonly leases: Leases;
  readonly reporter: Reporter;
  readonly media: NodeMedia;
  readonly metrics: NodeMetrics;
  readonly tracer: Tracer;
  readonly log: Log;
}

export class Worker {
  readonly #parts: WorkerParts;
  readonly #slots: Semaphore;
  /**
   * Limits the tasks that are being examined or wait for their report to the number of slots, which bounds memory
   * during an outage.
   */
  readonly #reports: Semaphore;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#slots = new Semaphore(parts.slots);
    this.#reports = new Semaphore(parts.slots);
    parts.metrics.slots.set(parts.slots);
  }

  /** Resolves to whether a slot was taken; false if the signal aborts first. */
  takeSlot(signal: AbortSignal): Promise<boolean> {
    return this.#slots.take(signal);
  }

  giveSlot(): void {
    this.#slots.give();
  }

  /** Starts a leased task in a slot that was taken; the slot is released when the task no longer needs it. */
  begin(session: string, item: WorkItem): void {
    const lease = new Lease(session, item);
    this.#parts.leases.add(lease);
    void this.#traced(lease).finally(() => this.#parts.leases.remove(lease));
  }

  async #traced(lease: Lease): Promise<void> {
    const span = workSpan(this.#parts.tracer, lease);
    const { ended, code } = await inside(span, () => this.#carryOut(lease));
    endWork(span, lease, ended, code);
  }

  /** Returns the outcome for the metrics, and the code of a failure. */
  async #carryOut(lease: Lease): Promise<{ readonly ended: string; readonly code: string | undefined }> {
    const { metrics, log } = this.#parts;
    log.info(logFields(lease), "task started");
    let leaving: Promise<boolean> | undefined;
    const leaveSlot = (): Promise<boolean> => (leaving ??= this.#leaveSlot(lease));
    const outcome = await this.#run(lease, () => void leaveSlot());
    const mayReport = await leaveSlot();
    const reporting = outcome.kind !== "STOPPED" && mayReport;
    if (mayReport && !reporting) this.#reports.give();
    const ended = reporting ? await this.#report(lease, outcome) : await this.#stopped(lease);
    metrics.items.inc({ kind: lease.kind, outcome: ended });
    return { ended, code: outcome.kind === "FAILED" ? outcome.failure.code : undefined };
  }

  /**
   * Gives the slot to the next task, at the latest when this one ends. The slot is kept until there is
   * capacity for the report, so results cannot pile up. Resolves to whether there is capacity; false if the
   * task was stopped before.
   */
  async #leaveSlot(lease: Lease): Promise<boolean> {
    const mayReport = await this.#reports.take(lease.signal);
    this.#slots.give();
    return mayReport;
  }

  async #run(lease: Lease, onScored: () => void): Promise<Outcome> {
    const { engine, media, timeoutMs, metrics } = this.#parts;
    const ended = metrics.duration.startTimer({ kind: lease.kind });
    metrics.running.inc();
    const outcome = await perform(lease, engine, media, timeoutMs, onScored);
    metrics.running.dec();
    ended();
    lease.finished = outcome.kind !== "STOPPED";
    return outcome;
  }

  async #report(lease: Lease, outcome: Exclude<Outcome, { kind: "STOPPED" }>): Promise<string> {
    const { reporter, log, metrics } = this.#parts;
    const answer = await reporter.report(lease, outcome).finally(() => this.#reports.give());
    if (answer !== "ACCEPTED") return answer.toLowerCase();
    if (outcome.kind === "FAILED") {
      const { code, message: detail, cause } = outcome.failure;
      const ours = outcome.failure.kind === "internal";
      log[ours ? "error" : "info"](
        { ...logFields(lease), code, detail, ...(ours && { err: cause }) },
        "task failed",
      );
      return "failed";
    }
    if (outcome.kind === "SCORED") metrics.frames.inc(lease.framesDone);
    log.info(logFields(lease), "task finished");
    return "done";
  }

  async #stopped(lease: Lease): Promise<string> {
    const { reporter, log } = this.#parts;
    log.info({ ...logFields(lease), reason: lease.stopped }, "task stopped");
    if (lease.stopped !== "HAND_BACK") return "stopped";
    return (await reporter.handBack(lease)) === "ACCEPTED" ? "handed_back" : "stopped";
  }
}

/** The model of jobs and tasks in plain data, to which the property test compares the store. */
import { MAX_FAILURES } from "../../src/jobs/retry.ts";
import type { JobState, WorkState } from "../../src/jobs/states.ts";
import type { WorkKind } from "../../src/jobs/work.ts";
import type { Recorded } from "../../src/store/contract/task-records.ts";

export const FRAMES = 100;

interface ModelWork {
  readonly job: ModelJob;
  readonly kind: WorkKind;
  readonly seq: number;
  readonly generation: number;
  frames: number;
  state: WorkState;
  attempt: number;
  failures: number;
  framesDone: number;
  node: ModelNode | undefined;
  expired: boolean;
  reported: number;
}

export interface ModelJob {
  readonly id: string;
  readonly order: number;
  readonly priority: number;
  state: JobState;
  revision: number;
  generation: number;
  framesTotal: number | undefined;
  framesDone: number;
  segmentsTotal: number;
  segmentsDone: number;
  retries: number;
  work: ModelWork[];
}

export interface ModelNode {
  readonly number: number;
  live: boolean;
}

/** A lease as known to its holder. */
export interface Lease {
  readonly work: ModelWork;
  readonly node: ModelNode;
  readonly attempt: number;
}

export class Model {
  jobs: readonly ModelJob[] = [];
  readonly leases: Lease[] = [];
  #submitted = 0;

  submit(id: string, priority: number): void {
    const job: ModelJob = {
      ...{ id, order: this.#submitted, priority, state: "QUEUED", revision: 1, generation: 0 },
      ...{ framesTotal: undefined, framesDone: 0, segmentsTotal: 0, segmentsDone: 0, retries: 0, work: [] },
    };
    job.work.push(newWork(job, "PLAN", 0, 0));
    this.jobs = [...this.jobs, job];
    this.#submitted++;
  }

  /** Returns the next ready task; undefined if there is none. */
  claim(node: ModelNode, expired: boolean): Lease | undefined {
    const ready = this.jobs.flatMap(({ work }) => work.filter(({ state }) => state === "PENDING"));
    const [best] = ready.sort(
      (a, b) => b.job.priority - a.job.priority || a.job.order - b.job.order || a.seq - b.seq,
    );
    if (best === undefined || !node.live) return undefined;
    const { job } = best;
    Object.assign(best, { state: "LEASED", attempt: best.attempt + 1, node, expired, framesDone: 0 });
    if (job.state === "QUEUED") change(job, { state: "RUNNING" });
    const lease = { work: best, node, attempt: best.attempt };
    this.leases.push(lease);
    return lease;
  }

  plan({ work, ...lease }: Lease, count: number): Recorded {
    const refused = refusal({ work, ...lease }, work.kind === "PLAN");
    if (refused !== undefined) return refused;
    const { job } = work;
    Object.assign(work, { state: "DONE", reported: work.attempt });
    change(job, { generation: 1, framesTotal: count * FRAMES, segmentsTotal: count });
    for (let n = 0; n < count; n++) job.work.push(newWork(job, "SEGMENT", n, FRAMES));
    return "RECORDED";
  }

  segment(lease: Lease): Recorded {
    const { work } = lease;
    const refused = refusal(lease, work.kind !== "PLAN");
    if (refused !== undefined) return refused;
    const { job } = work;
    change(job, {
      segmentsDone: job.segmentsDone + 1,
      framesDone: job.framesDone - work.framesDone + work.frames,
    });
    Object.assign(work, { state: "DONE", reported: work.attempt, framesDone: work.frames });
    return "RECORDED";
  }

  fail(lease: Lease, forGood: boolean): Recorded {
    const refused = refusal(lease, true);
    if (refused !== undefined) return refused;
    lease.work.reported = lease.attempt;
    this.#lose(lease.work, forGood ? "FAILED" : "WAITING");
    return "RECORDED";
  }

  handBack(lease: Lease): Recorded {
    const refused = refusal(lease, true);
    if (refused !== undefined) return refused;
    lease.work.reported = lease.attempt;
    comeBack(lease.work, "PENDING", 0);
    return "RECORDED";
  }

  cutFault(lease: Lease): Recorded {
    const refused = refusal(lease, lease.work.kind === "SEGMENT");
    if (refused !== undefined) return refused;
    lease.work.reported = lease.attempt;
    startWhole(lease.work.job);
    return "RECORDED";
  }

  /**
   * Expires tasks that were claimed with a zero-length lease. Tasks without a back-off are ready again. A job changes
   * once, even if several of its tasks are requeued.
   */
  expire(forGood: boolean): void {
    const expired = this.#leased().filter(({ expired }) => expired);
    if (forGood) {
      for (const work of expired) if (work.state === "LEASED") this.#lose(work, "FAILED");
    } else if (expired.length > 0) {
      this.#release(expired, 1);
      this.promote();
    }
  }

  promote(): void {
    for (const { work } of this.jobs) {
      for (const one of work) if (one.state === "WAITING") one.state = "PENDING";
    }
  }

  renew(node: ModelNode, frames: number): void {
    const mine = this.#leased().filter((work) => work.node === node && node.live);
    const moved = new Map<ModelJob, number>();
    for (const work of mine) {
      const now = Math.min(frames, work.frames);
      moved.set(work.job, (moved.get(work.job) ?? 0) + now - work.framesDone);
      Object.assign(work, { framesDone: now, expired: false });
    }
    for (const [job, by] of moved) if (by !== 0) change(job, { framesDone: job.framesDone + by });
  }

  /** Ends the node's session because its name is registered again. */
  supersede(node: ModelNode): void {
    const held = this.#leased().filter((work) => work.node === node);
    this.#release(
      held.filter(({ failures }) => failures + 1 < MAX_FAILURES),
      1,
    );
    for (const work of held) if (work.failures + 1 >= MAX_FAILURES) work.expired = true;
    node.live = false;
  }

  leave(node: ModelNode): void {
    if (node.live)
      this.#release(
        this.#leased().filter((work) => work.node === node),
        0,
      );
    node.live = false;
  }

  cancel(job: ModelJob): boolean {
    if (isOver(job)) return false;
    end(job, "CANCELLED");
    return true;
  }

  /** Cancels all open jobs; returns their number. */
  cancelAll(): number {
    return this.jobs.filter((job) => this.cancel(job)).length;
  }

  /** Forgets the tasks of the job. */
  remove(job: ModelJob, open: boolean): boolean {
    if (!open && !isOver(job)) return false;
    for (const work of job.work) Object.assign(work, { state: "CANCELLED", reported: -1 });
    this.jobs = this.jobs.filter((other) => other !== job);
    return true;
  }

  succeed(job: ModelJob): boolean {
    if (!isScored(job)) return false;
    change(job, { state: "SUCCEEDED", framesDone: 7, framesTotal: 7 });
    return true;
  }

  /** A job that was already scored as a whole is not restarted. */
  restartWhole(job: ModelJob): boolean {
    const own = job.work.filter(({ generation }) => generation === job.generation);
    if (!isScored(job) || own.every(({ kind }) => kind !== "SEGMENT")) return false;
    startWhole(job);
    return true;
  }

  #leased(): ModelWork[] {
    return this.jobs.flatMap(({ work }) => work.filter(({ state }) => state === "LEASED"));
  }

  /** Once per job, even if several of its tasks are requeued. */
  #release(works: readonly ModelWork[], lost: 0 | 1): void {
    for (const job of new Set(works.map(({ job }) => job))) {
      const own = works.filter((work) => work.job === job);
      const frames = own.reduce((sum, { framesDone }) => sum + framesDone, 0);
      for (const work of own) {
        Object.assign(work, { state: "PENDING", framesDone: 0, failures: work.failures + lost });
      }
      if (frames === 0 && lost === 0) continue;
      change(job, { framesDone: job.framesDone - frames, retries: job.retries + own.length * lost });
    }
  }

  #lose(work: ModelWork, to: "WAITING" | "FAILED"): void {
    if (to === "WAITING") comeBack(work, "WAITING", 1);
    else {
      Object.assign(work, { state: "FAILED", failures: work.failures + 1 });
      end(work.job, "FAILED");
    }
  }
}

function newWork(job: ModelJob, kind: WorkKind, seq: number, frames: number): ModelWork {
  return {
    ...{ job, kind, seq, frames, generation: job.generation, state: "PENDING", attempt: 0, failures: 0 },
    ...{ framesDone: 0, node: undefined, expired: false, reported: 0 },
  };
}

function change(job: ModelJob, to: Partial<ModelJob>): void {
  Object.assign(job, to, { revision: job.revision + 1 });
}

const isOver = ({ state }: ModelJob) => state !== "QUEUED" && state !== "RUNNING";

const isScored = (job: ModelJob) =>
  job.state === "RUNNING" && job.segmentsTotal > 0 && job.segmentsDone === job.segmentsTotal;

function refusal({ work, node, attempt }: Lease, fits: boolean): Recorded | undefined {
  const own = node.live && work.node === node && work.attempt === attempt;
  if (own && work.state === "LEASED" && fits) return undefined;
  return own && work.state !== "LEASED" && work.reported === attempt ? "REPEATED" : "STALE";
}

function comeBack(work: ModelWork, state: "PENDING" | "WAITING", lost: 0 | 1): void {
  const { job, framesDone } = work;
  Object.assign(work, { state, framesDone: 0, failures: work.failures + lost });
  if (framesDone === 0 && lost === 0) return;
  change(job, { framesDone: job.framesDone - framesDone, retries: job.retries + lost });
}

function endWork(job: ModelJob): void {
  for (const work of job.work) {
    if (["PENDING", "WAITING", "LEASED"].includes(work.state)) work.state = "CANCELLED";
  }
}

function end(job: ModelJob, state: "CANCELLED" | "FAILED"): void {
  endWork(job);
  change(job, { state });
}

function startWhole(job: ModelJob): void {
  endWork(job);
  change(job, { generation: job.generation + 1, segmentsTotal: 1, segmentsDone: 0, framesDone: 0 });
  job.work.push(newWork(job, "WHOLE", 0, job.framesTotal ?? 0));
}

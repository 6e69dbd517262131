/** The tasks that this node holds, each from its lease until its report is accepted or refused, or it is abandoned. */
import type { RunningWork, WorkItem } from "../gen/proto/svc/v1/node_pb.ts";

/**
 * Why a task is stopped. LOST: this node no longer holds its lease. HAND_BACK: the node stops and returns it. KILLED:
 * the node ends at once and reports nothing.
 */
export type StopReason = "LOST" | "HAND_BACK" | "KILLED";

export class Lease {
  /** The session that the task is leased to; reports count only with it. */
  readonly session: string;
  readonly item: WorkItem;
  /** Frames of the task scored so far. */
  framesDone = 0;
  /** The outcome is known, so there is nothing to hand back. */
  finished = false;
  readonly #stop = new AbortController();
  #stopped: StopReason | undefined;

  constructor(session: string, item: WorkItem) {
    this.session = session;
    this.item = item;
  }

  /** UNKNOWN: a kind of a newer version. */
  get kind(): "PLAN" | "SEGMENT" | "WHOLE" | "STILLS" | "DIAGNOSIS" | "UNKNOWN" {
    const { work } = this.item;
    if (work.case === "diagnose") return "DIAGNOSIS";
    if (work.case === "stills") return "STILLS";
    if (work.case === "segment") return work.value.segment === "" ? "WHOLE" : "SEGMENT";
    return work.case === "plan" ? "PLAN" : "UNKNOWN";
  }

  /** Aborts when the task is stopped. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get stopped(): StopReason | undefined {
    return this.#stopped;
  }

  /** Stops the task and kills its processes. The first reason counts, but KILLED overrides any other. */
  stop(reason: StopReason): void {
    if (reason === "HAND_BACK" && this.finished) return;
    if (this.#stopped === undefined || reason === "KILLED") this.#stopped = reason;
    this.#stop.abort();
  }
}

export class Leases {
  readonly #held = new Set<Lease>();
  readonly #waiting: (() => void)[] = [];

  get size(): number {
    return this.#held.size;
  }

  add(lease: Lease): void {
    this.#held.add(lease);
  }

  remove(lease: Lease): void {
    this.#held.delete(lease);
    if (this.#held.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Returns the tasks that a session's heartbeat lists: all that it holds and that are not LOST. */
  of(session: string): Pick<RunningWork, "itemId" | "attempt" | "framesDone">[] {
    return [...this.#held]
      .filter((lease) => lease.session === session && lease.stopped !== "LOST")
      .map(({ item: { itemId, attempt }, framesDone }) => ({ itemId, attempt, framesDone }));
  }

  /** Stops a task of a session; ignored if the session no longer holds it. */
  lose(session: string, { itemId, attempt }: Pick<RunningWork, "itemId" | "attempt">): void {
    for (const lease of this.#held) {
      const { item } = lease;
      if (lease.session === session && item.itemId === itemId && item.attempt === attempt) lease.stop("LOST");
    }
  }

  /**
   * Ends a session: stops its running tasks, whose results cannot count. Finished ones are reported until they are
   * refused.
   */
  endSession(session: string): void {
    for (const lease of this.#held) {
      if (lease.session === session && !lease.finished) lease.stop("LOST");
    }
  }

  stopAll(reason: "HAND_BACK" | "KILLED"): void {
    for (const lease of this.#held) lease.stop(reason);
  }

  /** Resolves when no task is held. */
  untilNone(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#held.size === 0) resolve();
    else this.#waiting.push(resolve);
    return promise;
  }
}

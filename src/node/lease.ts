/** The work that this node holds: each piece from its lease until its report is accepted, refused or given up. */
import type { RunningWork, WorkItem } from "../gen/proto/svc/v1/node_pb.ts";

/**
 * Why work is stopped. LOST: its lease is not this node's any more. HAND_BACK: the node stops and
 * gives it back. KILLED: the node ends at once and says no more.
 */
export type StopReason = "LOST" | "HAND_BACK" | "KILLED";

export class Lease {
  /** Session that it is leased to: its reports count with that one only. */
  readonly session: string;
  readonly item: WorkItem;
  /** Frames of its own that are scored. */
  framesDone = 0;
  /** Its outcome is known: there is nothing left to give back. */
  finished = false;
  readonly #stop = new AbortController();
  #stopped: StopReason | undefined;

  constructor(session: string, item: WorkItem) {
    this.session = session;
    this.item = item;
  }

  /** UNKNOWN: of a kind that this version does not know. */
  get kind(): "PLAN" | "SEGMENT" | "WHOLE" | "STILLS" | "UNKNOWN" {
    const { work } = this.item;
    if (work.case === "stills") return "STILLS";
    if (work.case === "segment") return work.value.segment === "" ? "WHOLE" : "SEGMENT";
    return work.case === "plan" ? "PLAN" : "UNKNOWN";
  }

  /** Aborts when the work is stopped. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get stopped(): StopReason | undefined {
    return this.#stopped;
  }

  /** Stops the work: what runs is killed. The first reason counts, but KILLED goes before any. */
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

  /** What a session's heartbeat tells: all that it holds and has not given up. */
  of(session: string): Pick<RunningWork, "itemId" | "attempt" | "framesDone">[] {
    return [...this.#held]
      .filter((lease) => lease.session === session && lease.stopped !== "LOST")
      .map(({ item: { itemId, attempt }, framesDone }) => ({ itemId, attempt, framesDone }));
  }

  /** Stops one piece of a session's work; a piece that it does not hold is gone already. */
  lose(session: string, { itemId, attempt }: Pick<RunningWork, "itemId" | "attempt">): void {
    for (const lease of this.#held) {
      const { item } = lease;
      if (lease.session === session && item.itemId === itemId && item.attempt === attempt) lease.stop("LOST");
    }
  }

  /** A session is over: nothing that still runs for it can count. What is finished is reported until it is refused. */
  endSession(session: string): void {
    for (const lease of this.#held) {
      if (lease.session === session && !lease.finished) lease.stop("LOST");
    }
  }

  stopAll(reason: "HAND_BACK" | "KILLED"): void {
    for (const lease of this.#held) lease.stop(reason);
  }

  /** Resolves when nothing is held. */
  untilNone(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#held.size === 0) resolve();
    else this.#waiting.push(resolve);
    return promise;
  }
}

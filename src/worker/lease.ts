/** The tasks that this node holds, each from its lease until its report is accepted or refused, or it is abandoned. */
import type { RenewedMedia, RunningWork, WorkItem } from "../gen/proto/svc/v1/node_pb.ts";
import { LeasedMedia } from "./media/leased-media.ts";

/**
 * Why a task is stopped. LOST: this node no longer holds its lease. HAND_BACK: the node stops and returns it. KILLED:
 * the node ends at once and reports nothing.
 */
export type StopReason = "LOST" | "HAND_BACK" | "KILLED";

export class Lease {
  /** The session that the task is leased to; reports count only with it. */
  readonly session: string;
  readonly item: WorkItem;
  readonly media: LeasedMedia;
  /** Frames of the task scored so far. */
  framesDone = 0;
  /** The outcome is known, so there is nothing to hand back. */
  finished = false;
  readonly #stop = new AbortController();
  #stopped: StopReason | undefined;

  constructor(session: string, item: WorkItem) {
    this.session = session;
    this.item = item;
    this.media = new LeasedMedia(item.media);
  }

  /** UNKNOWN: a kind of a newer version. */
  get kind(): "PLAN" | "SEGMENT" | "WHOLE" | "STILLS" | "DIAGNOSIS" | "TITLE" | "UNKNOWN" {
    const { work } = this.item;
    if (work.case === "diagnose") return "DIAGNOSIS";
    if (work.case === "title") return "TITLE";
    if (work.case === "stills" || work.case === "clip") return "STILLS";
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

  /** Returns the tasks that a session's heartbeat lists: all that it holds, except LOST ones. */
  of(session: string): Pick<RunningWork, "itemId" | "attempt" | "framesDone" | "renewMedia" | "fetch">[] {
    return [...this.#held]
      .filter((lease) => lease.session === session && lease.stopped !== "LOST")
      .map(({ item: { itemId, attempt }, framesDone, media }) => ({
        ...{ itemId, attempt, framesDone },
        renewMedia: media.needsRenewal,
        ...(media.fetch && { fetch: media.fetch }),
      }));
  }

  /** Takes new URLs for a task of a session; ignores them if the session no longer holds the task. */
  renewMedia(session: string, renewed: Pick<RenewedMedia, "itemId" | "attempt" | "media">): void {
    for (const lease of this.#held) if (isSameTask(lease, session, renewed)) lease.media.renew(renewed.media);
  }

  /** Stops a task of a session as LOST; does nothing if the session no longer holds it. */
  lose(session: string, work: Pick<RunningWork, "itemId" | "attempt">): void {
    for (const lease of this.#held) if (isSameTask(lease, session, work)) lease.stop("LOST");
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

function isSameTask(
  { session: own, item }: Lease,
  session: string,
  { itemId, attempt }: Pick<RunningWork, "itemId" | "attempt">,
): boolean {
  return own === session && item.itemId === itemId && item.attempt === attempt;
}

/** Publishes the effects of a change to the claims of this process and to every controller on the store. */
import type { Database } from "../connection/database.ts";
import type { Ready } from "../contract/task-records.ts";
import type { Announcements } from "../events/notifications.ts";
import type { ClaimCursors } from "./claim-cursors.ts";

export interface Effect {
  /** Jobs changed, so there are new events. */
  readonly jobs?: boolean | undefined;
  /** Tasks became ready anywhere in their queues. */
  readonly ready?: readonly (Ready | undefined)[];
  /** Tasks became ready at the end of their rank. */
  readonly appended?: readonly Ready[];
  /** Nodes whose leases ended, or whose state changed. */
  readonly nodes?: readonly string[];
  /** Tenants whose running tasks ended. */
  readonly released?: readonly (string | undefined)[];
  /** Revocations changed. */
  readonly revocations?: boolean;
}

export class Effects {
  readonly #cursors: ClaimCursors;
  readonly #announcements: Announcements;

  constructor(cursors: ClaimCursors, announcements: Announcements) {
    this.#cursors = cursors;
    this.#announcements = announcements;
  }

  publish(effect: Effect): void {
    const { jobs = false, appended = [], nodes = [], revocations = false } = effect;
    const ready = effect.ready?.filter((one) => one !== undefined) ?? [];
    const tenants = effect.released?.filter((one) => one !== undefined) ?? [];
    this.#cursors.readied(ready);
    const work = [...ready, ...appended];
    if (jobs) this.#announcements.announce({ kind: "events" });
    if (work.length > 0) this.#announcements.announce({ kind: "work", ready: work });
    if (nodes.length > 0) this.#announcements.announce({ kind: "news", nodeIds: nodes });
    if (tenants.length > 0) this.#announcements.announce({ kind: "freed", tenants });
    if (revocations) this.#announcements.announce({ kind: "revocations" });
  }
}

declare const publishes: unique symbol;
/** A method that publishes its effect; only `changing` makes them. */
type Publishing<Method> = Method & { readonly [publishes]: true };

/**
 * Methods without an effect: they only read, or change something that nothing waits for. All others must
 * publish their effects.
 */
type Silent =
  | (
      | "job"
      | "jobDetail"
      | "findAnswers"
      | "finishingJob"
      | "listJobs"
      | "countJobs"
      | "idsInSpecs"
      | "tenantOf"
      | "knownKeys"
      | "parts"
      | "queued"
      | "usage"
    )
  | ("still" | "listStills" | "clip" | "listClips" | "clipPiece")
  | ("ready" | "waiting" | "inWork" | "running" | "checkScoringLease" | "recordChunk")
  | (
      | "takePoolable"
      | "holdPoolable"
      | "beginPooling"
      | "allParts"
      | "sampleUnits"
      | "jobsWith"
      | "leasedSpec"
    )
  | ("nodeOf" | "listNodes" | "capabilities" | "expireNodes")
  | ("list" | "changes" | "deleteEnded")
  | ("find" | "withKey" | "scoresWith" | "deleteComparison" | "deleteEmpty");

/** A topic of the store, each change of which publishes its effect. */
export type Published<Topic> = {
  readonly [Name in keyof Topic]: Name extends Silent ? Topic[Name] : Publishing<Topic[Name]>;
};

type Change<Args extends readonly unknown[], Result> = (database: Database, ...args: Args) => Promise<Result>;

/**
 * Makes methods of changes: each publishes its effect when it is done. A method made by `change` returns the
 * result of the change; one made by `answering` returns what `answerOf` extracts from it.
 */
export function changing(database: Database, effects: Effects) {
  const answering = <Args extends readonly unknown[], Result, Answer>(
    run: Change<Args, Result>,
    effectOf: (result: Result, ...args: Args) => Effect,
    answerOf: (result: Result) => Answer,
  ) => {
    const method = async (...args: Args): Promise<Answer> => {
      const result = await run(database, ...args);
      effects.publish(effectOf(result, ...args));
      return answerOf(result);
    };
    return method as Publishing<typeof method>;
  };
  const change = <Args extends readonly unknown[], Result>(
    run: Change<Args, Result>,
    effectOf: (result: Result, ...args: Args) => Effect,
  ) => answering(run, effectOf, (result) => result);
  return { change, answering };
}

/** Publishes what a change means for others: to the claims of this process, and to every controller on the store. */
import type { Database } from "../connection/database.ts";
import type { Ready } from "../contract/task-records.ts";
import type { Announcements } from "../events/notifications.ts";
import type { ClaimCursors } from "./claim-cursors.ts";

export interface Effect {
  /** Jobs changed, so there are new events. */
  readonly jobs?: boolean | undefined;
  /** Tasks became ready. */
  readonly ready?: readonly (Ready | undefined)[];
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

  /** Resets the claim positions of tasks that became ready, and announces the effect. */
  publish(effect: Effect): void {
    this.#cursors.readied(effect.ready?.filter((one) => one !== undefined) ?? []);
    this.announce(effect);
  }

  /** For tasks at known places, whose claim positions need no reset. */
  announce({ jobs = false, ready = [], nodes = [], released = [], revocations = false }: Effect): void {
    const tasks = ready.filter((one) => one !== undefined);
    const tenants = released.filter((one) => one !== undefined);
    if (jobs) this.#announcements.announce({ kind: "events" });
    if (tasks.length > 0) this.#announcements.announce({ kind: "work", ready: tasks });
    if (nodes.length > 0) this.#announcements.announce({ kind: "news", nodeIds: nodes });
    if (tenants.length > 0) this.#announcements.announce({ kind: "freed", tenants });
    if (revocations) this.#announcements.announce({ kind: "revocations" });
  }
}

/** Makes methods of changes: each publishes its effect when it is done. */
export function changing(database: Database, effects: Effects) {
  return <Args extends readonly unknown[], Result>(
    change: (database: Database, ...args: Args) => Promise<Result>,
    effectOf: (result: Result, ...args: Args) => Effect,
  ) =>
    async (...args: Args): Promise<Result> => {
      const result = await change(database, ...args);
      effects.publish(effectOf(result, ...args));
      return result;
    };
}

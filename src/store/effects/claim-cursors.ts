/**
 * Remembers where the ready tasks of a tenant and class start, as far as this process knows.
 *
 * A claimed task leaves a dead entry in the index of ready tasks. A scan from the start must skip it until the
 * database removes it, and one old snapshot elsewhere (a dump) retains all of them. A claim therefore starts at the
 * last claimed task. Tasks that become ready before that are found by claims from the start: one per second, one
 * whenever the remembered position finds nothing, and one after this process itself made such a task ready.
 */
import type { Ready } from "../contract/task-records.ts";
import { classKey } from "../schema/rows.ts";

export interface Position {
  readonly rank: number;
  readonly jobSeq: number;
  readonly seq: number;
}

/** The position before all tasks. */
export const START: Position = { rank: -(2 ** 31), jobSeq: 0, seq: 0 };

const FROM_START_EVERY_MS = 1_000;
/** Limit of remembered pairs of tenant and class; forgetting one costs a scan from the start. */
const MOST = 10_000;

interface ClaimCursor extends Position {
  readonly since: number;
}

export class ClaimCursors {
  readonly #cursors = new Map<string, ClaimCursor>();

  /** Returns the start position of a claim; START if a scan from the start is due. */
  of(tenant: string, key: bigint): Position {
    const cursor = this.#cursors.get(placeOf(tenant, key));
    if (cursor === undefined || performance.now() - cursor.since >= FROM_START_EVERY_MS) return START;
    return cursor;
  }

  /** Records the last task claimed by a scan that started at `from`. */
  claimed(tenant: string, key: bigint, at: Position, from: Position): void {
    const place = placeOf(tenant, key);
    const since = from === START ? performance.now() : this.#cursors.get(place)?.since;
    // The position was reset while the claim ran, because tasks before it must still be found.
    if (since === undefined) return;
    if (this.#cursors.size >= MOST) this.#cursors.clear();
    this.#cursors.set(place, { ...at, since });
  }

  /** Resets the position: a task became ready at an unknown place. */
  lower(tenant: string, key: bigint): void {
    this.#cursors.delete(placeOf(tenant, key));
  }

  /** Resets the positions of tenants and classes in which tasks became ready. */
  readied(ready: readonly Ready[]): void {
    for (const { tenant, workClass } of ready) this.lower(tenant, classKey(workClass));
  }

  /** Resets the position if it is after a rank. The tasks of new jobs follow all others of their rank. */
  lowerToRank(tenant: string, key: bigint, rank: number): void {
    const cursor = this.#cursors.get(placeOf(tenant, key));
    if (cursor !== undefined && rank < cursor.rank) this.lower(tenant, key);
  }
}

const placeOf = (tenant: string, key: bigint) => `${key} ${tenant}`;

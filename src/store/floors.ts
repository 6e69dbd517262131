/**
 * Where the ready work of a tenant and class begins, as far as this process knows.
 *
 * A claimed item leaves a dead entry in the index of ready work, which a scan from the start has
 * to step over until the database may remove it; one old snapshot elsewhere (a dump) keeps all
 * of them. A claim therefore begins at the last item claimed. What becomes ready before that
 * is found by a claim from the start: one a second, one whenever the floor finds nothing, and
 * one after this process itself made such work ready.
 */
export interface Position {
  readonly rank: number;
  readonly jobSeq: number;
  readonly seq: number;
}

/** Before everything. */
export const START: Position = { rank: -(2 ** 31), jobSeq: 0, seq: 0 };

const FROM_START_EVERY_MS = 1_000;
/** Pairs of tenant and class; forgetting costs one scan from the start each. */
const MOST = 10_000;

interface Floor extends Position {
  readonly since: number;
}

export class Floors {
  readonly #floors = new Map<string, Floor>();

  /** Where a claim begins; START also when it is time to look from there. */
  of(tenant: string, classKey: bigint): Position {
    const floor = this.#floors.get(placeOf(tenant, classKey));
    if (floor === undefined || performance.now() - floor.since >= FROM_START_EVERY_MS) return START;
    return floor;
  }

  /** An item was claimed by a scan that began at `from`. */
  claimed(tenant: string, classKey: bigint, at: Position, from: Position): void {
    const place = placeOf(tenant, classKey);
    const since = from === START ? performance.now() : this.#floors.get(place)?.since;
    // Lowered while the claim ran: what came before it has yet to be found.
    if (since === undefined) return;
    if (this.#floors.size >= MOST) this.#floors.clear();
    this.#floors.set(place, { ...at, since });
  }

  /** Work became ready that may lie anywhere. */
  lower(tenant: string, classKey: bigint): void {
    this.#floors.delete(placeOf(tenant, classKey));
  }

  /** New jobs lie behind all others of their rank. */
  lowerToRank(tenant: string, classKey: bigint, rank: number): void {
    const floor = this.#floors.get(placeOf(tenant, classKey));
    if (floor !== undefined && rank < floor.rank) this.lower(tenant, classKey);
  }
}

const placeOf = (tenant: string, classKey: bigint) => `${classKey} ${tenant}`;

/**
 * Tenants that have as many pieces of work on nodes as they may: they get no turn. What was found full is full
 * until something of it is known to have ended, or a look at the store finds room.
 */
export class FullTenants {
  readonly #full = new Set<string>();
  /** Of tenants of which something ended since the last look at the store, when. */
  readonly #freed = new Map<string, number>();
  #stamps = 0;

  get size(): number {
    return this.#full.size;
  }

  get all(): readonly string[] {
    return [...this.#full];
  }

  has(tenant: string): boolean {
    return this.#full.has(tenant);
  }

  /** Marks a moment: what was found out before it says nothing of what ends after. */
  stamp(): number {
    return this.#stamps++;
  }

  /** It was found full, by a claim that began at `since`. */
  add(tenant: string, since: number): void {
    if ((this.#freed.get(tenant) ?? -1) < since) this.#full.add(tenant);
  }

  /** Something of it ended. */
  free(tenant: string): void {
    this.#full.delete(tenant);
    this.#freed.set(tenant, this.#stamps++);
  }

  /** The store was looked at: those that have `room` are not full, and what ended before is known. */
  looked(room: readonly string[]): void {
    for (const tenant of room) this.#full.delete(tenant);
    this.#freed.clear();
  }
}

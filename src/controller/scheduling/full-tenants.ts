/**
 * Tenants at their limit of running tasks, which are skipped when tasks are claimed. A tenant stays full until one of
 * its tasks is known to have ended, or a read of the store finds capacity.
 */
export class FullTenants {
  readonly #full = new Set<string>();
  /** Tenants with a task that ended since the last read of the store, and the stamp of that moment. */
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

  /** Returns a stamp of this moment. A read that began before it may not include tasks that end after it. */
  stamp(): number {
    return this.#stamps++;
  }

  /** Records that a claim that began at `since` found the tenant full. */
  add(tenant: string, since: number): void {
    if ((this.#freed.get(tenant) ?? -1) < since) this.#full.add(tenant);
  }

  /** Records that a task of the tenant ended. */
  free(tenant: string): void {
    this.#full.delete(tenant);
    this.#freed.set(tenant, this.#stamps++);
  }

  /**
   * Records a read of the store: tenants in `room` are not full, and tasks that ended before it are no longer
   * counted.
   */
  looked(room: readonly string[]): void {
    for (const tenant of room) this.#full.delete(tenant);
    this.#freed.clear();
  }
}

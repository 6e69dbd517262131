/**
 * The claimable work that this controller knows: tenants and work classes, each with a stamp of when it was reported.
 */
import type { Ready } from "../../store/contract/task-records.ts";

export class ReadySet {
  readonly #tenants = new Map<string, Map<string, number>>();
  #stamps = 0;

  /** Number of pairs of tenant and class. */
  get size(): number {
    let size = 0;
    for (const classes of this.#tenants.values()) size += classes.size;
    return size;
  }

  /** Returns a stamp of this moment. A read that began before it does not remove entries that are added after it. */
  stamp(): number {
    return this.#stamps++;
  }

  add({ tenant, workClass }: Ready): void {
    const classes = this.#tenants.get(tenant) ?? new Map<string, number>();
    classes.set(workClass, this.#stamps);
    this.#tenants.set(tenant, classes);
  }

  /** Removes classes for which a read that began at `since` found nothing. */
  remove(tenant: string, workClasses: readonly string[], since: number): void {
    const classes = this.#tenants.get(tenant);
    if (classes === undefined) return;
    for (const workClass of workClasses) {
      if ((classes.get(workClass) ?? 0) <= since) classes.delete(workClass);
    }
    if (classes.size === 0) this.#tenants.delete(tenant);
  }

  /** Replaces the set with the result of a read that began at `since`. */
  replace(found: readonly Ready[], since: number): void {
    const seen = new Map<string, Set<string>>();
    for (const ready of found) {
      const classes = seen.get(ready.tenant) ?? new Set();
      seen.set(ready.tenant, classes.add(ready.workClass));
      if (!this.#tenants.get(ready.tenant)?.has(ready.workClass)) this.add(ready);
    }
    for (const [tenant, classes] of this.#tenants) {
      const absent = [...classes.keys()].filter((workClass) => !seen.get(tenant)?.has(workClass));
      this.remove(tenant, absent, since);
    }
  }

  /** Returns tenants with work of a class that `serves` accepts. */
  *tenants(serves: (workClass: string) => boolean): Generator<string> {
    for (const tenant of this.#tenants.keys()) if (this.has(tenant, serves)) yield tenant;
  }

  has(tenant: string, serves: (workClass: string) => boolean): boolean {
    for (const workClass of this.#tenants.get(tenant)?.keys() ?? []) if (serves(workClass)) return true;
    return false;
  }

  /** Returns at most `limit` classes; the ones added last come last. */
  classes(tenant: string, serves: (workClass: string) => boolean, limit: number): string[] {
    const found = [];
    for (const workClass of this.#tenants.get(tenant)?.keys() ?? []) {
      if (found.length === limit) break;
      if (serves(workClass)) found.push(workClass);
    }
    return found;
  }

  /** Records that there is still work of these classes; other classes of the tenant come first next time. */
  renew(tenant: string, workClasses: readonly string[]): void {
    for (const workClass of workClasses) {
      this.#tenants.get(tenant)?.delete(workClass);
      this.add({ tenant, workClass });
    }
  }
}

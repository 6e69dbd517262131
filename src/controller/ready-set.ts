/** What work is ready, as far as this controller knows: tenants and classes, each with when it was heard of. */
import type { Ready } from "../store/work-records.ts";

export class ReadySet {
  readonly #tenants = new Map<string, Map<string, number>>();
  #stamps = 0;

  /** Tenants' classes. */
  get size(): number {
    let size = 0;
    for (const classes of this.#tenants.values()) size += classes.size;
    return size;
  }

  /** Marks a moment: what is added later is not taken away by what was found out before. */
  stamp(): number {
    return this.#stamps++;
  }

  add({ tenant, workClass }: Ready): void {
    const classes = this.#tenants.get(tenant) ?? new Map<string, number>();
    classes.set(workClass, this.#stamps);
    this.#tenants.set(tenant, classes);
  }

  /** Nothing of it was found, by a look that began at `since`. */
  remove(tenant: string, workClasses: readonly string[], since: number): void {
    const classes = this.#tenants.get(tenant);
    if (classes === undefined) return;
    for (const workClass of workClasses) {
      if ((classes.get(workClass) ?? 0) <= since) classes.delete(workClass);
    }
    if (classes.size === 0) this.#tenants.delete(tenant);
  }

  /** All that was found, by a look that began at `since`. */
  replace(found: readonly Ready[], since: number): void {
    const seen = new Map<string, Set<string>>();
    for (const ready of found) {
      const classes = seen.get(ready.tenant) ?? new Set();
      seen.set(ready.tenant, classes.add(ready.workClass));
      if (!this.#tenants.get(ready.tenant)?.has(ready.workClass)) this.add(ready);
    }
    for (const [tenant, classes] of this.#tenants) {
      const gone = [...classes.keys()].filter((workClass) => !seen.get(tenant)?.has(workClass));
      this.remove(tenant, gone, since);
    }
  }

  /** Tenants with work of a class that `serves` takes. */
  *tenants(serves: (workClass: string) => boolean): Generator<string> {
    for (const tenant of this.#tenants.keys()) if (this.has(tenant, serves)) yield tenant;
  }

  has(tenant: string, serves: (workClass: string) => boolean): boolean {
    for (const workClass of this.#tenants.get(tenant)?.keys() ?? []) if (serves(workClass)) return true;
    return false;
  }

  /** At most `limit`; those that were added last come last. */
  classes(tenant: string, serves: (workClass: string) => boolean, limit: number): string[] {
    const found = [];
    for (const workClass of this.#tenants.get(tenant)?.keys() ?? []) {
      if (found.length === limit) break;
      if (serves(workClass)) found.push(workClass);
    }
    return found;
  }

  /** There is still work of them, as of now; others of the tenant come first next time. */
  renew(tenant: string, workClasses: readonly string[]): void {
    for (const workClass of workClasses) {
      this.#tenants.get(tenant)?.delete(workClass);
      this.add({ tenant, workClass });
    }
  }
}

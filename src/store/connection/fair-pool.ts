/** Shares connections fairly: no tenant can block others from the database. */
import type { Scope } from "./statement.ts";

/** One tenant uses at most a quarter of the connections, and all tenants together leave a quarter to svc itself. */
const SHARE = 4;

export interface Waiter<Connection> {
  readonly scope: Scope;
  take(connection: Connection): void;
  fail(error: unknown): void;
}

/**
 * Counts used connections and queues waiters. Turns alternate between svc itself, which works for all tenants, and the
 * tenants in round-robin order. The queue of each tenant, and of svc, is first in, first out.
 */
export class FairPool<Connection> {
  readonly #mostOfTenant: number;
  readonly #mostOfTenants: number;
  /** Connections in use by tenant; without zeros. */
  readonly #held = new Map<string, number>();
  #heldByTenants = 0;
  /** Queues by tenant in round-robin order; without empty ones. */
  readonly #lines = new Map<string, Waiter<Connection>[]>();
  readonly #ownLine: Waiter<Connection>[] = [];
  #isOwnTurn = true;

  /** @param connections limit of concurrent connections, 1 or more */
  constructor(connections: number) {
    this.#mostOfTenant = Math.max(1, Math.floor(connections / SHARE));
    this.#mostOfTenants = Math.max(1, connections - Math.floor(connections / SHARE));
  }

  /** Counts a connection for a scope if it may have one more; returns whether it may. */
  take(scope: Scope): boolean {
    const isFree = this.#isFree(scope);
    if (isFree) this.#count(scope, 1);
    return isFree;
  }

  giveBack(scope: Scope): void {
    this.#count(scope, -1);
  }

  wait(waiter: Waiter<Connection>): void {
    const tenant = tenantOf(waiter.scope);
    const line = tenant === undefined ? this.#ownLine : this.#lines.get(tenant);
    if (line !== undefined) line.push(waiter);
    else if (tenant !== undefined) this.#lines.set(tenant, [waiter]);
  }

  leave(waiter: Waiter<Connection>): void {
    const tenant = tenantOf(waiter.scope);
    const line = tenant === undefined ? this.#ownLine : (this.#lines.get(tenant) ?? []);
    const place = line.indexOf(waiter);
    if (place >= 0) line.splice(place, 1);
    if (tenant !== undefined && line.length === 0) this.#lines.delete(tenant);
  }

  /** Whether there is a waiter that may have a connection. */
  get isAwaited(): boolean {
    return this.#next() !== undefined;
  }

  /** Removes the next waiter from its queue and counts its connection. */
  next(): Waiter<Connection> | undefined {
    const waiter = this.#next();
    if (waiter === undefined) return undefined;
    this.leave(waiter);
    const tenant = tenantOf(waiter.scope);
    this.#isOwnTurn = tenant !== undefined;
    if (tenant !== undefined) this.#toTheEnd(tenant);
    this.#count(waiter.scope, 1);
    return waiter;
  }

  /** Removes and returns all waiters. */
  clear(): readonly Waiter<Connection>[] {
    const all = [...this.#ownLine.splice(0), ...[...this.#lines.values()].flat()];
    this.#lines.clear();
    return all;
  }

  #next(): Waiter<Connection> | undefined {
    const [own] = this.#ownLine;
    if (own !== undefined && this.#isOwnTurn) return own;
    return this.#nextOfTenants() ?? own;
  }

  #nextOfTenants(): Waiter<Connection> | undefined {
    for (const [waiter] of this.#lines.values())
      if (waiter !== undefined && this.#isFree(waiter.scope)) return waiter;
    return undefined;
  }

  /** Moves a tenant behind all other waiting tenants. */
  #toTheEnd(tenant: string): void {
    const line = this.#lines.get(tenant);
    if (line === undefined) return;
    this.#lines.delete(tenant);
    this.#lines.set(tenant, line);
  }

  #isFree(scope: Scope): boolean {
    const tenant = tenantOf(scope);
    if (tenant === undefined) return true;
    return (this.#held.get(tenant) ?? 0) < this.#mostOfTenant && this.#heldByTenants < this.#mostOfTenants;
  }

  #count(scope: Scope, by: 1 | -1): void {
    const tenant = tenantOf(scope);
    if (tenant === undefined) return;
    const held = (this.#held.get(tenant) ?? 0) + by;
    if (held === 0) this.#held.delete(tenant);
    else this.#held.set(tenant, held);
    this.#heldByTenants += by;
  }
}

/** Returns the tenant of a scope; undefined: svc itself. */
function tenantOf(scope: Scope): string | undefined {
  return typeof scope === "object" ? scope.tenant : undefined;
}

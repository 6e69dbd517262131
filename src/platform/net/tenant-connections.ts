/** Limits the number of authenticated connections, so that no tenant can take the share of others. */
import type { Closable } from "./unauthenticated-connections.ts";

/**
 * Limit of authenticated connections; beyond it, one is closed. Unauthenticated connections have a limit of
 * their own.
 */
const MAX_AUTHENTICATED = 10_000;

/** A tenant's connections by address pair. Each map is in order of the last state change, oldest first. */
interface OfTenant {
  readonly idle: Map<string, Closable>;
  /** With an active request. */
  readonly busy: Map<string, Closable>;
}

export class TenantConnections {
  readonly #most: number;
  readonly #byTenant = new Map<string, OfTenant>();
  readonly #tenants = new Map<string, string>();

  constructor(most: number = MAX_AUTHENTICATED) {
    this.#most = most;
  }

  get count(): number {
    return this.#tenants.size;
  }

  has(place: string): boolean {
    return this.#tenants.has(place);
  }

  /**
   * Adds a connection with an active request. It counts for the first tenant that was authenticated on it until it
   * closes. Beyond the limit, the tenant with the most connections loses the one that was idle longest, or, if none
   * is idle, the one with its oldest request.
   */
  add(place: string, connection: Closable, tenant: string): void {
    const own = this.#byTenant.get(tenant) ?? { idle: new Map(), busy: new Map() };
    this.#byTenant.set(tenant, own);
    own.busy.set(place, connection);
    this.#tenants.set(place, tenant);
    if (this.#tenants.size > this.#most) this.#closeOne();
  }

  begin(place: string): void {
    const own = this.#of(place);
    if (own !== undefined) move(place, own.idle, own.busy);
  }

  end(place: string): void {
    const own = this.#of(place);
    if (own !== undefined) move(place, own.busy, own.idle);
  }

  gone(place: string): void {
    const own = this.#of(place);
    if (own === undefined) return;
    own.idle.delete(place);
    own.busy.delete(place);
    if (sizeOf(own) === 0) this.#byTenant.delete(this.#tenants.get(place) ?? "");
    this.#tenants.delete(place);
  }

  #of(place: string): OfTenant | undefined {
    return this.#byTenant.get(this.#tenants.get(place) ?? "");
  }

  #closeOne(): void {
    let most: OfTenant | undefined;
    for (const own of this.#byTenant.values())
      if (most === undefined || sizeOf(own) > sizeOf(most)) most = own;
    if (most === undefined) return;
    const [first] = most.idle.size > 0 ? most.idle : most.busy;
    if (first === undefined) return;
    const [place, connection] = first;
    this.gone(place);
    connection.destroy();
  }
}

function sizeOf({ idle, busy }: OfTenant): number {
  return idle.size + busy.size;
}

function move(place: string, from: Map<string, Closable>, to: Map<string, Closable>): void {
  const connection = from.get(place);
  if (connection === undefined) return;
  from.delete(place);
  to.set(place, connection);
}

/** Connections on which somebody has shown who calls: there is room for so many, and no tenant can take that of others. */
import type { Closable } from "./strangers.ts";

/** Beyond, one of them is closed; strangers have room of their own. */
const MOST_KNOWN = 10_000;

/** A tenant's connections by their places; those that have been as they are for longest stand first. */
interface OfTenant {
  readonly idle: Map<string, Closable>;
  /** With a request under way. */
  readonly busy: Map<string, Closable>;
}

export class Known {
  readonly #most: number;
  readonly #byTenant = new Map<string, OfTenant>();
  readonly #tenants = new Map<string, string>();

  constructor(most: number = MOST_KNOWN) {
    this.#most = most;
  }

  get count(): number {
    return this.#tenants.size;
  }

  has(place: string): boolean {
    return this.#tenants.has(place);
  }

  /**
   * Counts a connection, with a request under way, for the tenant that it was first shown to be of, until it is gone.
   * One too many costs the tenant with most of them the one that is idle for longest, or else that of its oldest request.
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

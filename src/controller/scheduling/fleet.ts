/**
 * The nodes that serve a tenant: its own and those of the fleet tenant. The fleet tenant is a setting of the
 * controller, not of the node, so a changed setting also applies to registered nodes.
 */
import type { Capabilities } from "../../jobs/work.ts";
import { Failure, type Found } from "../../platform/failure.ts";
import type { NodeRow } from "../../store/contract/node-records.ts";
import type { NodeStore } from "../../store/contract/node-store.ts";

/** Milliseconds. A request is never rejected from the cache, so only acceptance may be this stale. */
const REMEMBERED_MS = 1_000;
/** Bounds the memory of the cache. */
const MAX_TENANTS = 10_000;
/** Maximum models that a rejection lists: those of libvmaf and some more. */
const MAX_NAMED = 20;

interface Serving {
  readonly at: number;
  /** Whether a node is ONLINE. */
  readonly online: boolean;
  /** Models of the ONLINE nodes. */
  readonly models: ReadonlySet<string>;
}

interface Lookup {
  readonly now: Promise<Serving>;
  /** The read that follows, if one was requested. */
  next: Promise<Serving> | undefined;
}

/** Caches for a moment which nodes serve a tenant, so that most submissions need no read. */
export class Fleet {
  readonly #store: NodeStore;
  readonly #tenant: string | undefined;
  readonly #serving = new Map<string, Promise<Serving>>();
  /** Reads in progress, by tenant. */
  readonly #running = new Map<string, Lookup>();

  /** @param tenant whose nodes serve all tenants; undefined: none */
  constructor(store: NodeStore, tenant: string | undefined) {
    this.#store = store;
    this.#tenant = tenant;
  }

  /** Whether the nodes of a tenant serve all tenants. */
  is(tenant: string): boolean {
    return tenant === this.#tenant;
  }

  /** Returns the nodes that serve a tenant. */
  async nodesFor(tenant: string): Promise<readonly NodeRow[]> {
    return this.#store.listNodes([...new Set([tenant, this.#tenant ?? tenant])]);
  }

  /**
   * Returns the capabilities of the ONLINE nodes that serve a tenant; without a tenant, of those that serve all
   * tenants.
   */
  async capabilities(tenant = this.#tenant): Promise<readonly Capabilities[]> {
    const tenants = [tenant, this.#tenant].filter((one) => one !== undefined);
    return tenants.length === 0 ? [] : this.#store.capabilities([...new Set(tenants)]);
  }

  /** Throws UNKNOWN_MODEL if nodes are online and none has one of the models. */
  async requireModels(tenant: string, models: readonly string[]): Promise<void> {
    const missing = ({ online, models: known }: Serving) =>
      online ? models.find((model) => !known.has(model)) : undefined;
    if (missing(await this.#remembered(tenant)) === undefined) return;
    const now = await this.#lookUp(tenant);
    const model = missing(now);
    if (model === undefined) return;
    const { message, found } = withoutModel(model, now.models);
    throw new Failure("UNKNOWN_MODEL", message, { found });
  }

  /** Throws NO_NODE_ONLINE. */
  async requireNode(tenant: string): Promise<void> {
    if ((await this.#remembered(tenant)).online || (await this.#lookUp(tenant)).online) return;
    throw new Failure(
      "NO_NODE_ONLINE",
      "No node that serves this tenant is online. Start one with svc node, or submit a job, which waits for one.",
    );
  }

  /** Clears the cache after a node connected or disconnected. */
  changed(): void {
    this.#serving.clear();
  }

  async #remembered(tenant: string): Promise<Serving> {
    const known = await this.#serving.get(tenant);
    return known !== undefined && performance.now() - known.at < REMEMBERED_MS ? known : this.#lookUp(tenant);
  }

  /**
   * Reads the current state. Each tenant has one read at a time: callers that arrive meanwhile share the next one,
   * however many they are.
   */
  #lookUp(tenant: string): Promise<Serving> {
    const running = this.#running.get(tenant);
    if (running === undefined) return this.#begin(tenant);
    running.next ??= running.now.then(
      () => this.#begin(tenant),
      () => this.#begin(tenant),
    );
    return running.next;
  }

  #begin(tenant: string): Promise<Serving> {
    if (this.#serving.size >= MAX_TENANTS) this.#serving.clear();
    const lookup: Lookup = { now: this.#find(tenant), next: undefined };
    this.#running.set(tenant, lookup);
    this.#serving.set(tenant, lookup.now);
    const ended = (): void => {
      if (this.#running.get(tenant) === lookup) this.#running.delete(tenant);
    };
    lookup.now.then(ended, () => {
      ended();
      if (this.#serving.get(tenant) === lookup.now) this.#serving.delete(tenant);
    });
    return lookup.now;
  }

  async #find(tenant: string): Promise<Serving> {
    const at = performance.now();
    const online = await this.capabilities(tenant);
    const models = online.flatMap((one) => one.models.map(({ name }) => name));
    return { at, online: online.length > 0, models: new Set(models) };
  }
}

/** Error for a model that no online node has, with some of the models that they have. */
export function withoutModel(
  model: string,
  known: Iterable<string>,
): { readonly message: string; readonly found: Found } {
  const all = [...new Set(known)].sort();
  const models = all.slice(0, MAX_NAMED);
  const more = all.length - models.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  return {
    message: `No online node has the model ${model}. Available models: ${models.join(", ")}${rest}.`,
    found: { model, models },
  };
}

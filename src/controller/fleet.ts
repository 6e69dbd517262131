/**
 * Which nodes serve a tenant: its own, and those of the fleet's tenant. Whose that is, is a setting of the
 * controller and not of the node, so that another setting counts for nodes that are registered too.
 */
import { Failure } from "../platform/failure.ts";
import type { NodeRow } from "../store/node-records.ts";
import type { NodeStore } from "../store/node-store.ts";

/** Milliseconds. A refusal is never made from memory, so only acceptance may be this late. */
const REMEMBERED_MS = 1_000;
/** Bound on memory. */
const MAX_TENANTS = 10_000;

interface Serving {
  readonly at: number;
  /** Whether a node is ONLINE. */
  readonly online: boolean;
  /** Models of the nodes that are. */
  readonly models: ReadonlySet<string>;
}

/** Remembers for a moment who serves a tenant, so that submitting asks for it rarely. */
export class Fleet {
  readonly #store: NodeStore;
  readonly #tenant: string | undefined;
  readonly #serving = new Map<string, Promise<Serving>>();

  /** @param tenant whose nodes serve all tenants; undefined: nobody's do. */
  constructor(store: NodeStore, tenant: string | undefined) {
    this.#store = store;
    this.#tenant = tenant;
  }

  /** Whether the nodes of a tenant serve all tenants. */
  is(tenant: string): boolean {
    return tenant === this.#tenant;
  }

  /** Nodes that serve a tenant. */
  async nodesFor(tenant: string): Promise<readonly NodeRow[]> {
    return this.#store.listNodes([...new Set([tenant, this.#tenant ?? tenant])]);
  }

  /** Nodes that serve all tenants. */
  async nodesForAll(): Promise<readonly NodeRow[]> {
    return this.#tenant === undefined ? [] : this.#store.listNodes([this.#tenant]);
  }

  /** Throws UNKNOWN_MODEL when nodes are online and none has one of the models. */
  async requireModels(tenant: string, models: readonly string[]): Promise<void> {
    const missing = ({ online, models: known }: Serving) =>
      online ? models.find((model) => !known.has(model)) : undefined;
    if (missing(await this.#remembered(tenant)) === undefined) return;
    const now = await this.#look(tenant);
    const model = missing(now);
    if (model === undefined) return;
    const known = [...now.models].sort();
    throw new Failure(
      "UNKNOWN_MODEL",
      `No node that is online has the model ${model}. There are: ${known.join(", ")}.`,
      {
        found: { model, models: known },
      },
    );
  }

  /** Throws NO_NODE_ONLINE. */
  async requireNode(tenant: string): Promise<void> {
    if ((await this.#remembered(tenant)).online || (await this.#look(tenant)).online) return;
    throw new Failure(
      "NO_NODE_ONLINE",
      "No node is online that could score this. Start one with svc node, or submit a job, which waits for one.",
    );
  }

  /** A node came or went. */
  changed(): void {
    this.#serving.clear();
  }

  async #remembered(tenant: string): Promise<Serving> {
    const known = await this.#serving.get(tenant);
    return known !== undefined && performance.now() - known.at < REMEMBERED_MS ? known : this.#look(tenant);
  }

  /** Concurrent callers share one look, but for those that must know it from now on. */
  #look(tenant: string): Promise<Serving> {
    if (this.#serving.size >= MAX_TENANTS) this.#serving.clear();
    const look = this.#nodesOf(tenant);
    this.#serving.set(tenant, look);
    look.catch(() => {
      if (this.#serving.get(tenant) === look) this.#serving.delete(tenant);
    });
    return look;
  }

  async #nodesOf(tenant: string): Promise<Serving> {
    const at = performance.now();
    const online = (await this.nodesFor(tenant)).filter(({ state }) => state === "ONLINE");
    const models = online.flatMap(({ capabilities }) => capabilities.models.map(({ name }) => name));
    return { at, online: online.length > 0, models: new Set(models) };
  }
}

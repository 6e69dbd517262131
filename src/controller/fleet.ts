/**
 * Which nodes serve a tenant: its own, and those of the fleet's tenant. Whose that is, is a setting of the
 * controller and not of the node, so that another setting counts for nodes that are registered too.
 */
import type { Capabilities } from "../jobs/work.ts";
import { Failure, type Found } from "../platform/failure.ts";
import type { NodeRow } from "../store/node-records.ts";
import type { NodeStore } from "../store/node-store.ts";

/** Milliseconds. A refusal is never made from memory, so only acceptance may be this late. */
const REMEMBERED_MS = 1_000;
/** Bound on memory. */
const MAX_TENANTS = 10_000;
/** Models that a refusal names: those of libvmaf, and some more. */
const MOST_NAMED = 20;

interface Serving {
  readonly at: number;
  /** Whether a node is ONLINE. */
  readonly online: boolean;
  /** Models of the nodes that are. */
  readonly models: ReadonlySet<string>;
}

interface Look {
  readonly now: Promise<Serving>;
  /** The one that follows, when somebody asked for it. */
  next: Promise<Serving> | undefined;
}

/** Remembers for a moment who serves a tenant, so that submitting asks for it rarely. */
export class Fleet {
  readonly #store: NodeStore;
  readonly #tenant: string | undefined;
  readonly #serving = new Map<string, Promise<Serving>>();
  /** Of each tenant that is looked at right now. */
  readonly #running = new Map<string, Look>();

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

  /** What the ONLINE nodes that serve a tenant can do; without a tenant, those that serve all. */
  async capabilities(tenant = this.#tenant): Promise<readonly Capabilities[]> {
    const tenants = [tenant, this.#tenant].filter((one) => one !== undefined);
    return tenants.length === 0 ? [] : this.#store.capabilities([...new Set(tenants)]);
  }

  /** Throws UNKNOWN_MODEL when nodes are online and none has one of the models. */
  async requireModels(tenant: string, models: readonly string[]): Promise<void> {
    const missing = ({ online, models: known }: Serving) =>
      online ? models.find((model) => !known.has(model)) : undefined;
    if (missing(await this.#remembered(tenant)) === undefined) return;
    const now = await this.#look(tenant);
    const model = missing(now);
    if (model === undefined) return;
    const { message, found } = withoutModel(model, now.models);
    throw new Failure("UNKNOWN_MODEL", message, { found });
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

  /**
   * What holds from now on. A tenant is looked at once at a time: those that ask meanwhile share the look that follows,
   * however many they are.
   */
  #look(tenant: string): Promise<Serving> {
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
    const look: Look = { now: this.#find(tenant), next: undefined };
    this.#running.set(tenant, look);
    this.#serving.set(tenant, look.now);
    const ended = (): void => {
      if (this.#running.get(tenant) === look) this.#running.delete(tenant);
    };
    look.now.then(ended, () => {
      ended();
      if (this.#serving.get(tenant) === look.now) this.#serving.delete(tenant);
    });
    return look.now;
  }

  async #find(tenant: string): Promise<Serving> {
    const at = performance.now();
    const online = await this.capabilities(tenant);
    const models = online.flatMap((one) => one.models.map(({ name }) => name));
    return { at, online: online.length > 0, models: new Set(models) };
  }
}

/** That no node which is online has a model, and some of the models that they have. */
export function withoutModel(
  model: string,
  known: Iterable<string>,
): { readonly message: string; readonly found: Found } {
  const all = [...new Set(known)].sort();
  const models = all.slice(0, MOST_NAMED);
  const more = all.length - models.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  return {
    message: `No node that is online has the model ${model}. There are: ${models.join(", ")}${rest}.`,
    found: { model, models },
  };
}

/**
 * The nodes that serve a tenant: its own and those of the fleet tenant. The fleet tenant is a setting of the
 * controller, not of the node, so a changed setting also applies to registered nodes.
 */
import { type Capabilities, type PlanNeed, scorersFor, scorersOf, versionText } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { NodeRow } from "../../store/contract/node-records.ts";
import type { NodeStore } from "../../store/contract/node-store.ts";

/**
 * Milliseconds that cached nodes are used. A request is never rejected from the cache, so only acceptance may be this
 * stale.
 */
const REMEMBERED_MS = 1_000;
/** Bounds the memory of the cache. */
const MAX_TENANTS = 10_000;
/** Maximum models that a rejection lists: those of libvmaf and some more. */
const MAX_NAMED = 20;

interface Serving {
  readonly at: number;
  /** Capabilities of the ONLINE nodes. */
  readonly online: readonly Capabilities[];
}

interface Lookup {
  readonly now: Promise<Serving>;
  /** The read after this one, if one was requested. */
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

  /** Throws UNKNOWN_SCORER or UNKNOWN_MODEL if nodes are online and none has the scorer or one of the models. */
  async requirePlanners(tenant: string, needs: readonly PlanNeed[]): Promise<void> {
    const missing = ({ online }: Serving) =>
      online.length === 0
        ? undefined
        : needs.map((need) => unavailable(need, online)).find((failure) => failure !== undefined);
    if (missing(await this.#remembered(tenant)) === undefined) return;
    const failure = missing(await this.#lookUp(tenant));
    if (failure !== undefined) throw failure;
  }

  /** Throws NO_NODE_ONLINE. */
  async requireNode(tenant: string): Promise<void> {
    if ((await this.#remembered(tenant)).online.length > 0) return;
    if ((await this.#lookUp(tenant)).online.length > 0) return;
    throw new Failure(
      "NO_NODE_ONLINE",
      "No node that serves this tenant is online. Start one with svc node, or submit a job, which waits for one.",
    );
  }

  /** Returns the capabilities for a tenant as read within the last second, or reads them. */
  async recentCapabilities(tenant: string): Promise<readonly Capabilities[]> {
    return (await this.#remembered(tenant)).online;
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
    return { at, online: await this.capabilities(tenant) };
  }
}

/** Returns the failure for a scorer or a model that none of the nodes has; undefined if they have all of them. */
export function unavailable(need: PlanNeed, online: readonly Capabilities[]): Failure | undefined {
  const { models, scorerVersion } = need;
  const scorers = online.flatMap((node) => scorersFor(node, scorerVersion));
  if (scorers.length === 0) return unknownScorer(scorerVersion ?? "", online);
  const known = new Set(scorers.flatMap((one) => one.models.map(({ name }) => name)));
  const missing = models.find((name) => !known.has(name));
  return missing === undefined ? undefined : unknownModel(missing, known);
}

/** The failure for a model, with some of the models that the nodes have. */
export function unknownModel(model: string, known: Iterable<string>): Failure {
  const all = [...new Set(known)].sort();
  const models = all.slice(0, MAX_NAMED);
  const more = all.length - models.length;
  const rest = more > 0 ? ` and ${more} more` : "";
  const message = `No online node has the model ${model}. Available models: ${models.join(", ")}${rest}.`;
  return new Failure("UNKNOWN_MODEL", message, { found: { model, models } });
}

function unknownScorer(version: string, online: readonly Capabilities[]): Failure {
  const all = online.flatMap((node) => scorersOf(node).map(({ scorer }) => versionText(scorer)));
  const versions = [...new Set(all)].sort();
  const message = `No online node has a scorer of version ${version}. Available versions: ${versions.slice(0, MAX_NAMED).join(", ")}.`;
  return new Failure("UNKNOWN_SCORER", message, { found: { scorerVersion: version, versions } });
}

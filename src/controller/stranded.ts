/**
 * Work that nodes are online for and none can do: its scorer or a model was replaced, or a model is
 * gone. After a while its job is planned anew, so that one version scores all of it, or fails.
 */
import { type Capabilities, modelsToPlan, STILLS_CLASS, serves } from "../jobs/work.ts";
import type { Log } from "../platform/log.ts";
import type { Store } from "../store/store.ts";
import type { Ready } from "../store/work-records.ts";
import { type Fleet, withoutModel } from "./fleet.ts";
import type { ControllerMetrics } from "./metrics.ts";

/** Long enough for a node to restart, and for one of each kind to come up after a power cut. */
export const STRANDED_MS = 5 * 60_000;

export interface StrandedOptions {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
  /** Milliseconds that work must have been seen so, look by look. */
  readonly afterMs: number;
}

export class Stranded {
  readonly #options: StrandedOptions;
  /** Since when each was seen, of performance.now(). */
  #since = new Map<string, number>();

  constructor(options: StrandedOptions) {
    this.#options = options;
  }

  /** Looks once, and acts on what was stranded for long enough. Returns how many jobs were moved. */
  async look(): Promise<number> {
    const { store, fleet, afterMs } = this.#options;
    const at = performance.now();
    const before = this.#since;
    this.#since = new Map();
    let moved = 0;
    for (const { ready, online } of await stranded(store, fleet)) {
      const key = `${ready.workClass} ${ready.tenant}`;
      const since = before.get(key) ?? at;
      this.#since.set(key, since);
      if (before.has(key) && at - since >= afterMs) moved += await this.#move(ready, online);
    }
    return moved;
  }

  async #move(ready: Ready, online: readonly Capabilities[]): Promise<number> {
    const { store } = this.#options;
    const models = modelsToPlan(ready.workClass);
    let moved = 0;
    for (const { id, generation } of await store.jobsWith(ready)) {
      const done =
        models === undefined
          ? await this.#replan(id, generation)
          : await this.#fail(id, generation, models, online);
      if (done) moved++;
    }
    if (moved > 0) store.announce({ kind: "events" });
    return moved;
  }

  async #replan(id: string, generation: number): Promise<boolean> {
    const { store, log } = this.#options;
    const outcome = await store.replan(id, generation);
    if (outcome === undefined) return false;
    log.warn({ jobId: id }, "no node has the scorer and models of the job's plan any more: planning it anew");
    if (outcome.nodes.length > 0) store.announce({ kind: "news", nodeIds: outcome.nodes });
    store.announce({ kind: "work", ready: [outcome.ready] });
    return true;
  }

  async #fail(
    id: string,
    generation: number,
    needed: readonly string[],
    online: readonly Capabilities[],
  ): Promise<boolean> {
    const { store, metrics } = this.#options;
    const models = new Set(online.flatMap((node) => node.models.map(({ name }) => name)));
    // Where each is to be had, no node has them all.
    const model = needed.find((name) => !models.has(name)) ?? needed.join(" and ");
    const error = { code: "UNKNOWN_MODEL", ...withoutModel(model, models) };
    const failed = await store.fail(id, generation, error);
    if (failed) metrics.jobFailed("UNKNOWN_MODEL");
    return failed;
  }
}

/** Ready work that no node does which is online for its tenant, where some are. */
async function stranded(
  store: Store,
  fleet: Fleet,
): Promise<readonly { readonly ready: Ready; readonly online: readonly Capabilities[] }[]> {
  // Stills wait for a node that makes them: there is nothing else that could be done about it.
  const all = (await store.ready()).filter(({ workClass }) => workClass !== STILLS_CLASS);
  if (all.length === 0) return [];
  // The fleet's nodes do most of it.
  const ofAll = await fleet.capabilities();
  const left = all.filter(({ workClass }) => !ofAll.some((node) => serves(node, workClass)));
  const found = [];
  for (const [tenant, pairs] of Map.groupBy(left, (ready) => ready.tenant)) {
    const online = await fleet.capabilities(tenant);
    if (online.length === 0) continue;
    for (const ready of pairs) {
      if (!online.some((node) => serves(node, ready.workClass))) found.push({ ready, online });
    }
  }
  return found;
}

/**
 * Finds work that none of the online nodes can do, because its scorer or a model was replaced or removed. After a
 * while such a job is planned again, so that one version scores all of it, or it fails.
 */
import {
  type Capabilities,
  CLIPS_CLASS,
  NO_PLAN_CLASSES,
  needToPlan,
  type PlanNeed,
  plainClass,
  STILLS_CLASS,
  serves,
} from "../../jobs/work.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Ready } from "../../store/contract/task-records.ts";
import type { ControllerMetrics } from "../telemetry/metrics.ts";
import { type Fleet, unavailable, unknownModel } from "./fleet.ts";

/**
 * Default milliseconds until unserved work is acted on: long enough for a node to restart, and for one node of each
 * kind to come up after a power cut.
 */
export const UNSCHEDULABLE_MS = 5 * 60_000;

/** Classes that need no specific scorer or model. */
const OF_ANY_SCORER: readonly string[] = [STILLS_CLASS, CLIPS_CLASS, ...NO_PLAN_CLASSES];

export interface UnschedulableOptions {
  readonly store: Store;
  readonly fleet: Fleet;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
  /** Milliseconds for which every check must have found the work unserved. */
  readonly afterMs: number;
}

export class UnschedulableWork {
  readonly #options: UnschedulableOptions;
  /** When each was first seen, in milliseconds of performance.now(). */
  #since = new Map<string, number>();

  constructor(options: UnschedulableOptions) {
    this.#options = options;
  }

  /** Checks once, and acts on work that was unserved for long enough. Returns the number of jobs changed. */
  async check(): Promise<number> {
    const { store, fleet, afterMs } = this.#options;
    const at = performance.now();
    const before = this.#since;
    this.#since = new Map();
    let moved = 0;
    for (const { ready, online } of await unschedulable(store, fleet)) {
      const key = `${ready.workClass} ${ready.tenant}`;
      const since = before.get(key) ?? at;
      this.#since.set(key, since);
      if (before.has(key) && at - since >= afterMs) moved += await this.#move(ready, online);
    }
    return moved;
  }

  async #move(ready: Ready, online: readonly Capabilities[]): Promise<number> {
    const { store } = this.#options;
    const need = needToPlan(ready.workClass);
    let moved = 0;
    for (const { id, generation } of await store.jobsWith(ready)) {
      const done =
        need === undefined
          ? await this.#replan(id, generation)
          : await this.#fail(id, generation, need, online);
      if (done) moved++;
    }
    return moved;
  }

  async #replan(id: string, generation: number): Promise<boolean> {
    const { store, log } = this.#options;
    const outcome = await store.replan(id, generation);
    if (outcome === undefined) return false;
    log.warn({ jobId: id }, "no node has the scorer and models of the job's plan anymore; planning it again");
    return true;
  }

  async #fail(
    id: string,
    generation: number,
    need: PlanNeed,
    online: readonly Capabilities[],
  ): Promise<boolean> {
    const { store, metrics } = this.#options;
    // If each model is available somewhere, no single node has all of them.
    const models = online.flatMap((node) => node.models.map(({ name }) => name));
    const { code, message, found } =
      unavailable(need, online) ?? unknownModel(need.models.join(" and "), models);
    const failed = await store.fail(id, generation, { code, message, found });
    if (failed) metrics.jobFailed(code);
    return failed;
  }
}

/** Returns claimable work that none of its tenant's online nodes serves; tenants without online nodes are left out. */
async function unschedulable(
  store: Store,
  fleet: Fleet,
): Promise<readonly { readonly ready: Ready; readonly online: readonly Capabilities[] }[]> {
  // Stills, diagnoses and titles can only wait for a node that can do them.
  const all = (await store.ready()).filter(({ workClass }) => !OF_ANY_SCORER.includes(workClass));
  if (all.length === 0) return [];
  // Most work is served by fleet nodes, so they are checked first.
  const ofAll = await fleet.capabilities();
  // A title in a storage waits for a node of a version that reads it, if one has its scorer and models.
  const canServe = (node: Capabilities, { workClass }: Ready) => serves(node, plainClass(workClass));
  const left = all.filter((ready) => !ofAll.some((node) => canServe(node, ready)));
  const found = [];
  for (const [tenant, pairs] of Map.groupBy(left, (ready) => ready.tenant)) {
    const online = await fleet.capabilities(tenant);
    if (online.length === 0) continue;
    for (const ready of pairs) {
      if (!online.some((node) => canServe(node, ready))) found.push({ ready, online });
    }
  }
  return found;
}

/** Cache of node sessions, so that a pull or a report needs no read of the store. */
import type { NodeState } from "../../jobs/states.ts";
import { Failure } from "../../platform/failure.ts";
import type { NodeRow, Renewal } from "../../store/contract/node-records.ts";
import type { NodeStore } from "../../store/contract/node-store.ts";
import type { Fleet } from "../scheduling/fleet.ts";
import type { Puller } from "../scheduling/schedule.ts";

/** Bounds the memory of the cache. */
const MAX_SESSIONS = 10_000;

interface LastState {
  readonly at: number;
  readonly state: NodeState;
}

interface Found {
  readonly puller: Puller;
  readonly state: NodeState;
}

export class Sessions {
  readonly #store: NodeStore;
  readonly #leaseMs: number;
  readonly #fleet: Fleet;
  readonly #online = new Map<string, Puller>();
  readonly #states = new Map<string, LastState>();

  constructor(store: NodeStore, leaseMs: number, fleet: Fleet) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#fleet = fleet;
  }

  /** Returns the node of a tenant's session and its state; undefined if the session has ended or never existed. */
  async find(session: string, tenant: string): Promise<Found | undefined> {
    const known = this.#online.get(session);
    if (known !== undefined) return known.tenant === tenant ? { puller: known, state: "ONLINE" } : undefined;
    const node = await this.#store.nodeOf(session);
    if (node === undefined || node.tenant !== tenant) return undefined;
    const puller = this.#pullerOf(session, node);
    if (node.state === "ONLINE") this.#remember(puller);
    return { puller, state: node.state };
  }

  /** As `find`, but throws NODE_SUPERSEDED or SESSION_UNKNOWN instead of returning undefined. */
  async need(session: string, tenant: string): Promise<Found> {
    const found = await this.find(session, tenant);
    if (found === undefined) throw await this.#ended(session);
    return found;
  }

  /** Returns why a session is not usable. A live session of another tenant is unknown to the caller. */
  async #ended(session: string): Promise<Failure> {
    if ((await this.#store.nodeOf(session)) !== undefined) return sessionEnded("UNKNOWN");
    const { session: fate } = await this.#store.renew(session, [], this.#leaseMs, false);
    return sessionEnded(fate === "LIVE" ? "UNKNOWN" : fate);
  }

  /** Records a heartbeat. */
  recordState(nodeId: string, state: NodeState): void {
    if (this.#states.size >= MAX_SESSIONS) this.#states.clear();
    this.#states.set(nodeId, { at: performance.now(), state });
  }

  /** Removes a node whose state changed. */
  forget(nodeId: string): void {
    for (const [session, puller] of this.#online) if (puller.nodeId === nodeId) this.#online.delete(session);
  }

  /** Removes all nodes, because any of them may have changed. */
  forgetAll(): void {
    this.#online.clear();
  }

  /** Counts nodes that sent a heartbeat within a lease, by state. */
  counts(): Partial<Record<NodeState, number>> {
    const counts: Partial<Record<NodeState, number>> = {};
    for (const [nodeId, { at, state }] of this.#states) {
      if (performance.now() - at > this.#leaseMs) this.#states.delete(nodeId);
      else counts[state] = (counts[state] ?? 0) + 1;
    }
    return counts;
  }

  /** Whether the node belongs to the fleet is decided by this controller, not by the one that registered it. */
  #pullerOf(session: string, { id, tenant, capabilities }: NodeRow): Puller {
    return { session, nodeId: id, tenant, fleet: this.#fleet.is(tenant), capabilities };
  }

  #remember(puller: Puller): void {
    if (this.#online.size >= MAX_SESSIONS) this.#online.clear();
    this.#online.set(puller.session, puller);
  }
}

/** The error for a session that has ended. */
export function sessionEnded(fate: Exclude<Renewal["session"], "LIVE">): Failure {
  return fate === "SUPERSEDED"
    ? new Failure(
        "NODE_SUPERSEDED",
        "Another node registered with the same name. Give each node a name of its own.",
      )
    : new Failure("SESSION_UNKNOWN", "The session is unknown or has ended. Register again.");
}

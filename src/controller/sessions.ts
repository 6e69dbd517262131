/** The sessions of nodes: remembered, so that a pull or a report needs not ask who sends it. */
import type { NodeState } from "../jobs/states.ts";
import { Failure } from "../platform/failure.ts";
import type { NodeRow, Renewal } from "../store/node-records.ts";
import type { NodeStore } from "../store/node-store.ts";
import type { Fleet } from "./fleet.ts";
import type { Puller } from "./schedule.ts";

/** Bound on memory. */
const MAX_SESSIONS = 10_000;

interface Heard {
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
  readonly #heard = new Map<string, Heard>();

  constructor(store: NodeStore, leaseMs: number, fleet: Fleet) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#fleet = fleet;
  }

  /** The node of a session of a tenant, and its state; undefined: the session is over, or was never. */
  async find(session: string, tenant: string): Promise<Found | undefined> {
    const known = this.#online.get(session);
    if (known !== undefined) return known.tenant === tenant ? { puller: known, state: "ONLINE" } : undefined;
    const node = await this.#store.nodeOf(session);
    if (node === undefined || node.tenant !== tenant) return undefined;
    const puller = this.#pullerOf(session, node);
    if (node.state === "ONLINE") this.#remember(puller);
    return { puller, state: node.state };
  }

  /** As `find`; throws NODE_SUPERSEDED or SESSION_UNKNOWN when there is none. */
  async need(session: string, tenant: string): Promise<Found> {
    const found = await this.find(session, tenant);
    if (found === undefined) throw await this.#ended(session);
    return found;
  }

  /** Why a session is over; one that is alive and another tenant's is not known to the caller. */
  async #ended(session: string): Promise<Failure> {
    if ((await this.#store.nodeOf(session)) !== undefined) return sessionEnded("UNKNOWN");
    const { session: fate } = await this.#store.renew(session, [], this.#leaseMs, false);
    return sessionEnded(fate === "LIVE" ? "UNKNOWN" : fate);
  }

  /** A heartbeat arrived. */
  heard(nodeId: string, state: NodeState): void {
    if (this.#heard.size >= MAX_SESSIONS) this.#heard.clear();
    this.#heard.set(nodeId, { at: performance.now(), state });
  }

  /** Something became of a node: what is remembered of it may be wrong. */
  forget(nodeId: string): void {
    for (const [session, puller] of this.#online) if (puller.nodeId === nodeId) this.#online.delete(session);
  }

  /** Something may have become of any node. */
  forgetAll(): void {
    this.#online.clear();
  }

  /** Nodes that were heard of within a lease, by state. */
  counts(): Partial<Record<NodeState, number>> {
    const counts: Partial<Record<NodeState, number>> = {};
    for (const [nodeId, { at, state }] of this.#heard) {
      if (performance.now() - at > this.#leaseMs) this.#heard.delete(nodeId);
      else counts[state] = (counts[state] ?? 0) + 1;
    }
    return counts;
  }

  /** Whom it serves is this controller's to say, whoever registered it. */
  #pullerOf(session: string, { id, tenant, capabilities }: NodeRow): Puller {
    return { session, nodeId: id, tenant, fleet: this.#fleet.is(tenant), capabilities };
  }

  #remember(puller: Puller): void {
    if (this.#online.size >= MAX_SESSIONS) this.#online.clear();
    this.#online.set(puller.session, puller);
  }
}

/** What a node is told whose session is over. */
export function sessionEnded(fate: Exclude<Renewal["session"], "LIVE">): Failure {
  return fate === "SUPERSEDED"
    ? new Failure(
        "NODE_SUPERSEDED",
        "Another node registered with the same name. Give each node a name of its own.",
      )
    : new Failure("SESSION_UNKNOWN", "The session is not known, or over. Register again.");
}

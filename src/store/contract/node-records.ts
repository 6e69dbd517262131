/** Records of nodes and their leases in the store's interface. */
import type { NodeState } from "../../jobs/states.ts";
import type { Capabilities } from "../../jobs/work.ts";
import type { FetchProgress, WorkRow } from "./job-records.ts";

export interface NewNode {
  /** UUID. */
  readonly id: string;
  /** Secret. */
  readonly session: string;
  readonly tenant: string;
  readonly name: string;
  readonly slots: number;
  readonly capabilities: Capabilities;
  readonly version: string;
}

/** Limits of a tenant's nodes; they apply separately to live nodes and to offline nodes that are still shown. */
export interface NodeRoom {
  readonly nodes: number;
  /** Total size of their capabilities, as text. */
  readonly bytes: number;
}

export interface NodeRow extends Omit<NewNode, "session"> {
  readonly state: NodeState;
  readonly registeredAt: Date;
  readonly heartbeatAt: Date;
  readonly work: readonly WorkRow[];
}

export interface RunningWork {
  readonly itemId: string;
  readonly attempt: number;
  readonly framesDone: number;
  /** Absent while the node fetches nothing for it. */
  readonly fetch?: FetchProgress | undefined;
}

export interface Renewal {
  /** LIVE: active; SUPERSEDED: its name was registered again; UNKNOWN: never existed, left, or deleted. */
  readonly session: "LIVE" | "SUPERSEDED" | "UNKNOWN";
  readonly node: { readonly id: string; readonly tenant: string; readonly state: NodeState } | undefined;
  /** Running tasks that are no longer leased to this session in that attempt. */
  readonly lost: readonly { readonly itemId: string; readonly attempt: number }[];
  /**
   * Whether the session has had a lease for 10 s that is not among the running tasks: the claim response was
   * lost.
   */
  readonly forgotten: boolean;
}

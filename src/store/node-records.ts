/** Nodes and their leases, as the store gives and takes them. */
import type { NodeState } from "../jobs/states.ts";
import type { Capabilities } from "../jobs/work.ts";
import type { WorkRow } from "./job-records.ts";

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

/** What a tenant may have of nodes that are alive, and of nodes that are gone and still shown. */
export interface NodeRoom {
  readonly nodes: number;
  /** Of their capabilities, as text. */
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
}

export interface Renewal {
  /** The session is alive; SUPERSEDED: its name was registered again; UNKNOWN: never heard of or deleted. */
  readonly session: "LIVE" | "SUPERSEDED" | "UNKNOWN";
  readonly node: { readonly id: string; readonly tenant: string; readonly state: NodeState } | undefined;
  /** Of the running work, what is not leased to this session with that attempt any more. */
  readonly lost: readonly { readonly itemId: string; readonly attempt: number }[];
  /** Work is leased to it for 10 s already that is none of the running: the answer that granted it was lost. */
  readonly forgotten: boolean;
}

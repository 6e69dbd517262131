/** Nodes and their sessions in the store. The rules of Store apply. */
import type { Capabilities } from "../../jobs/work.ts";
import type { NewNode, NodeRoom, NodeRow, Renewal, RunningWork } from "./node-records.ts";
import type { Ready } from "./task-records.ts";

export interface NodeStore {
  /**
   * Registers a node. Ends the previous session of the same name and its leases. Throws TOO_MANY_NODES if the
   * tenant has no room for another live node. Of its offline nodes, those seen last are kept, as far as there
   * is room.
   *
   * @param room default: unlimited.
   */
  registerNode(
    node: NewNode,
    room?: NodeRoom,
  ): Promise<{ ready: readonly Ready[]; superseded: readonly string[] }>;
  /** Heartbeat: renews the leases of a session, and marks its node as alive. */
  renew(
    session: string,
    running: readonly RunningWork[],
    leaseMs: number,
    draining: boolean,
  ): Promise<Renewal>;
  /**
   * Requeues tasks that a session leased at least 10 s ago and does not report as running. This does not
   * count as a failure.
   */
  requeueForgotten(
    session: string,
    running: readonly Pick<RunningWork, "itemId" | "attempt">[],
  ): Promise<readonly Ready[]>;
  /** Returns the node of a live session. */
  nodeOf(session: string): Promise<NodeRow | undefined>;
  /** Lists the nodes of some tenants. */
  listNodes(tenants: readonly string[]): Promise<readonly NodeRow[]>;
  /** Returns the distinct capabilities of the ONLINE nodes of some tenants. */
  capabilities(tenants: readonly string[]): Promise<readonly Capabilities[]>;
  /** Drains a node. Returns undefined if the tenant has no such node. */
  drainNode(tenant: string, id: string): Promise<NodeRow | undefined>;
  /** Marks a node that shuts down as OFFLINE and ends its leases. */
  leaveNode(session: string): Promise<readonly Ready[]>;

  // A maintenance task: any controller may run it at any time.

  /** Marks nodes without a heartbeat for `silentMs` as OFFLINE, and deletes OFFLINE nodes without one for `forgetMs`. */
  expireNodes(silentMs: number, forgetMs: number): Promise<number>;
}

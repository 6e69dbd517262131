/** The part of the store that keeps nodes and their sessions; what holds for the store holds for it. */
import type { Capabilities } from "../jobs/work.ts";
import type { NewNode, NodeRoom, NodeRow, Renewal, RunningWork } from "./node-records.ts";
import type { Ready } from "./work-records.ts";

export interface NodeStore {
  /**
   * Ends the session before of the same name; its leases end at once. Throws TOO_MANY_NODES where there is no room for
   * one more of the tenant that is alive. Of those that are gone, the ones stay that were heard of last and have room.
   *
   * @param room default: for any number.
   */
  registerNode(
    node: NewNode,
    room?: NodeRoom,
  ): Promise<{ ready: readonly Ready[]; superseded: readonly string[] }>;
  /** Renews the leases of a session, and its node's. */
  renew(
    session: string,
    running: readonly RunningWork[],
    leaseMs: number,
    draining: boolean,
  ): Promise<Renewal>;
  /** Gives out again, as no failure, what is leased to a session for 10 s and none of what it says now that it runs. */
  takeBack(
    session: string,
    running: readonly Pick<RunningWork, "itemId" | "attempt">[],
  ): Promise<readonly Ready[]>;
  /** The node of a session that is alive. */
  nodeOf(session: string): Promise<NodeRow | undefined>;
  /** The nodes of some tenants, each by itself. */
  listNodes(tenants: readonly string[]): Promise<readonly NodeRow[]>;
  /** What the ONLINE nodes of some tenants can do, each once. */
  capabilities(tenants: readonly string[]): Promise<readonly Capabilities[]>;
  /** undefined: no such node of this tenant. */
  drainNode(tenant: string, id: string): Promise<NodeRow | undefined>;
  /** A node that stops: OFFLINE, its leases end at once. */
  leaveNode(session: string): Promise<readonly Ready[]>;

  // A sweep: any controller may run it at any time.

  /** Nodes without a heartbeat for longer become OFFLINE; those OFFLINE for `forgetMs` are deleted. */
  expireNodes(silentMs: number, forgetMs: number): Promise<number>;
}

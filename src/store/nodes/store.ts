/** The part of the store that keeps nodes and their sessions. */
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { NodeStore } from "../contract/node-store.ts";
import { changing, type Effects } from "../effects/effects.ts";
import { renew, requeueForgotten } from "./heartbeat.ts";
import {
  capabilitiesOf,
  drainNode,
  expireNodes,
  leaveNode,
  listNodes,
  nodeOf,
  registerNode,
} from "./nodes.ts";

export function nodeStore(database: Database, effects: Effects): NodeStore {
  const change = changing(database, effects);
  const leave = change(leaveNode, ({ nodes, ready }) => ({
    ...{ jobs: ready.length > 0, ready, nodes },
    released: ready.map(({ tenant }) => tenant),
  }));
  return {
    ...bound(database, { nodeOf, listNodes, capabilities: capabilitiesOf, expireNodes }),
    registerNode: change(registerNode, ({ ready, superseded: nodes }) => ({
      ...{ jobs: ready.length > 0, ready, nodes },
      released: ready.map(({ tenant }) => tenant),
    })),
    renew: change(renew, ({ session }, _, running) => ({ jobs: session === "LIVE" && running.length > 0 })),
    requeueForgotten: change(requeueForgotten, (ready) => ({ ready })),
    drainNode: change(drainNode, (node) => ({ nodes: node === undefined ? [] : [node.id] })),
    leaveNode: async (session) => (await leave(session)).ready,
  };
}

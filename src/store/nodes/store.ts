/** The part of the store that keeps nodes and their sessions. */
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { NodeStore } from "../contract/node-store.ts";
import type { Ready } from "../contract/task-records.ts";
import { changing, type Effect, type Effects, type Published } from "../effects/effects.ts";
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

export function nodeStore(database: Database, effects: Effects): Published<NodeStore> {
  const { change, answering } = changing(database, effects);
  return {
    ...bound(database, { nodeOf, listNodes, capabilities: capabilitiesOf, expireNodes }),
    registerNode: change(registerNode, ({ ready, superseded }) => leasesEnded(ready, superseded)),
    renew: change(renew, ({ session }, _, running) => ({ jobs: session === "LIVE" && running.length > 0 })),
    requeueForgotten: change(requeueForgotten, (ready) => ({ ready })),
    drainNode: change(drainNode, (node) => ({ nodes: node === undefined ? [] : [node.id] })),
    leaveNode: answering(
      leaveNode,
      ({ ready, nodes }) => leasesEnded(ready, nodes),
      ({ ready }) => ready,
    ),
  };
}

/** The effect of leases that ended with a session. `nodes`: whose sessions ended. */
function leasesEnded(ready: readonly Ready[], nodes: readonly string[]): Effect {
  return { jobs: ready.length > 0, ready, nodes, released: ready.map(({ tenant }) => tenant) };
}

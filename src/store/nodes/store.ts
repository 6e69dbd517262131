/** The part of the store that keeps nodes and their sessions. */
import { bound } from "../connection/bound.ts";
import type { Database } from "../connection/database.ts";
import type { NodeStore } from "../contract/node-store.ts";
import type { ClaimCursors } from "../tasks/claim-cursors.ts";
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

export function nodeStore(database: Database, cursors: ClaimCursors): NodeStore {
  return {
    ...bound(database, { renew, nodeOf, listNodes, capabilities: capabilitiesOf, drainNode, expireNodes }),
    async registerNode(node, room) {
      const outcome = await registerNode(database, node, room);
      cursors.readied(outcome.ready);
      return outcome;
    },
    requeueForgotten: async (session, running) =>
      cursors.readied(await requeueForgotten(database, session, running)),
    leaveNode: async (session) => cursors.readied(await leaveNode(database, session)),
  };
}

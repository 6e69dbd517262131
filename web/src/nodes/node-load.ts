/** Utilization of the nodes. */

/** The properties of a node that determine the utilization. */
interface Counted {
  readonly state: "ONLINE" | "DRAINING" | "OFFLINE";
  readonly slots: number;
  readonly work: readonly unknown[];
}

/** `slots`: slots of nodes that accept tasks; `busy`: tasks on all nodes, including draining ones. */
export function loadOf(nodes: readonly Counted[]): { online: number; slots: number; busy: number } {
  const online = nodes.filter(({ state }) => state === "ONLINE");
  return {
    online: online.length,
    slots: online.reduce((sum, { slots }) => sum + slots, 0),
    busy: nodes.reduce((sum, { work }) => sum + work.length, 0),
  };
}

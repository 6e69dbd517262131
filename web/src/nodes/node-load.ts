/** How busy nodes are. */

/** What counts of a node. */
interface Counted {
  readonly state: "ONLINE" | "DRAINING" | "OFFLINE";
  readonly slots: number;
  readonly work: readonly unknown[];
}

/** `slots`: of nodes that take work; `busy`: pieces of work that all of them have, those that drain too. */
export function loadOf(nodes: readonly Counted[]): { online: number; slots: number; busy: number } {
  const online = nodes.filter(({ state }) => state === "ONLINE");
  return {
    online: online.length,
    slots: online.reduce((sum, { slots }) => sum + slots, 0),
    busy: nodes.reduce((sum, { work }) => sum + work.length, 0),
  };
}

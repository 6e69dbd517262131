/** The gates of a job, as lines in the chart of its frames. */
import type { components } from "../../../src/gen/rest/controller.ts";
import type { GateLine } from "../chart/drawing.ts";

/** Returns the lines. A gate on the standard deviation has none, because it is not on the scale of the scores. */
export function gateLines(gates: readonly components["schemas"]["JobGate"][]): readonly GateLine[] {
  return gates
    .filter(({ statistic }) => statistic !== "stdDev")
    .map(({ metric, statistic, limit }) => ({ metric, limit, label: `gate ${statistic} ≥ ${limit}` }));
}

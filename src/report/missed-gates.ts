/** Finds the gates that a job does not meet. */

import type { components } from "../gen/rest/controller.ts";
import { isMissed as isMissedOutcome } from "../jobs/gates/outcome.ts";

export type JobGate = components["schemas"]["JobGate"];
export type Gated = Pick<components["schemas"]["Job"], "gates">;

/** Whether a gate is checked and not met. */
export function isMissed({ verdict }: JobGate): boolean {
  return verdict !== "VERDICT_UNSPECIFIED" && isMissedOutcome({ verdict });
}

/** The gates that a job does not meet; empty before they are checked. */
export function missedGates({ gates = [] }: Gated): readonly JobGate[] {
  return gates.filter(isMissed);
}

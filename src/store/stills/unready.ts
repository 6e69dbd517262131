/** The state of requested stills and clips that do not exist yet. */
import type { WorkState } from "../../jobs/states.ts";
import type { StoredError } from "../contract/job-records.ts";

/** The task that makes them. */
interface MakingTask {
  readonly state: WorkState;
  readonly error: StoredError | null;
}

export function unready({ state, error }: MakingTask) {
  if (state !== "FAILED") return { state: "PENDING", error: undefined } as const;
  return { state: "FAILED", error: error ?? undefined } as const;
}

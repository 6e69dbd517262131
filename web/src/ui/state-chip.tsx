/** The state of a job, as a coloured chip with text. */
import type { JobState } from "../../../src/jobs/states.ts";
import { STATE_NAMES } from "../jobs/job-facts.ts";

export function StateChip({ state }: { readonly state: JobState }) {
  return <span className={`state-chip ${state.toLowerCase()}`}>{STATE_NAMES[state]}</span>;
}

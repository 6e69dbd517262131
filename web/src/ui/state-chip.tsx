/** The state of a job, in its colour and in words. */
import { type JobState, STATE_NAMES } from "../jobs/job-facts.ts";

export function StateChip({ state }: { readonly state: JobState }) {
  return <span className={`state-chip ${state.toLowerCase()}`}>{STATE_NAMES[state]}</span>;
}

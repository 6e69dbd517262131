/** How many frames of a job a second has. */
import { scoredRate } from "../../../src/jobs/frame-rate.ts";
import type { Job } from "../jobs/job-facts.ts";

/** Of its result, else of its plan; undefined: no file states a rate, or the job is not planned. */
export function frameRateOf({ result, plan }: Job): number | undefined {
  return scoredRate(result ?? plan ?? {});
}

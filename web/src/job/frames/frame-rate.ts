/** The frame rate of a job. */
import { scoredRate } from "../../../../src/jobs/frame-rate.ts";
import type { Job } from "../../jobs/job-facts.ts";

/** From its result, or else its plan; undefined if no file states a rate or the job is not planned. */
export function frameRateOf({ result, plan }: Job): number | undefined {
  return scoredRate(result ?? plan ?? {});
}

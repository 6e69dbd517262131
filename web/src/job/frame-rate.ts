/** How many frames of a job a second has. */

import { rateOf } from "../chart/timecode.ts";
import type { Job } from "../jobs/job-facts.ts";

/** Rates closer than this are the same frames at another pace. */
const SAME_PACE = 1.05;

/**
 * Of its result, else of its plan. Frame numbers count the slower side's frames where the rates differ.
 * undefined: no file states a rate, or the job is not planned.
 */
export function frameRateOf({ result, plan }: Job): number | undefined {
  const found = result ?? plan;
  const [one, other] = [rateOf(found?.reference.frameRate), rateOf(found?.distorted.frameRate)];
  if (one === undefined || other === undefined) return one ?? other;
  return one / other > SAME_PACE ? other : one;
}

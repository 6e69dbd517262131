/** Quality gates on the mean, decided by an estimate. */
import type { Estimate } from "./mean.ts";

/** PASSED and FAILED only if the whole interval agrees. */
export type Verdict = "PASSED" | "FAILED" | "UNDECIDED";

/**
 * Whether the mean is at least `threshold`. The gate must not decide when sampling ends: an interval that is looked at
 * until it clears a threshold covers the mean less often than stated.
 */
export function meanAtLeast(threshold: number, { mean, halfWidth }: Estimate): Verdict {
  if (mean - halfWidth >= threshold) return "PASSED";
  return mean + halfWidth < threshold ? "FAILED" : "UNDECIDED";
}

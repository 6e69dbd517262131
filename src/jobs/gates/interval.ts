/** Quality gates on the mean, decided by an estimate. */

/** A confidence interval of a mean. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** PASSED and FAILED only if the whole interval agrees. */
export type Verdict = "PASSED" | "FAILED" | "UNDECIDED";

/**
 * Whether the mean is at least `threshold`. The gate must not decide when sampling ends: if sampling
 * continues until the interval clears the threshold, it covers the mean less often than stated.
 */
export function meanAtLeast(threshold: number, { low, high }: Interval): Verdict {
  if (low >= threshold) return "PASSED";
  return high < threshold ? "FAILED" : "UNDECIDED";
}

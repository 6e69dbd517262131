/** Whether a task that failed or lost its lease is retried. */

/** Failures of a task after which its job fails: a fault unrelated to the input rarely occurs three times. */
export const MAX_FAILURES = 4;
/** Back-off in milliseconds after the first failure; doubled after each further one. */
const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 60_000;
/** Longest lease in milliseconds, counted from its last renewal. */
export const LONGEST_LEASE_MS = 3_600_000;

export type RetryDecision = { readonly kind: "retry"; readonly afterMs: number } | { readonly kind: "fail" };

/**
 * @param failures number of failures of the task, including this one.
 * @param inputAtFault whether the same input would fail on every node.
 */
export function decideRetry(failures: number, inputAtFault: boolean): RetryDecision {
  if (inputAtFault || failures >= MAX_FAILURES) return { kind: "fail" };
  return { kind: "retry", afterMs: Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (failures - 1)) };
}

/** What becomes of work that failed or whose lease ran out. */

/** Times that a piece of work may fail before its job does: a fault that is not the input's rarely strikes thrice. */
export const MAX_FAILURES = 4;
/** Milliseconds to wait after the first failure; doubled after each further one. */
const FIRST_BACK_OFF_MS = 1_000;
export const LONGEST_BACK_OFF_MS = 60_000;
/** Milliseconds that a lease lasts at most from its last renewal on. */
export const LONGEST_LEASE_MS = 3_600_000;

export type Verdict = { readonly kind: "retry"; readonly afterMs: number } | { readonly kind: "fail" };

/**
 * @param failures how often the work has failed, this time included.
 * @param inputAtFault the same input would fail again on any node.
 */
export function verdictOn(failures: number, inputAtFault: boolean): Verdict {
  if (inputAtFault || failures >= MAX_FAILURES) return { kind: "fail" };
  return { kind: "retry", afterMs: Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (failures - 1)) };
}

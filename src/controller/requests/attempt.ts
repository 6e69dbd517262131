/** The attempt number of a task, which fences its lease. */
import { invalid } from "../../platform/failure.ts";

/** The store keeps the number in a signed 32-bit integer. */
const MAX_ATTEMPTS = 2 ** 31 - 1;

/**
 * Throws INVALID_REQUEST for a number that the store cannot hold. Whether the attempt is current is checked elsewhere.
 */
export function checkAttempt(field: string, attempt: number): void {
  if (attempt > MAX_ATTEMPTS) throw invalid(`${field} is ${attempt}. Use at most ${MAX_ATTEMPTS}.`);
}

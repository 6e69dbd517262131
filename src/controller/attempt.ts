/** The attempt of a piece of work, which fences its lease. */
import { invalid } from "../platform/failure.ts";

/** The store counts them in 32 bits, one of which is a sign. */
const MOST_ATTEMPTS = 2 ** 31 - 1;

/** Throws INVALID_REQUEST for a number that the store cannot hold. One that it can hold is stale or not. */
export function checkAttempt(field: string, attempt: number): void {
  if (attempt > MOST_ATTEMPTS) throw invalid(`${field} is ${attempt}. Use at most ${MOST_ATTEMPTS}.`);
}

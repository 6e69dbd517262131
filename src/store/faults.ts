/** Faults of the database as the service's own failures, and which of them are worth another try. */
import { Failure } from "../platform/failure.ts";
import { errorCode, messageOf } from "../platform/thrown.ts";

/** Class 40: the transaction lost against another one and nothing of it happened. 23505: two made the same row at once. */
const RETRYABLE = new Set(["40001", "40P01", "23505"]);

/**
 * The database cannot do it now: connections (08), no room or memory (53), stopped by an operator or a
 * time limit (57), locks that did not come free (55), no transaction held open that long, read-only (25),
 * faults of its disk (58) and its own (XX); a prepared statement from before a migration (0A000). It
 * lets nobody in: a password that was changed (28), a database that is not there (3D000).
 */
const UNAVAILABLE = /^(08|25|28|3D000|53|55|57|58|XX|0A000)/;

/** The user of the connection may not do it: a right was taken away, or a role. */
export const FORBIDDEN = "42501";

/** The text holds what PostgreSQL does not store: a NUL character, or (22P02, in JSON) half of a surrogate pair. */
const UNSTORABLE = new Set(["22021", "22P02", "22P05"]);

/** Severities after which PostgreSQL ends the connection, whatever the code is: a full disk can be one. */
const FATAL = new Set(["FATAL", "PANIC"]);

/** A connection's own errors have no SQLSTATE. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error)) return undefined;
  const code = errorCode(error) ?? "";
  return /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function severityOf(error: unknown): string {
  return error instanceof Error && "severity" in error ? String(error.severity) : "";
}

/** Whether the same change may be tried again: it did not happen, because of another one at the same time. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error) ?? "");
}

/** Whether the connection that gave this error can be used again. */
export function breaksConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (FATAL.has(severityOf(error))) return true;
  // 25P03: ended while idle in a transaction. 25006: it became a standby; another server may be the one to write to.
  return state === undefined || /^(08|57P|XX|0A000|25P03|25006)/.test(state);
}

/** What the database threw, as the store throws it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const state = sqlState(error);
  if (state !== undefined && UNSTORABLE.has(state)) {
    return new Failure(
      "INVALID_REQUEST",
      "A text holds a character that cannot be stored: NUL or half a pair.",
      {
        cause: error,
      },
    );
  }
  const why = messageOf(error);
  if (state === FORBIDDEN) {
    const cure =
      "Let an administrator grant svc_tenant and svc_fleet, and the schema svc, to the database's user";
    return unavailable(`it refuses its user a right that svc needs (${why}). ${cure}`, error);
  }
  if (state === undefined || UNAVAILABLE.test(state) || RETRYABLE.has(state)) {
    return unavailable(why, error);
  }
  return Failure.from(error);
}

export function unavailable(why: string, cause?: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", `The database cannot be used at the moment: ${why}. Try again.`, {
    cause,
  });
}

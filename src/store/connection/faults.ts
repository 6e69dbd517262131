/** Maps database errors to failures of the service, and decides which of them are retried. */

import { errorCode, messageOf } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";

/** Class 40: the transaction was rolled back due to a conflict. 23505: two transactions inserted the same row. */
const RETRYABLE = new Set(["40001", "40P01", "23505"]);

/**
 * The database is temporarily unable to run the statement: connection errors (08), out of disk or memory (53),
 * operator intervention or timeout (57), lock timeout (55), idle-in-transaction timeout or read-only (25), I/O errors
 * (58), internal errors (XX), a prepared statement from before a migration (0A000). Or it accepts no connection: a
 * changed password (28), a missing database (3D000).
 */
const UNAVAILABLE = /^(08|25|28|3D000|53|55|57|58|XX|0A000)/;

/** The database user lacks a privilege: a grant or a role membership was revoked. */
export const FORBIDDEN = "42501";

/** The text contains what PostgreSQL cannot store: NUL or, in JSON (22P02), a lone surrogate. */
const UNSTORABLE = new Set(["22021", "22P02", "22P05"]);

/** Severities after which PostgreSQL closes the connection, with any code; a full disk can be one. */
const FATAL = new Set(["FATAL", "PANIC"]);

/** Returns the SQLSTATE of an error; undefined for errors of the connection itself. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error)) return undefined;
  const code = errorCode(error) ?? "";
  return /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

function severityOf(error: unknown): string {
  return error instanceof Error && "severity" in error ? String(error.severity) : "";
}

/** Whether a change can be retried: it was rolled back due to a concurrent one. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(sqlState(error) ?? "");
}

/** Whether the connection is unusable after this error. */
export function breaksConnection(error: unknown): boolean {
  const state = sqlState(error);
  if (FATAL.has(severityOf(error))) return true;
  // 25P03: idle-in-transaction timeout. 25006: the server became a standby; another one may be the primary.
  return state === undefined || /^(08|57P|XX|0A000|25P03|25006)/.test(state);
}

/** Converts an error of the database to the failure that the store throws. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const state = sqlState(error);
  if (state !== undefined && UNSTORABLE.has(state)) {
    return new Failure(
      "INVALID_REQUEST",
      "A text contains a character that cannot be stored: NUL or a lone surrogate.",
      {
        cause: error,
      },
    );
  }
  const why = messageOf(error);
  if (state === FORBIDDEN) {
    const cure =
      "An administrator must grant svc_tenant, svc_fleet and the schema svc to the user of the connection";
    return unavailable(`its user lacks a privilege that svc needs (${why}). ${cure}`, error);
  }
  if (state === undefined || UNAVAILABLE.test(state) || RETRYABLE.has(state)) {
    return unavailable(why, error);
  }
  return Failure.from(error);
}

export function unavailable(why: string, cause?: unknown): Failure {
  return new Failure("STORE_UNAVAILABLE", `The database is unavailable: ${why}. Try again later.`, {
    cause,
  });
}

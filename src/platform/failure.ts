/**
 * The one typed error that crosses every boundary.
 *
 * `code` is stable: clients and tests match on it. `kind` says what sort of
 * fault it is; `rest/` turns the kind into an HTTP status, `rpc/` into a gRPC
 * status, `cli/` into an exit code. `detail` tells a person what happened, to
 * which thing, and what to do; `found` holds the facts behind it, per side.
 */
export type FailureKind =
  | "invalid" // the request is malformed
  | "unauthenticated" // it is not known who calls
  | "forbidden" // the caller may not
  | "too-large" // the request is too large
  | "not-found" // there is no such thing
  | "conflict" // it contradicts what is already so
  | "media" // the media cannot be scored, and why
  | "limit" // over a limit, try again later
  | "cancelled" // the caller went away or cancelled
  | "deadline" // the time limit ran out
  | "unavailable" // not ready, try again later
  | "internal"; // the scorer, or the program itself, failed

/** Every stable code with its kind. docs/errors.md explains each. */
export const FAILURE_KINDS = {
  INVALID_REQUEST: "invalid",
  INVALID_JSON: "invalid",
  URL_NOT_SUPPORTED: "invalid",
  UNKNOWN_MODEL: "invalid",
  UNKNOWN_FEATURE: "invalid",
  TOKEN_MISSING: "unauthenticated",
  TOKEN_INVALID: "unauthenticated",
  TOKEN_EXPIRED: "unauthenticated",
  TOKEN_KEY_UNKNOWN: "unauthenticated",
  TOKEN_REVOKED: "unauthenticated",
  LOGIN_REQUIRED: "unauthenticated",
  LOGIN_FAILED: "unauthenticated",
  TENANT_DISABLED: "forbidden",
  ROLE_MISSING: "forbidden",
  REQUEST_TOO_LARGE: "too-large",
  REQUEST_TIMEOUT: "deadline",
  HEADERS_TOO_LARGE: "too-large",
  TOO_MANY_UNFINISHED: "limit",
  RESPONSE_TOO_LARGE: "too-large",
  PATH_NOT_ALLOWED: "forbidden",
  MEDIA_NOT_FOUND: "media",
  MEDIA_NOT_A_FILE: "media",
  MEDIA_NOT_READABLE: "media",
  MEDIA_UNSUPPORTED: "media",
  MEDIA_NO_VIDEO: "media",
  MEDIA_NO_FRAMES: "media",
  MEDIA_CORRUPT: "media",
  MEDIA_TRUNCATED: "media",
  MEDIA_TOO_LARGE: "media",
  MEDIA_CHANGED: "media",
  PIXEL_FORMAT_UNSUPPORTED: "media",
  RAW_GEOMETRY_MISSING: "media",
  RAW_GEOMETRY_MISMATCH: "media",
  FRAME_TOO_SMALL: "media",
  FRAME_SIZE_CHANGES: "media",
  FRAME_SIZE_MISMATCH: "media",
  FRAME_COUNT_MISMATCH: "media",
  FRAME_RATE_MISMATCH: "media",
  ORIENTATION_MISMATCH: "media",
  JOB_NOT_FOUND: "not-found",
  NODE_NOT_FOUND: "not-found",
  WRONG_TENANT: "forbidden",
  IDEMPOTENCY_CONFLICT: "conflict",
  JOB_FINISHED: "conflict",
  JOB_CANCELLED: "conflict",
  JOB_NOT_FINISHED: "conflict",
  JOB_NOT_SUCCEEDED: "conflict",
  TOO_MANY_STILLS: "conflict",
  STILL_NOT_FOUND: "not-found",
  STILL_IN_PROGRESS: "conflict",
  JOB_RESTARTED: "conflict",
  STALE_ATTEMPT: "conflict",
  NODE_SUPERSEDED: "conflict",
  SESSION_UNKNOWN: "not-found",
  REVOCATION_NOT_FOUND: "not-found",
  TOO_MANY_REVOCATIONS: "limit",
  TOO_MANY_NODES: "limit",
  AUTH_DISABLED: "conflict",
  TOO_MANY_SCORES: "limit",
  TENANT_QUEUE_FULL: "limit",
  TENANT_SUBMIT_RATE: "limit",
  TOO_MANY_MODEL_SETS: "limit",
  STREAM_TOO_SLOW: "limit",
  TOO_MANY_STREAMS: "limit",
  SCORE_CANCELLED: "cancelled",
  SCORE_TIMEOUT: "deadline",
  SCORER_NOT_READY: "unavailable",
  SHUTTING_DOWN: "unavailable",
  STORE_UNAVAILABLE: "unavailable",
  TENANTS_UNAVAILABLE: "unavailable",
  STORE_LOCKED: "conflict",
  STORE_NOT_EMPTY: "conflict",
  SCHEMA_TOO_NEW: "conflict",
  SCHEMA_REFUSED: "conflict",
  NO_NODE_ONLINE: "unavailable",
  SERVER_UNREACHABLE: "unavailable",
  SCORER_NOT_FOUND: "internal",
  SCORER_FAILED: "internal",
  TEMP_DIR_UNUSABLE: "internal",
  LEASE_LOST: "internal",
  POOLING_FAILED: "internal",
  INTERNAL: "internal",
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof FAILURE_KINDS;

/** Whether a text is a code of this version; others come from a newer one, or from somebody else. */
export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(FAILURE_KINDS, text);
}

/** Facts behind a failure, shown to the caller: plain JSON, no paths of ours. */
export type Found = Readonly<Record<string, unknown>>;

export interface FailureOptions {
  readonly found?: Found | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly found: Found | undefined;
  /** Milliseconds after which the same may succeed; undefined: nobody knows. */
  readonly retryAfterMs: number | undefined;

  constructor(code: FailureCode, detail: string, options: FailureOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.found = options.found;
    this.retryAfterMs = options.retryAfterMs;
  }

  get kind(): FailureKind {
    return FAILURE_KINDS[this.code];
  }

  /** Any thrown value as a Failure; what is not one already is INTERNAL and says nothing to callers. */
  static from(thrown: unknown): Failure {
    if (thrown instanceof Failure) return thrown;
    return new Failure("INTERNAL", "svc itself failed; the log has the details.", { cause: thrown });
  }
}

/** What was asked for cannot be done as it is asked; `detail` says what to change. */
export function invalid(detail: string): Failure {
  return new Failure("INVALID_REQUEST", detail);
}

/**
 * The one typed error that crosses every boundary.
 *
 * `code` is stable: clients and tests match on it. `kind` is the class of the failure: `rest/` maps it to an HTTP
 * status, `grpc/` to a gRPC status, `cli/` to an exit code. `detail` says what happened, to which thing, and
 * what to do. `found` holds the facts behind it, for each side.
 */
export type FailureKind =
  | "invalid" // the request is malformed
  | "unauthenticated" // the caller is unknown
  | "forbidden" // the caller lacks permission
  | "too-large" // the request is too large
  | "not-found" // it does not exist
  | "conflict" // it conflicts with the current state
  | "media" // the media cannot be scored
  | "limit" // a limit was exceeded; retry later
  | "cancelled" // the caller disconnected or cancelled
  | "deadline" // the time limit was exceeded
  | "unavailable" // not ready; retry later
  | "internal"; // the scorer, or the program itself, failed

/** Every stable code with its kind. docs/errors.md explains them. */
export const FAILURE_KINDS = {
  INVALID_REQUEST: "invalid",
  INVALID_JSON: "invalid",
  URL_NOT_SUPPORTED: "invalid",
  UNKNOWN_MODEL: "invalid",
  UNKNOWN_SCORER: "invalid",
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
  URL_NOT_ALLOWED: "forbidden",
  MEDIA_NOT_FOUND: "media",
  MEDIA_NOT_A_FILE: "media",
  MEDIA_NOT_READABLE: "media",
  MEDIA_UNSUPPORTED: "media",
  MEDIA_NO_VIDEO: "media",
  MEDIA_NO_FRAMES: "media",
  MEDIA_CORRUPT: "media",
  MEDIA_TRUNCATED: "media",
  MEDIA_ENCRYPTED: "media",
  MANIFEST_INVALID: "media",
  MANIFEST_UNSUPPORTED: "media",
  MEDIA_TOO_LARGE: "media",
  MEDIA_CHANGED: "media",
  STORAGE_UNAVAILABLE: "unavailable",
  MEDIA_CACHE_FULL: "unavailable",
  DISK_FULL: "unavailable",
  PIXEL_FORMAT_UNSUPPORTED: "media",
  RAW_GEOMETRY_MISSING: "media",
  RAW_GEOMETRY_MISMATCH: "media",
  FRAME_TOO_SMALL: "media",
  FRAME_SIZE_CHANGES: "media",
  FRAME_SIZE_MISMATCH: "media",
  FRAME_COUNT_MISMATCH: "media",
  FRAME_RATE_MISMATCH: "media",
  ORIENTATION_MISMATCH: "media",
  PAIR_MISMATCH: "media",
  JOB_NOT_FOUND: "not-found",
  COMPARISON_NOT_FOUND: "not-found",
  NODE_NOT_FOUND: "not-found",
  SCORES_NOT_FOUND: "not-found",
  UPLOAD_NOT_FOUND: "not-found",
  UPLOAD_OFFSET: "conflict",
  UPLOAD_INCOMPLETE: "conflict",
  UPLOAD_KIND: "conflict",
  UPLOAD_REFUSED: "conflict",
  UPLOAD_IN_USE: "conflict",
  UPLOADS_DISABLED: "forbidden",
  WRONG_TENANT: "forbidden",
  IDEMPOTENCY_CONFLICT: "conflict",
  JOB_FINISHED: "conflict",
  JOB_CANCELLED: "conflict",
  JOB_NOT_FINISHED: "conflict",
  JOB_NOT_SUCCEEDED: "conflict",
  JOB_NOT_ESTIMATED: "conflict",
  JOB_NOT_SCORED: "conflict",
  TOO_MANY_STILLS: "conflict",
  STILL_NOT_FOUND: "not-found",
  STILL_IN_PROGRESS: "conflict",
  TOO_MANY_CLIPS: "conflict",
  CLIP_NOT_FOUND: "not-found",
  RESULT_DAMAGED: "internal",
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
  TENANT_UPLOADS_FULL: "limit",
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
  SCORER_NOT_INSTALLED: "internal",
  SCORER_FAILED: "internal",
  TEMP_DIR_UNUSABLE: "internal",
  LEASE_LOST: "internal",
  POOLING_FAILED: "internal",
  INTERNAL: "internal",
} as const satisfies Record<string, FailureKind>;

export type FailureCode = keyof typeof FAILURE_KINDS;

/** Whether `text` is a code of this version. Others come from a newer version or another program. */
export function isFailureCode(text: string): text is FailureCode {
  return Object.hasOwn(FAILURE_KINDS, text);
}

/** Facts behind a failure, shown to the caller: plain JSON without paths of this server. */
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
  /** Milliseconds after which a retry may succeed; undefined if unknown. */
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

  /** Returns any thrown value as a Failure. Other errors become INTERNAL, without details for the caller. */
  static from(thrown: unknown): Failure {
    if (thrown instanceof Failure) return thrown;
    return new Failure("INTERNAL", "svc failed unexpectedly; see its log for details.", { cause: thrown });
  }
}

/** The request cannot be carried out as it is; `detail` says what to change. */
export function invalid(detail: string): Failure {
  return new Failure("INVALID_REQUEST", detail);
}

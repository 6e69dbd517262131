/** Errors of requests to the API server. */
import { isObject } from "../platform/json.ts";

/** A metric label. `gone`: the requested resource version is too old, so the resources must be listed again. */
export type FaultReason =
  | "unreachable"
  | "timeout"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "refused"
  | "malformed"
  | "access";

export const FAULT_REASONS: readonly FaultReason[] = [
  ...(["unreachable", "timeout", "unauthorized", "forbidden", "not_found", "conflict", "gone"] as const),
  ...(["refused", "malformed", "access"] as const),
];

export interface ApiFaultOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined;
}

export class ApiFault extends Error {
  override readonly name = "ApiFault";
  readonly reason: FaultReason;
  /** Milliseconds that the server asks to wait before the next request; undefined: not given. */
  readonly retryAfterMs: number | undefined;

  /** `message`: a complete sentence. */
  constructor(reason: FaultReason, message: string, options: ApiFaultOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The error for an unsuccessful response or an ERROR event of a watch: a `Status` object, or anything else. */
export function faultOfStatus(
  code: number,
  status: unknown,
  what: string,
  options: ApiFaultOptions = {},
): ApiFault {
  const message = isObject(status) && typeof status["message"] === "string" ? status["message"] : "";
  const detail = message === "" ? "" : `: ${message.slice(0, 500)}`;
  return new ApiFault(reasonOf(code), `The API server answered ${what} with ${code}${detail}.`, options);
}

function reasonOf(code: number): FaultReason {
  switch (code) {
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 410:
      return "gone";
    default:
      return "refused";
  }
}

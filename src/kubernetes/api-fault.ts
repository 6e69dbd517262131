/** What can go wrong with a request to the API server. */
import { isObject } from "../platform/json.ts";

/** A label of the metrics. `gone`: what was asked about lies too far back; it must be listed anew. */
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
  /** Milliseconds for which the server wants not to be asked again; undefined: it says nothing of that. */
  readonly retryAfterMs: number | undefined;

  /** `message`: a whole sentence. */
  constructor(reason: FaultReason, message: string, options: ApiFaultOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Of an answer that is no success, or of a watch's event ERROR: a `Status` object, or whatever else came. */
export function faultOfStatus(
  code: number,
  status: unknown,
  what: string,
  options: ApiFaultOptions = {},
): ApiFault {
  const said = isObject(status) && typeof status["message"] === "string" ? status["message"] : "";
  const told = said === "" ? "" : `: ${said.slice(0, 500)}`;
  return new ApiFault(reasonOf(code), `The API server answers ${what} with ${code}${told}.`, options);
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

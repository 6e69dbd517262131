/** Errors of the API. */

/** A request that failed: refused by the controller, or not answered. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /**
   * Stable code, see docs/errors.md; "UNREACHABLE" if the controller did not respond, "PROVIDER_UNREACHABLE" if the
   * identity provider did not.
   */
  readonly code: string;
  /** The request's id in the controller's log; empty if there is none. */
  readonly requestId: string;
  /** Facts about the failure, such as the index of the job at fault in a batch. */
  readonly found: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    requestId: string,
    found: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.found = found;
  }
}

/** The controller did not respond. `next`: what to do, as a sentence. */
export function unreachable(next = "Check the network."): ApiError {
  return new ApiError(0, "UNREACHABLE", `The controller does not answer. ${next}`, "");
}

/** No response to a request that changes something. It is never repeated automatically; the user decides. */
export function unanswered(what: "request" | "submission" = "request"): ApiError {
  return unreachable(`We couldn't confirm the ${what}. Check the network, then try again.`);
}

/** The error in a response. Without a problem body, as in responses of proxies, it has only the status. */
export function errorOf(status: number, body: unknown): ApiError {
  const { code, detail, requestId, found } =
    typeof body === "object" && body !== null ? (body as Problem) : {};
  const text = typeof detail === "string" ? detail : `The server responded with status ${status}.`;
  return new ApiError(status, textOr(code, `HTTP_${status}`), text, textOr(requestId, ""), factsOr(found));
}

interface Problem {
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly requestId?: unknown;
  readonly found?: unknown;
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}

function factsOr(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

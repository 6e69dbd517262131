/** What a controller answers in place of what was asked for. */

/** A request that failed: refused by the controller, or never answered. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** Stable code, as docs/errors.md lists them; "UNREACHABLE" when there was no answer, "PROVIDER_UNREACHABLE" none of the identity provider. */
  readonly code: string;
  /** The id of the request in the controller's log; empty when there is none. */
  readonly requestId: string;
  /** The facts behind it, such as the index of the job at fault in a batch. */
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

/** Nobody answered. `next`: what to do, as a sentence. */
export function unreachable(next = "Check the network."): ApiError {
  return new ApiError(0, "UNREACHABLE", `The controller does not answer. ${next}`, "");
}

/** Nobody answered a request that changes something: nobody sends it again but the person who wanted it. */
export function unanswered(): ApiError {
  return unreachable("Nobody knows whether it was done. Check the network, then try again.");
}

/** The error that an answer tells; one that is no problem body, as proxies send them, by its status alone. */
export function errorOf(status: number, body: unknown): ApiError {
  const { code, detail, requestId, found } =
    typeof body === "object" && body !== null ? (body as Problem) : {};
  const text = typeof detail === "string" ? detail : `The answer was ${status}.`;
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

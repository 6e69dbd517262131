/** Errors as HTTP responses: the members of RFC 9457 and the stable code. */
import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply } from "fastify";
import type { components } from "../../gen/rest/openapi.ts";
import { Failure, type FailureKind, type Found } from "../../platform/failure.ts";
import { RETRY_AFTER_MS } from "../../platform/net/transport-limits.ts";

type ProblemBody = components["schemas"]["Problem"];

export const STATUSES: Readonly<Record<FailureKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  "too-large": 413,
  "not-found": 404,
  conflict: 409,
  media: 422,
  limit: 429,
  cancelled: 499,
  deadline: 504,
  unavailable: 503,
  internal: 500,
};

/** Titles of statuses that RFC 9110 does not define. */
const OTHER_TITLES: Readonly<Record<number, string>> = { 499: "Client Closed Request" };

/** Codes of errors that exist only in HTTP; all other errors are Failures. */
export type HttpCode =
  | "MALFORMED_REQUEST"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
  | "MISDIRECTED"
  | "CROSS_ORIGIN"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "HEADERS_TOO_LARGE"
  | "TUS_VERSION";

export class HttpFault extends Error {
  override readonly name = "HttpFault";
  readonly status: number;
  readonly code: HttpCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: HttpCode,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Converts any thrown value to the error that the client gets. */
export function faultOf(thrown: unknown, bodyLimit: number): HttpFault | Failure {
  if (thrown instanceof HttpFault || thrown instanceof Failure) return thrown;
  const status = (thrown as Partial<FastifyError> | undefined)?.statusCode ?? 500;
  const detail = thrown instanceof Error ? thrown.message : "";
  if (status === 413) {
    return new Failure("REQUEST_TOO_LARGE", `The body is larger than ${bodyLimit} bytes.`, { cause: thrown });
  }
  if (status === 415) return unsupportedMediaType();
  if (status >= 400 && status < 500) return new HttpFault(status, "MALFORMED_REQUEST", detail);
  return Failure.from(thrown);
}

export function unsupportedMediaType(): HttpFault {
  return new HttpFault(
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    'The body must be JSON: send it with the header "Content-Type: application/json", and without "Content-Encoding".',
  );
}

export function sendFault(reply: FastifyReply, fault: HttpFault | Failure): FastifyReply {
  const body = problemOf(fault, reply.request.id);
  return reply.code(body.status).headers(headersOfFault(fault, body.status)).send(body);
}

/** The headers of an error response. */
export function headersOfFault(fault: HttpFault | Failure, status: number): Record<string, string> {
  return {
    ...((status === 429 || status === 503) && { "retry-after": retryAfter(fault) }),
    ...(status === 401 && { "www-authenticate": challengeOf(fault) }),
    ...(fault instanceof HttpFault && fault.headers),
  };
}

/** In whole seconds (RFC 9110), rounded up. */
function retryAfter(fault: HttpFault | Failure): string {
  const known = fault instanceof Failure ? fault.retryAfterMs : undefined;
  return String(Math.max(1, Math.ceil((known ?? RETRY_AFTER_MS) / 1000)));
}

/** RFC 6750: without a token, the challenge contains no error code. */
function challengeOf({ code }: HttpFault | Failure): string {
  return code === "TOKEN_MISSING" ? 'Bearer realm="svc"' : 'Bearer realm="svc", error="invalid_token"';
}

/** The body of an error response. */
export function problemOf(fault: HttpFault | Failure, requestId: string): ProblemBody {
  const status = fault instanceof Failure ? STATUSES[fault.kind] : fault.status;
  const found = fault instanceof Failure ? fault.found : undefined;
  return problemBody(status, fault.code, fault.message, requestId, found);
}

export function problemBody(
  status: number,
  code: string,
  detail: string,
  requestId: string,
  found?: Found,
): ProblemBody {
  const title = OTHER_TITLES[status] ?? STATUS_CODES[status] ?? "Error";
  return { type: "about:blank", title, status, detail, code, ...(found && { found }), requestId };
}

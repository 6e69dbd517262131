/** HTTP requests as spans. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../auth/principal.ts";
import type { Span, Tracer } from "../platform/span.ts";
import { parseTraceparent, TRACEPARENT } from "../platform/trace-context.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Of a request that was let in; undefined: it is part of no trace. */
    span: Span | undefined;
  }
}

/** What tells of a process and not of anybody's work, and is asked for all the time. */
const UNTRACED = /^get(Health|Ready|Metrics|Ui|Spec)/;
/** Of the scoring server and of the controller. */
const SCORE = "score";
const SERVER_FAULT = 500;

/** Begins the span of a request that was let in; it ends with the answer, or when its caller has gone. */
export function beginSpan(
  tracer: Tracer,
  request: FastifyRequest,
  reply: FastifyReply,
  { operationId, tenant }: { readonly operationId: string } & Pick<Principal, "tenant">,
): Span | undefined {
  if (UNTRACED.test(operationId)) return undefined;
  const { method, route, id } = request;
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "svc.tenant.id": tenant,
    "svc.request.id": id,
  };
  const parent = parseTraceparent(only(request.headers[TRACEPARENT]));
  const span = tracer.serve(`${method} ${route}`, parent, { kind: "SERVER", attributes });
  if (span !== undefined) reply.raw.once("close", () => end(span, reply, operationId));
  return span;
}

/** A stream is meant to be left by its client; a score is cancelled by that. */
function end(span: Span, { raw, statusCode }: FastifyReply, operationId: string): void {
  if (!raw.writableFinished && operationId === SCORE) span.set({ "svc.error.code": "SCORE_CANCELLED" });
  if (raw.headersSent) span.set({ "http.response.status_code": statusCode });
  if (raw.writableFinished && statusCode >= SERVER_FAULT) span.fail(String(statusCode));
  span.end();
}

/** Of a header that stands twice nobody can say which is meant. */
function only(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}

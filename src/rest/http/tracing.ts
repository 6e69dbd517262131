/** Creates spans for HTTP requests. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../auth/principal.ts";
import type { Span, Tracer } from "../../platform/observability/span.ts";
import { parseTraceparent, TRACEPARENT } from "../../platform/observability/trace-context.ts";
import { labelOf } from "./observe.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Set for admitted requests; undefined: not part of a trace. */
    span: Span | undefined;
  }
}

/** Frequent requests about the process itself rather than about work, and the files of the console. */
const UNTRACED = /^(console$|get(Health|Ready|Metrics|Ui|Spec))/;
/** The operation id in both descriptions. */
const SCORE = "score";
const SERVER_FAULT = 500;

/** Begins the span of an admitted request. It ends with the response, or when the client disconnects. */
export function beginSpan(
  tracer: Tracer,
  request: FastifyRequest,
  reply: FastifyReply,
  { operation, tenant }: { readonly operation: string } & Pick<Principal, "tenant">,
): Span | undefined {
  if (UNTRACED.test(operation)) return undefined;
  const { method, id } = request;
  const route = labelOf(request);
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "svc.tenant.id": tenant,
    "svc.request.id": id,
  };
  const parent = parseTraceparent(only(request.headers[TRACEPARENT]));
  const span = tracer.serve(`${method} ${route}`, parent, { kind: "SERVER", attributes });
  if (span !== undefined) reply.raw.once("close", () => end(span, reply, operation));
  return span;
}

/** A disconnect is the normal end of a stream, but it cancels a score. */
function end(span: Span, { raw, statusCode }: FastifyReply, operation: string): void {
  if (!raw.writableFinished && operation === SCORE) span.set({ "svc.error.code": "SCORE_CANCELLED" });
  if (raw.headersSent) span.set({ "http.response.status_code": statusCode });
  if (raw.writableFinished && statusCode >= SERVER_FAULT) span.fail(String(statusCode));
  span.end();
}

/** Ignores a duplicate header, because it is ambiguous. */
function only(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}

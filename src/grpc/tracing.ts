/** Creates spans for gRPC calls. */
import { type Metadata, status } from "@grpc/grpc-js";
import type { Principal } from "../auth/principal.ts";
import type { Span, Tracer } from "../platform/observability/span.ts";
import { parseTraceparent, TRACEPARENT } from "../platform/observability/trace-context.ts";
import { requestIdOf } from "./request-id.ts";

/** The spans of calls that have not reached their handlers, by the metadata that the handlers get. */
const SPANS = new WeakMap<Metadata, Span>();

/** Calls that nodes keep open all the time; the tasks have their own spans. */
const UNTRACED = new Set(["Heartbeat", "PullWork"].map((name) => `svc.v1.NodeService/${name}`));

/** A report belongs to the trace of its task, whose sampling was decided when the job began. */
const REPORT = "svc.v1.NodeService/ReportResult";

/** Statuses that are errors of the server by the semantic conventions for gRPC. */
const SERVER_FAULTS: ReadonlySet<status> = new Set([
  ...[status.UNKNOWN, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED],
  ...[status.INTERNAL, status.UNAVAILABLE, status.DATA_LOSS],
]);

/**
 * Begins the span of an admitted call. Its handler takes it over; if the call never gets there, leaveSpan() ends it.
 * `method`: "package.Service/Method".
 */
export function beginSpan(
  tracer: Tracer,
  method: string,
  metadata: Metadata,
  { tenant }: Pick<Principal, "tenant">,
): Span | undefined {
  if (method.startsWith("grpc.") || UNTRACED.has(method)) return undefined;
  const given = metadata.get(TRACEPARENT);
  const parent = parseTraceparent(given.length === 1 ? String(given[0]) : undefined);
  const attributes = {
    "rpc.system.name": "grpc",
    "rpc.method": method,
    "svc.tenant.id": tenant,
    "svc.request.id": requestIdOf(metadata),
  };
  const options = { kind: "SERVER", attributes } as const;
  const span =
    method === REPORT ? tracer.claim(method, parent, options) : tracer.serve(method, parent, options);
  if (span !== undefined) SPANS.set(metadata, span);
  return span;
}

/** Returns the span to its new owner, who must end it; undefined: the call is not part of a trace. */
export function takeSpan(metadata: Metadata): Span | undefined {
  const span = SPANS.get(metadata);
  SPANS.delete(metadata);
  return span;
}

/** Ends the span of a call, which may not have reached its handler. */
export function leaveSpan(metadata: Metadata, code: status, failure?: string): void {
  endSpan(takeSpan(metadata), code, failure);
}

/** `failure`: the stable code. */
export function endSpan(span: Span | undefined, code: status, failure?: string): void {
  if (span === undefined) return;
  span.set({ "rpc.response.status_code": status[code] ?? "UNKNOWN", "svc.error.code": failure });
  if (SERVER_FAULTS.has(code)) span.fail(status[code] ?? "UNKNOWN");
  span.end();
}

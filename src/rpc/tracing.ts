/** gRPC calls as spans. */
import { type Metadata, status } from "@grpc/grpc-js";
import type { Principal } from "../auth/principal.ts";
import type { Span, Tracer } from "../platform/span.ts";
import { parseTraceparent, TRACEPARENT } from "../platform/trace-context.ts";
import { requestIdOf } from "./request-id.ts";

/** Of calls that have not come to their handlers, by the metadata that these get. */
const SPANS = new WeakMap<Metadata, Span>();

/** What nodes hold open all the time: what comes of it is told by the work. */
const UNTRACED = new Set(["Heartbeat", "PullWork"].map((name) => `svc.v1.NodeService/${name}`));

/** What a node reports is of the trace of its work, which is recorded or not since its job began. */
const REPORT = "svc.v1.NodeService/ReportResult";

/** The server's own faults, as the semantic conventions for gRPC have it. */
const SERVER_FAULTS: ReadonlySet<status> = new Set([
  ...[status.UNKNOWN, status.DEADLINE_EXCEEDED, status.UNIMPLEMENTED],
  ...[status.INTERNAL, status.UNAVAILABLE, status.DATA_LOSS],
]);

/**
 * Begins the span of a call that was let in: its handler takes it, and if the call never gets there, it is
 * ended by leaveSpan(). `method`: "package.Service/Method".
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

/** For who works in it, and ends it; undefined: the call is part of no trace. */
export function takeSpan(metadata: Metadata): Span | undefined {
  const span = SPANS.get(metadata);
  SPANS.delete(metadata);
  return span;
}

/** A call ends whose handler may never have heard of it. */
export function leaveSpan(metadata: Metadata, code: status, failure?: string): void {
  endSpan(takeSpan(metadata), code, failure);
}

/** `failure`: its stable code. */
export function endSpan(span: Span | undefined, code: status, failure?: string): void {
  if (span === undefined) return;
  span.set({ "rpc.response.status_code": status[code] ?? "UNKNOWN", "svc.error.code": failure });
  if (SERVER_FAULTS.has(code)) span.fail(status[code] ?? "UNKNOWN");
  span.end();
}

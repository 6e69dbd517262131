/** Leased work as a span of the trace that its job is part of. */
import type { Span, Tracer } from "../platform/span.ts";
import { parseTraceparent } from "../platform/trace-context.ts";
import type { Lease } from "./lease.ts";

/** From the lease to the report's answer; undefined: the job is part of no trace, and none begins here. */
export function workSpan(tracer: Tracer, { item, kind }: Lease): Span | undefined {
  const { jobId, itemId, attempt, tenantId, traceparent } = item;
  const attributes = {
    "svc.job.id": jobId,
    "svc.work.id": itemId,
    "svc.work.attempt": attempt,
    "svc.tenant.id": tenantId,
  };
  const name = `work ${kind.toLowerCase()}`;
  return tracer.resume(name, parseTraceparent(traceparent), { kind: "CONSUMER", attributes });
}

/** `outcome`: as the metrics tell it; `code`: of what failed. */
export function endWork(
  span: Span | undefined,
  { framesDone }: Lease,
  outcome: string,
  code: string | undefined,
): void {
  if (span === undefined) return;
  span.set({ "svc.work.outcome": outcome, "svc.frames": framesDone });
  if (code !== undefined) span.fail(code);
  span.end();
}

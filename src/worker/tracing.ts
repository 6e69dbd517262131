/** The span of a leased task, in the trace of its job. */
import type { Span, Tracer } from "../platform/observability/span.ts";
import { parseTraceparent } from "../platform/observability/trace-context.ts";
import type { Lease } from "./lease.ts";

/** Covers the lease until the answer to the report. Returns undefined if the job has no trace; none is started here. */
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

/** `outcome`: as in the metrics; `code`: of the failure. */
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

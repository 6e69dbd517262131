/** The controller's spans of jobs. Each job belongs to one trace, whichever processes work on it. */
import { currentSpan, type Span, type Tracer } from "../../platform/observability/span.ts";
import { parseTraceparent, traceparentOf } from "../../platform/observability/trace-context.ts";
import type { ClaimedWork, Poolable } from "../../store/contract/task-records.ts";

/**
 * Starts the root span of a job; all its work belongs to it. Returns undefined if the job is not traced. A job
 * submitted alone joins the trace of its request. Of several jobs each starts its own trace, which is sampled
 * separately and links to that of the request: one trace of a thousand films would be unreadable. If the request is
 * not recorded, none of them is.
 */
export function submitSpan(jobs: number): Span | undefined {
  const request = currentSpan();
  const begin = jobs === 1 ? request?.child.bind(request) : request?.apart.bind(request);
  return begin?.("submit job", { kind: "PRODUCER" });
}

export function traceparentIn(span: Span | undefined): string | undefined {
  return span && traceparentOf(span.context);
}

/** Ends the span with an error: nothing was stored, or the outcome is unknown. */
export function failSubmit(span: Span | undefined, code: string): void {
  span?.fail(code);
  span?.end();
}

/** Ends the span. `existed`: the job was stored before, and keeps its trace. */
export function endSubmit(span: Span | undefined, jobId: string | undefined, existed: boolean): void {
  span?.set({ "svc.job.id": jobId, "svc.job.existed": existed });
  span?.end();
}

/** Records how long a job waited for its first node. */
export function recordQueueWait(
  tracer: Tracer,
  { beginsJob, jobId, tenant, traceparent, jobAgeMs }: ClaimedWork,
): void {
  if (!beginsJob || traceparent === undefined) return;
  const attributes = { "svc.job.id": jobId, "svc.tenant.id": tenant };
  const startedAt = Date.now() - jobAgeMs;
  tracer.resume("wait in queue", parseTraceparent(traceparent), { attributes, startedAt })?.end();
}

/** Starts the span of a pooling. */
export function poolSpan(tracer: Tracer, { id, tenant, traceparent }: Poolable): Span | undefined {
  if (traceparent === undefined) return undefined;
  const attributes = { "svc.job.id": id, "svc.tenant.id": tenant };
  return tracer.resume("pool", parseTraceparent(traceparent), { attributes });
}

/** What a controller tells of jobs as spans. Each job is part of one trace, whoever works on it and when. */
import { currentSpan, type Span, type Tracer } from "../platform/span.ts";
import { parseTraceparent, traceparentOf } from "../platform/trace-context.ts";
import type { ClaimedWork, Poolable } from "../store/work-records.ts";

/**
 * The span that a job begins with, which all of its work is a part of; undefined: it is part of no trace. A job
 * that is submitted by itself is in its request's trace. Of several each begins a trace of its own, whose
 * recording is decided anew; it links to the request's: one of a thousand films could not be read. Where the
 * request is not recorded none of them is.
 */
export function submitSpan(jobs: number): Span | undefined {
  const request = currentSpan();
  const begin = jobs === 1 ? request?.child.bind(request) : request?.apart.bind(request);
  return begin?.("submit job", { kind: "PRODUCER" });
}

export function traceparentIn(span: Span | undefined): string | undefined {
  return span && traceparentOf(span.context);
}

/** Ends it: nothing was stored, or it is not known whether it was. */
export function failSubmit(span: Span | undefined, code: string): void {
  span?.fail(code);
  span?.end();
}

/** Ends it: `existed`: the job was there before, and stays in the trace that it is in. */
export function endSubmit(span: Span | undefined, jobId: string | undefined, existed: boolean): void {
  span?.set({ "svc.job.id": jobId, "svc.job.existed": existed });
  span?.end();
}

/** Tells how long a job waited for the first node. */
export function tellWait(
  tracer: Tracer,
  { beginsJob, jobId, tenant, traceparent, jobAgeMs }: ClaimedWork,
): void {
  if (!beginsJob || traceparent === undefined) return;
  const attributes = { "svc.job.id": jobId, "svc.tenant.id": tenant };
  const startedAt = Date.now() - jobAgeMs;
  tracer.resume("wait in queue", parseTraceparent(traceparent), { attributes, startedAt })?.end();
}

/** A job is pooled. */
export function poolSpan(tracer: Tracer, { id, tenant, traceparent }: Poolable): Span | undefined {
  if (traceparent === undefined) return undefined;
  const attributes = { "svc.job.id": id, "svc.tenant.id": tenant };
  return tracer.resume("pool", parseTraceparent(traceparent), { attributes });
}

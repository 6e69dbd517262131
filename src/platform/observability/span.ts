/**
 * Spans of traces. The current span is kept in an AsyncLocalStorage, so that code between two spans need not pass it
 * on. Nothing here records spans; a tracer does. The default tracer only propagates the traces of callers.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { Failure } from "../failure.ts";
import type { TraceContext } from "./trace-context.ts";

/** Attributes by the OpenTelemetry semantic conventions, or "svc.…"; undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** SERVER and CONSUMER continue the work of another process; PRODUCER leaves work for one. */
export type SpanKind = "INTERNAL" | "SERVER" | "PRODUCER" | "CONSUMER";

export interface SpanOptions {
  /** Default: INTERNAL. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Milliseconds since 1970; default: now. */
  readonly startedAt?: number;
}

export interface Span {
  readonly context: TraceContext;
  /** Starts a child span. */
  child(name: string, options?: SpanOptions): Span;
  /** Starts a separate trace with a link to this span. */
  apart(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** For a span from Tracer.claim(): a process of this installation started its trace. */
  prove(): void;
  /** Marks the span as failed with a stable code (failure.ts). */
  fail(code: string): void;
  end(): void;
}

export interface Tracer {
  /** A span for a request of a caller, whose sampling decision is respected within limits. */
  serve(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span | undefined;
  /** Like serve() until `prove` confirms that a process of this installation started the trace, then like resume(). */
  claim(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span | undefined;
  /** A span that continues a trace of this installation. */
  resume(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span | undefined;
}

/** A span that is recorded elsewhere or not at all. Its ids still reach logs, jobs and nodes. */
export class PassedSpan implements Span {
  readonly context: TraceContext;

  constructor(context: TraceContext) {
    this.context = context;
  }

  child(): Span {
    return this;
  }

  /** Has new ids, so that separate work does not share one trace. */
  apart(): Span {
    const { sampled } = this.context;
    const ids = { traceId: randomBytes(16).toString("hex"), spanId: randomBytes(8).toString("hex") };
    return new PassedSpan({ ...ids, sampled });
  }

  prove(): void {}

  set(): void {}
  fail(): void {}
  end(): void {}
}

/** undefined if there is no trace. */
export function passedSpan(context: TraceContext | undefined): Span | undefined {
  return context && new PassedSpan(context);
}

/** Records nothing and propagates the traces of callers. */
export const PASSING: Tracer = {
  serve: (_, parent) => passedSpan(parent),
  claim: (_, parent) => passedSpan(parent),
  resume: (_, parent) => passedSpan(parent),
};

const CURRENT = new AsyncLocalStorage<Span | undefined>();

/** The current span; undefined if there is none. */
export function currentSpan(): Span | undefined {
  return CURRENT.getStore();
}

/** Runs `work` in a span; if it is undefined, in the current one. */
export function inside<T>(span: Span | undefined, work: () => T): T {
  return span === undefined ? work() : CURRENT.run(span, work);
}

/** Runs `work` without a span. For long-lived work that also serves others. */
export function outside<T>(work: () => T): T {
  return CURRENT.getStore() === undefined ? work() : CURRENT.run(undefined, work);
}

/** Runs `work` in a child of the current span, if there is one. The span fails and ends with the work. */
export async function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const span = currentSpan()?.child(name, { attributes });
  if (span === undefined) return work();
  try {
    return await CURRENT.run(span, work);
  } catch (thrown) {
    span.fail(Failure.from(thrown).code);
    throw thrown;
  } finally {
    span.end();
  }
}

/** The trace fields of a log line. */
export function traceFacts(): { readonly trace_id?: string; readonly span_id?: string } {
  const context = CURRENT.getStore()?.context;
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}

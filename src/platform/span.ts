/**
 * Spans: what takes time, told as a part of a trace. Who works within a span is known from the span that
 * is current (an AsyncLocalStorage), so that the layers between hand nothing on. Nothing here records:
 * that is the tracer's, of which one that only passes callers' traces on is the default.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import { Failure } from "./failure.ts";
import type { TraceContext } from "./trace-context.ts";

/** By the names of the OpenTelemetry semantic conventions, or "svc.…"; undefined: left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** SERVER and CONSUMER continue what another process began; PRODUCER leaves something for one. */
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
  /** A part of it. */
  child(name: string, options?: SpanOptions): Span;
  /** The beginning of a trace of its own, which links to this one. */
  apart(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** Of Tracer.claim(): a process of this installation began its trace. */
  prove(): void;
  /** It failed, with a stable code (failure.ts). */
  fail(code: string): void;
  end(): void;
}

export interface Tracer {
  /** A span for a caller, whose wish that it is recorded counts within limits. */
  serve(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span | undefined;
  /** As serve(), until it is proven that a process of this installation began its trace, and then as resume(). */
  claim(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span | undefined;
  /** A span of what a process of this installation began. */
  resume(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span | undefined;
}

/** Of a trace that is recorded elsewhere, or not at all: its ids still reach logs, jobs and nodes. */
export class PassedSpan implements Span {
  readonly context: TraceContext;

  constructor(context: TraceContext) {
    this.context = context;
  }

  child(): Span {
    return this;
  }

  /** By its ids alone: whoever continues it is in no trace with the others that begin here. */
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

/** undefined: there is no trace. */
export function passedSpan(context: TraceContext | undefined): Span | undefined {
  return context && new PassedSpan(context);
}

/** Records nothing, and passes on what callers gave. */
export const PASSING: Tracer = {
  serve: (_, parent) => passedSpan(parent),
  claim: (_, parent) => passedSpan(parent),
  resume: (_, parent) => passedSpan(parent),
};

const CURRENT = new AsyncLocalStorage<Span | undefined>();

/** The span that the running code works in; undefined: none. */
export function currentSpan(): Span | undefined {
  return CURRENT.getStore();
}

/** Works in a span; undefined: in the one that is current. */
export function inside<T>(span: Span | undefined, work: () => T): T {
  return span === undefined ? work() : CURRENT.run(span, work);
}

/** Works in no span: for what serves others too, and lasts. */
export function outside<T>(work: () => T): T {
  return CURRENT.getStore() === undefined ? work() : CURRENT.run(undefined, work);
}

/** Works in a part of the current span, if there is one, which fails and ends with the work. */
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

/** What a line of the log says of the current span. */
export function traceFacts(): { readonly trace_id?: string; readonly span_id?: string } {
  const context = CURRENT.getStore()?.context;
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}

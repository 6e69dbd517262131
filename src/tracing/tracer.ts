/** Records spans with the OpenTelemetry SDK; nothing is registered globally. */
import {
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  ParentBasedSampler,
  type ReadableSpan,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Attributes, Span, SpanOptions, Tracer } from "../platform/observability/span.ts";
import type { TraceContext } from "../platform/observability/trace-context.ts";
import { ClaimedSpan } from "./claimed.ts";

/** Maximum characters of an attribute; ids and names are shorter. */
const MAX_CHARS = 256;
const MAX_ATTRIBUTES = 32;

export interface RecordingOptions {
  /** Share of the traces starting here that are recorded, 0 to 1. */
  readonly ratio: number;
  /** Attributes of the process, sent with every span. */
  readonly resource: Attributes;
  /** Version of svc. */
  readonly version: string;
  /** Called with every recorded span that has ended. */
  readonly ended: (span: ReadableSpan) => void;
  /** Whether one more span may be recorded because its caller asks for it. */
  readonly force: (tenant: string) => boolean;
}

export class RecordingTracer implements Tracer {
  readonly #otel: OtelTracer;
  readonly #ratio: number;
  readonly #force: (tenant: string) => boolean;

  constructor({ ratio, resource, version, ended, force }: RecordingOptions) {
    const provider = new TracerProvider({
      resource: resourceFromAttributes(known(resource)),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanLimits: { attributeValueLengthLimit: MAX_CHARS, attributeCountLimit: MAX_ATTRIBUTES },
      spanProcessors: [
        { onStart: () => {}, onEnd: ended, forceFlush: async () => {}, shutdown: async () => {} },
      ],
    });
    this.#otel = provider.getTracer("svc", version);
    this.#ratio = ratio;
    this.#force = force;
  }

  /**
   * A caller's request not to be recorded is followed. A request to be recorded is first subject to random sampling,
   * because the caller chose the trace id, which therefore is not random. Then it counts against the tenant's limit of
   * forced traces.
   */
  serve(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span {
    if (!parent?.sampled) return this.resume(name, parent, options);
    const sampled = Math.random() < this.#ratio || this.#force(tenantOf(options));
    return this.resume(name, { ...parent, sampled }, options);
  }

  claim(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span {
    if (!parent?.sampled) return this.resume(name, parent, options);
    return new ClaimedSpan(this, name, parent, options);
  }

  resume(name: string, parent: TraceContext | undefined, options?: SpanOptions): Span {
    return begin(this.#otel, name, parent && remote(parent), options);
  }
}

function tenantOf(options: SpanOptions | undefined): string {
  return String(options?.attributes?.["svc.tenant.id"] ?? "");
}

class RecordedSpan implements Span {
  readonly context: TraceContext;
  readonly #otel: OtelTracer;
  readonly #span: ReturnType<OtelTracer["startSpan"]>;

  constructor(otel: OtelTracer, span: ReturnType<OtelTracer["startSpan"]>) {
    this.#otel = otel;
    this.#span = span;
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.context = { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  child(name: string, options?: SpanOptions): Span {
    return begin(this.#otel, name, this.#span.spanContext(), options);
  }

  /** A span that is not recorded does not start recorded ones. */
  apart(name: string, options?: SpanOptions): Span {
    if (!this.context.sampled) return this.child(name, options);
    return begin(this.#otel, name, undefined, options, this.#span.spanContext());
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(known(attributes));
  }

  fail(code: string): void {
    this.#span.setAttribute("error.type", code).setStatus({ code: SpanStatusCode.ERROR });
  }

  prove(): void {}

  end(): void {
    this.#span.end();
  }
}

function begin(
  otel: OtelTracer,
  name: string,
  parent: SpanContext | undefined,
  { kind = "INTERNAL", attributes = {}, startedAt }: SpanOptions = {},
  link?: SpanContext,
): RecordedSpan {
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  const span = otel.startSpan(
    name,
    {
      kind: SpanKind[kind],
      attributes: known(attributes),
      ...(startedAt !== undefined && { startTime: startedAt }),
      ...(link && { links: [{ context: link }] }),
    },
    context,
  );
  return new RecordedSpan(otel, span);
}

function remote({ traceId, spanId, sampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function known(attributes: Attributes): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * A span that is started only at its end, because only then is it known whether its trace began in this installation.
 * Spans within it see the ids of its parent.
 */
import {
  type Attributes,
  PassedSpan,
  type Span,
  type SpanOptions,
  type Tracer,
} from "../platform/observability/span.ts";
import type { TraceContext } from "../platform/observability/trace-context.ts";

export class ClaimedSpan implements Span {
  readonly context: TraceContext;
  readonly #tracer: Pick<Tracer, "serve" | "resume">;
  readonly #name: string;
  readonly #options: SpanOptions;
  readonly #startedAt = Date.now();
  #attributes: Attributes;
  #failure: string | undefined;
  #proven = false;

  constructor(
    tracer: Pick<Tracer, "serve" | "resume">,
    name: string,
    parent: TraceContext,
    options: SpanOptions = {},
  ) {
    this.#tracer = tracer;
    this.#name = name;
    this.context = parent;
    this.#options = options;
    this.#attributes = options.attributes ?? {};
  }

  child(): Span {
    return new PassedSpan(this.context);
  }

  apart(): Span {
    return new PassedSpan(this.context).apart();
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  prove(): void {
    this.#proven = true;
  }

  fail(code: string): void {
    this.#failure = code;
  }

  end(): void {
    const begin = this.#proven ? "resume" : "serve";
    const given = { startedAt: this.#startedAt, ...this.#options, attributes: this.#attributes };
    const span = this.#tracer[begin](this.#name, this.context, given);
    if (this.#failure !== undefined) span?.fail(this.#failure);
    span?.end();
  }
}

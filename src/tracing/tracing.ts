/** Tracing of a process: its tracer and the export of its spans. Loaded only if tracing is enabled. */
import type { Registry } from "prom-client";
import type { Phase } from "../platform/concurrency/lifecycle.ts";
import type { Log } from "../platform/observability/log.ts";
import type { Attributes, Tracer } from "../platform/observability/span.ts";
import { Forced } from "./forced.ts";
import { FLUSH_LIMIT_MS, SpanExporter } from "./span-exporter.ts";
import { RecordingTracer } from "./tracer.ts";

export interface TracingOptions {
  /** URL to which spans are posted, as binary OTLP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the traces starting here that are recorded, 0 to 1. */
  readonly ratio: number;
  readonly resource: Attributes;
  readonly version: string;
  readonly registry: Registry;
  readonly log: Log;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Starts sending. This keeps the process alive, so call it only after the process has started. */
  readonly start: () => void;
  /** Shutdown phases; they must run after everything that records spans. */
  readonly phases: readonly Phase[];
}

export function openTracing({ url, headers, registry, log, ...recording }: TracingOptions): Tracing {
  const exporter = new SpanExporter({ url, headers, registry, log });
  const forced = new Forced(() => performance.now());
  const force = (tenant: string) => forced.take(tenant);
  const limitMs = FLUSH_LIMIT_MS + 500;
  return {
    tracer: new RecordingTracer({ ...recording, ended: exporter.take, force }),
    start: () => exporter.start(),
    phases: [{ name: "send the remaining spans", limitMs, run: () => exporter.close() }],
  };
}

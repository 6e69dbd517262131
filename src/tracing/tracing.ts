/** Tracing of a process: its tracer, and how its spans leave. Loaded only where tracing is on. */
import type { Registry } from "prom-client";
import type { Phase } from "../platform/lifecycle.ts";
import type { Log } from "../platform/log.ts";
import type { Attributes, Tracer } from "../platform/span.ts";
import { FLUSH_LIMIT_MS, Outlet } from "./outlet.ts";
import { RecordingTracer } from "./tracer.ts";

export interface TracingOptions {
  /** Where spans are posted, as OTLP in its binary form. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Share of the traces that begin here which are recorded, 0 to 1. */
  readonly ratio: number;
  readonly resource: Attributes;
  readonly version: string;
  readonly registry: Registry;
  readonly log: Log;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Begins to send. It keeps a process alive: not before the process has started. */
  readonly start: () => void;
  /** How it ends, after everything that it tells of. */
  readonly phases: readonly Phase[];
}

export function openTracing({ url, headers, registry, log, ...recording }: TracingOptions): Tracing {
  const outlet = new Outlet({ url, headers, registry, log });
  const limitMs = FLUSH_LIMIT_MS + 500;
  return {
    tracer: new RecordingTracer({ ...recording, ended: outlet.take }),
    start: () => outlet.start(),
    phases: [{ name: "send the spans that are left", limitMs, run: () => outlet.close() }],
  };
}

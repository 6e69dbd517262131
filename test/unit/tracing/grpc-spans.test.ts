/** Who decides about the span of a gRPC call, and what ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Metadata, status } from "@grpc/grpc-js";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { beginSpan, leaveSpan, takeSpan } from "../../../src/grpc/tracing.ts";
import { RecordingTracer } from "../../../src/tracing/tracer.ts";

function begun(method: string) {
  const spans: ReadableSpan[] = [];
  const ended = (span: ReadableSpan) => spans.push(span);
  const tracer = new RecordingTracer({ ratio: 0, resource: {}, version: "1", ended, force: () => false });
  const metadata = new Metadata();
  metadata.set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  return { spans, metadata, span: beginSpan(tracer, method, metadata, { tenant: "acme" }) };
}

test("a node's report joins its task's trace; in any other call, the sampled flag is the caller's request", () => {
  for (const [method, recorded] of [
    ["svc.v1.NodeService/ReportResult", 1],
    ["svc.v1.JobService/GetJob", 0],
  ] as const) {
    const { spans, span } = begun(method);
    span?.prove();
    span?.end();
    assert.equal(spans.length, recorded, method);
  }
});

test("a span can be taken only once, and only its taker ends it", () => {
  const { metadata, span } = begun("svc.v1.JobService/GetJob");
  assert.equal(takeSpan(metadata), span);
  assert.equal(takeSpan(metadata), undefined);
  leaveSpan(metadata, status.CANCELLED);
});

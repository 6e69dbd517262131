/** Which spans are recorded: sampling is random, a caller may opt out, and may force recording within limits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { PASSING } from "../../../src/platform/observability/span.ts";
import { parseTraceparent, traceparentOf } from "../../../src/platform/observability/trace-context.ts";
import { Forced } from "../../../src/tracing/forced.ts";
import { RecordingTracer } from "../../../src/tracing/tracer.ts";

const CALLER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };

const CALLED = { ...CALLER, sampled: true };

function tracer(ratio: number, force = (_tenant: string) => false) {
  const spans: ReadableSpan[] = [];
  const ended = (span: ReadableSpan) => spans.push(span);
  return { spans, tracer: new RecordingTracer({ ratio, resource: {}, version: "1", ended, force }) };
}

test("a caller that opts out is not recorded at any ratio", () => {
  const { spans, tracer: all } = tracer(1);
  const span = all.serve("request", { ...CALLER, sampled: false });
  span.child("part").end();
  span.apart("job").end();
  span.end();
  assert.deepEqual(spans, []);
  assert.equal(span.context.traceId, CALLER.traceId, "its ids are passed on");
});

test("a caller that forces recording is recorded within the limit", () => {
  let room = 2;
  const { spans, tracer: none } = tracer(0, () => room-- > 0);
  for (let n = 0; n < 5; n++) none.serve("request", { ...CALLER, sampled: true }).end();
  assert.equal(spans.length, 2);
});

test("a decision of this installation holds for every part of the trace", () => {
  const { spans, tracer: none } = tracer(0);
  none
    .resume("work", { ...CALLER, sampled: true })
    ?.child("part")
    .end();
  assert.equal(spans.length, 1);
});

test("a trace that begins here is recorded by the ratio", () => {
  const { spans, tracer: half } = tracer(0.5);
  for (let n = 0; n < 2_000; n++) half.serve("request", undefined).end();
  // Eight standard deviations.
  assert.ok(Math.abs(spans.length - 1_000) < 180, String(spans.length));
});

test("a separate trace links to its origin, and has its own id", () => {
  const { spans, tracer: all } = tracer(1);
  const request = all.serve("request", { ...CALLER, sampled: true });
  const job = request.apart("submit job", { kind: "PRODUCER" });
  assert.notEqual(job.context.traceId, CALLER.traceId);
  job.end();
  assert.deepEqual(
    spans[0]?.links.map(({ context }) => context.spanId),
    [request.context.spanId],
  );
  assert.equal(spans[0]?.parentSpanContext, undefined);
});

test("an unrecorded separate trace also has its own id, and keeps the caller's choice", () => {
  const request = PASSING.serve("request", { ...CALLER, sampled: true });
  const jobs = [1, 2].map(() => request?.apart("submit job").context);
  assert.equal(new Set([CALLER.traceId, ...jobs.map((job) => job?.traceId)]).size, 3);
  for (const job of jobs) assert.deepEqual(parseTraceparent(traceparentOf(job ?? CALLED)), job);
  assert.ok(jobs.every((job) => job?.sampled));
});

test("a report of a recorded task is recorded once it is proven, and does not count against the limit", () => {
  let asked = 0;
  const { spans, tracer: none } = tracer(0, () => asked++ < 0);
  const report = (sampled: boolean) =>
    none.claim("report", { ...CALLER, sampled }, { kind: "SERVER", attributes: { first: 1 } });
  const proven = report(true);
  proven?.set({ second: 2 });
  proven?.prove();
  proven?.fail("INTERNAL");
  proven?.end();
  assert.equal(asked, 0);
  const [span] = spans;
  assert.equal(span?.parentSpanContext?.spanId, CALLER.spanId);
  assert.deepEqual(span?.attributes, { first: 1, second: 2, "error.type": "INTERNAL" });
  report(true)?.end();
  assert.equal(asked, 1, "an unproven one counts as a caller's request");
  const unsampled = report(false);
  unsampled?.prove();
  unsampled?.end();
  assert.equal(spans.length, 1);
});

test("each tenant may force a hundred traces per second, and all together a thousand", () => {
  let now = 0;
  const forced = new Forced(() => now);
  const taken = (tenant: string) =>
    Array.from({ length: 150 }, () => forced.take(tenant)).filter(Boolean).length;
  assert.deepEqual([taken("acme"), taken("acme"), taken("globex")], [100, 0, 100]);
  now = 999;
  assert.equal(taken("acme"), 0);
  const others = Array.from({ length: 10 }, (_, n) => taken(`tenant ${n}`));
  assert.equal(
    others.reduce((sum, count) => sum + count, 200),
    1_000,
  );
  now = 1_000;
  assert.equal(taken("acme"), 100);
});

test("a forced trace counts against the tenant of its span", () => {
  const tenants: string[] = [];
  const { tracer: none } = tracer(0, (tenant) => tenants.push(tenant) < 0);
  none.serve("request", CALLED, { attributes: { "svc.tenant.id": "acme" } }).end();
  assert.deepEqual(tenants, ["acme"]);
});

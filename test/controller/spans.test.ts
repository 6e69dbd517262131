/**
 * Spans of requests to the controller's services: failed requests end their span, and only recorded reports are
 * proven.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { Failure } from "../../src/platform/failure.ts";
import { inside } from "../../src/platform/observability/span.ts";
import { RecordingTracer } from "../../src/tracing/tracer.ts";
import { caller, Peer } from "./peer.ts";
import { refused, System, submission, wrapped } from "./system.ts";

const PARENT = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", sampled: true };

let system: System;
before(async () => {
  system = await System.open();
});
after(() => system.close());

function tracing() {
  const spans: ReadableSpan[] = [];
  const ended = (span: ReadableSpan) => spans.push(span);
  const options = { ratio: 0, resource: {}, version: "1", ended, force: () => false };
  return { spans, tracer: new RecordingTracer(options) };
}

test("a submission that the store refuses ends its span with the code", async () => {
  const insertJobs = () => Promise.reject(new Failure("STORE_UNAVAILABLE", "The store does not answer."));
  const failing = new System(wrapped(system.store, { insertJobs }), {}, async () => {});
  const { spans, tracer } = tracing();
  const request = tracer.resume("request", PARENT);
  try {
    const submitted = inside(request, () => failing.jobs.submitJob(submission({}), caller("spans")));
    await refused(submitted, "STORE_UNAVAILABLE");
  } finally {
    await failing.controller.stop();
  }
  const [span, ...others] = spans;
  assert.deepEqual(others, []);
  assert.equal(span?.name, "submit job");
  assert.equal(span?.attributes["error.type"], "STORE_UNAVAILABLE");
});

test("a report joins its task's trace only when it is recorded", async () => {
  const { spans, tracer } = tracing();
  const tenant = "proven";
  await system.submit(tenant);
  const node = await Peer.register(system.nodes, tenant);
  const item = await node.pullSome();
  const report = async (reporter = node) => {
    const span = tracer.claim("report", PARENT);
    await inside(span, () => reporter.plan(item, 40)).catch(() => {});
    span.end();
    return spans.length;
  };
  assert.equal(await report(), 1);
  assert.equal(await report(), 1, "the same again");
  const stranger = await Peer.register(system.nodes, tenant);
  assert.equal(await report(stranger), 1, "of another session's task");
});

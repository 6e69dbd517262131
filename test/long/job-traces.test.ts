/** One job, one trace: from the request through the queue to a node's scorer and back, with real processes. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { EventStream } from "../server/event-stream.ts";
import type { Batch } from "../server/jobs-client.ts";
import type { LogLine } from "../server/svc-process.ts";
import { svc } from "../server/svc-process.ts";
import type { ReceivedSpan } from "../tracing/collector.ts";
import { Installation } from "../tracing/installation.ts";
import { branch, only, treeOf } from "../tracing/tree.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const STREAM = "6bf92f3577b34da6a3ce929d0e0e4736";
const QUIET = "5bf92f3577b34da6a3ce929d0e0e4736";
const REPORT = branch("svc.v1.NodeService/ReportResult");
const SEGMENT = branch("work segment", branch("run scorer"), REPORT);

let system: Installation;
let given: string;
let quiet: string;
let commanded: string;
let batch: readonly string[];
/** Waits until everything is done and every process has sent its spans. */
before(async () => {
  system = await Installation.open();
  const { jobs, controller } = system;
  // Every job is scored, also those that ask the same.
  const pair = { ...system.pair, noCache: true };
  given = (await jobs.submit(pair, { traceparent: `00-${TRACE}-${CALLER}-01` })).body.id;
  quiet = (await jobs.submit(pair, { traceparent: `00-${QUIET}-${CALLER}-00` })).body.id;
  const headers = { traceparent: `00-${STREAM}-${CALLER}-01` };
  {
    using stream = await EventStream.open(`${controller.rest}/v1/jobs:stream`, headers);
    await stream.find(({ event }) => event === "snapshotEnd");
  }
  const list = { jobs: [pair, pair].map((job) => ({ job })) };
  const traceparent = `00-${TRACE}-${CALLER}`;
  const several = await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", list, { traceparent });
  batch = several.body.jobs.map(({ job }) => job.id);
  const { stdout } = await svc(["jobs", "submit", pair.reference, "/nowhere/d.mp4"], {
    SVC_SERVER: controller.grpc,
    TRACEPARENT: `00-${"c".repeat(32)}-${CALLER}-01`,
  });
  commanded = stdout.trim();
  await jobs.until(commanded, "FAILED");
  for (const id of [given, quiet, ...batch]) await jobs.settled(id);
  for (const id of [given, ...batch]) await system.collector.work(id, "work stills");
  await system.collector.work(commanded, "work plan");
  await system.stop();
});
after(() => system[Symbol.asyncDispose]());

/** Spans of the traces that contain a job. */
function tracesOf(job: string): Map<string, ReceivedSpan[]> {
  const { collector } = system;
  const ids = collector.spans
    .filter(({ attributes }) => attributes["svc.job.id"] === job)
    .map((span) => span.traceId);
  return new Map([...new Set(ids)].map((id) => [id, collector.trace(id)]));
}

function logOf(job: string): LogLine[] {
  return [...system.controller.log, ...system.node.log].filter((line) => line["jobId"] === job);
}

test("the caller's trace contains the whole job, each span below its cause", () => {
  const [traceId, spans] = only([...tracesOf(given)]);
  assert.equal(traceId, TRACE);
  const stills = spans.filter(({ name }) => name === "work stills");
  const pictures = spans.filter(({ parentId }) => parentId === only(stills).spanId);
  assert.ok(pictures.length > 0 && pictures.every(({ name }) => name === REPORT.name));
  assert.deepEqual(
    treeOf(spans.filter((span) => !stills.includes(span) && !pictures.includes(span))),
    branch(
      "POST /v1/jobs",
      branch(
        "submit job",
        branch("pool"),
        branch("wait in queue"),
        branch("work plan", REPORT),
        SEGMENT,
        SEGMENT,
        SEGMENT,
      ),
    ),
  );
});

test("spans name their process and their subject", () => {
  const spans = system.collector.trace(TRACE);
  const find = (name: string) => spans.find((span) => span.name === name) ?? assert.fail(name);
  const request = find("POST /v1/jobs");
  assert.deepEqual([request.parentId, request.kind, request.status], [CALLER, 2, 0]);
  assert.equal(request.resource["service.name"], "svc-controller");
  const { "svc.request.id": requestId, ...attributes } = request.attributes;
  assert.match(String(requestId), /^[0-9a-f-]{36}$/);
  assert.deepEqual(attributes, {
    "http.request.method": "POST",
    "http.route": "/v1/jobs",
    "http.response.status_code": 201,
    "svc.tenant.id": "dev",
  });
  assert.deepEqual(find("submit job").attributes, { "svc.job.id": given, "svc.job.existed": false });
  const segment = find("work segment");
  assert.deepEqual([segment.kind, segment.resource["service.name"]], [5, "svc-node"]);
  assert.equal(segment.attributes["svc.work.outcome"], "done");
  assert.equal(find(REPORT.name).attributes["rpc.response.status_code"], "OK");
  assert.match(String(find("run scorer").attributes["svc.scorer"]), /^ffmpeg /);
  const segments = spans.filter(({ name }) => name === "work segment");
  assert.equal(
    segments.reduce((sum, { attributes }) => sum + Number(attributes["svc.frames"]), 0),
    70,
  );
  for (const span of spans) {
    assert.ok(span.end >= span.start, span.name);
    assert.doesNotMatch(
      JSON.stringify(span.attributes),
      /reference|distorted|\.y4m|\.mp4/,
      "no media are named",
    );
  }
});

test("a failure is recorded with its code where it happened", () => {
  const [traceId, spans] = only([...tracesOf(commanded)]);
  assert.equal(traceId, "c".repeat(32), "a command joins the trace of its environment");
  const plan = only(spans.filter(({ name }) => name === "work plan"));
  assert.deepEqual([plan.status, plan.attributes["error.type"]], [2, "MEDIA_NOT_FOUND"]);
});

test("each of several jobs has its own trace, which links to their request", () => {
  const request = only(system.collector.spans.filter(({ name }) => name === "POST /v1/jobs:batch"));
  assert.notEqual(request.traceId, TRACE, "an invalid traceparent is ignored");
  assert.equal(request.parentId, "");
  const ids = batch.map((job) => {
    const [traceId, spans] = only([...tracesOf(job)]);
    const root = spans.find(({ parentId }) => parentId === "") ?? assert.fail("no root");
    assert.equal(root.name, "submit job");
    assert.deepEqual(root.links, [{ traceId: request.traceId, spanId: request.spanId }]);
    assert.equal(spans.filter(({ name }) => name === "work segment").length, 3);
    return traceId;
  });
  assert.equal(new Set([...ids, request.traceId]).size, 3);
});

test("a stream that its client closes has its status, and no failure", () => {
  const span = only(system.collector.trace(STREAM));
  assert.equal(span.status, 0);
  assert.equal(span.attributes["http.response.status_code"], 200);
  assert.equal(span.attributes["svc.error.code"], undefined);
});

test("a caller that opts out of recording is not recorded, but its ids are in the log", () => {
  assert.deepEqual(system.collector.trace(QUIET), []);
  assert.deepEqual([...tracesOf(quiet)], []);
  const lines = logOf(quiet);
  assert.ok(lines.length >= 5, "a line for each task");
  for (const line of lines) assert.equal(line["trace_id"], QUIET, String(line["msg"]));
});

test("log lines contain the ids of their span", () => {
  const lines = logOf(given).filter(({ msg }) => msg === "task started");
  const spans = system.collector.trace(TRACE).filter(({ name }) => name.startsWith("work "));
  assert.deepEqual(
    new Set(lines.map((line) => `${String(line["trace_id"])} ${String(line["span_id"])}`)),
    new Set(spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`)),
  );
});

test("frequent polling requests create no spans", () => {
  const names = new Set(system.collector.spans.map(({ name }) => name));
  assert.ok(!names.has("svc.v1.NodeService/PullWork") && !names.has("svc.v1.NodeService/Heartbeat"));
  assert.ok(names.has("svc.v1.NodeService/RegisterNode"));
});

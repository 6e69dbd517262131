/** Export of spans to a collector that is down, slow or hostile: bounded, counted, logged once. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import pino from "pino";
import { Registry } from "prom-client";
import { SpanExporter } from "../../src/tracing/span-exporter.ts";
import { RecordingTracer } from "../../src/tracing/tracer.ts";
import { until } from "../waiting.ts";
import { Collector } from "./collector.ts";

const MAX_WAITING = 8_192;

let collector: Collector;
let registry: Registry;
let lines: { readonly level: number; readonly msg: string; readonly detail?: string }[];
let outlet: SpanExporter;
let record: (count: number) => void;
beforeEach(async () => {
  collector = await Collector.open();
  open(collector.url);
});
afterEach(async () => {
  await outlet.close();
  await collector[Symbol.asyncDispose]();
});

function open(url: string): void {
  registry = new Registry();
  lines = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  outlet = new SpanExporter({ url, headers: { authorization: "secret" }, registry, log });
  const resource = { "service.name": "test" };
  const tracer = new RecordingTracer({
    ratio: 1,
    resource,
    version: "1",
    ended: outlet.take,
    force: () => false,
  });
  record = (count) => {
    for (let n = 0; n < count; n++) tracer.resume(`span ${n}`, undefined).end();
  };
}

async function counts(): Promise<Record<string, number>> {
  const metric = await registry.getSingleMetric("svc_trace_spans_total")?.get();
  return Object.fromEntries(
    (metric?.values ?? []).map(({ labels, value }) => [String(labels["outcome"]), value]),
  );
}

async function waiting(): Promise<number> {
  return (await registry.getSingleMetric("svc_trace_spans_waiting")?.get())?.values[0]?.value ?? Number.NaN;
}

/** Waits until this number of spans has an outcome. */
function counted(outcome: string, count: number): Promise<void> {
  return until(async () => (await counts())[outcome] === count, `${count} spans ${outcome}`);
}

test("sends spans with the given headers, at most a full request at a time, and counts them", async () => {
  record(1_200);
  outlet.start();
  await counted("sent", 1_200);
  assert.equal(new Set(collector.spans.map(({ spanId }) => spanId)).size, 1_200);
  assert.equal(collector.headers.length, 3);
  assert.equal(collector.headers[0]?.authorization, "secret");
  assert.deepEqual(lines, []);
  assert.equal(await waiting(), 0);
});

test("keeps and resends spans that the collector may accept later; logs the failure once and the recovery once", async () => {
  let refusals = 2;
  collector.answer = (response) => response.writeHead(refusals-- > 0 ? 503 : 200).end();
  record(10);
  outlet.start();
  await counted("sent", 10);
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      [40, "failed to export spans"],
      [30, "spans are exported again"],
    ],
  );
  assert.doesNotMatch(JSON.stringify(lines), /secret/);
});

test("drops spans that the collector rejects, and continues with the next", async () => {
  let refuse = true;
  collector.answer = (response) => response.writeHead(refuse ? 400 : 200).end();
  record(3);
  outlet.start();
  await counted("refused", 3);
  refuse = false;
  record(2);
  await counted("sent", 2);
});

test("drops spans beyond its capacity at once, and counts them", async () => {
  record(MAX_WAITING + 5);
  assert.equal((await counts())["lost"], 5);
  assert.equal(await waiting(), MAX_WAITING);
});

describe("a hostile collector", () => {
  test("with an endless response is disconnected after the status", async () => {
    let gone = false;
    collector.answer = (response) => {
      response.writeHead(200);
      const more = () => response.write(Buffer.alloc(1 << 16)) && setImmediate(more);
      response.on("drain", more).on("close", () => (gone = true));
      more();
    };
    record(1);
    outlet.start();
    await counted("sent", 1);
    await until(async () => gone, "the connection to be closed");
  });

  test("that redirects gets no request elsewhere", async () => {
    collector.answer = (response) =>
      response.writeHead(307, { location: `${collector.url}/elsewhere` }).end();
    record(1);
    outlet.start();
    await counted("refused", 1);
    assert.deepEqual(new Set(collector.paths), new Set(["POST /"]));
  });

  test("that never answers times out, and its spans wait", async (context) => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    // The time limit passes a hundred times faster.
    context.mock.method(AbortSignal, "timeout", (ms: number) => timeout(ms / 100));
    collector.answer = () => {};
    record(4);
    outlet.start();
    await until(async () => lines.length > 0, "the failure to be logged");
    assert.match(lines[0]?.detail ?? "", /did not answer within 10 s/);
    assert.equal(await waiting(), 4);
    await outlet.close();
    assert.deepEqual(await counts(), { sent: 0, refused: 0, lost: 4 });
  });

  test("that keeps a connection open does not keep the process running", async () => {
    collector.answer = () => {};
    record(4);
    outlet.start();
    await collector.until(() => collector.headers[0], "the request");
    await outlet.close();
    assert.deepEqual(await counts(), { sent: 0, refused: 0, lost: 4 });
  });
});

test("sends waiting spans at the end", async () => {
  outlet.start();
  record(700);
  await outlet.close();
  assert.deepEqual(await counts(), { sent: 700, refused: 0, lost: 0 });
  assert.equal(collector.spans.length, 700);
});

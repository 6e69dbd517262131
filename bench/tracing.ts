/**
 * The cost of tracing: a single span, in this process; and calls to controllers that trace none, one in a hundred, or
 * all of them. Run with `npm run bench:tracing`; docs/performance.md has the results of one run.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { inside, PASSING, type Tracer, traceFacts } from "../src/platform/observability/span.ts";
import { parseTraceparent } from "../src/platform/observability/trace-context.ts";
import { RecordingTracer } from "../src/tracing/tracer.ts";
import { Client } from "./client.ts";
import { inFlight } from "./flight.ts";
import { type Contender, interleave, printTimings } from "./interleave.ts";
import { startController } from "./system.ts";

const IN_FLIGHT = 32;
const READS = 1_000;
const SUBMITS = 500;
const ROUNDS = 9;
const SPANS = 20_000;
/** Spans per request to a collector. */
const BATCH = 512;
const PAIR = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };

/** A collector that accepts and discards everything. */
const collector = createServer((request, response) => {
  request.resume().on("end", () => response.end());
});
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
collector.listen(0, "127.0.0.1");
await once(collector, "listening");
try {
  const load = loadavg()[0]?.toFixed(1);
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}; load ${load}; ${IN_FLIGHT} in flight`);
  benchSpans();
  await benchCalls(`http://127.0.0.1:${(collector.address() as AddressInfo).port}`);
} finally {
  collector.close();
  collector.closeAllConnections();
  await rm(directory, { recursive: true });
}

/**
 * Measures the tracing part of a request: its span, the trace fields of a log line, and its end. By CPU time, which
 * other programs do not affect.
 */
function benchSpans(): void {
  const spans: ReadableSpan[] = [];
  const force = () => false;
  const ended = (span: ReadableSpan) => spans.push(span);
  const recording = new RecordingTracer({
    ratio: 1,
    resource: { "service.name": "bench" },
    version: "1",
    ended,
    force,
  });
  const sampling = new RecordingTracer({ ratio: 0, resource: {}, version: "1", ended, force });
  const encode = () => {
    const batches = Array.from({ length: SPANS / BATCH }, (_, n) => spans.slice(n * BATCH, (n + 1) * BATCH));
    bytes = batches.reduce(
      (sum, batch) => sum + (ProtobufTraceSerializer.serializeRequest(batch)?.length ?? 0),
      0,
    );
  };
  let bytes = 0;
  console.log(`\n${SPANS} spans, microseconds of CPU time each`);
  for (const [name, run] of Object.entries({
    "without traces": () => request(PASSING),
    "not sampled": () => request(sampling),
    recorded: () => request(recording),
  })) {
    for (let n = 0; n < SPANS; n++) run();
    console.log(`  ${name.padEnd(28)} ${each(() => Array.from({ length: SPANS }, run)).toFixed(2)}`);
  }
  encode();
  console.log(`  ${"encoded".padEnd(28)} ${each(encode).toFixed(2)}, ${Math.round(bytes / SPANS)} bytes`);
}

function request(tracer: Tracer): void {
  const attributes = { "http.request.method": "POST", "http.route": "/v1/jobs", "svc.tenant.id": "acme" };
  const span = tracer.serve("POST /v1/jobs", parseTraceparent(undefined), { kind: "SERVER", attributes });
  inside(span, traceFacts);
  span?.set({ "http.response.status_code": 201 });
  span?.end();
}

function each(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / SPANS;
}

async function benchCalls(endpoint: string): Promise<void> {
  const start = (name: string, flags: readonly string[]) =>
    startController(["--data-dir", join(directory, name), ...flags]);
  await using off = await start("off", []);
  await using some = await start("some", ["--otlp-endpoint", endpoint, "--trace-sample", "0.01"]);
  await using all = await start("all", ["--otlp-endpoint", endpoint]);
  const controllers = Object.entries({ "without traces": off, "one in a hundred": some, "every call": all });
  using clients = new DisposableStack();
  const reads: Contender[] = [];
  const submits: Contender[] = [];
  for (const [name, { grpc }] of controllers) {
    const client = clients.use(new Client(grpc));
    const id = await client.submit(PAIR);
    reads.push({ name, run: () => inFlight(READS, IN_FLIGHT, () => client.job(id)) });
    submits.push({ name, run: () => inFlight(SUBMITS, IN_FLIGHT, () => client.submit(PAIR)) });
  }
  printTimings(`${READS} calls of GetJob`, await interleave(reads, ROUNDS));
  printTimings(`${SUBMITS} calls of SubmitJob`, await interleave(submits, ROUNDS));
}

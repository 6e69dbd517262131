/** Tracing is off by default: nothing of it is loaded, but callers' trace contexts are propagated. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { svc } from "../server/svc-process.ts";
import { Collector } from "../tracing/collector.ts";
import { Installation } from "../tracing/installation.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** Everything of OpenTelemetry except its API, which prom-client also uses. */
const SDK = /\/node_modules\/@opentelemetry\/(?!api\/)/;

/** URLs of its files that a controller loads from its start to its end. */
async function loaded(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string[]> {
  const directory = await MediaDirectory.open();
  try {
    const coverage = directory.file("coverage");
    const controller = await ControllerProcess.start({
      dataDir: directory.file("data"),
      args,
      env: { ...env, NODE_V8_COVERAGE: coverage },
    });
    await controller.stop();
    const files = await readdir(coverage);
    const texts = await Promise.all(files.map((file) => readFile(join(coverage, file), "utf8")));
    const scripts = texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
    assert.ok(
      scripts.some(({ url }) => url.endsWith("/src/processes/controller/run.ts")),
      "loaded files are detected",
    );
    return scripts.map(({ url }) => url).filter((url) => SDK.test(url));
  } finally {
    await directory.remove();
  }
}

test("without an endpoint nothing of the SDK is loaded, even with OpenTelemetry's own variables", async () => {
  await using collector = await Collector.open();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: "no list" };
  assert.deepEqual(await loaded([], env), []);
  assert.deepEqual(collector.paths, []);
  const on = await loaded(["--otlp-endpoint", collector.url], {});
  assert.ok(
    on.some((url) => url.includes("/sdk-trace/")),
    "with an endpoint it is",
  );
});

test("a caller's trace is in the log of every process, and nothing is sent", async () => {
  await using system = await Installation.open({ traced: false });
  const { jobs, pair, node, controller, collector } = system;
  const { id } = (await jobs.submit(pair, { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` })).body;
  await jobs.settled(id);
  const plain = (await jobs.submit({ ...pair, noCache: true })).body.id;
  await jobs.settled(plain);
  await system.stop();
  const ids = (job: string) =>
    new Set(
      [...controller.log, ...node.log].filter(({ jobId }) => jobId === job).map((line) => line["trace_id"]),
    );
  assert.deepEqual(ids(id), new Set([TRACE]));
  assert.deepEqual(ids(plain), new Set([undefined]));
  assert.deepEqual(collector.paths, []);
});

/** Each command, with another invalid setting. */
const WRONG = [
  [
    ["controller", "--auth-disabled"],
    ["--otlp-endpoint", "collector:4318"],
    {},
    /is not an http or https URL/,
  ],
  [["node"], ["--trace-sample", "2"], {}, /--trace-sample: "2" is not a number from 0 to 1/],
  [
    ["up"],
    [],
    { SVC_OTLP_ENDPOINT: "https://me:secret@collector" },
    /--otlp-endpoint: the URL contains a user name/,
  ],
  [
    ["server", "--port", "0", "--grpc-port", "0"],
    ["--otlp-endpoint", "http://127.0.0.1:9"],
    { OTEL_EXPORTER_OTLP_HEADERS: "secret" },
    /OTEL_EXPORTER_OTLP_HEADERS: item 1 is not name=value/,
  ],
] as const;

for (const [command, flags, env, message] of WRONG) {
  test(`svc ${command[0]} does not start with ${[...flags, ...Object.keys(env)].join(" ")}`, async () => {
    const { code, stderr } = await svc([...command, ...flags], env);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /secret/);
  });
}

/** Each trace belongs to one tenant, and unauthenticated callers create none. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, signToken } from "../auth/tokens.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { ask } from "../server/rest-client.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { Collector } from "../tracing/collector.ts";

const ISSUER = "https://id.example";
const TENANTS = ["acme", "globex"];
const STRANGER = "5bf92f3577b34da6a3ce929d0e0e4736";

let clips: Clips;
let keyServer: KeyServer;
let collector: Collector;
let controller: ControllerProcess;
let node: SvcProcess;
const jobs: { readonly tenant: string; readonly id: string }[] = [];
before(async () => {
  clips = await makeClips();
  const signer = newSigner("one");
  const token = (tid: string, role: string) => {
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    return signToken(signer, { iss: ISSUER, exp, tid, svc_roles: [role] });
  };
  keyServer = await KeyServer.open(keys(signer));
  collector = await Collector.open();
  const tracing = ["--otlp-endpoint", collector.url, "--media-root", clips.directory.path];
  const provider = ["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER, "--auth-audience", "svc"];
  controller = await ControllerProcess.start({
    dataDir: clips.directory.file("data"),
    auth: [
      ...provider,
      "--fleet-tenant",
      "operators",
      "--audit-log",
      clips.directory.file("audit.log"),
      ...tracing,
    ],
    env: {
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20for-the-collector",
      OTEL_RESOURCE_ATTRIBUTES: "k8s.pod.name=svc-0",
    },
  });
  const tokenFile = clips.directory.file("node.token");
  await writeFile(tokenFile, token("operators", "svc:admin"));
  node = new SvcProcess("node", {
    args: [
      "--controller",
      controller.grpc,
      "--token-file",
      tokenFile,
      "--metrics-port",
      "0",
      "--slots",
      "2",
      ...tracing,
    ],
  });
  await node.logged("registered");
  const traceparent = `00-${STRANGER}-00f067aa0ba902b7-01`;
  const reader = `Bearer ${token("acme", "svc:reader")}`;
  for (const [authorization, status] of [
    ["Bearer none", 401],
    [reader, 403],
  ] as const) {
    const headers = { authorization, traceparent };
    assert.equal((await ask(controller, "/v1/jobs", { method: "POST", headers })).status, status);
  }
  for (const path of ["/v1/ready", "/healthz", "/ui"])
    await (await fetch(controller.rest + path)).arrayBuffer();
  const clients = await Promise.all(
    TENANTS.map((tenant) => JobsClient.of(controller, token(tenant, "svc:writer"))),
  );
  await Promise.all(
    [0, 1, 2].flatMap(() =>
      clients.map(async (client, index) => {
        const { id } = (await client.submit(clips.pair)).body;
        jobs.push({ tenant: TENANTS[index] ?? "", id });
        await client.settled(id);
      }),
    ),
  );
  for (const { id } of jobs) await collector.work(id, "work stills");
  await node.stop();
  await controller.stop();
});
after(async () => {
  await node[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
  await keyServer.close();
  await clips[Symbol.asyncDispose]();
});

test("concurrent jobs of two tenants are in separate traces", () => {
  for (const { tenant, id } of jobs) {
    const traces = new Set(
      collector.spans
        .filter(({ attributes }) => attributes["svc.job.id"] === id)
        .map(({ traceId }) => traceId),
    );
    assert.equal(traces.size, 1, id);
    const spans = collector.trace([...traces][0] ?? "");
    const about = (name: string) => new Set(spans.map(({ attributes }) => attributes[name]));
    assert.deepEqual(about("svc.job.id"), new Set([id, undefined]), "of no other job");
    // The node reports as its own tenant, the operators.
    assert.deepEqual(about("svc.tenant.id"), new Set([tenant, "operators", undefined]));
    const requests = spans.filter(({ name }) => name === "POST /v1/jobs");
    assert.deepEqual(
      requests.map(({ attributes }) => attributes["svc.tenant.id"]),
      [tenant],
    );
  }
});

test("rejected callers create no spans; neither do probes and pages", () => {
  assert.deepEqual(collector.trace(STRANGER), []);
  const names = new Set(collector.spans.map(({ name }) => name));
  assert.ok(names.size > 0);
  for (const name of names) assert.doesNotMatch(name, /GET \/(v1\/ready|healthz|ui)|^grpc\./);
});

test("a line of the audit log has the trace id of its request", async () => {
  const text = await readFile(clips.directory.file("audit.log"), "utf8");
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const requests = collector.spans.filter(({ attributes }) => attributes["svc.request.id"] !== undefined);
  assert.ok(requests.length > 0);
  for (const { attributes, traceId, name } of requests) {
    const line = lines.find(({ requestId }) => requestId === attributes["svc.request.id"]);
    assert.equal(line?.["traceId"], traceId, name);
  }
  const refused = lines.filter(({ outcome }) => outcome === "TOKEN_INVALID");
  assert.equal(refused.length, 1);
  assert.ok(refused.every((line) => !("traceId" in line)));
});

test("a collector gets the headers and attributes of OpenTelemetry's variables; the log does not", () => {
  const of = (name: string) =>
    collector.spans.find(({ resource }) => resource["service.name"] === name)?.resource;
  assert.equal(of("svc-controller")?.["k8s.pod.name"], "svc-0");
  assert.equal(of("svc-node")?.["k8s.pod.name"], undefined);
  assert.ok(collector.headers.some(({ authorization }) => authorization === "Bearer for-the-collector"));
  assert.doesNotMatch(JSON.stringify([...controller.log, ...node.log]), /for-the-collector/);
});

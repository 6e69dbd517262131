/** --allowed-hosts: which hosts are served, for any listen address and with or without authentication. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ControllerProcess } from "../server/controller-process.ts";
import { CHECK, endOf, part, RawGrpc } from "../server/raw-grpc.ts";
import { answerTo } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";

const MISDIRECTED = /^HTTP\/1\.1 421 Misdirected Request\r\n.*"code":"MISDIRECTED"/s;
const OK = /^HTTP\/1\.1 200 /;
const UNAUTHENTICATED = /^HTTP\/1\.1 401 /;
const EVERYWHERE = ["--host", "0.0.0.0"];
const PROBES = ["/v1/health", "/healthz", "/v1/ready", "/readyz"];

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-allowed-hosts-"));
});
after(() => rm(directory, { recursive: true }));

function get(rest: string, host: string, path: string): Promise<string> {
  return answerTo(rest, `Host: ${host}\r\n`, `GET ${path} HTTP/1.1`);
}

describe("svc server on all addresses", () => {
  let server: ServerProcess;
  before(async () => {
    const named = ["--allowed-hosts", "SVC.example.", "--allowed-hosts", "fd00::5"];
    server = await ServerProcess.start({ args: [...EVERYWHERE, ...named] });
  });
  after(() => server[Symbol.asyncDispose]());

  for (const host of [
    ...[
      "svc.example",
      "Svc.Example:8080",
      "svc.example.",
      "svc.example.:80",
      "[fd00::5]",
      "[FD00:0::5]:8080",
    ],
    ...["localhost:8080", "svc.localhost", "127.0.0.1:8080", "[::1]"],
  ])
    test(`${host} is answered`, async () => {
      assert.match(await get(server.rest, host, "/metrics"), OK);
    });

  for (const host of [
    ...["evil.example", "evil.example:8080", "a.svc.example", "svc.example.evil.example", "svc.example.."],
    ...["svc.example:8080:8080", "evil@svc.example", "10.88.0.2:8080", "0.0.0.0", "[fd00::6]", "fd00::5", ""],
  ])
    test(`${JSON.stringify(host)}: 421`, async () => {
      assert.match(await get(server.rest, host, "/metrics"), MISDIRECTED);
    });

  for (const line of [
    ...["GET /metrics HTTP/1.0", "POST /v1/score HTTP/1.1", "OPTIONS /v1/score HTTP/1.1", "GET /ui HTTP/1.1"],
    ...["GET /ui/spec.json HTTP/1.1", "GET /nothing HTTP/1.1", "GET /%zz HTTP/1.1"],
    ...["GET /v1/healthz HTTP/1.1", "GET /v1/health/ HTTP/1.1", "GET /metrics?/v1/health HTTP/1.1"],
  ])
    test(`${line} for another host: 421`, async () => {
      assert.match(await answerTo(server.rest, "Host: evil.example\r\n", line), MISDIRECTED);
    });

  test("one of two hosts is another: 421", async () => {
    for (const hosts of [
      ["svc.example", "evil.example"],
      ["evil.example", "svc.example"],
    ]) {
      const headers = hosts.map((host) => `Host: ${host}\r\n`).join("");
      assert.match(await answerTo(server.rest, headers, "GET /metrics HTTP/1.1"), MISDIRECTED);
    }
  });

  test("the refusal says what to do", async () => {
    assert.match(await get(server.rest, "evil.example", "/ui"), /evil\.example.*add it to --allowed-hosts\./);
  });

  for (const path of [...PROBES, "/v1/health?from=kubelet"])
    test(`${path} is answered for any host, because orchestrators call it by address`, async () => {
      assert.match(await get(server.rest, "10.88.0.2:8080", path), OK);
    });
});

test("extends the hosts of loopback, for a proxy that forwards the host", async () => {
  await using server = await ServerProcess.start({ args: ["--allowed-hosts", "svc.example"], ready: false });
  assert.match(await get(server.rest, "svc.example", "/metrics"), OK);
  assert.match(await get(server.rest, "localhost", "/metrics"), OK);
  assert.match(await get(server.rest, "evil.example", "/metrics"), MISDIRECTED);
});

test("svc up supports it too", async () => {
  await using up = await ControllerProcess.up({
    dataDir: join(directory, "up"),
    args: ["--allowed-hosts", "svc.example"],
    ready: false,
  });
  assert.match(await get(up.rest, "svc.example", "/v1/whoami"), OK);
  assert.match(await get(up.rest, "evil.example", "/v1/whoami"), MISDIRECTED);
});

test("a controller enforces it on both HTTP ports, also with authentication", async () => {
  await using controller = await ControllerProcess.start({
    dataDir: join(directory, "guarded"),
    auth: ["--jwks-endpoint", "https://id.example/keys", "--auth-issuer", "https://id.example"],
    args: EVERYWHERE,
    env: { SVC_ALLOWED_HOSTS: "svc.example:[fd00::5]:controller" },
  });
  for (const host of ["svc.example", "[fd00::5]:8080", "controller:8080"]) {
    assert.match(await get(controller.rest, host, "/v1/jobs"), UNAUTHENTICATED);
    assert.match(await get(controller.metrics, host, "/metrics"), OK);
  }
  for (const path of ["/v1/jobs", "/console", "/console/config.json", "/ui"])
    assert.match(await get(controller.rest, "evil.example", path), MISDIRECTED);
  assert.match(await get(controller.metrics, "evil.example", "/metrics"), MISDIRECTED);
  for (const path of ["/v1/health", "/healthz"]) {
    assert.match(await get(controller.rest, "10.88.0.2", path), OK);
    assert.match(await get(controller.metrics, "10.88.0.2", path), OK);
  }
});

test("gRPC is answered for any host: no browser speaks it without TLS", async () => {
  await using controller = await ControllerProcess.start({
    dataDir: join(directory, "grpc"),
    args: [...EVERYWHERE, "--allowed-hosts", "localhost"],
  });
  await using client = await RawGrpc.open(controller.grpc);
  const call = client.begin(CHECK);
  call.end(part(0, 0));
  assert.equal((await endOf(call)).status, 0);
});

test("a node enforces it", async () => {
  const args = [...EVERYWHERE, "--metrics-port", "0", "--allowed-hosts", "node-1"];
  await using node = new SvcProcess("node", { args, env: { SVC_CONTROLLER: "127.0.0.1:1" } });
  const { metrics = "" } = await node.addresses();
  assert.match(await get(metrics, "node-1:9464", "/metrics"), OK);
  assert.match(await get(metrics, "evil.example", "/metrics"), MISDIRECTED);
  assert.match(await get(metrics, "10.88.0.2:9464", "/healthz"), OK);
});

test("refuses to start with an invalid host", async () => {
  const flag = await svc(["server", "--allowed-hosts", "svc.example:8080"]);
  assert.equal(flag.code, 2);
  assert.match(flag.stderr, /--allowed-hosts: \["svc\.example:8080"\] is not a host name .* without a port/);
  for (const given of ["svc.example:8080", "svc.example::a", "fd00::5", "*", "a,b"]) {
    const { code, stderr } = await svc(["controller", "--auth-disabled"], { SVC_ALLOWED_HOSTS: given });
    assert.equal(code, 2, given);
    assert.match(stderr, /SVC_ALLOWED_HOSTS: .* is not a host name .* without a port/);
  }
});

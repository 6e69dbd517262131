/** Checks compose.yaml and the Dockerfile: variables, limits, and published ports. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { PROJECT } from "../../scripts/gates/gate.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { CHECK, endOf, part, RawGrpc } from "../server/raw-grpc.ts";
import { answerTo } from "../server/rest-client.ts";
import { environmentOf, GATEWAY, gateway, interpolated, open, text } from "./stack.ts";

const run = promisify(execFile);

const help = async (command: string): Promise<string> =>
  (await run(join(PROJECT, "bin", "svc"), [command, "--help"])).stdout.replaceAll(/\s+/g, " ");

test("every service is sandboxed, restarts, and rotates its log", () => {
  for (const [name, service] of Object.entries(open.services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ["ALL"], name);
    assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
    assert.equal(service.restart, "unless-stopped", name);
    assert.deepEqual(Object.keys(service.logging?.options ?? {}), ["max-size", "max-file"], name);
  }
});

test("publishes only on loopback without authentication", () => {
  const published = Object.values(open.services).flatMap(({ ports = [] }) => ports);
  assert.equal(published.length, 3);
  for (const port of published) assert.match(port, /^127\.0\.0\.1:/);
  assert.equal(open.services["controller"]?.environment?.["SVC_AUTH_DISABLED"], "true");
});

test("published ports accept this host's names, and nodes", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "svc-compose-"));
  t.after(() => rm(directory, { recursive: true }));
  // Without the containers' database and media, which don't exist here.
  const {
    SVC_HOST = "",
    SVC_ALLOWED_HOSTS = "",
    SVC_AUTH_DISABLED = "",
  } = open.services["controller"]?.environment ?? {};
  assert.equal(SVC_HOST, "0.0.0.0");
  await using controller = await ControllerProcess.start({
    dataDir: directory,
    auth: [],
    args: ["--host", SVC_HOST],
    env: { SVC_ALLOWED_HOSTS, SVC_AUTH_DISABLED },
  });
  for (const [rest, path] of [
    [controller.rest, "/v1/whoami"],
    [controller.metrics, "/metrics"],
  ] as const) {
    const line = `GET ${path} HTTP/1.1`;
    for (const host of ["localhost", "127.0.0.1"])
      assert.match(await answerTo(rest, `Host: ${host}:8080\r\n`, line), /^HTTP\/1\.1 200 /);
    for (const host of ["evil.example", "controller"])
      assert.match(await answerTo(rest, `Host: ${host}:8080\r\n`, line), /^HTTP\/1\.1 421 /);
  }
  // For the host "svc".
  await using node = await RawGrpc.open(controller.grpc);
  const call = node.begin(CHECK);
  call.end(part(0, 0));
  assert.equal((await endOf(call)).status, 0);
});

test("with the gateway, authentication is on, both ports use TLS, and only they are published beyond loopback", () => {
  const controller = environmentOf("controller");
  assert.equal(controller["SVC_AUTH_DISABLED"], "false");
  for (const name of [
    "SVC_TLS_CERT",
    "SVC_TLS_KEY",
    "SVC_JWKS_ENDPOINT",
    "SVC_AUTH_ISSUER",
    "SVC_AUTH_AUDIENCE",
  ])
    assert.ok(controller[name], name);
  assert.deepEqual(gateway.services["controller"]?.ports, ["8443:8080", "9443:9090"]);
  const env = { SVC_SERVER_NAME: "svc.example" };
  assert.equal(interpolated(controller["SVC_ALLOWED_HOSTS"] ?? "", env), "svc.example");
});

test("variables without a good default are required by name, and in the example", () => {
  const example = text("deploy/compose/env.example");
  for (const path of ["compose.yaml", GATEWAY]) {
    const asked = [...text(path).matchAll(/\$\{(\w+)(:[-?])?/g)].filter(([, name]) => name !== "SVC_IMAGE");
    assert.ok(asked.length > 0);
    for (const [found, name = "", operator] of asked) {
      assert.equal(operator, name === "SVC_MEDIA" ? ":-" : ":?", found);
      assert.match(example, new RegExp(`^${name}=`, "m"));
    }
  }
});

test("svc knows every variable that is set", async () => {
  for (const name of ["controller", "node"]) {
    const known = await help(name);
    for (const variable of Object.keys(environmentOf(name)))
      assert.ok(known.includes(`env: ${variable})`), `${name}: ${variable}`);
  }
});

test("gives each process more time to stop than its drain timeout", async () => {
  // Time after the drain timeout: a node hands back its tasks, a controller closes its store.
  for (const [name, beyond] of [
    ["controller", 10],
    ["node", 16],
  ] as const) {
    const drain = /--drain-timeout <seconds> .*?\(default: (\d+);/.exec(await help(name))?.[1];
    const grace = Number.parseInt(open.services[name]?.stop_grace_period ?? "", 10);
    assert.ok(grace > Number(drain) + beyond, `${name}: ${grace} s for ${String(drain)} s`);
  }
});

test("the image has the Node.js version and the version of package.json", () => {
  const manifest = JSON.parse(text("package.json"));
  assert.match(text("Dockerfile"), new RegExp(`^ARG NODE_VERSION=${manifest.devDependencies.node}$`, "m"));
  assert.match(text("Dockerfile"), new RegExp(`^ARG VERSION=${manifest.version}$`, "m"));
  assert.ok(text("docs/image.md").includes(`node:${manifest.devDependencies.node}-bookworm-slim`));
});

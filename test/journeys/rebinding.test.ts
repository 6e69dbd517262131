/** DNS rebinding: without authentication, pages whose host name was pointed at this machine get nothing. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ControllerProcess } from "../server/controller-process.ts";
import { answerTo } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";

const EVIL = "Host: evil.example:8080\r\n";
const MISDIRECTED = /^HTTP\/1\.1 421 Misdirected Request\r\n.*"code":"MISDIRECTED"/s;
const OK = /^HTTP\/1\.1 200 /;

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-rebinding-"));
});
after(() => rm(directory, { recursive: true }));

describe("svc up, where every caller is an administrator", () => {
  let up: ControllerProcess;
  before(async () => {
    up = await ControllerProcess.up({ dataDir: join(directory, "up"), console: true, ready: false });
  });
  after(() => up[Symbol.asyncDispose]());

  const lines = [
    ...["/v1/whoami", "/v1/jobs", "/v1/jobs:stream", "/v1/health", "/readyz", "/ui", "/ui/spec.json"],
    ...["/console", "/console/config.json", "/nothing", "/%zz"],
  ].map((path) => `GET ${path} HTTP/1.1`);
  for (const line of [
    ...lines,
    "POST /v1/jobs HTTP/1.1",
    "OPTIONS /v1/jobs HTTP/1.1",
    "GET /v1/jobs HTTP/1.0",
  ])
    test(`${line} for another host: 421`, async () => {
      assert.match(await answerTo(up.rest, EVIL, line), MISDIRECTED);
    });

  test("the refusal says what to do", async () => {
    assert.match(await answerTo(up.rest, EVIL), /evil\.example:8080.* proxy .* as Host, .*--allowed-hosts/);
  });

  for (const headers of [`${EVIL}Host: localhost\r\n`, `Host: localhost\r\n${EVIL}`, "Host:\r\n"])
    test(`${JSON.stringify(headers)}: 421`, async () => {
      assert.match(await answerTo(up.rest, headers), MISDIRECTED);
    });

  for (const host of ["localhost", "svc.localhost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]:8080"])
    test(`${host} is answered`, async () => {
      assert.match(await answerTo(up.rest, `Host: ${host}\r\n`, "GET /v1/whoami HTTP/1.1"), OK);
    });

  test("an HTTP/1.0 request without a host is answered", async () => {
    assert.match(await answerTo(up.rest, "", "GET /v1/whoami HTTP/1.0"), OK);
  });

  test("metrics for another host: refused", async () => {
    const line = "GET /metrics HTTP/1.1";
    assert.match(await answerTo(up.metrics, EVIL, line), MISDIRECTED);
    assert.match(await answerTo(up.metrics, "Host: localhost:9464\r\n", line), OK);
  });
});

test("svc server on loopback, and on all addresses", async () => {
  await using loopback = await ServerProcess.start({ ready: false });
  assert.match(await answerTo(loopback.rest, EVIL), MISDIRECTED);
  await using named = await ServerProcess.start({ args: ["--host", "localhost"], ready: false });
  assert.match(await answerTo(named.rest, EVIL), MISDIRECTED);
  await using open = await ServerProcess.start({ args: ["--host", "0.0.0.0"], ready: false });
  assert.match(await answerTo(open.rest, EVIL), OK);
});

test("a controller with authentication answers any host, but its metrics on loopback don't", async () => {
  await using controller = await ControllerProcess.start({
    dataDir: join(directory, "guarded"),
    auth: ["--jwks-endpoint", "https://id.example/keys", "--auth-issuer", "https://id.example"],
  });
  assert.match(await answerTo(controller.rest, EVIL), OK);
  assert.match(await answerTo(controller.rest, EVIL, "GET /v1/jobs HTTP/1.1"), /^HTTP\/1\.1 401 /);
  assert.match(await answerTo(controller.metrics, EVIL, "GET /metrics HTTP/1.1"), MISDIRECTED);
});

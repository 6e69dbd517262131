/**
 * Cross-origin pages, for which browsers send a POST without a preflight: they change nothing, with or without
 * authentication.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ControllerProcess } from "../server/controller-process.ts";
import type { NodeList } from "../server/jobs-client.ts";
import { answerTo, ask, type Spec } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";

const REFUSED = /^HTTP\/1\.1 403 Forbidden\r\n.*"code":"CROSS_ORIGIN"/s;
/** The response for an unknown job, after the origin check. */
const LOOKED_AT = /^HTTP\/1\.1 404 Not Found\r\n.*"code":"JOB_NOT_FOUND"/s;
const NO_JOB = "00000000-0000-4000-8000-000000000000";
const HOST = "Host: localhost:8080\r\n";
const CROSS_SITE = "Sec-Fetch-Site: cross-site\r\nOrigin: https://evil.example\r\n";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-cross-origin-"));
});
after(() => rm(directory, { recursive: true }));

function post(
  rest: string,
  headers: string,
  path = `/v1/jobs/${NO_JOB}:cancel`,
  host = HOST,
): Promise<string> {
  return answerTo(rest, `${host}${headers}Content-Length: 0\r\n`, `POST ${path} HTTP/1.1`);
}

describe("svc up", () => {
  let up: ControllerProcess;
  before(async () => {
    up = await ControllerProcess.up({ dataDir: join(directory, "up") });
  });
  after(() => up[Symbol.asyncDispose]());

  test("starts no changing operation for a page of another site", async () => {
    const { body: spec } = await ask<Spec>(up, "/ui/spec.json");
    const paths = Object.entries(spec.paths)
      .filter(([, item]) => "post" in item)
      .map(([path]) => path.replace("{id}", NO_JOB));
    assert.equal(paths.length, 19);
    for (const path of [...paths, "/nothing", "/%zz"])
      assert.match(await post(up.rest, CROSS_SITE, path), REFUSED, path);
  });

  for (const method of ["PUT", "PATCH", "DELETE", "PURGE"])
    test(`${method}: 403`, async () => {
      assert.match(await answerTo(up.rest, HOST + CROSS_SITE, `${method} /v1/jobs HTTP/1.1`), REFUSED);
    });

  test("a node still gets tasks", async () => {
    const nodes = async () => (await ask<NodeList>(up, "/v1/nodes")).body.nodes;
    const [node] = await nodes();
    assert.match(await post(up.rest, CROSS_SITE, `/v1/nodes/${node?.id}:drain`), REFUSED);
    assert.deepEqual(
      (await nodes()).map(({ state }) => state),
      ["ONLINE"],
    );
  });

  const refused: readonly string[] = [
    "Sec-Fetch-Site: cross-site",
    "Sec-Fetch-Site: same-site",
    "Sec-Fetch-Site: same-site\r\nOrigin: http://localhost:8080",
    "Sec-Fetch-Site: nonsense",
    "Sec-Fetch-Site:",
    "Sec-Fetch-Site: same-origin, cross-site",
    "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site",
    "Origin: https://evil.example",
    "Origin: http://localhost:3000",
    "Origin: http://localhost",
    "Origin: http://a.localhost:8080",
    "Origin: http://127.0.0.1:8080",
    "Origin: null",
    "Origin:",
    "Origin: localhost:8080",
    "Origin: file://",
    "Origin: http://localhost:8080\r\nOrigin: https://evil.example",
  ];
  for (const headers of refused)
    test(`${JSON.stringify(headers)}: 403`, async () => {
      assert.match(await post(up.rest, `${headers}\r\n`), REFUSED);
    });

  const own: readonly string[] = [
    "",
    "Sec-Fetch-Mode: cors",
    "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-Site: none",
    "Sec-Fetch-Site: same-origin\r\nOrigin: https://svc.example",
    "Origin: http://localhost:8080",
    "Origin: https://localhost:8080",
    "Origin: http://LOCALHOST:8080",
  ];
  for (const headers of own)
    test(`${JSON.stringify(headers)} is answered`, async () => {
      assert.match(await post(up.rest, headers === "" ? "" : `${headers}\r\n`), LOOKED_AT);
    });

  test("assumes the default port of a scheme", async () => {
    for (const [host, origin] of [
      ["localhost", "http://localhost"],
      ["localhost:80", "http://localhost"],
      ["localhost:443", "https://localhost"],
    ])
      assert.match(
        await post(up.rest, `Origin: ${origin}\r\n`, undefined, `Host: ${host}\r\n`),
        LOOKED_AT,
        `${host} ${origin}`,
      );
  });

  test("an HTTP/1.0 request without a host has no origin of its own", async () => {
    const line = `POST /v1/jobs/${NO_JOB}:cancel HTTP/1.0`;
    assert.match(await answerTo(up.rest, "Origin: http://localhost:8080\r\n", line), REFUSED);
    assert.match(await answerTo(up.rest, "", line), LOOKED_AT);
  });

  test("answers reads for every page: the browser hides them from other origins", async () => {
    for (const method of ["GET", "HEAD"])
      assert.match(
        await answerTo(up.rest, HOST + CROSS_SITE, `${method} /v1/jobs HTTP/1.1`),
        /^HTTP\/1\.1 200 /,
      );
  });

  test("the refusal says what to do", async () => {
    assert.match(await post(up.rest, CROSS_SITE), /page of another origin.*Sec-Fetch-Site.*--allowed-hosts/);
  });
});

test("behind a proxy that sets its own host, --allowed-hosts names the host of the pages", async () => {
  await using up = await ControllerProcess.up({
    dataDir: join(directory, "named"),
    args: ["--allowed-hosts", "svc.example"],
    ready: false,
  });
  await up.logged("store ready");
  for (const origin of ["http://svc.example", "https://svc.example:8443"])
    assert.match(await post(up.rest, `Origin: ${origin}\r\n`), LOOKED_AT);
  for (const origin of ["http://evil.example", "http://a.svc.example", "http://svc.example.evil.example"])
    assert.match(await post(up.rest, `Origin: ${origin}\r\n`), REFUSED);
  assert.match(await post(up.rest, "Sec-Fetch-Site: same-site\r\nOrigin: http://svc.example\r\n"), REFUSED);
});

test("svc server", async () => {
  await using server = await ServerProcess.start({ ready: false });
  for (const headers of [CROSS_SITE, "Origin: https://evil.example\r\n", "Sec-Fetch-Site: same-site\r\n"])
    assert.match(await post(server.rest, headers, "/v1/score"), REFUSED);
  assert.match(await post(server.rest, "", "/v1/score"), /"code":"INVALID_JSON"/);
});

test("a controller with authentication checks the origin first", async () => {
  await using controller = await ControllerProcess.start({
    dataDir: join(directory, "guarded"),
    auth: ["--jwks-endpoint", "https://id.example/keys", "--auth-issuer", "https://id.example"],
    args: ["--host", "0.0.0.0"],
  });
  assert.match(await post(controller.rest, CROSS_SITE, undefined, "Host: svc.example\r\n"), REFUSED);
  assert.match(await post(controller.rest, "", undefined, "Host: svc.example\r\n"), /^HTTP\/1\.1 401 /);
});

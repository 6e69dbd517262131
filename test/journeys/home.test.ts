/** GET / redirects a browser to the console, or without one to the API page, by the rules of that page. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { KeyServer, keys } from "../auth/key-server.ts";
import { newSigner, type Signer, signToken } from "../auth/tokens.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { ask } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";

const ISSUER = "https://id.example";

let directory: MediaDirectory;
before(async () => {
  directory = await MediaDirectory.open();
});
after(() => directory.remove());

/** Returns the path to which GET / redirects. */
async function homeOf(rest: string, init: RequestInit = {}): Promise<[number, string]> {
  const response = await fetch(`${rest}/`, { redirect: "manual", ...init });
  await response.body?.cancel();
  const location = response.headers.get("location");
  return [response.status, location === null ? "" : new URL(location, `${rest}/`).pathname];
}

describe("without authentication", () => {
  test("a scoring server redirects to its API page", async () => {
    await using server = await ServerProcess.start({ ready: false });
    assert.deepEqual(await homeOf(server.rest), [302, "/ui"]);
    assert.deepEqual(await homeOf(server.rest, { method: "HEAD" }), [302, "/ui"]);
    assert.match(await (await fetch(server.rest)).text(), /<title>svc scoring server<\/title>/);
    assert.equal((await fetch(server.rest, { method: "POST" })).status, 404, "only GET is routed");
  });

  test("a controller redirects to the console, or without one to its API page", async () => {
    const dataDir = directory.file("open");
    for (const [console, path] of [
      [true, "/console/"],
      [false, "/ui"],
    ] as const) {
      await using controller = await ControllerProcess.start({ dataDir, console });
      assert.deepEqual(await homeOf(controller.rest), [302, path]);
      assert.match((await fetch(controller.rest)).headers.get("content-type") ?? "", /^text\/html/);
      await controller.stop();
    }
  });
});

describe("with authentication", () => {
  let signer: Signer;
  let keyServer: KeyServer;
  before(async () => {
    signer = newSigner("one");
    keyServer = await KeyServer.open(keys(signer));
  });
  after(() => keyServer.close());

  const start = (console: boolean) =>
    ControllerProcess.start({
      dataDir: directory.file("asking"),
      auth: ["--jwks-endpoint", keyServer.url, "--auth-issuer", ISSUER],
      console,
    });

  test("/ needs no token if the console is served", async () => {
    await using controller = await start(true);
    assert.deepEqual(await homeOf(controller.rest), [302, "/console/"]);
    await controller.stop();
  });

  test("/ needs a token if it leads to the API page", async () => {
    await using controller = await start(false);
    const { status, body } = await ask(controller, "/", { redirect: "manual" });
    assert.deepEqual([status, body.code], [401, "TOKEN_MISSING"]);
    const now = Math.floor(Date.now() / 1000);
    const bearer = signToken(signer, { iss: ISSUER, exp: now + 600, tid: "acme", svc_roles: [] });
    const authorized = { headers: { authorization: `Bearer ${bearer}` } };
    assert.deepEqual(await homeOf(controller.rest, authorized), [302, "/ui"]);
    await controller.stop();
  });
});

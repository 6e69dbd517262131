/** Requests across origins in a real browser: others change nothing; console and API page work, also behind proxies. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { ControllerProcess } from "../server/controller-process.ts";
import type { NodeList } from "../server/jobs-client.ts";
import { ask } from "../server/rest-client.ts";
import { Pages } from "./browser.ts";

let dataDir: string;
let up: ControllerProcess;
let pages: Pages;
const servers: Server[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-cross-origin-"));
  const args = ["--allowed-hosts", "svc.example", "--ui-try-it-out"];
  up = await ControllerProcess.up({ console: true, dataDir, args });
  // Host names other than loopback, to which browsers send no Fetch Metadata over plain HTTP.
  pages = await Pages.open(["--host-resolver-rules=MAP *.example 127.0.0.1"]);
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

/** Serves on loopback and returns the port. */
async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

async function nodes(): Promise<NodeList["nodes"]> {
  return (await ask<NodeList>(up, "/v1/nodes")).body.nodes;
}

/** A page that posts a form to a target as soon as it loads. */
function formTo(target: string): RequestListener {
  const form = `<form action="${target}" method="post" target="answer"></form>`;
  const page = `<!doctype html>${form}<iframe name="answer"></iframe><script>document.forms[0].submit()</script>`;
  return (_, response) => response.setHeader("content-type", "text/html").end(page);
}

describe("a page of another origin cannot drain a node", () => {
  const port = () => new URL(up.rest).port;
  const cases: readonly (readonly [name: string, page: string, target: () => string])[] = [
    ["on another site", "127.0.0.1", () => `http://localhost:${port()}`],
    ["on another port of the host", "127.0.0.1", () => `http://127.0.0.1:${port()}`],
    ["on a subdomain of it", "a.localhost", () => `http://localhost:${port()}`],
    ["on another site, without Fetch Metadata", "evil.example", () => `http://svc.example:${port()}`],
    ["on a sibling's name, without Fetch Metadata", "evil.svc.example", () => `http://svc.example:${port()}`],
  ];
  for (const [name, host, target] of cases)
    test(name, async () => {
      const [node] = await nodes();
      const url = `${target()}/v1/nodes/${node?.id}:drain`;
      const page = await pages.page("about:blank");
      const submitted = page.waitForResponse(url);
      await page.goto(`http://${host}:${await serve(formTo(url))}/`);
      assert.equal((await submitted).status(), 403);
      await page.evaluate(async (to) => {
        await fetch(to, { method: "POST", mode: "no-cors" });
      }, url);
      assert.equal((await nodes())[0]?.state, "ONLINE");
      await page.context().close();
      pages.expectComplaints(/403 \(Forbidden\)|Content Security|frame/);
    });
});

/** A proxy that sends its own Host header. */
function proxy(): Promise<number> {
  const { port } = new URL(up.rest);
  return serve((incoming, response) => {
    const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
    const { method, url } = incoming;
    const options = { host: "127.0.0.1", port, method, path: url, headers };
    const outgoing = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
}

describe("the console can cancel jobs", () => {
  const places: readonly (readonly [name: string, origin: () => Promise<string>])[] = [
    ["at the controller's address", async () => up.rest],
    ["by a host name, without Fetch Metadata", async () => `http://svc.example:${new URL(up.rest).port}`],
    ["behind a proxy that rewrites Host", async () => `http://localhost:${await proxy()}`],
    [
      "behind such a proxy by a host name, without Fetch Metadata",
      async () => `http://svc.example:${await proxy()}`,
    ],
  ];
  for (const [name, origin] of places)
    test(name, async () => {
      const page = await pages.page(`${await origin()}/console/jobs`);
      await page
        .getByRole("button", { name: /^Submit/ })
        .first()
        .waitFor();
      const status = await page.evaluate(async () => {
        const unknown = "00000000-0000-4000-8000-000000000000";
        return (await fetch(`/v1/jobs/${unknown}:cancel`, { method: "POST" })).status;
      });
      assert.equal(status, 404);
      await page.context().close();
      pages.expectComplaints(/404 \(Not Found\)/);
    });
});

test('the API page sends requests from "Try it out"', async () => {
  const page = await pages.page(`${up.rest}/ui`);
  const operation = page.locator("#operations-jobs-cancelJob");
  await operation.getByRole("button").first().click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.getByPlaceholder("id").fill("00000000-0000-4000-8000-000000000000");
  await operation.getByRole("button", { name: "Execute" }).click();
  await operation.locator(".live-responses-table").getByText("JOB_NOT_FOUND").first().waitFor();
  await page.context().close();
  pages.expectComplaints(/404 \(Not Found\)/);
});

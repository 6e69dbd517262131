/** The console's frame in a real browser, served by a real `svc up`: it opens, warns, is small and strict. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Response } from "playwright-core";
import { ControllerProcess } from "../server/controller-process.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

/** Limit of the bytes that the first page loads. */
const FIRST_LOAD_LIMIT = 300_000;

let dataDir: string;
let up: ControllerProcess;
let pages: Pages;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-console-"));
  up = await ControllerProcess.up({ console: true, dataDir });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

test("opens without sign-in and warns that authentication is disabled, in light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1280, 380]) {
      const page = await pages.page(`${up.rest}/console`, { colorScheme, viewport: { width, height: 800 } });
      await page.getByText("Authentication is disabled").waitFor();
      await page.getByText("No jobs yet").waitFor();
      assert.equal(new URL(page.url()).pathname, "/console/");
      assert.deepEqual(await accessibilityFaults(page), [], `${colorScheme} ${width}`);
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok(Number(overflow) <= 0, `the page is ${String(overflow)} px wider than ${width}`);
      await page.context().close();
    }
  }
});

test("the first load is small and comes only from the controller", async () => {
  const page = await pages.page("about:blank");
  const responses: Response[] = [];
  page.on("response", (response) => responses.push(response));
  await page.goto(`${up.rest}/console/`);
  await page.getByText("No jobs yet").waitFor();
  let bytes = 0;
  for (const response of responses) {
    const { origin, pathname } = new URL(response.url());
    assert.equal(origin, up.rest);
    // Responses of the API grow with the jobs, so only files count.
    if (pathname.startsWith("/console/")) bytes += (await response.request().sizes()).responseBodySize;
  }
  assert.ok(bytes > 10_000 && bytes < FIRST_LOAD_LIMIT, `${bytes} bytes`);
  await page.context().close();
});

test("the Content-Security-Policy allows only its own files", async () => {
  const { headers } = await fetch(`${up.rest}/console/`);
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
});

test("serves every page at its own URL, and 404 for unknown files", async () => {
  const deep = await fetch(`${up.rest}/console/jobs/some-id`);
  assert.deepEqual([deep.status, deep.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
  for (const path of ["assets/none.js", "assets/..%2f..%2fpackage.json"])
    assert.equal((await fetch(`${up.rest}/console/${path}`)).status, 404, path);
  const files = await fetch(`${up.rest}/console/..%2f..%2fpackage.json`);
  assert.match(await files.text(), /<div id="console">/, "an unknown path serves the page itself");
});

test("sends files compressed if the client accepts it, and 304 if it has them", async () => {
  for (const [accepted, encoding] of [
    ["br, gzip", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["identity", null],
  ] as const) {
    const { headers } = await fetch(`${up.rest}/console/`, { headers: { "accept-encoding": accepted } });
    assert.equal(headers.get("content-encoding"), encoding, accepted);
  }
  const etag = (await fetch(`${up.rest}/console/`)).headers.get("etag") ?? "";
  const again = await fetch(`${up.rest}/console/`, { headers: { "if-none-match": etag } });
  assert.equal(again.status, 304);
});

test("shows nodes with state and tasks; an administrator drains one", async () => {
  const page = await pages.page(`${up.rest}/console/nodes`);
  await page.getByRole("heading", { name: "local" }).waitFor();
  await page.getByText("1 of 1 online").waitFor();
  await page.getByText("libvmaf").first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Drain local" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Online", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Drain local" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
  await page.getByText("Draining").waitFor();
  await page.context().close();
});

test("the tenant page shows limits and usage, and the audit log to administrators", async () => {
  const page = await pages.page(`${up.rest}/console/tenant`);
  await page.getByRole("heading", { name: "Tenant dev" }).waitFor();
  await page.getByText("of 100,000").waitFor();
  // A node that temporarily lost the controller registers again, hence first().
  await page.getByRole("cell", { name: "NodeService/RegisterNode" }).first().waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

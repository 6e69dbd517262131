/** Keyboard shortcuts in a real browser: search, submit, Escape, and the list of shortcuts. No node is needed. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Page as JobList, JobsClient } from "../server/jobs-client.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

let dataDir: string;
let controller: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-console-"));
  controller = await ControllerProcess.start({ console: true, dataDir });
  jobs = await JobsClient.of(controller);
  await jobs.submit({ reference: "/videos/r.mp4", distorted: "/videos/d.mp4", name: "first" });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

async function opened(path = "jobs", options = {}): Promise<Page> {
  const page = await pages.page(`${controller.rest}/console/${path}`, options);
  await page.getByRole("button", { name: "Keyboard shortcuts" }).waitFor();
  return page;
}

function focused(page: Page, element: Locator): Promise<void> {
  return element.and(page.locator(":focus")).waitFor();
}

/** Opens the dialog and types a path. */
async function typed(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Submit jobs" }).click();
  const field = page.getByLabel("Reference", { exact: true });
  await field.fill("/videos/typed.mp4");
  return field;
}

test("repeated Escape keeps typed text; only Discard discards it", async () => {
  const page = await opened();
  const field = await typed(page);
  await page.keyboard.press("Escape");
  await focused(page, page.getByRole("button", { name: "Keep editing" }));
  assert.deepEqual(await accessibilityFaults(page), []);
  for (let pressed = 0; pressed < 5; pressed++) await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor();
  assert.equal(await field.inputValue(), "/videos/typed.mp4");
  const keep = page.getByRole("button", { name: "Keep editing" });
  if (await keep.isVisible()) await keep.click();
  assert.equal(await field.inputValue(), "/videos/typed.mp4");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.context().close();
});

test("an unchanged form closes at once", async () => {
  const page = await opened();
  await page.getByRole("button", { name: "Submit jobs" }).click();
  await page.getByLabel("Distorted", { exact: true }).fill("x");
  await page.getByLabel("Distorted", { exact: true }).fill("");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.context().close();
});

test("Ctrl+Enter submits once, from any field", async () => {
  const page = await opened();
  await typed(page);
  await page.getByLabel("Name", { exact: true }).fill("by keys");
  await page.getByLabel("Distorted", { exact: true }).fill("/videos/d.mp4");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByLabel("Distorted", { exact: true }).inputValue(), "/videos/d.mp4\n");
  // The response waits for both key presses.
  const pressed = Promise.withResolvers<void>();
  await page.route("**/v1/jobs", async (route) => {
    await pressed.promise;
    await route.continue();
  });
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Control+Enter");
  pressed.resolve();
  await page.getByText("Submitted:").getByRole("link", { name: "by keys" }).waitFor();
  const { body } = await jobs.call<JobList>("listJobs", "/v1/jobs");
  assert.equal(body.jobs.filter(({ spec }) => spec["name"] === "by keys").length, 1);
  await page.context().close();
});

test("/ focuses the page's search box, or that of the job list if the page has none", async () => {
  const page = await opened();
  const search = page.getByRole("searchbox");
  await search.waitFor();
  await page.keyboard.press("/");
  await focused(page, search);
  await page.keyboard.type("a/b?");
  assert.equal(await search.inputValue(), "a/b?", "in a field they are ordinary characters");
  await page.getByRole("link", { name: "Nodes" }).click();
  await page.getByRole("heading", { name: "Nodes", level: 1 }).waitFor();
  await page.keyboard.press("/");
  await page.waitForURL(/\/jobs/);
  await focused(page, search);
  await page.context().close();
});

test("? and its button list the shortcuts; / and ? can be switched off permanently", async () => {
  const page = await opened();
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await page.keyboard.press("?");
  await dialog.getByText("Flip between the two stills").waitFor();
  await page.keyboard.press("/");
  assert.equal(await dialog.count(), 1, "shortcuts are inactive while a dialog is open");
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.reload();
  const button = page.getByRole("button", { name: "Keyboard shortcuts" });
  await button.waitFor();
  await page.keyboard.press("?");
  await page.keyboard.press("/");
  await button.click();
  await dialog.getByRole("checkbox", { checked: false }).check();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("?");
  await dialog.waitFor();
  await page.context().close();
});

test("on a phone, touch targets are at least 24 px wide and high on every page", async () => {
  for (const [path, until] of [
    ["jobs", "role=link[name='first']"],
    ["compare", "text=Nothing to compare yet"],
    ["nodes", "text=No nodes"],
    ["tenant", "text=SubmitJob"],
    ["nowhere", "text=Page not found"],
  ] as const) {
    const page = await opened(path, { viewport: { width: 390, height: 844 } });
    await page.locator(until).first().waitFor();
    assert.deepEqual(await smallTargets(page), [], path);
    assert.deepEqual(await accessibilityFaults(page), [], path);
    await page.context().close();
  }
});

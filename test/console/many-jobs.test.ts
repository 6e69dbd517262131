/** Bulk cancel and delete, editing labels, and views as URLs, in a real browser. No node is needed. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Batch, JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";
import { loseFirstAnswer } from "./lost-answer.ts";

const PAIR = { reference: "/videos/r.mp4", distorted: "/videos/d.mp4" };
const PHONE = { viewport: { width: 380, height: 800 } };

let dataDir: string;
let controller: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-console-"));
  const args = ["--tenant-submits-per-second", "none"];
  controller = await ControllerProcess.start({ console: true, dataDir, args });
  jobs = await JobsClient.of(controller);
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

async function submit(
  names: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const batch = { jobs: names.map((name) => ({ job: { ...PAIR, name, labels } })) };
  const stored = await jobs.post<Batch>("submitJobs", "/v1/jobs:batch", batch);
  assert.equal(stored.status, 201);
  return stored.body.jobs.map(({ job }) => job.id);
}

function jobsPage(query = "", options = {}): Promise<Page> {
  return pages.page(`${controller.rest}/console/jobs${query}`, options);
}

function link(page: Page, name: string) {
  return page.getByRole("link", { name, exact: true });
}

const names = (page: Page) => page.locator(".job-name a").allTextContents();

async function shows(page: Page, ...expected: string[]): Promise<void> {
  let shown: string[] = [];
  await until(
    async () => {
      shown = await names(page);
      return shown.join() === expected.join();
    },
    () => `${expected.join()} instead of ${shown.join()}`,
  );
}

test("cancels hundreds of jobs with one request, shows progress, then deletes them", async () => {
  await submit(
    Array.from({ length: 320 }, (_, n) => `many ${n}`),
    { batch: "many" },
  );
  const page = await jobsPage("?label=batch%3Dmany");
  await page.getByText(/^320 of [0-9]+ jobs$/).waitFor();
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") requests.push(new URL(request.url()).pathname);
  });
  await page.getByRole("checkbox", { name: "Select all matching jobs" }).check();
  await page.getByRole("button", { name: "Cancel 320", exact: true }).click();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Cancel 320 jobs" }).click();
  await page.getByText("Cancelled 320 jobs.").waitFor();
  await page.getByRole("button", { name: /^Cancelled 320/ }).waitFor();
  assert.deepEqual(requests, ["/v1/jobs:cancel"]);
  await page.getByRole("button", { name: "Delete 320", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This cannot be undone.").waitFor();
  await dialog.getByRole("button", { name: "Keep them" }).click();
  assert.equal((await jobs.list("?label=batch=many&pageSize=1")).body.jobs.length, 1);
  await page.getByRole("button", { name: "Delete 320", exact: true }).click();
  await dialog.getByRole("button", { name: "Delete 320 jobs" }).click();
  await page.getByText("Deleted 320 jobs.").waitFor();
  await link(page, "many 1").waitFor({ state: "detached" });
  assert.deepEqual(requests, ["/v1/jobs:cancel", "/v1/jobs:delete"]);
  assert.deepEqual((await jobs.list("?label=batch=many")).body.jobs, []);
  await page.context().close();
});

test("shows the progress of a cancellation, and Stop aborts it", async () => {
  await submit(["one", "two", "three"], { batch: "slow" });
  const page = await jobsPage("?label=batch%3Dslow");
  const steps = [
    { name: "progress", data: { matched: 3, cancelled: 0 } },
    { name: "progress", data: { matched: 3, cancelled: 2 } },
  ];
  // Simulates a slow server that reports progress and never finishes.
  await page.addInitScript(`{
    const asked = window.fetch;
    window.left = false;
    window.fetch = (url, init) => {
      if (!String(url).endsWith("/v1/jobs:cancel")) return asked(url, init);
      init.signal.addEventListener("abort", () => { window.left = true; });
      const text = ${JSON.stringify(steps.map(({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(""))};
      const body = new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(text)) });
      return Promise.resolve(new Response(body, { status: 200 }));
    };
  }`);
  await page.reload();
  await link(page, "one").waitFor();
  await page.getByRole("checkbox", { name: "Select all matching jobs" }).check();
  await page.getByRole("button", { name: "Cancel 3", exact: true }).click();
  await page.getByRole("button", { name: "Cancel 3 jobs" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 of 3").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole("button", { name: "Stop" }).click();
  await dialog.waitFor({ state: "detached" });
  await until(async () => (await page.evaluate("window.left")) === true, "the request to be aborted");
  await page.context().close();
});

test("reports a lost response, and repeating the request completes it", async () => {
  await submit(["lost 1", "lost 2"], { batch: "lost" });
  const page = await jobsPage("?label=batch%3Dlost");
  await link(page, "lost 1").waitFor();
  await loseFirstAnswer(page, "**/v1/jobs:cancel");
  await page.getByRole("checkbox", { name: "Select all matching jobs" }).check();
  await page.getByRole("button", { name: "Cancel 2", exact: true }).click();
  await page.getByRole("button", { name: "Cancel 2 jobs" }).click();
  await page.getByText("We couldn't confirm the request.").waitFor();
  await page.getByRole("button", { name: "Cancel 2 jobs" }).click();
  await page.getByText("Cancelled 0 jobs. 2 had already ended.").waitFor();
  pages.expectComplaints(/Failed to load resource: net::ERR_/);
  await page.context().close();
});

test("only administrators can delete a job on its page", async () => {
  const [id = ""] = await submit(["to delete"]);
  const address = `${controller.rest}/console/jobs/${id}`;
  const page = await pages.page(address);
  await page.getByRole("button", { name: "Cancel", exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Delete" }).count(), 0, "the job has not ended");
  await jobs.cancel(id);
  const kept = page.locator(".facts div").filter({ hasText: "Kept until" });
  await kept.getByText("with its per-frame scores, stills and clips").waitFor();
  const { body } = await jobs.get(id);
  const { expireTime } = body as unknown as { readonly expireTime: string };
  assert.equal(await kept.locator("time").getAttribute("datetime"), expireTime);
  const writer = await pages.page("about:blank");
  const caller = { tenant: "dev", subject: "writer", roles: ["svc:writer"] };
  await writer.route("**/v1/whoami", (route) => route.fulfill({ json: caller }));
  await writer.goto(address);
  await writer.getByRole("button", { name: "Resubmit", exact: true }).waitFor();
  assert.equal(await writer.getByRole("button", { name: "Delete" }).count(), 0);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the job" }).click();
  await page.waitForURL(/\/console\/jobs$/);
  assert.equal((await jobs.get(id)).status, 404);
  await writer.getByText("This job was deleted.").waitFor();
  pages.expectComplaints(/status of 404/);
  await writer.context().close();
  await page.context().close();
});

test("adds, changes and removes labels on the job's page; shows faults at the field", async () => {
  const [id = ""] = await submit(["labelled"], { release: "7", old: "yes" });
  const page = await pages.page(`${controller.rest}/console/jobs/${id}`);
  await page.getByRole("button", { name: "Edit labels" }).click();
  const field = page.getByRole("dialog").getByLabel("Labels", { exact: true });
  assert.equal(await field.inputValue(), "old=yes\nrelease=7");
  await field.fill("release=8\nrelease=9");
  await page.getByText("The key release is used twice.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  assert.equal(await field.getAttribute("aria-invalid"), "true");
  // Another client changes a label that is not edited here.
  await jobs.call("updateJob", `/v1/jobs/${id}`, {
    ...{ method: "PATCH", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ setLabels: { other: "theirs" } }),
  });
  await field.fill("release=8\nnew=<b>é</b>");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "new=<b>é</b>" }).waitFor();
  await page.getByRole("link", { name: "other=theirs" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "old=yes" }).count(), 0);
  const { spec } = (await jobs.get(id)).body;
  assert.deepEqual(spec["labels"], { release: "8", new: "<b>é</b>", other: "theirs" });
  await page.getByRole("link", { name: "release=8" }).click();
  await shows(page, "labelled");
  await page.context().close();
});

test("the URL holds times and order, and shows everyone the same view", async () => {
  const [early = "", late = "", open = ""] = await submit(["early", "late", "open"], { view: "times" });
  await jobs.cancel(late);
  await until(async () => (await jobs.get(late)).body.state === "CANCELLED", "the end");
  await jobs.cancel(early);
  assert.ok(open);
  const page = await jobsPage("?label=view%3Dtimes");
  await shows(page, "early", "late", "open");
  await page.getByLabel("Order").selectOption("Recently ended first");
  await shows(page, "early", "late", "open");
  await page.getByLabel("Order").selectOption("Earliest ended first");
  await shows(page, "late", "early", "open");
  await page.getByLabel("Submitted").selectOption("Last hour");
  await page.waitForURL(/since=1h/);
  assert.equal(new URL(page.url()).search, "?label=view%3Dtimes&since=1h&sort=-ended");
  await shows(page, "late", "early", "open");
  await page.getByLabel("Submitted").selectOption("Between …");
  await page.getByLabel("To", { exact: true }).fill("2020-05-17T08:30");
  await page.getByText("No matching jobs").waitFor();
  const { searchParams } = new URL(page.url());
  assert.equal(searchParams.get("until"), new Date("2020-05-17T08:30").toISOString().replace(".000", ""));
  await page.getByLabel("To", { exact: true }).fill("2099-01-01T00:00");
  await shows(page, "late", "early", "open");
  // In another time zone, the instants are the same but are shown in local time.
  const elsewhere = await pages.page(page.url(), { timezoneId: "Asia/Tokyo" });
  await shows(elsewhere, "late", "early", "open");
  const address = new URL(page.url()).searchParams.get("until") ?? "";
  const shown = await elsewhere.getByLabel("To", { exact: true }).inputValue();
  assert.equal(shown, new Date(Date.parse(address) + 9 * 3_600_000).toISOString().slice(0, 16));
  await elsewhere.context().close();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await until(async () => new URL(page.url()).search === "?sort=-ended", "the URL without filters");
  assert.equal(await page.getByLabel("Submitted").inputValue(), "");
  await page.context().close();
});

test("on a phone, light and dark, nothing overflows and everything is accessible", async () => {
  const [id = ""] = await submit(["a job with a name that is rather long for a phone"], { title: "trailer" });
  await jobs.cancel(id);
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await jobsPage("?since=7d&until=2099-01-01T00:00:00Z&sort=ended", {
      ...PHONE,
      colorScheme,
    });
    await page.getByLabel("To", { exact: true }).waitFor();
    const overflow = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.ok(Number(await overflow()) <= 0, `the jobs are ${String(await overflow())} px too wide`);
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
    await page.goto(`${controller.rest}/console/jobs/${id}`);
    await page.getByRole("button", { name: "Edit labels" }).click();
    await page.getByRole("dialog").waitFor();
    assert.ok(Number(await overflow()) <= 0, `the job is ${String(await overflow())} px too wide`);
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
    await page.context().close();
  }
});

/** The live job list: jobs are cancelled, by the thousand, and while the connection is lost. No node is needed. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import type { components } from "../../src/gen/rest/controller.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { freePort } from "../server/free-port.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";
import { loseFirstAnswer } from "./lost-answer.ts";
import { silentUntilPressed } from "./silence.ts";

type Job = components["schemas"]["Job"];
type JobState = Job["state"];

const MANY = 3_000;
const BATCH = 1_000;
const STREAM = "**/v1/jobs:stream*";
/** The browser's own message when a request fails. */
const NETWORK_FAULT = /Failed to load resource: net::ERR_/;

let dataDir: string;
let args: readonly string[];
let controller: ControllerProcess;
let pages: Pages;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-console-"));
  // These tests submit thousands of jobs at once.
  args = ["--port", String(await freePort()), "--tenant-submits-per-second", "none"];
  controller = await ControllerProcess.start({ console: true, dataDir, args });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${controller.rest}${path}`, { method, headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return (await answer.json()) as T;
}

function submit(name: string): Promise<Job> {
  return ask("POST", "/v1/jobs", { reference: "/videos/r.mp4", distorted: "/videos/d.mp4", name });
}

async function stateOf({ id }: Job): Promise<JobState> {
  return (await ask<Job>("GET", `/v1/jobs/${id}`)).state;
}

async function jobsPage(): Promise<Page> {
  const page = await pages.page(`${controller.rest}/console/jobs`);
  await page.getByRole("status").getByText("Live").waitFor();
  return page;
}

function link(page: Page, name: string) {
  return page.getByRole("link", { name, exact: true });
}

test("a job submitted elsewhere appears; cancelling asks first, and can be declined", async () => {
  const page = await jobsPage();
  await page.getByText("No jobs yet").waitFor();
  const first = await submit("first");
  await link(page, "first").waitFor();
  await page.getByRole("button", { name: "Cancel: first" }).click();
  await page.getByRole("button", { name: "Keep it" }).click();
  assert.equal(await stateOf(first), "QUEUED");
  await page.getByRole("button", { name: "Cancel: first" }).click();
  await page.getByRole("button", { name: "Cancel the job" }).click();
  await page.getByText("Cancelled 1 job.").waitFor();
  await page
    .getByRole("row")
    .filter({ has: link(page, "first") })
    .getByText("Cancelled", { exact: true })
    .waitFor();
  assert.equal(await stateOf(first), "CANCELLED");
  await page.context().close();
});

test("cancels several jobs at once, and resubmits them at once", async () => {
  const jobs = [await submit("one"), await submit("two"), await submit("three")];
  const page = await jobsPage();
  for (const name of ["one", "two", "three"])
    await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await page.getByRole("button", { name: "Cancel 3", exact: true }).click();
  await page.getByRole("button", { name: "Cancel 3 jobs" }).click();
  await page.getByText("Cancelled 3 jobs.").waitFor();
  assert.deepEqual(await Promise.all(jobs.map(stateOf)), ["CANCELLED", "CANCELLED", "CANCELLED"]);
  await page.getByRole("button", { name: "Resubmit 3" }).click();
  await page.getByText("Resubmitted: 3 jobs.").waitFor();
  await page.getByRole("button", { name: /^Queued 3/ }).waitFor();
  await page.context().close();
});

test("offers a retry if the response to a resubmission is lost, and stores the job once", async () => {
  const { id } = await submit("unanswered");
  await ask("POST", `/v1/jobs/${id}:cancel`);
  const page = await jobsPage();
  await loseFirstAnswer(page, "**/v1/jobs");
  await page.getByRole("button", { name: "Resubmit: unanswered" }).click();
  await page.getByText("We couldn't confirm the submission.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Resubmitted:").waitFor();
  const { jobs } = await ask<{ readonly jobs: readonly Job[] }>("GET", "/v1/jobs");
  assert.equal(jobs.filter(({ spec }) => spec.name === "unanswered").length, 2);
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("reports a lost network, and catches up once it is back", async () => {
  const page = await jobsPage();
  await link(page, "first").waitFor();
  await page.context().setOffline(true);
  await page.getByRole("status").getByText("Reconnecting").waitFor();
  await page.getByRole("alert").getByText("Data may be out of date").waitFor();
  await submit("while away");
  assert.equal(await link(page, "first").count(), 1, "known jobs are still shown");
  assert.equal(await link(page, "while away").count(), 0);
  await page.context().setOffline(false);
  await link(page, "while away").waitFor();
  await page.getByRole("status").getByText("Live").waitFor();
  assert.equal(await page.getByText("Data may be out of date").count(), 0);
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("follows a controller again that was killed and restarted on the same port", async () => {
  const page = await jobsPage();
  await link(page, "first").waitFor();
  await silentUntilPressed(page, STREAM, "Try now");
  controller.signal("SIGKILL");
  await controller.exited();
  await page.getByRole("alert").getByText("Data may be out of date").waitFor();
  controller = await ControllerProcess.start({ console: true, dataDir, args });
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByRole("status").getByText("Live").waitFor();
  await submit("after the crash");
  await link(page, "after the crash").waitFor();
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("a page opened before an upgrade reloads itself once, then offers to", async () => {
  const page = await jobsPage();
  let [loads, goneUntil] = [0, 1];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) loads++;
  });
  await page.route("**/assets/job-page-*.js", (route) =>
    loads < goneUntil ? route.fulfill({ status: 404 }) : route.continue(),
  );
  await link(page, "first").click();
  await page.getByRole("heading", { name: "first", exact: true }).waitFor();
  assert.equal(loads, 1);
  await page.getByRole("link", { name: "Jobs" }).click();
  await page.reload();
  goneUntil = 3;
  await link(page, "first").click();
  await page.getByRole("heading", { name: "This page failed" }).waitFor();
  assert.equal(loads, 2, "this version was reloaded once before");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("link", { name: "Nodes" }).click();
  await page.getByRole("heading", { name: "No nodes" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "first", exact: true }).waitFor();
  pages.expectComplaints(/status of 404|could not be loaded|dynamically imported module/);
  await page.context().close();
});

test("searches after a typing pause, even if the page is rendered meanwhile", async () => {
  const page = await pages.page("about:blank");
  await page.clock.install();
  await page.goto(`${controller.rest}/console/jobs`);
  await link(page, "first").waitFor();
  await page.clock.pauseAt(Number(await page.evaluate("Date.now()")) + 30_000);
  await page.getByRole("searchbox").fill("while away");
  await page.clock.runFor(150);
  // Renders the filters again, as changing jobs do.
  await page.getByRole("button", { name: /^Queued/ }).click();
  await page.getByRole("button", { name: /^Queued/, pressed: true }).waitFor();
  await page.clock.runFor(100);
  await page.waitForURL(/q=while\+away&state=QUEUED/);
  await page.context().close();
});

test("a page opened while the controller is down says so, and shows the jobs once it is up", async () => {
  const page = await pages.page("about:blank");
  await silentUntilPressed(page, STREAM, "Try again");
  await page.goto(`${controller.rest}/console/jobs`);
  await page.getByRole("alert").getByText("The controller does not answer.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await link(page, "first").waitFor();
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test('shows "Access denied" at once to a caller who may not read jobs', async () => {
  const page = await pages.page("about:blank");
  const problem = { status: 403, code: "FORBIDDEN", detail: "You need svc:reader.", requestId: "r-1" };
  await page.route(STREAM, (route) => route.fulfill({ status: 403, json: problem }));
  await page.goto(`${controller.rest}/console/jobs`);
  await page.getByRole("heading", { name: "Access denied" }).waitFor();
  await page.getByText("You need svc:reader.").waitFor();
  pages.expectComplaints(/status of 403/);
  await page.context().close();
});

test("a reader sees the jobs but no buttons that would be refused", async () => {
  const page = await pages.page("about:blank");
  const caller = { tenant: "dev", subject: "reader", roles: ["svc:reader"] };
  await page.route("**/v1/whoami", (route) => route.fulfill({ json: caller }));
  await page.goto(`${controller.rest}/console/jobs`);
  await link(page, "first").waitFor();
  await page.getByRole("checkbox", { name: "Select first" }).check();
  await page.getByRole("status").getByText("1 selected").waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Cancel|Resubmit|Submit)\b/ }).count(), 0);
  await page.context().close();
});

test("counts and finds thousands of jobs, but renders only the visible rows", async () => {
  const jobs = Array.from({ length: MANY }, (_, index) => ({
    job: { reference: "/videos/r.mp4", distorted: `/videos/${index}.mp4`, labels: { batch: "many" } },
  }));
  const page = await jobsPage();
  for (let first = 0; first < MANY; first += BATCH)
    await ask("POST", "/v1/jobs:batch", { jobs: jobs.slice(first, first + BATCH) });
  await page.goto(`${controller.rest}/console/jobs?label=batch%3Dmany&sort=-name`);
  await page.getByText(/^3,000 of 3,[0-9]+ jobs$/).waitFor();
  await link(page, `${MANY - 1}.mp4`).waitFor();
  const drawn = await page.getByRole("row").count();
  assert.ok(drawn < 60, `${drawn} rows are rendered`);
  await page.keyboard.press("End");
  await link(page, "0.mp4").waitFor();
  await page.getByRole("searchbox").fill(" 1234.mp4 ");
  await link(page, "1234.mp4").waitFor();
  await page.getByText(/^1 of 3,[0-9]+ jobs$/).waitFor();
  await page.context().close();
});

test("on a phone, cards show their model, can be sorted, and can all be selected at once", async () => {
  const jobs = ["rung 10", "rung 9", "rung 1"].map((name) => ({
    job: {
      ...{ reference: "/videos/r.mp4", distorted: "/videos/d.mp4", name },
      ...{ models: ["vmaf_v0.6.1neg"], labels: { batch: "few" } },
    },
  }));
  await ask("POST", "/v1/jobs:batch", { jobs });
  const page = await pages.page(`${controller.rest}/console/jobs?label=batch%3Dfew`, {
    viewport: { width: 380, height: 800 },
  });
  const titles = page.locator(".job-name a");
  for (const name of ["rung 10", "rung 9", "rung 1"]) await link(page, name).waitFor();
  assert.deepEqual(
    await titles.allTextContents(),
    ["rung 1", "rung 9", "rung 10"],
    "equal except for their names, so sorted by name",
  );
  await page.getByText("vmaf_v0.6.1neg").first().waitFor();
  await page.getByLabel("Order").selectOption("Name, Z to A");
  await page.waitForURL(/sort=-name/);
  await titles.first().and(link(page, "rung 10")).waitFor();
  await page.getByRole("checkbox", { name: "Select all matching jobs" }).check();
  await page.getByRole("status").getByText("3 selected").waitFor();
  const shown = await titles.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const compared = new URL(
    (await page.getByRole("link", { name: "Compare 3" }).getAttribute("href")) ?? "",
    page.url(),
  );
  assert.deepEqual(
    compared.searchParams.getAll("job"),
    shown.map((path) => path.split("/").at(-1)),
  );
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("table").getByText("vmaf_v0.6.1neg").first().waitFor();
  await page.context().close();
});

test('the page of a tenant shows its default models and policy, and "anonymous" if authentication is disabled', async () => {
  const page = await pages.page(`${controller.rest}/console/tenant`);
  const models = page.locator(".use div").filter({ hasText: "Default models" });
  await models.getByText("vmaf_v0.6.1", { exact: true }).waitFor();
  const policy = page.locator(".use div").filter({ hasText: "Mismatched pairs" });
  await policy.getByText("refuse", { exact: true }).waitFor();
  await page.locator(".audit").getByText("anonymous").first().waitFor();
  await page.context().close();
});

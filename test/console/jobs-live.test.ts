/** The jobs as they change under one's eyes: cancelled, by the thousand, and while the connection is lost. No node is needed. */
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
/** Browsers say so themselves when a request fails. */
const NETWORK_FAULT = /Failed to load resource: net::ERR_/;

let dataDir: string;
let args: readonly string[];
let controller: ControllerProcess;
let pages: Pages;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "svc-console-"));
  // Thousands of jobs come at once here.
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

test("a job that somebody else submits appears, is cancelled once it is asked, and can be kept", async () => {
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

test("several are cancelled at once, and run again at once", async () => {
  const jobs = [await submit("one"), await submit("two"), await submit("three")];
  const page = await jobsPage();
  for (const name of ["one", "two", "three"])
    await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await page.getByRole("button", { name: "Cancel 3", exact: true }).click();
  await page.getByRole("button", { name: "Cancel 3 jobs" }).click();
  await page.getByText("Cancelled 3 jobs.").waitFor();
  assert.deepEqual(await Promise.all(jobs.map(stateOf)), ["CANCELLED", "CANCELLED", "CANCELLED"]);
  await page.getByRole("button", { name: "Run 3 again" }).click();
  await page.getByText("Runs again: 3 jobs.").waitFor();
  await page.getByRole("button", { name: /^Queued 3/ }).waitFor();
  await page.context().close();
});

test("a job that is run again without an answer is offered once more, and stored once", async () => {
  const { id } = await submit("unanswered");
  await ask("POST", `/v1/jobs/${id}:cancel`);
  const page = await jobsPage();
  await loseFirstAnswer(page, "**/v1/jobs");
  await page.getByRole("button", { name: "Run again: unanswered" }).click();
  await page.getByText("Nobody knows whether it was done.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Runs again:").waitFor();
  const { jobs } = await ask<{ readonly jobs: readonly Job[] }>("GET", "/v1/jobs");
  assert.equal(jobs.filter(({ spec }) => spec.name === "unanswered").length, 2);
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("without a network it says so; what happened meanwhile is there when it is back", async () => {
  const page = await jobsPage();
  await link(page, "first").waitFor();
  await page.context().setOffline(true);
  await page.getByRole("status").getByText("Reconnecting").waitFor();
  await page.getByRole("alert").getByText("What is shown may be old").waitFor();
  await submit("while away");
  assert.equal(await link(page, "first").count(), 1, "what was known is still shown");
  assert.equal(await link(page, "while away").count(), 0);
  await page.context().setOffline(false);
  await link(page, "while away").waitFor();
  await page.getByRole("status").getByText("Live").waitFor();
  assert.equal(await page.getByText("What is shown may be old").count(), 0);
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("a controller that is killed and comes back at the same port is followed again", async () => {
  const page = await jobsPage();
  await link(page, "first").waitFor();
  await silentUntilPressed(page, STREAM, "Try now");
  controller.signal("SIGKILL");
  await controller.exited();
  await page.getByRole("alert").getByText("What is shown may be old").waitFor();
  controller = await ControllerProcess.start({ console: true, dataDir, args });
  await page.getByRole("button", { name: "Try now" }).click();
  await page.getByRole("status").getByText("Live").waitFor();
  await submit("after the crash");
  await link(page, "after the crash").waitFor();
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("a page that was opened before an upgrade loads itself anew, once; then it offers to", async () => {
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
  await page.getByRole("heading", { name: "This page does not work" }).waitFor();
  assert.equal(loads, 2, "this version was loaded anew before");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("link", { name: "Nodes" }).click();
  await page.getByRole("heading", { name: "No nodes" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Load again" }).click();
  await page.getByRole("heading", { name: "first", exact: true }).waitFor();
  pages.expectComplaints(/status of 404|did not arrive|dynamically imported module/);
  await page.context().close();
});

test("what is typed is looked for after a pause, however often the page is drawn meanwhile", async () => {
  const page = await pages.page("about:blank");
  await page.clock.install();
  await page.goto(`${controller.rest}/console/jobs`);
  await link(page, "first").waitFor();
  await page.clock.pauseAt(Number(await page.evaluate("Date.now()")) + 30_000);
  await page.getByRole("searchbox").fill("while away");
  await page.clock.runFor(150);
  // Draws the filters anew, as jobs that change do.
  await page.getByRole("button", { name: /^Queued/ }).click();
  await page.getByRole("button", { name: /^Queued/, pressed: true }).waitFor();
  await page.clock.runFor(100);
  await page.waitForURL(/q=while\+away&state=QUEUED/);
  await page.context().close();
});

test("a page that is opened while nobody answers says so, and shows the jobs when somebody does", async () => {
  const page = await pages.page("about:blank");
  await silentUntilPressed(page, STREAM, "Try again");
  await page.goto(`${controller.rest}/console/jobs`);
  await page.getByRole("alert").getByText("The controller does not answer.").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await link(page, "first").waitFor();
  pages.expectComplaints(NETWORK_FAULT);
  await page.context().close();
});

test("who may not see jobs is told so, and is not kept waiting", async () => {
  const page = await pages.page("about:blank");
  const problem = { status: 403, code: "FORBIDDEN", detail: "You need svc:reader.", requestId: "r-1" };
  await page.route(STREAM, (route) => route.fulfill({ status: 403, json: problem }));
  await page.goto(`${controller.rest}/console/jobs`);
  await page.getByRole("heading", { name: "You may not see this" }).waitFor();
  await page.getByText("You need svc:reader.").waitFor();
  pages.expectComplaints(/status of 403/);
  await page.context().close();
});

test("who may only read sees the jobs and nothing to press that would be refused", async () => {
  const page = await pages.page("about:blank");
  const caller = { tenant: "dev", subject: "reader", roles: ["svc:reader"] };
  await page.route("**/v1/whoami", (route) => route.fulfill({ json: caller }));
  await page.goto(`${controller.rest}/console/jobs`);
  await link(page, "first").waitFor();
  await page.getByRole("checkbox", { name: "Select first" }).check();
  await page.getByRole("status").getByText("1 selected").waitFor();
  assert.equal(await page.getByRole("button", { name: /^(Cancel|Run|Submit)\b/ }).count(), 0);
  await page.context().close();
});

test("thousands of rows: all are counted and found, those in sight are drawn", async () => {
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
  assert.ok(drawn < 60, `${drawn} rows are drawn`);
  await page.keyboard.press("End");
  await link(page, "0.mp4").waitFor();
  await page.getByRole("searchbox").fill(" 1234.mp4 ");
  await link(page, "1234.mp4").waitFor();
  await page.getByText(/^1 of 3,[0-9]+ jobs$/).waitFor();
  await page.context().close();
});

test("on a phone cards tell their model, are put in order, and are chosen all at once", async () => {
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
    "alike but for their names",
  );
  await page.getByText("vmaf_v0.6.1neg").first().waitFor();
  await page.getByLabel("Order").selectOption("Name, Z to A");
  await page.waitForURL(/sort=-name/);
  await titles.first().and(link(page, "rung 10")).waitFor();
  await page.getByRole("checkbox", { name: "Select all that are shown" }).check();
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

test("where nobody signs in the audit log says so", async () => {
  const page = await pages.page(`${controller.rest}/console/tenant`);
  await page.locator(".audit").getByText("nobody signed in").first().waitFor();
  await page.context().close();
});

/** The job list in a real browser: submit, score, search, resubmit; by mouse and by keyboard alone. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { components } from "../../src/gen/rest/controller.ts";
import { bitRateText } from "../../src/jobs/quantities.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";
import { loseFirstAnswer } from "./lost-answer.ts";

type Job = components["schemas"]["Job"];

/** HTML, right-to-left text, and a text longer than any column. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202etxet eht\u2067 ${"long-".repeat(34)}`;

let media: MediaDirectory;
let dataDir: string;
let up: ControllerProcess;
let pages: Pages;
let reference: string;
let distorted: string;

before(async () => {
  // Before MediaDirectory, which replaces the temporary folder.
  dataDir = await mkdtemp(join(tmpdir(), "svc-console-"));
  media = await MediaDirectory.open();
  reference = await pristine(media, "reference.y4m", { frames: 12 });
  distorted = await encode(media, "distorted.mp4", { frames: 12 }, LOSSY.h264);
  up = await ControllerProcess.up({ console: true, dataDir });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await media.remove();
  await rm(dataDir, { recursive: true });
});

async function stored(): Promise<readonly Job[]> {
  const answer = await fetch(`${up.rest}/v1/jobs`);
  return ((await answer.json()) as { readonly jobs: readonly Job[] }).jobs;
}

async function submit(spec: Partial<Job["spec"]>): Promise<Job> {
  const answer = await fetch(`${up.rest}/v1/jobs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ reference, distorted, ...spec }),
  });
  assert.equal(answer.status, 201);
  return (await answer.json()) as Job;
}

function jobsPage(query = "", options = {}): Promise<Page> {
  return pages.page(`${up.rest}/console/jobs${query}`, options);
}

function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
}

function focused(page: Page, element: Locator): Promise<void> {
  return element.and(page.locator(":focus")).waitFor();
}

/** Submits the first job; the list is empty before. */
test("a double click submits a pair once, and the list shows it being scored", async () => {
  const page = await jobsPage();
  await page.getByRole("button", { name: "Submit the first job" }).click();
  await page.getByLabel("Reference", { exact: true }).fill(reference);
  await page.getByLabel("Distorted", { exact: true }).fill(distorted);
  await page.getByLabel("Name", { exact: true }).fill("trailer");
  await page.getByLabel("Labels", { exact: true }).fill("title=trailer\ncodec=h264");
  await page.getByRole("button", { name: "vmaf_v0.6.1neg", exact: true }).click();
  await page.getByRole("button", { name: "vmaf_v0.6.1", exact: true }).click();
  // The response waits for both clicks: it closes the dialog, and the second click would hit something else.
  const clicked = Promise.withResolvers<void>();
  await page.route("**/v1/jobs", async (route) => {
    await clicked.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Submit", exact: true }).dblclick();
  clicked.resolve();
  await row(page, "trailer").getByText("Succeeded").waitFor();
  const [job, ...others] = await stored();
  assert.equal(others.length, 0);
  assert.deepEqual(job?.spec.models, ["vmaf_v0.6.1neg", "vmaf_v0.6.1"]);
  assert.deepEqual(job.spec.labels, { title: "trailer", codec: "h264" });
  const score = row(page, "trailer").getByTitle(String(job.score), { exact: true });
  assert.equal(await score.textContent(), job.score?.toFixed(2));
  await row(page, "trailer")
    .getByText(/^12 frames in /)
    .waitFor();
  await page.getByText("Submitted:").getByRole("link", { name: "trailer" }).waitFor();
  await page.context().close();
});

test("a row shows bit rate, codec and resolution of the video, on a phone too", async () => {
  const [job] = await stored();
  const { videoBitRate = Number.NaN } = job?.distortedMedia ?? {};
  const page = await jobsPage();
  const cell = row(page, "trailer").locator(".job-video");
  await cell.waitFor();
  assert.deepEqual(await cell.locator("> *").allTextContents(), [
    bitRateText(videoBitRate),
    "h264 · 192×108",
  ]);
  await page.getByRole("columnheader", { name: "Bit rate" }).getByRole("button").click();
  await page.waitForURL(/sort=rate/);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.locator(".job-card .job-video").getByText("h264 · 192×108").waitFor();
  const clipped = `[...document.querySelectorAll(".job-card")].filter((card) => card.scrollHeight > card.clientHeight).length`;
  assert.equal(await page.evaluate(clipped), 0, "everything fits into the card");
  await page.context().close();
});

test("shows jobs and frames in browsers whose streams are not async iterable (Safari)", async () => {
  const page = await pages.page("about:blank");
  await page.addInitScript(
    "delete ReadableStream.prototype[Symbol.asyncIterator]; delete ReadableStream.prototype.values;",
  );
  await page.goto(`${up.rest}/console/jobs`);
  await page.getByRole("link", { name: "trailer", exact: true }).click();
  await page.locator(".plot .u-over").waitFor();
  await page.context().close();
});

test("submits again with the same key after a lost response, storing one job", async () => {
  const page = await jobsPage();
  await loseFirstAnswer(page, "**/v1/jobs");
  await page.getByRole("button", { name: "Submit jobs" }).click();
  await page.getByLabel("Reference", { exact: true }).fill(reference);
  await page.getByLabel("Distorted", { exact: true }).fill(distorted);
  await page.getByLabel("Name", { exact: true }).fill("only once");
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.getByText("The controller does not answer.").waitFor();
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.getByText("Submitted:").waitFor();
  assert.equal((await stored()).filter(({ spec }) => spec.name === "only once").length, 1);
  pages.expectComplaints(/net::ERR_FAILED/);
  await page.context().close();
});

test("submits one job per file, and shows hostile names as text", async () => {
  for (const width of [1280, 380]) {
    const page = await jobsPage("", { viewport: { width, height: 800 } });
    if (width === 1280) {
      await page.getByRole("button", { name: "Submit jobs" }).click();
      await page.getByLabel("Reference", { exact: true }).fill(reference);
      await page.getByLabel("Distorted", { exact: true }).fill(`${distorted}\n${media.file("none.mp4")}`);
      await page.getByLabel("Name", { exact: true }).fill(HOSTILE.slice(0, 180));
      await page.getByLabel("Labels", { exact: true }).fill(`note=${HOSTILE}`);
      await page.getByRole("button", { name: "Submit 2 jobs" }).click();
      await page.getByText("Submitted: 2 jobs.").waitFor();
    }
    const name = `${HOSTILE.slice(0, 180).trim()} · none.mp4`;
    const link = page.getByRole("link", { name, exact: true });
    await link.waitFor();
    assert.equal(await page.locator("#content img").count(), 0);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.ok(Number(overflow) <= 0, `the page is ${String(overflow)} px wider than ${width}`);
    await page.getByText("MEDIA_NOT_FOUND").first().waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.context().close();
  }
});

test("filters, order and search are in the URL, and survive reload and Back", async () => {
  await submit({ name: "alpha", labels: { title: "other" } });
  const page = await jobsPage();
  await row(page, "alpha").getByText("Succeeded").waitFor();
  await page.getByRole("button", { name: /^Succeeded/ }).click();
  await page.getByRole("button", { name: /^Succeeded/, pressed: true }).waitFor();
  await row(page, "trailer").getByRole("button", { name: "title=trailer" }).click();
  await row(page, "alpha").waitFor({ state: "detached" });
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  await page.getByRole("searchbox").fill("TRAIL h264");
  await page.waitForURL(/q=TRAIL/);
  const check = async () => {
    await row(page, "trailer").waitFor();
    await page.getByText(/^1 of [0-9]+ jobs$/).waitFor();
    assert.equal(await page.getByRole("searchbox").inputValue(), "TRAIL h264");
    const pressed = page.getByRole("button", { name: /^Succeeded/, pressed: true });
    assert.equal(await pressed.count(), 1);
    assert.equal(
      await page.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort"),
      "ascending",
    );
  };
  await check();
  await page.reload();
  await check();
  await page.getByRole("link", { name: "trailer", exact: true }).click();
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
  await page.goBack();
  await check();
  await page.getByRole("searchbox").fill("no such thing");
  await page.getByText("No matching jobs").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await row(page, "alpha").waitFor();
  assert.equal(new URL(page.url()).search, "?sort=name");
  await page.context().close();
});

test("does not lose the second of two clicks in quick succession", async () => {
  const page = await jobsPage();
  await row(page, "alpha").getByText("Succeeded").waitFor();
  await page.getByRole("group", { name: "States" }).evaluate(async (group) => {
    const [first, second] = group.querySelectorAll("button");
    first?.click();
    // The earliest moment for a real second click: the first one's synchronous work is done, deferred work is not.
    await Promise.resolve();
    second?.click();
  });
  await page.waitForURL(/state=QUEUED/);
  assert.equal(new URL(page.url()).search, "?state=QUEUED&state=RUNNING");
  await page.context().close();
});

test("shows faults at their fields: while typing, and when the controller refuses", async () => {
  const page = await jobsPage();
  await page.getByRole("button", { name: "Submit jobs" }).click();
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.getByText("Enter the path of the reference.").waitFor();
  await focused(page, page.getByLabel("Reference", { exact: true }));
  await page.getByLabel("Reference", { exact: true }).fill(reference);
  await page.getByText("Enter the path of the reference.").waitFor({ state: "detached" });
  await page.getByLabel("Distorted", { exact: true }).fill(distorted);
  await page.getByText("Advanced").click();
  await page.getByLabel("Width", { exact: true }).fill("640");
  await page.getByLabel("Models", { exact: true }).fill("vmaf_v9");
  await page.getByText("Raw video needs both width and height.").waitFor();
  await page.getByLabel("Width", { exact: true }).fill("");
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  const models = page.getByLabel("Models", { exact: true });
  await page
    .locator(".models-row")
    .getByText(/vmaf_v9/)
    .waitFor();
  assert.equal(await models.getAttribute("aria-invalid"), "true");
  assert.deepEqual(await accessibilityFaults(page), []);
  await models.fill("");
  assert.equal(await models.getAttribute("aria-invalid"), "false");
  pages.expectComplaints(/status of 400/);
  await page.context().close();
});

test("resubmits a failed job with the same spec", async () => {
  const missing = await submit({ name: "comes later", distorted: media.file("later.mp4") });
  const page = await jobsPage(`?q=${missing.id}`);
  await row(page, "comes later").getByText("MEDIA_NOT_FOUND").waitFor();
  await encode(media, "later.mp4", { frames: 12 }, LOSSY.h264);
  await page.getByRole("button", { name: "Resubmit: comes later" }).click();
  await page.getByText("Resubmitted:").getByRole("link", { name: "comes later" }).waitFor();
  await page.getByRole("searchbox").fill("comes later");
  await row(page, "comes later").getByText("Succeeded").waitFor();
  const jobs = (await stored()).filter(({ spec }) => spec.name === "comes later");
  assert.deepEqual(jobs.map(({ state }) => state).sort(), ["FAILED", "SUCCEEDED"]);
  assert.deepEqual(jobs[0]?.spec, jobs[1]?.spec);
  await page.context().close();
});

test("by keyboard alone: submits, closes the dialog, selects two jobs and compares them", async () => {
  const page = await jobsPage();
  await row(page, "trailer").waitFor();
  const submitButton = page.getByRole("button", { name: "Submit jobs" });
  await submitButton.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused(page, submitButton);
  await page.keyboard.press("Enter");
  await focused(page, page.getByLabel("Reference", { exact: true }));
  await page.keyboard.type(reference);
  await page.keyboard.press("Tab");
  for (const name of ["Browse: Reference", "Upload: Reference"]) {
    await focused(page, page.getByRole("button", { name }));
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type(distorted);
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.type("typed");
  await page.keyboard.press("Enter");
  await row(page, "typed").getByText("Succeeded").waitFor();
  for (const name of ["typed", "trailer"]) {
    await page.getByRole("checkbox", { name: `Select ${name}`, exact: true }).focus();
    await page.keyboard.press("Space");
  }
  await page.getByRole("status").getByText("2 selected").waitFor();
  await page.waitForURL((url) => url.searchParams.getAll("selected").length === 2);
  const chosen = new URL(page.url()).searchParams.getAll("selected");
  await page.reload();
  await page.getByRole("link", { name: "Compare 2" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/compare/);
  assert.deepEqual(new URL(page.url()).searchParams.getAll("job").sort(), chosen.sort());
  await page.context().close();
});

test("the page and its dialog are accessible, light and dark", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await jobsPage("?label=title%3Dtrailer", { colorScheme });
    await page.getByRole("checkbox", { name: "Select trailer" }).check();
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
    await page.getByRole("button", { name: "Submit jobs" }).click();
    await page.getByText("Advanced").click();
    assert.deepEqual(await accessibilityFaults(page), [], colorScheme);
    await page.context().close();
  }
});

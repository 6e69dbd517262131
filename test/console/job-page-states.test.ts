/** The page of a job without a score: failed, waiting, cancelled or unknown; with hostile names too. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pristine } from "../media/clips.ts";
import { GatedScorer } from "../media/gated-scorer.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient, type NodeList } from "../server/jobs-client.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const HOSTILE = `<img src=x onerror="document.title='taken'"> \u202eright to left ${"long".repeat(30)}`;

let clips: Clips;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;

before(async () => {
  clips = await makeClips();
  // The gate holds the scorer, so that no job ends.
  const scorer = await GatedScorer.make(clips.directory);
  const args = ["--vmaf-binary", scorer.path];
  up = await ControllerProcess.up({ args, console: true, dataDir: clips.directory.file("data") });
  jobs = await JobsClient.of(up);
  pages = await Pages.open();
});
after(async () => {
  try {
    await pages[Symbol.asyncDispose]();
  } finally {
    await up[Symbol.asyncDispose]();
    await clips[Symbol.asyncDispose]();
  }
});

test("a failed job shows the reason and both files' properties, and can be resubmitted", async () => {
  const shorter = await pristine(clips.directory, "shorter.y4m", { width: 160, height: 90, frames: 7 });
  const { id } = (await jobs.submit({ ...clips.pair, distorted: shorter })).body;
  const { error } = await jobs.until(id, "FAILED");
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  const failure = page.getByRole("region", { name: "Why it failed" });
  await failure.getByText(error?.message ?? "").waitFor();
  await failure.getByText("FRAME_COUNT_MISMATCH").waitFor();
  await failure
    .getByText("Only if the missing frames are the last ones: resubmit with “If frame counts differ:")
    .waitFor();
  assert.equal(await failure.getByText("onlyIf").count(), 0);
  const found = await failure.locator(".differs", { hasText: "Frames" }).locator("td").allTextContents();
  assert.deepEqual(found, ["12", "7 (differs)"]);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Resubmit", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await page.locator(".job-head").getByText("Failed").waitFor();
  await page.context().close();
});

test("a failed job's path can be corrected and resubmitted, with the rest of the spec unchanged", async () => {
  const typo = `${clips.pair.distorted}.typo`;
  const spec = { ...clips.pair, distorted: typo, name: "typo", labels: { title: "a" }, subsample: 2 };
  const { id } = (await jobs.submit(spec)).body;
  const { error } = await jobs.until(id, "FAILED");
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  await page.getByRole("button", { name: "Edit and resubmit" }).click();
  const field = page.getByLabel("Distorted", { exact: true });
  await page
    .getByRole("dialog")
    .getByText(error?.message ?? "")
    .waitFor();
  await field.and(page.locator(":focus[aria-invalid=true]")).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await field.fill(clips.pair.distorted);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  await page.locator(".job-head").getByRole("heading", { name: "typo" }).waitFor();
  const stored = (await jobs.get(new URL(page.url()).pathname.split("/").at(-1) ?? "")).body;
  assert.deepEqual(stored.spec, { ...spec, distorted: clips.pair.distorted });
  await jobs.cancel(stored.id);
  await page.context().close();
});

test("cancels a running job after confirmation", async () => {
  const { id } = (await jobs.submit({ ...clips.pair, name: HOSTILE, labels: { title: HOSTILE } })).body;
  const page = await pages.page(`${up.rest}/console/jobs/${id}`, { viewport: { width: 380, height: 800 } });
  await page.locator(".job-head").getByText("Running", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel the job" }).click();
  await page.locator(".job-head").getByText("Cancelled", { exact: true }).waitFor();
  assert.equal((await jobs.get(id)).body.state, "CANCELLED");
  assert.ok((await page.title()).startsWith("<img"), "the name is shown as text");
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(overflow) <= 0, `a long name makes the page ${String(overflow)} px wider`);
  await page.context().close();
});

test('shows "Job not found" for an unknown job', async () => {
  const page = await pages.page(`${up.rest}/console/jobs/00000000-0000-4000-8000-000000000000`);
  await page.getByRole("heading", { name: "Job not found", level: 1 }).waitFor();
  await page.getByRole("link", { name: "All jobs" }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
  pages.expectComplaints(/404/);
});

test('shows "Page not found" for an unknown URL', async () => {
  const page = await pages.page(`${up.rest}/console/nowhere`);
  await page.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("a queued job shows why it is waiting", async () => {
  const [node] = (await jobs.call<NodeList>("listNodes", "/v1/nodes")).body.nodes;
  await jobs.call("drainNode", `/v1/nodes/${node?.id}:drain`, { method: "POST" });
  const { id } = (await jobs.submit(clips.pair)).body;
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  await page.getByRole("status", { name: "Why it is waiting" }).getByText("No node is online").waitFor();
  await page.context().close();
});

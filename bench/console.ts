/**
 * npm run bench:console: how smoothly the console scrolls through 10,000 jobs and zooms into 250,000 frames, in
 * Debian's Chromium without a GPU. Jobs and rows are real. The per-frame scores of the long film are synthetic and
 * replace the controller's response, because scoring them would take an hour.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Pages } from "../test/console/browser.ts";
import { ScoredJob } from "../test/console/scored-job.ts";
import { ControllerProcess } from "../test/server/controller-process.ts";
import { median } from "./interleave.ts";

const JOBS = 10_000;
const BATCH = 1_000;
const FRAMES = 250_000;
const STEPS = 120;
/** Milliseconds between two turns of the mouse wheel, as by hand. */
const TURN_MS = 30;

/** Returns the milliseconds between drawn frames while an action runs. */
async function frameTimes(page: Page, act: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`(() => {
    const times = (globalThis.frameTimes = []);
    let last = performance.now();
    const next = (now) => { times.push(now - last); last = now; globalThis.frameTurn = requestAnimationFrame(next); };
    globalThis.frameTurn = requestAnimationFrame(next);
  })()`);
  await act();
  return page.evaluate<number[]>("cancelAnimationFrame(globalThis.frameTurn), globalThis.frameTimes");
}

function printTimes(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  console.log(
    `  ${what.padEnd(30)} ${median(times).toFixed(1)} ms per frame, p95 ${at(0.95)} ms, max ${at(1)} ms`,
  );
}

async function turnWheel(page: Page, by: number): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.wheel(0, step < STEPS / 2 ? by : -by);
    await page.waitForTimeout(TURN_MS);
  }
}

async function scrolling(folder: string): Promise<void> {
  const args = ["--tenant-submits-per-second", "none"];
  await using controller = await ControllerProcess.start({
    console: true,
    dataDir: join(folder, "data"),
    args,
  });
  for (let first = 0; first < JOBS; first += BATCH) {
    const jobs = Array.from({ length: BATCH }, (_, n) => ({
      job: { reference: "/media/r.mp4", distorted: `/media/${first + n}.mp4`, labels: { n: String(n % 7) } },
    }));
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${controller.rest}/v1/jobs:batch`, {
      method: "POST",
      headers,
      body: JSON.stringify({ jobs }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
  await using pages = await Pages.open();
  const began = performance.now();
  const page = await pages.page(`${controller.rest}/console/jobs`);
  await page.getByText(`of ${JOBS.toLocaleString("en-US")} jobs`).waitFor();
  console.log(`  all ${JOBS} jobs shown after   ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await page.mouse.move(600, 500);
  printTimes("scrolling", await frameTimes(page, () => turnWheel(page, 900)));
}

/** A CSV of FRAMES frames with the metrics of a real job. */
function longCsv(header: string): string {
  const metrics = header.split(",").length - 1;
  const rows = Array.from({ length: FRAMES }, (_, frame) => {
    const values = Array.from({ length: metrics }, (_, metric) =>
      (80 + 15 * Math.sin(frame / (37 + metric))).toFixed(6),
    );
    return `${frame},${values.join(",")}`;
  });
  return `${header}\n${rows.join("\n")}\n`;
}

async function zooming(): Promise<void> {
  await using scored = await ScoredJob.open();
  const header =
    (await (await fetch(`${scored.up.rest}/v1/jobs/${scored.id}/frames?format=csv`)).text()).split("\n")[0] ??
    "";
  const csv = longCsv(header);
  const page = await scored.pages.page("about:blank");
  await page.route("**/frames?*", (route) => route.fulfill({ contentType: "text/csv", body: csv }));
  await page.route(`**/v1/jobs/${scored.id}`, async (route) => {
    const job = (await (await route.fetch()).json()) as { progress: object; result: object; work: object[] };
    const progress = { ...job.progress, framesDone: FRAMES, framesTotal: FRAMES };
    await route.fulfill({
      json: { ...job, progress, result: { ...job.result, frameCount: FRAMES }, work: [] },
    });
  });
  const began = performance.now();
  await page.goto(scored.url("?metrics=vmaf,psnr_y"));
  await page.locator(".plot .u-over").waitFor();
  await page
    .getByText(`of ${FRAMES.toLocaleString("en-US")}`)
    .first()
    .waitFor();
  console.log(`  ${FRAMES} frames drawn after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await page.locator(".plot .u-over").hover();
  await page.keyboard.down("Control");
  printTimes("zooming in and out", await frameTimes(page, () => turnWheel(page, -100)));
}

const folder = await mkdtemp(join(tmpdir(), "svc-bench-console-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores`);
  await scrolling(folder);
  await zooming();
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The page of a running job in a real browser: its chart grows segment by segment. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { GatedScorer } from "../media/gated-scorer.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient, type NodeList } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

/** 10 s in segments of about a second. */
const SCENE = { width: 160, height: 90, frames: 250 };
const KEY_FRAMES = ["-g", "50"];

let directory: MediaDirectory;
let scorer: GatedScorer;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
let pair: { readonly reference: string; readonly distorted: string };

before(async () => {
  directory = await MediaDirectory.open();
  pair = {
    reference: await pristine(directory, "reference.y4m", SCENE),
    distorted: await encode(directory, "distorted.mp4", SCENE, [...LOSSY.h264, ...KEY_FRAMES]),
  };
  scorer = await GatedScorer.make(directory);
  up = await ControllerProcess.up({
    console: true,
    dataDir: directory.file("data"),
    args: ["--segment-seconds", "1", "--slots", "1", "--vmaf-binary", scorer.path],
  });
  jobs = await JobsClient.of(up);
  pages = await Pages.open();
});
after(async () => {
  try {
    await pages[Symbol.asyncDispose]();
  } finally {
    await up[Symbol.asyncDispose]();
    await directory.remove();
  }
});

test("the chart grows as segments arrive, and the score appears with the last one", async () => {
  const { id } = (await jobs.submit(pair)).body;
  const page = await pages.page(`${up.rest}/console/jobs/${id}?threshold=1000`);
  /** Number of scores in the chart, and whether the page shows the job as running. */
  const seen = async () => {
    const text = await page.evaluate("document.querySelector('.thresholds li')?.textContent ?? ''");
    const state = await page.evaluate("document.querySelector('.job-head .state-chip')?.textContent");
    return {
      count: Number(/of ([\d,]+) frames/.exec(String(text))?.[1] ?? 0),
      isRunning: state === "Running",
    };
  };
  const shows = (what: string, holds: (now: Awaited<ReturnType<typeof seen>>) => boolean) =>
    until(async () => holds(await seen()), what);
  await scorer.pass();
  let first = 0;
  await shows("the first segment", ({ count, isRunning }) => {
    first = count;
    return isRunning && count > 0 && count < 200;
  });
  await scorer.pass();
  await shows(
    "another segment",
    ({ count, isRunning }) => isRunning && count > first && count < SCENE.frames,
  );
  const { segmentsTotal } = (await jobs.get(id)).body;
  for (let passed = 2; passed < segmentsTotal; passed++) await scorer.pass();
  await shows("the last segment", ({ count, isRunning }) => !isRunning && count === SCENE.frames);
  // The open page shows the score without a reload.
  const { result } = await jobs.until(id, "SUCCEEDED");
  const score = page.locator(".score-value");
  assert.equal(await score.textContent(), result?.score.toFixed(2));
  assert.equal(await score.getAttribute("title"), String(result?.score));
  await page.context().close();
});

test("never shows a succeeded job without its score, even if its details arrive late", async () => {
  const { id } = (await jobs.submit(pair)).body;
  await scorer.pass();
  const page = await pages.page("about:blank");
  // Checked at every change of the page.
  await page.addInitScript(`new MutationObserver(() => {
    const state = document.querySelector(".job-head .state-chip")?.textContent;
    if (state === "Succeeded" && document.querySelector(".score-value") === null) window.hadNoScore = true;
  }).observe(document, { subtree: true, childList: true, characterData: true })`);
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  await page.route(`**/v1/jobs/${id}`, async (route) => {
    if (isHeld) await held.promise;
    await route.continue();
  });
  await page.goto(`${up.rest}/console/jobs/${id}`);
  await page.locator(".job-head").getByText("Running", { exact: true }).waitFor();
  const list = await pages.page(`${up.rest}/console/jobs?q=${id}`);
  isHeld = true;
  await until(async () => (await jobs.get(id)).body.segmentsTotal > 0, "the plan");
  const { segmentsTotal } = (await jobs.get(id)).body;
  for (let passed = 1; passed < segmentsTotal; passed++) await scorer.pass();
  await jobs.until(id, "SUCCEEDED");
  // Both pages follow the same controller.
  await list.getByRole("row").getByText("Succeeded", { exact: true }).waitFor();
  assert.equal(await page.locator(".job-head .state-chip").textContent(), "Running");
  held.resolve();
  await page.locator(".score-value").waitFor();
  await page.locator(".job-head").getByText("Succeeded", { exact: true }).waitFor();
  assert.equal(await page.evaluate("window.hadNoScore"), undefined);
  await list.context().close();
  await page.context().close();
});

test("while a job runs, the page shows both files' properties and the time code under the pointer", async () => {
  const { id } = (await jobs.submit(pair)).body;
  // Covers at least the first two seconds.
  for (let passed = 0; passed < 3; passed++) await scorer.pass();
  await until(async () => (await jobs.get(id)).body.segmentsDone === 3, "three segments");
  // The node accepts no new task, and its current one is held at the gate, so the job keeps its state.
  const [node] = (await jobs.call<NodeList>("listNodes", "/v1/nodes")).body.nodes;
  await jobs.call("drainNode", `/v1/nodes/${node?.id}:drain`, { method: "POST" });
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  const found = page.getByRole("region", { name: "Source files" });
  await found.getByRole("row", { name: "Frame rate 25 fps 25 fps" }).waitFor();
  await found.getByRole("row", { name: "Codec rawvideo h264" }).waitFor();
  const area = page.locator(".plot .u-over");
  const { width = 0 } = (await area.boundingBox()) ?? {};
  await area.hover({ position: { x: Math.round(width * 0.13), y: 60 } });
  const frame = Number(await page.locator(".readout strong").textContent());
  assert.ok(frame > 25 && frame < 50, `frame ${frame}`);
  assert.match(
    (await page.locator(".readout").textContent()) ?? "",
    new RegExp(
      `00:00:01:${String(frame - 25).padStart(2, "0")} \\(${(frame / 25).toFixed(2)} s\\).*: scored on`,
    ),
  );
  assert.equal(await page.locator(".job-head .state-chip").textContent(), "Running");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
  await scorer.open();
});

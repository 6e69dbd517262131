/** The page of a job that runs, in a real browser: its chart grows segment by segment. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient, type NodeList } from "../server/jobs-client.ts";
import { seriousFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

/** 10 s in five pieces: a segment begins at a key frame. */
const SCENE = { width: 160, height: 90, frames: 250 };
const KEY_FRAMES = ["-g", "50"];

let directory: MediaDirectory;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
let pair: { readonly reference: string; readonly distorted: string };
let id: string;

before(async () => {
  directory = await MediaDirectory.open();
  pair = {
    reference: await pristine(directory, "reference.y4m", SCENE),
    distorted: await encode(directory, "distorted.mp4", SCENE, [...LOSSY.h264, ...KEY_FRAMES]),
  };
  up = await ControllerProcess.up({
    console: true,
    dataDir: directory.file("data"),
    args: ["--segment-seconds", "1", "--slots", "1"],
  });
  jobs = await JobsClient.of(up);
  pages = await Pages.open();
  id = (await jobs.submit(pair)).body.id;
});
after(async () => {
  try {
    await pages[Symbol.asyncDispose]();
  } finally {
    await up[Symbol.asyncDispose]();
    await directory.remove();
  }
});

/** Asks until there is an answer; the page's policy lets nothing be asked from within. */
async function until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
  const giveUp = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > giveUp) assert.fail(`${what} did not come`);
    await pause(20);
  }
}

test("the chart grows while segments arrive, and the score is there when it has all of them", async () => {
  const page = await pages.page(`${up.rest}/console/jobs/${id}?threshold=1000`);
  /** Values in the chart, and whether the page says that the job runs. */
  const seen = async () => {
    const text = await page.evaluate("document.querySelector('.thresholds li')?.textContent ?? ''");
    const state = await page.evaluate("document.querySelector('.job-head .state-chip')?.textContent");
    return {
      count: Number(/of ([\d,]+) frames/.exec(String(text))?.[1] ?? 0),
      isRunning: state === "Running",
    };
  };
  const first = await until(async () => {
    const { count, isRunning } = await seen();
    return isRunning && count > 0 && count < 200 ? count : undefined;
  }, "the first segment");
  await until(async () => {
    const { count, isRunning } = await seen();
    return isRunning && count > first && count < SCENE.frames ? count : undefined;
  }, "another segment");
  await until(async () => {
    const { count, isRunning } = await seen();
    return !isRunning && count === SCENE.frames ? count : undefined;
  }, "the last segment");
  // What runs shows the score without having been loaded again.
  const { result } = await jobs.until(id, "SUCCEEDED");
  const score = page.locator(".score-value");
  assert.equal(await score.textContent(), result?.score.toFixed(2));
  assert.equal(await score.getAttribute("title"), String(result?.score));
  await page.context().close();
});

test("while a job runs, what was found in both files is there, and the frame that is pointed at has its time code", async () => {
  const { id } = (await jobs.submit(pair)).body;
  await until(async () => ((await jobs.get(id)).body.segmentsDone > 0 ? id : undefined), "a segment");
  // Its node finishes what it has and takes nothing new: the job stays as it is.
  const [node] = (await jobs.call<NodeList>("listNodes", "/v1/nodes")).body.nodes;
  await jobs.call("drainNode", `/v1/nodes/${node?.id}:drain`, { method: "POST" });
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  const found = page.getByRole("region", { name: "What is compared" });
  await found.getByRole("row", { name: "Frame rate 25/1 25/1" }).waitFor();
  await found.getByRole("row", { name: "Codec ≠ rawvideo h264 (differs)" }).waitFor();
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
  assert.deepEqual(await seriousFaults(page), []);
  await page.context().close();
});

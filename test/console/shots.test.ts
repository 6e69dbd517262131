/** Shots on the page of a job in a real browser: the table, and what its links show. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { components } from "../../src/gen/rest/controller.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

type Shot = components["schemas"]["ScoredSpan"];

/** Every other shot of twelve frames is inverted. */
const SCENE = { width: 160, height: 90, frames: 96, filters: "negate=enable='mod(floor(n/12),2)'" };

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
let url: string;
let shots: readonly Shot[];

before(async () => {
  directory = await MediaDirectory.open();
  const pair = {
    reference: await encode(directory, "reference.mp4", SCENE, [...LOSSY.h264, "-crf", "8"]),
    distorted: await encode(directory, "distorted.mp4", SCENE, LOSSY.h264),
  };
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  const jobs = await JobsClient.of(up);
  const { id } = (await jobs.submit(pair)).body;
  const { result } = await jobs.settled(id);
  ({ shots } = result as unknown as { shots: readonly Shot[] });
  url = `${up.rest}/console/jobs/${id}`;
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

const VIEWS = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 800 } };

test("lists the worst shots, or all in the order of the video", async () => {
  assert.equal(shots.length, SCENE.frames / 12);
  const page = await pages.page(url, { viewport: VIEWS.desk });
  const section = page.getByRole("region", { name: `${shots.length} shots` });
  const frames = () => section.locator("tbody tr td:first-child").allTextContents();
  const span = ({ firstFrame, frameCount }: Shot) => `${firstFrame}–${firstFrame + frameCount - 1}`;
  await section.waitFor();
  const worst = shots.toSorted((one, other) => one.mean - other.mean);
  assert.deepEqual(await frames(), worst.slice(0, 5).map(span));
  await section.getByRole("combobox").selectOption({ label: "In video order" });
  await section.getByRole("button", { name: "Show 3 more" }).click();
  assert.deepEqual(await frames(), shots.map(span));
  const first = shots[0] ?? assert.fail();
  assert.deepEqual((await section.locator("tbody tr").first().locator("td").allTextContents()).slice(1), [
    "00:00:00:00",
    "0.48 s",
    first.mean.toFixed(2),
    first.min.toFixed(2),
    String(first.worstFrame),
  ]);
  await page.context().close();
});

test("all shots can be saved as CSV, in the order of the video", async () => {
  const page = await pages.page(url, { viewport: VIEWS.desk });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV: shots" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /-shots\.csv$/);
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
  assert.deepEqual(lines, [
    "number,first_frame,frame_count,time,mean,min,worst_frame",
    ...shots.map(({ firstFrame, frameCount, mean, min, worstFrame }, index) => {
      const time = (firstFrame / 25).toFixed(6);
      return [index + 1, firstFrame, frameCount, time, mean, min, worstFrame].join(",");
    }),
  ]);
  await page.context().close();
});

test("a shot opens in the chart, and its worst frame is selected", async () => {
  const page = await pages.page(url, { viewport: VIEWS.desk });
  const section = page.getByRole("region", { name: `${shots.length} shots` });
  await section.getByRole("combobox").selectOption({ label: "In video order" });
  const shot = shots[2] ?? assert.fail();
  await section.getByRole("button", { name: "24–35" }).press("Enter");
  await page.waitForURL(/from=24&to=35/);
  await section.getByRole("button", { name: String(shot.worstFrame), exact: true }).press("Enter");
  await page.waitForURL(new RegExp(`frame=${shot.worstFrame}`));
  await page.getByRole("heading", { name: `Frame ${shot.worstFrame}` }).waitFor();
  await page.context().close();
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, viewport] of Object.entries(VIEWS)) {
    test(`accessible in ${colorScheme} at ${name} size`, async () => {
      const page = await pages.page(url, { viewport, colorScheme });
      await page.getByRole("region", { name: `${shots.length} shots` }).waitFor();
      assert.deepEqual(await accessibilityFaults(page), []);
      if (name === "phone") assert.deepEqual(await smallTargets(page), []);
      await page.context().close();
    });
  }
}

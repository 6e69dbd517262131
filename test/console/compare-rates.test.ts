/** Bit rates on the Compare page, in a real browser: audio tracks, old results, and ladders with little overlap. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { Pages } from "./browser.ts";
import { type Encode, ladderOf } from "./encodes.ts";

const SCENE = { width: 160, height: 90, frames: 60 };

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
let silent: readonly Encode[];
/** The same encodes, each with an audio track. */
let sounding: readonly Encode[];
/** Of lower quality, except for the best one. */
let low: readonly Encode[];

before(async () => {
  directory = await MediaDirectory.open();
  const reference = await pristine(directory, "reference.y4m", SCENE);
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  const jobs = await JobsClient.of(up);
  const of = { directory, jobs, reference, scene: SCENE, preset: "ultrafast" };
  silent = await ladderOf({ ...of, crfs: [24, 30, 36, 42] });
  sounding = await ladderOf({ ...of, crfs: [24, 30, 36, 42], hasSound: true });
  low = await ladderOf({ ...of, crfs: [34, 40, 44, 48] });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

function address(a: readonly Encode[], b: readonly Encode[]): string {
  const ladders = [...a.map(({ id }) => `a=${id}`), ...b.map(({ id }) => `b=${id}`)];
  return `${up.rest}/console/compare?${ladders.join("&")}`;
}

async function opened(a: readonly Encode[], b: readonly Encode[]): Promise<Page> {
  const page = await pages.page(address(a, b));
  await page.locator(".delta-value").nth(1).waitFor();
  return page;
}

function deltas(page: Page): Promise<string[]> {
  return page.locator(".delta-value").allTextContents();
}

test("an audio track changes neither bit rates nor BD-rate; the file's rate is shown below the video's", async () => {
  const page = await opened(silent, sounding);
  assert.deepEqual(await deltas(page), ["0.00 %", "0.00 VMAF"]);
  assert.deepEqual(
    sounding.map(({ rate }) => rate),
    silent.map(({ rate }) => rate),
  );
  await page.getByText("Bit rates are those of the video tracks.").waitFor();
  await page.getByRole("columnheader", { name: "Video bit rate" }).waitFor();
  await page.getByRole("heading", { name: "Score and video bit rate" }).waitFor();
  const row = page.locator("table.compared tr", { hasText: "sound ultrafast 42" });
  assert.match((await row.textContent()) ?? "", /[\d.]+ kbit\/s *[\d.]+ kbit\/s overall/);
  await page.context().close();
});

test("uses whole-file bit rates for all encodes, with a note, if an old result has no video bit rate", async () => {
  const page = await pages.page("about:blank");
  const [old] = silent;
  await page.route(`**/v1/jobs/${old?.id}`, async (route) => {
    const answer = await route.fetch();
    const job = (await answer.json()) as { result: { distorted: Record<string, unknown> } };
    for (const name of ["videoBytes", "videoBitRate"]) delete job.result.distorted[name];
    await route.fulfill({ response: answer, json: job });
  });
  await page.goto(address(silent, sounding));
  await page.getByRole("note").getByText("Bit rates are those of whole files").waitFor();
  await page.getByRole("note").getByText("the results of ultrafast 24 come from a version").waitFor();
  await page.getByRole("columnheader", { name: "Whole-file bit rate" }).waitFor();
  await page.locator(".delta-value").nth(1).waitFor();
  const [rate = ""] = await deltas(page);
  assert.match(rate, /^\+\d/, "the audio counts towards the bits of one side");
  assert.equal(await page.getByText(/kbit\/s overall/).count(), 0);
  await page.context().close();
});

test("warns if the ladders overlap by less than 75 % of the wider one", async () => {
  const page = await opened(silent, low);
  const first = page.locator(".delta").first();
  const share = Number(/, (\d+) % of the wider ladder/.exec((await first.textContent()) ?? "")?.[1]);
  assert.ok(share >= 50 && share < 75, `${share} % overlap`);
  await first.getByText("overlap by less than 75 %").waitFor();
  await page.context().close();
  const whole = await opened(silent, sounding);
  assert.equal(await whole.getByText("overlap by less than").count(), 0);
  await whole.context().close();
});

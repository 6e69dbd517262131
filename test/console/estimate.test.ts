/** An estimated job in a real browser: list, page, and finishing it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { components } from "../../src/gen/rest/controller.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

type Job = components["schemas"]["Job"];

const FILM = { width: 96, height: 54, frames: 2000 };

let media: MediaDirectory;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
let id: string;
before(async () => {
  media = await MediaDirectory.open();
  const source = ["-c:v", "libx264", "-crf", "8", "-g", "12"];
  const reference = await encode(media, "reference.mp4", FILM, source);
  const distorted = await encode(media, "distorted.mp4", FILM, LOSSY.h264);
  up = await ControllerProcess.up({ console: true, dataDir: media.file("data") });
  jobs = await JobsClient.of(up);
  pages = await Pages.open();
  const estimate = { tolerance: 10, seed: 7 };
  ({ id } = (await jobs.submit({ reference, distorted, name: "film", estimate })).body);
  await jobs.settled(id);
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await media.remove();
});

test("the list shows an estimate with its interval", async () => {
  const { score = Number.NaN, estimate } = (await jobs.call<Job>("getJob", `/v1/jobs/${id}`)).body;
  assert.ok(estimate);
  const page = await pages.page(`${up.rest}/console/jobs`);
  const cell = page.locator(".score.estimated").first();
  await cell.waitFor();
  const text = await cell.textContent();
  assert.ok(text?.startsWith(`≈ ${score.toFixed(2)} `), `${text}`);
  assert.match(text ?? "", /(± \d+\.\d\d|\d+\.\d\d to \d+\.\d\d)$/);
  const title = await cell.getAttribute("title");
  assert.equal(
    title,
    `Estimate from ${(100 * estimate.scoredShare).toFixed(1)} % of the frames, with 95 % confidence`,
  );
  await page.context().close();
});

test("the page shows what is known, and finishes the estimate as another job", async () => {
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  const result = page.getByRole("region", { name: "Result" });
  await result.getByText("With 95 % confidence, the mean of all 2,000 frames").waitFor();
  assert.equal(await result.locator(".pooled").count(), 0);
  await page
    .locator(".chart")
    .getByText(/^[\d.]+ at [\d,]+$/)
    .first()
    .waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Score all frames" }).click();
  await page.getByRole("link", { name: "an estimate" }).waitFor();
  await page.getByText("mean of 2,000 frames").waitFor();
  assert.equal(await page.locator(".job-result .pooled").count(), 1);
  assert.equal(await page.getByRole("button", { name: "Score all frames" }).count(), 0);
  await page.getByRole("link", { name: "an estimate" }).click();
  await page.waitForURL(`**/jobs/${id}`);
  await page.context().close();
});

/** The file browser of the submit dialog in a real browser, by mouse and by keyboard alone. No node is needed. */
import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Page as JobList, JobsClient } from "../server/jobs-client.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

let directory: string;
let media: string;
let controller: ControllerProcess;
let pages: Pages;
let clips: MediaDirectory;

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "svc-console-")));
  media = join(directory, "media");
  await mkdir(join(media, "encodes"), { recursive: true });
  await writeFile(join(media, "film.mov"), Buffer.alloc(1_234_567));
  await writeFile(join(media, "space.mov "), "x");
  clips = await MediaDirectory.open();
  const scene = await encode(clips, "scene.mp4", { width: 160, height: 90, frames: 50 }, LOSSY.mpeg4);
  await copyFile(scene, join(media, "scene.mp4"));
  await symlink("/etc", join(media, "outside"));
  for (let index = 0; index < 250; index++)
    await writeFile(join(media, "encodes", `film-${String(index).padStart(3, "0")}.mp4`), "x");
  const storages = join(directory, "storages.json");
  await writeFile(storages, JSON.stringify({ storages: [{ https: { hosts: ["media.example"] } }] }));
  controller = await ControllerProcess.start({
    console: true,
    dataDir: join(directory, "data"),
    args: ["--media-root", media, "--storages-file", storages, "--probe-media"],
  });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
  await clips.remove();
});

async function opened(options = {}): Promise<Page> {
  const page = await pages.page(`${controller.rest}/console/jobs`, options);
  await page.getByRole("button", { name: "Submit jobs" }).click();
  return page;
}

const entry = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });
const browser = (page: Page): Locator => page.locator(".media-dialog");

async function pairs(): Promise<string[]> {
  const jobs = await JobsClient.of(controller);
  const { body } = await jobs.call<JobList>("listJobs", "/v1/jobs");
  return body.jobs.map(({ spec: { reference, distorted } }) => `${String(reference)} ${String(distorted)}`);
}

test("shows codec, size, rate and duration on request, and which files have none", async () => {
  const page = await opened();
  await entry(page, "Browse: Reference").click();
  await entry(page, `${media}/`).click();
  await page.getByText("1.23 MB").waitFor();
  assert.equal(await page.getByRole("columnheader", { name: "Video" }).count(), 0);
  await page.getByLabel("Show codec, size, rate and duration").check();
  const rowOf = (name: string) =>
    browser(page)
      .getByRole("row")
      .filter({ has: entry(page, name) });
  await rowOf("scene.mp4").getByText("mpeg4 · 160×90 · 25 fps · 2 s").waitFor();
  await rowOf("film.mov").getByText("not probed").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByLabel("Show codec, size, rate and duration").uncheck();
  await page.getByRole("columnheader", { name: "Video" }).waitFor({ state: "detached" });
  await page.close();
});

test("chooses a reference and several distorted videos by mouse", async () => {
  const page = await opened();
  await entry(page, "Browse: Reference").click();
  assert.equal(await entry(page, "https://media.example/").getAttribute("aria-disabled"), "true");
  await entry(page, `${media}/`).click();
  await page.getByText("1.23 MB").waitFor();
  assert.equal(await page.getByText("outside").count(), 0);
  await entry(page, "film.mov").click();
  await browser(page).waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Reference", { exact: true }).inputValue(), join(media, "film.mov"));

  await entry(page, "Browse: Distorted").click();
  await entry(page, "encodes/").click();
  await entry(page, "film-003.mp4").click();
  await page.getByRole("button", { name: "Show more" }).click();
  await entry(page, "film-249.mp4").click();
  await page.getByRole("button", { name: "Add 2 files" }).click();
  await page.getByRole("button", { name: "Submit 2 jobs" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const reference = join(media, "film.mov");
  assert.deepEqual((await pairs()).toSorted(), [
    `${reference} ${join(media, "encodes/film-003.mp4")}`,
    `${reference} ${join(media, "encodes/film-249.mp4")}`,
  ]);
  await page.context().close();
});

test("works by keyboard alone, and Escape closes only the browser", async () => {
  const page = await opened();
  await entry(page, "Browse: Distorted").focus();
  await page.keyboard.press("Enter");
  const focused = (name: string) => entry(page, name).and(page.locator(":focus")).waitFor();
  await focused(`${media}/`);
  await page.keyboard.press("Enter");
  await focused("encodes/");
  await page.keyboard.press("ArrowDown");
  await focused("film.mov");
  await page.keyboard.press("Space");
  assert.equal(await entry(page, "film.mov").getAttribute("aria-pressed"), "true");
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await focused("film-000.mp4");
  await page.keyboard.press("End");
  await focused("film-199.mp4");
  await page.keyboard.press("Escape");
  await browser(page).waitFor({ state: "detached" });
  await entry(page, "Browse: Distorted").and(page.locator(":focus")).waitFor();
  await page.getByLabel("Reference", { exact: true }).waitFor();
  await page.context().close();
});

test("begins in the folder of what was typed, and leads back up; a folder outside is refused", async () => {
  const page = await opened();
  await page.getByLabel("Reference", { exact: true }).fill(join(media, "encodes/film-001.mp4"));
  await entry(page, "Browse: Reference").click();
  await entry(page, "film-001.mp4").waitFor();
  await page
    .getByRole("navigation", { name: "Folder" })
    .getByRole("button", { name: `${media}/` })
    .click();
  await entry(page, "film.mov").waitFor();
  assert.equal(await entry(page, "space.mov").getAttribute("aria-disabled"), "true");
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByLabel("Reference", { exact: true }).fill("/etc/hosts");
  await entry(page, "Browse: Reference").click();
  await page.getByText("is not inside a media root").waitFor();
  await page.getByRole("button", { name: "All media" }).click();
  await entry(page, `${media}/`).waitFor();
  pages.expectComplaints(/403/);
  await page.context().close();
});

for (const [what, options] of [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 800 } }],
] as const)
  test(`is accessible and fits: ${what}`, async () => {
    const page = await opened(options);
    await entry(page, "Browse: Distorted").click();
    await entry(page, `${media}/`).click();
    await entry(page, "film.mov").click();
    assert.deepEqual(await accessibilityFaults(page), []);
    const small = (await smallTargets(page)).filter((target) => target.startsWith("button"));
    assert.deepEqual(small, []);
    const overflow = await browser(page).evaluate((element) => element.scrollWidth > element.clientWidth);
    assert.equal(overflow, false);
    await page.context().close();
  });

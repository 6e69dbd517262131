/** A title in the console, in a real browser: its manifest is chosen in the file browser, and the page shows its renditions. */
import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

let titles: Titles;
let up: ControllerProcess;
let pages: Pages;
let media: string;

before(async () => {
  titles = await Titles.open();
  media = titles.file("media");
  await mkdir(`${media}/title`, { recursive: true });
  await copyFile(titles.source, `${media}/source.mkv`);
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  const copies = ["-map", "0:v", "-map", "1:v", "-c", "copy"];
  await ffmpeg([...inputs, ...copies, "-f", "dash", "-seg_duration", "1", `${media}/title/title.mpd`]);
  const args = ["--media-root", media, "--media-cache", titles.file("cache")];
  up = await ControllerProcess.up({ console: true, dataDir: titles.file("data"), args });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await titles[Symbol.asyncDispose]();
});

test("a manifest that is chosen in the file browser becomes an encode for each rendition", async () => {
  const page = await pages.page(`${up.rest}/console/comparisons`);
  await page.getByRole("button", { name: "New comparison" }).click();
  const dialog = page.getByRole("dialog", { name: "New comparison" });
  await dialog.getByLabel("Reference", { exact: true }).fill(`${media}/source.mkv`);
  await dialog.getByText(/A manifest of HLS or DASH/).waitFor();
  const entry = (name: string) => page.getByRole("button", { name, exact: true });
  await entry("Browse: Encodes").click();
  await entry("title/").click();
  await entry("title.mpd").click();
  await page.getByRole("button", { name: "Add file" }).click();
  assert.equal(await dialog.getByLabel("Encodes", { exact: true }).inputValue(), `${media}/title/title.mpd`);
  await dialog.getByRole("button", { name: "Compare" }).click();
  await page.waitForURL(/\/comparisons\/[0-9a-f-]{36}$/);
  // The page follows the comparison while its title is read.
  await page.getByText("2 of 2 encodes scored").waitFor();
  const rows = await page.locator(".cells-table tbody tr").allTextContents();
  assert.match(rows[0] ?? "", /title\.mpd#96x54-\d+k h264 · 96×54\d+(\.\d+)? kbit\/s/);
  assert.match(rows[1] ?? "", /title\.mpd#160x90-\d+k h264 · 160×90\d+(\.\d+)? kbit\/s/);
  const worst = page.getByRole("region", { name: "Worst segments" }).first();
  await worst.getByRole("heading", { name: "Worst of 12 segments" }).waitFor();
  assert.equal(await worst.locator("tbody tr").count(), 5);
  assert.deepEqual(await accessibilityFaults(page), []);
  const link = worst.getByRole("link").first();
  assert.match((await link.getAttribute("href")) ?? "", /\/jobs\/[0-9a-f-]{36}\?from=\d+&to=\d+&frame=\d+$/);
  await page
    .getByRole("region", { name: "Encodes" })
    .first()
    .getByRole("link", { name: /^title\.mpd#160x90/ })
    .click();
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
  await page
    .getByRole("heading", { name: /title\.mpd#160x90/ })
    .first()
    .waitFor();
  const section = page.getByRole("region", { name: "6 segments" });
  await section.getByRole("combobox").selectOption({ label: "In video order" });
  await section.getByRole("button", { name: "25–49" }).click();
  await page.waitForURL(/from=25&to=49/);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

/** The page of trends in a real browser, over real scores of three releases. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { SVC, start } from "../cli/program.ts";
import { draw } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const CLIPS = 5;
const FRAMES = 8;
/** Release 10 encodes worse. */
const QUALITIES = { "8": 26, "9": 26, "10": 36 } as const;

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
before(async () => {
  directory = await MediaDirectory.open();
  const rows = ["reference,distorted,label:release,label:codec"];
  for (let clip = 0; clip < CLIPS; clip++) {
    const scene = { seed: clip + 1, frames: FRAMES };
    const reference = directory.file(`clip${clip}.mp4`);
    await ffmpeg([...draw(scene), "-c:v", "libx264", "-qp", "0", reference]);
    for (const [release, quality] of Object.entries(QUALITIES)) {
      const distorted = directory.file(`${release}/clip${clip}.mp4`);
      await mkdir(directory.file(release), { recursive: true });
      await ffmpeg([
        ...draw(scene),
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-crf",
        String(quality),
        distorted,
      ]);
      rows.push(`${reference},${distorted},${release},${clip === 0 ? "av1" : "h264"}`);
    }
  }
  await writeFile(directory.file("all.csv"), `${rows.join("\n")}\n`);
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  const args = ["--from", directory.file("all.csv"), "--metric", "psnr", "--wait", "--quiet"];
  const { code, stderr } = await start(SVC, ["jobs", "submit", ...args, "--server", up.grpc]).ended();
  assert.equal(code, 0, stderr);
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

async function rows(page: Page, label: string): Promise<string[][]> {
  const table = page.getByRole("region", { name: label, exact: true }).first();
  return table
    .locator("tbody tr")
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent?.trim() ?? "")),
    );
}

test("says how the last release compares, and which clips lost most", async () => {
  const page = await pages.page(`${up.rest}/console/jobs`);
  await page.getByRole("link", { name: "Trends" }).click();
  await page.getByText("Worse", { exact: true }).waitFor();
  await page.getByText(/^5 of 5 clips worse by more than 0\.5 · Mean −\d+\.\d\d ± \d\.\d\d · P5 −/).waitFor();
  const releases = await rows(page, "Releases");
  assert.deepEqual(
    releases.map(([name, clips, difference]) => [name, clips, difference?.replace(/[\d.]+/g, "#")]),
    [
      ["10", "5", "−# ± #"],
      ["9", "5", "baseline"],
      ["8", "5", "# ± #"],
    ],
  );
  assert.match(releases[0]?.[3] ?? "", /^−.* over 5 clips$/);
  const clips = await rows(page, "Clips");
  const losses = clips.map(([, , , difference]) => Number(difference?.replace("−", "-")));
  assert.equal(losses.length, CLIPS);
  assert.deepEqual(
    losses,
    losses.toSorted((one, other) => one - other),
  );
  for (const table of ["releases", "clips"]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: `Download CSV: ${table}` }).click(),
    ]);
    const pair = table === "clips" ? "-10-9" : "";
    assert.equal(download.suggestedFilename(), `release${pair}-${table}.csv`);
    const asked = ["trends", "release", "--csv", "--table", table, "--server", up.grpc];
    assert.equal(await readFile(await download.path(), "utf8"), (await start(SVC, asked).ended()).stdout);
  }
  assert.equal(await page.locator(".trend-chart .clip").count(), CLIPS);
  assert.equal(await page.locator(".trend-chart .change").count(), 1);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("region", { name: "Clips", exact: true }).first().getByRole("link").first().click();
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
  await page.context().close();
});

test("keeps the choice in the URL", async () => {
  const page = await pages.page(`${up.rest}/console/trends`);
  await page.getByRole("combobox", { name: "Release" }).selectOption("9");
  await page.getByRole("combobox", { name: "against" }).selectOption("8");
  await page.getByText("No significant difference").waitFor();
  await page.getByRole("combobox", { name: "Metric" }).selectOption("psnr_y");
  await page.getByRole("combobox", { name: "Statistic" }).selectOption("min");
  await page.getByText(/Minimum 0\.00 ± 0\.00/).waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual(Object.fromEntries(searchParams), {
    ...{ candidate: "9", baseline: "8", metric: "psnr_y", statistic: "min" },
  });
  await page.getByLabel("Only jobs with").fill("codec=av1");
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText(/of 1 clips/).waitFor();
  await page.context().close();
});

test("says what is missing, in the dark and on a phone", async () => {
  const options = { viewport: { width: 375, height: 700 }, colorScheme: "dark" } as const;
  const page = await pages.page(`${up.rest}/console/trends?by=commit`, options);
  await page.getByText("No scored jobs with the label commit").waitFor();
  await page.getByLabel("Label").fill("release");
  await page.getByLabel("Label").press("Enter");
  await page.getByText("Worse", { exact: true }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await smallTargets(page), []);
  await page.getByLabel("Label").fill("a b");
  const refused = page.waitForEvent("console", (message) => message.text().includes("400"));
  await page.getByLabel("Label").press("Enter");
  await refused;
  await page
    .getByText(/letters, digits|by/)
    .first()
    .waitFor();
  pages.expectComplaints(/400/);
  await page.context().close();
});

/** The Compare page in a real browser: two ladders of real encodes, their numbers, hull, BD-rate and frames. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { bitRateText } from "../../src/jobs/quantities.ts";
import { bdRate, bdScore, type Outcome } from "../../src/rates/bd-rate.ts";
import { upperHull } from "../../src/rates/hull.ts";
import { draw, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";
import { type Encode, ladderOf, valuesOf } from "./encodes.ts";

const SCENE = { width: 160, height: 90, frames: 60 };
const CRFS = [24, 30, 36, 42];
/** HTML, and right-to-left text. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202etxet ${"long-".repeat(30)}`;

let directory: MediaDirectory;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
let reference: string;
/** In the order of CRFS, highest rate first. */
let quick: readonly Encode[];
let slow: readonly Encode[];
/** A job of another reference, and one of the same reference without a frame rate. */
let stranger: string;
let raw: string;

before(async () => {
  directory = await MediaDirectory.open();
  reference = await pristine(directory, "reference.y4m", SCENE);
  const other = await pristine(directory, "other.y4m", { ...SCENE, seed: 2 });
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  jobs = await JobsClient.of(up);
  quick = await ladder("ultrafast");
  slow = await ladder("medium");
  const distorted = directory.file("ultrafast-36.mp4");
  stranger = await scored({ reference: other, distorted, name: HOSTILE });
  const rawFile = directory.file("raw.yuv");
  await ffmpeg([...draw(SCENE), "-f", "rawvideo", rawFile]);
  const rawVideo = { width: SCENE.width, height: SCENE.height, pixelFormat: "yuv420p" };
  raw = await scored({ reference, distorted: rawFile, rawVideo, name: "raw" });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

async function scored(spec: object): Promise<string> {
  const { id } = (await jobs.submit(spec)).body;
  await jobs.until(id, "SUCCEEDED");
  return id;
}

function ladder(preset: string): Promise<readonly Encode[]> {
  return ladderOf({ directory, jobs, reference, scene: SCENE, preset, crfs: CRFS });
}

function ladders(): string {
  const [a, b] = [quick.map(({ id }) => `a=${id}`), slow.map(({ id }) => `b=${id}`)];
  return `?${[...a, ...b].join("&")}`;
}

async function opened(query: string, options = {}): Promise<Page> {
  const page = await pages.page(`${up.rest}/console/compare${query}`, {
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  await page.locator("table.compared").waitFor();
  return page;
}

function row(page: Page, name: string): Locator {
  return page
    .locator("table.compared tbody tr")
    .filter({ has: page.getByRole("link", { name, exact: true }) });
}

function numberOf(outcome: Outcome): number {
  assert.ok("delta" in outcome, JSON.stringify(outcome));
  return outcome.delta.value;
}

test("BD-rate, BD-score and the hull match the API's scores", async () => {
  const page = await opened(ladders());
  // They appear once all eight jobs are loaded.
  await page.locator(".delta-value").nth(1).waitFor();
  const titles = await page.locator(".delta-value").evaluateAll((all) => all.map((each) => each.title));
  assert.deepEqual(titles, [String(numberOf(bdRate(quick, slow))), String(numberOf(bdScore(quick, slow)))]);
  const value = numberOf(bdRate(quick, slow));
  const text = await page.locator(".delta-value").first().textContent();
  assert.equal(text, `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)} %`);
  const all = [...quick, ...slow];
  const numbers = upperHull(all).map((point) => all.indexOf(point) + 1);
  const chart = page.getByRole("img", { name: /^8 encodes; on the convex hull: numbers/ });
  assert.match(
    (await chart.getAttribute("aria-label")) ?? "",
    new RegExp(`numbers ${numbers.join(", ")}\\.$`),
  );
  assert.equal(await chart.locator(".on-hull").count(), numbers.length);
  await page.getByLabel("Logarithmic").press("Space");
  await page.waitForURL(/axis=log/);
  assert.equal(await chart.locator(".on-hull").count(), numbers.length);
  await page.context().close();
});

test("BD-score uses the name and decimals of the selected metric", async () => {
  const page = await opened(`${ladders()}&metric=float_ssim`);
  const [rate, score] = [page.locator(".delta").nth(0), page.locator(".delta").nth(1)];
  await rate.getByText(/bits than A for the same SSIM\.$/).waitFor();
  assert.match((await score.locator(".delta-value").textContent()) ?? "", /^[+−]0\.\d{4}$/);
  await score
    .getByText(/^At the same bit rate the SSIM of B is 0\.\d{4} (lower|higher) than that of A/)
    .waitFor();
  await page.context().close();
});

test("reports that a ladder is computed from fewer encodes than selected; compares nine, draws eight", async () => {
  const page = await opened(`${ladders()}&b=${raw}`);
  await page.getByText("Ladder B is computed from 4 of 5 encodes: raw has no bit rate").waitFor();
  await page.locator(".delta-value").nth(1).waitFor();
  await page.locator("table.compared tbody tr").nth(8).waitFor();
  assert.equal(await page.locator("table.compared tbody tr").count(), 9);
  const lines = page.locator(".legend tbody tr").getByRole("checkbox");
  await lines.nth(8).waitFor();
  assert.equal(await page.locator(".legend tbody tr input:checked").count(), 8);
  // The box follows the URL, which is rendered after the click.
  await lines.nth(8).click();
  await page.waitForURL((url) => url.searchParams.get("show") === raw);
  await page.locator(".legend tbody tr input:checked").nth(8).waitFor();
  await page.getByLabel("Video bit rate of raw in kbit/s").fill("12500");
  await page.keyboard.press("Enter");
  await page.getByText("is computed from").waitFor({ state: "detached" });
  await page.context().close();
});

test("the table shows every job's numbers, marks the best, and sorts by any column", async () => {
  const page = await opened(ladders());
  // The table appears with the first job loaded.
  await page.locator("table.compared tbody tr").nth(7).waitFor();
  const all = [...quick, ...slow];
  const best = Math.max(...all.map(({ score }) => score));
  const cells = page.locator("table.compared tbody tr td:nth-child(2)");
  const titles = () => cells.evaluateAll((each) => each.map((cell) => Number(cell.title)));
  assert.deepEqual(
    await titles(),
    all.map(({ score }) => score),
  );
  assert.equal(await cells.locator(".best").count(), 1);
  assert.match(
    (await cells.locator(".best").textContent()) ?? "",
    new RegExp(`${best.toFixed(2)} \\(best\\)`),
  );
  await page.getByRole("button", { name: "Score", exact: true }).press("Enter");
  await page.locator("th[aria-sort=descending]").waitFor();
  const descending = all.map(({ score }) => score).sort((one, other) => other - one);
  assert.deepEqual(await titles(), descending);
  await page.getByRole("button", { name: "Size" }).click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("sort"), "size");
  const sizes = page.locator("table.compared tbody tr td:nth-child(8)");
  const shown = await sizes.evaluateAll((each) => each.map((cell) => Number(cell.title)));
  assert.deepEqual(
    shown,
    all.map(({ bytes }) => bytes).sort((one, other) => one - other),
  );
  await page.context().close();
});

test("the table can be saved as CSV, in the shown order", async () => {
  const page = await opened(`${ladders()}&sort=rate`);
  await page.locator(".delta-value").nth(1).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV: compared jobs" }).click(),
  ]);
  const [heading = "", ...lines] = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
  const names = heading.split(",");
  const rows = lines.map((line) => line.split(","));
  const cellsOf = (name: string) => rows.map((cells) => cells[names.indexOf(name)]);
  const expected = [...quick, ...slow].toSorted((one, other) => one.rate - other.rate);
  assert.deepEqual(
    cellsOf("job"),
    expected.map(({ id }) => id),
  );
  assert.deepEqual(
    cellsOf("rate"),
    expected.map(({ rate }) => String(rate)),
  );
  assert.deepEqual(
    cellsOf("mean"),
    expected.map(({ score }) => String(score)),
  );
  await page.context().close();
});

test("the count of frames below a limit matches the API's scores", async () => {
  const [one, other] = [quick[2], slow[2]];
  assert.ok(one && other);
  const values = await valuesOf(jobs, other.id);
  const limit = [...values].sort((first, second) => first - second)[20] ?? Number.NaN;
  const page = await opened(`?job=${one.id}&job=${other.id}`);
  await page.getByLabel("Count frames below").fill(String(limit));
  await page.keyboard.press("Enter");
  const below = values.filter((value) => value < limit).length;
  await row(page, "medium 36").locator("td").nth(8).getByText(String(below), { exact: false }).waitFor();
  await page.reload();
  await row(page, "medium 36").locator("td").nth(8).getByText(String(below), { exact: false }).waitFor();
  await page.context().close();
});

test("zooms and marks the frames of all jobs together, with the difference of two", async () => {
  const [one, other] = [quick[1], slow[3]];
  assert.ok(one && other);
  const [mine, others] = [await valuesOf(jobs, one.id), await valuesOf(jobs, other.id)];
  const page = await opened(`?job=${one.id}&job=${other.id}`);
  await page.getByLabel("Compared encode").selectOption({ index: 2 });
  await page.getByLabel("Baseline encode").selectOption({ index: 1 });
  await page.waitForURL(/diff=/);
  const lines = page.locator(".legend tbody tr");
  await lines
    .nth(2)
    .getByText(/at \d+$/)
    .waitFor();
  const mean = others.reduce((sum, value, frame) => sum + value - (mine[frame] ?? 0), 0) / others.length;
  await lines
    .nth(2)
    .getByText(`${mean < 0 ? "−" : "+"}${Math.abs(mean).toFixed(2)}`, { exact: true })
    .waitFor();
  const area = page.locator(".plot .u-over");
  await area.hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await page.waitForURL(/from=\d+&to=\d+/);
  const { searchParams } = new URL(page.url());
  const [from, to] = [searchParams.get("from"), searchParams.get("to")];
  assert.ok(Number(to) - Number(from) < SCENE.frames - 10);
  await page.locator(".chart-bar .range").getByText(`${from}–${to}`).waitFor();
  const { width = Number.NaN } = (await area.boundingBox()) ?? {};
  await area.hover({ position: { x: 200, y: 80 } });
  const pointed = Number(from) + (200 / width) * (Number(to) - Number(from));
  let frame = Number.NaN;
  await until(
    async () => {
      frame = Number(await page.locator(".readout strong").textContent());
      return Math.abs(frame - pointed) < 2;
    },
    () => `the frame ${pointed}: ${frame}`,
  );
  assert.ok(frame >= Number(from) && frame <= Number(to));
  const values = await page.locator(".legend td.value").allTextContents();
  const [first, second] = [mine[frame] ?? Number.NaN, others[frame] ?? Number.NaN];
  const difference = second - first;
  assert.deepEqual(values, [
    first.toFixed(2),
    second.toFixed(2),
    `${difference < 0 ? "−" : "+"}${Math.abs(difference).toFixed(2)}`,
  ]);
  await page.reload();
  await page.locator(".chart-bar .range").getByText(`${from}–${to}`).waitFor();
  await lines.nth(0).getByRole("checkbox").press("Space");
  await page.waitForURL(new RegExp(`hide=${one.id}`));
  await page.context().close();
});

test("clicking a frame shows it from two encodes, side by side and as a wipe", async () => {
  const [one, other] = [quick[0], slow[3]];
  assert.ok(one && other);
  const page = await opened(`?job=${one.id}&job=${other.id}`);
  await page.getByText("Click a frame to compare stills of two encodes").waitFor();
  await page.locator(".plot .u-over").click();
  await page.waitForURL(/frame=\d+/);
  const frame = new URL(page.url()).searchParams.get("frame");
  await page.getByRole("region", { name: `1: ultrafast 24, frame ${frame}.` }).waitFor();
  await page.getByRole("region", { name: `2: medium 42, frame ${frame}.` }).waitFor();
  const drawn = `[...document.querySelectorAll('.still-viewer img')].filter((one) => one.complete && one.naturalWidth === ${SCENE.width}).length`;
  await until(async () => (await page.evaluate(drawn)) === 2, "both stills");
  const stored = await jobs.call<{ stills: readonly { readonly frame: number }[] }>(
    "listStills",
    `/v1/jobs/${other.id}/stills`,
  );
  assert.ok(stored.body.stills.some((still) => String(still.frame) === frame));
  await page.getByRole("button", { name: "Wipe" }).click();
  await page.getByText("1: ultrafast 24 on the left, 2: medium 42 on the right").waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("finds, selects and assigns jobs to ladders by keyboard; reports ladders with too few points", async () => {
  const page = await pages.page(`${up.rest}/console/compare`);
  await page.getByLabel("Search jobs").fill("medium");
  await page.getByText("ultrafast 36").waitFor({ state: "detached" });
  const [, encode] = slow;
  assert.ok(encode);
  const facts = `${encode.score.toFixed(2)} · ${bitRateText(encode.rate)} · h264 · 160×90 · vmaf_v0.6.1`;
  await page.getByRole("group").getByText(facts, { exact: true }).waitFor();
  for (const crf of [30, 36]) await page.getByRole("checkbox", { name: `medium ${crf}` }).press("Space");
  await page.getByRole("button", { name: "Compare 2" }).press("Enter");
  await row(page, "medium 30").waitFor();
  await page.getByText("Assign each encode above").waitFor();
  await page.getByLabel("Ladder of medium 30").selectOption("B");
  await page.getByText("Ladder A has 0 encodes").waitFor();
  await page.getByText("Ladder B has 1 encode with a score and a bit rate. At least 4 are needed").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("b"), slow[1]?.id);
  await page.getByText("Other jobs").click();
  await page.getByRole("checkbox", { name: "ultrafast 24" }).check();
  await page.getByRole("button", { name: "Compare 3" }).click();
  await row(page, "ultrafast 24").waitFor();
  await page.getByRole("button", { name: "Remove medium 36" }).click();
  await row(page, "medium 36").waitFor({ state: "detached" });
  await page.goBack();
  await row(page, "medium 36").waitFor();
  await page.context().close();
});

test("lists jobs that cannot be compared with the reason, and shows hostile names as text", async () => {
  const unknown = "00000000-0000-4000-8000-000000000000";
  const query = new URLSearchParams(
    [...quick.slice(0, 2).map(({ id }) => id), stranger, unknown].map((id): [string, string] => ["job", id]),
  );
  const page = await opened(`?${query.toString()}`);
  const out = page.getByRole("list", { name: "Not compared" });
  await out.getByText("is not compared: its reference is a different file, other.y4m.").waitFor();
  await out.getByText(HOSTILE).waitFor();
  await out.getByText(`Job not found: ${unknown}`).waitFor();
  for (const name of ["ultrafast 24", "ultrafast 30"]) await row(page, name).waitFor();
  assert.equal(await page.locator("table.compared tbody tr").count(), 2);
  await page.getByRole("button", { name: `Remove ${unknown}` }).click();
  await out.getByText(unknown).waitFor({ state: "detached" });
  pages.expectComplaints(/404/);
  await page.context().close();
});

test("a bit rate that no file states can be typed, and is kept in the URL", async () => {
  const page = await opened(`?job=${quick[0]?.id}&job=${raw}`);
  await page.getByRole("img", { name: /^1 encodes/ }).waitFor();
  await page.getByLabel("Video bit rate of raw in kbit/s").fill("12500");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("rate") === `${raw}:12500`);
  await page.getByRole("img", { name: /^2 encodes/ }).waitFor();
  await page.reload();
  await page.getByRole("img", { name: /^2 encodes/ }).waitFor();
  assert.equal(await page.getByLabel("Video bit rate of raw in kbit/s").inputValue(), "12500");
  await page.context().close();
});

test("a running job shows its frames and its score as they arrive", async () => {
  const distorted = directory.file("medium-42.mp4");
  const specs = Array.from({ length: 4 }, (_, index) => ({
    reference,
    distorted,
    name: `again ${index}`,
    noCache: true,
  }));
  let last = "";
  for (const spec of specs) last = (await jobs.submit(spec)).body.id;
  const page = await opened(`?job=${slow[0]?.id}&job=${last}`);
  await row(page, "again 3")
    .getByText((slow[3]?.score ?? Number.NaN).toFixed(2), { exact: true })
    .first()
    .waitFor();
  await page
    .locator(".legend tbody tr")
    .nth(1)
    .getByText(/at \d+$/)
    .waitFor();
  await page.context().close();
});

test("is accessible in light and wide, dark and narrow", async () => {
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 380],
  ] as const) {
    const page = await opened(`${ladders()}&diff=${quick[0]?.id},${slow[0]?.id}&job=${stranger}`, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await page.locator(".plot .u-over").waitFor();
    await page.getByText("Other jobs").click();
    await page.locator(".picker").getByRole("checkbox", { name: "medium 30" }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `${colorScheme} ${width}`);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.ok(Number(overflow) <= 0, `the page is ${String(overflow)} px wider than ${width}`);
    await page.context().close();
  }
});

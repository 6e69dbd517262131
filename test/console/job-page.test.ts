/** The page of a job in a real browser, with a real pair: zooming, marking and downloading its chart. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import type { components } from "../../src/gen/rest/controller.ts";
import { type MediaInfo, mediaText } from "../../web/src/job/media-info.ts";
import type { ControllerProcess } from "../server/controller-process.ts";
import type { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import type { Pages } from "./browser.ts";
import { SCENE, ScoredJob } from "./scored-job.ts";

type Pooled = components["schemas"]["Pooled"];

interface Frame {
  readonly frame: number;
  readonly metrics: Readonly<Record<string, number>>;
}

let scored: ScoredJob;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
let id: string;
/** From the API. */
let frames: readonly Frame[];

before(async () => {
  scored = await ScoredJob.open();
  ({ up, jobs, pages, id } = scored);
  const path = `/v1/jobs/${id}/frames`;
  frames = (await jobs.call<{ frames: readonly Frame[] }>("getJobFrames", path)).body.frames;
});
after(() => scored[Symbol.asyncDispose]());

/** The job's page with its chart loaded. */
async function opened(query = ""): Promise<Page> {
  const page = await pages.page(scored.url(query), {
    viewport: { width: 1280, height: 900 },
  });
  await page.locator(".big-score").waitFor();
  await page.locator(".plot .u-over").waitFor();
  await page
    .locator(".chart")
    .getByText(/^[\d.]+ at \d+$/)
    .first()
    .waitFor();
  return page;
}

test("the readout shows the time code under the pointer and the API's scores", async () => {
  const page = await opened("?metrics=vmaf,psnr_y");
  const area = page.locator(".plot .u-over");
  const { width } = (await area.boundingBox()) ?? { width: 0 };
  for (const share of [0.1, 0.5, 0.93]) {
    await area.hover({ position: { x: Math.round(width * share), y: 60 } });
    let frame = Number.NaN;
    await until(
      async () => {
        frame = Number((await page.locator(".readout strong").textContent())?.replaceAll(",", ""));
        return Math.abs(frame - share * (SCENE.frames - 1)) < 2;
      },
      () => `the frame at ${share}: ${frame}`,
    );
    const code = `00:00:${String(Math.floor(frame / 25)).padStart(2, "0")}:${String(frame % 25).padStart(2, "0")}`;
    const readout = (await page.locator(".readout").textContent()) ?? "";
    assert.ok(readout.includes(code), `${readout} has no ${code}`);
    assert.match(readout, /segment \d+–\d+: scored on local/);
    const values = await page.locator(".legend .value").allTextContents();
    const { vmaf = Number.NaN, psnr_y = Number.NaN } = frames[frame]?.metrics ?? {};
    assert.deepEqual(values.filter(Boolean), [vmaf.toFixed(2), psnr_y.toFixed(2)]);
  }
  await page.context().close();
});

test("smoothing draws means; the numbers around the chart stay those of the frames", async () => {
  const page = await opened();
  const drawn = () => page.evaluate("document.querySelector('.plot canvas').toDataURL()");
  const worst = () => page.locator(".legend").textContent();
  const [lines, numbers] = [await drawn(), await worst()];
  await page.getByLabel("Smoothing").selectOption("2 s");
  await until(async () => (await drawn()) !== lines, "other lines");
  assert.equal(await worst(), numbers);
  await page.getByLabel("Smoothing").selectOption("off");
  await until(async () => (await drawn()) === lines, "the same lines as before");
  await page.context().close();
});

test("wheel and keys zoom, the URL has the range, and Back restores the previous range", async () => {
  const page = await opened();
  const area = page.locator(".plot .u-over");
  const range = page.locator(".chart-bar .range");
  const asked = () => {
    const { searchParams } = new URL(page.url());
    return [searchParams.get("from"), searchParams.get("to")];
  };
  await area.hover();
  const top = () => page.evaluate("scrollY");
  const before = Number(await top());
  await page.mouse.wheel(0, 100);
  await until(async () => Number(await top()) > before, "the page to scroll by the wheel alone");
  assert.deepEqual(asked(), [null, null]);
  await area.hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await page.waitForURL(/from=\d+&to=\d+/);
  const [from, to] = asked();
  await range.getByText(`${from}–${to}`).waitFor();
  assert.ok(Number(to) - Number(from) < 200);
  await page.locator(".plot").focus();
  await page.keyboard.press("+");
  await page.waitForURL((url) => url.searchParams.get("from") !== from);
  await page.goBack();
  await range.getByText(`${from}–${to}`).waitFor();
  await page.goBack();
  await range.getByText(`0–${SCENE.frames - 1}`).waitFor();
  assert.deepEqual(asked(), [null, null]);
  await page.goForward();
  await range.getByText(`${from}–${to}`).waitFor();
  await page.locator(".plot").focus();
  await page.keyboard.press("0");
  await range.getByText(`0–${SCENE.frames - 1}`).waitFor();
  await page.context().close();
});

test("a drag selects a range; a range in the URL is shown with its own mean and minimum", async () => {
  const page = await opened();
  await page.locator(".plot").scrollIntoViewIfNeeded();
  const box = await page.locator(".plot .u-over").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 80, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/from=6[23]&to=12[45]/);
  const copy = await opened("?from=100&to=199");
  const part = frames.slice(100, 200).map(({ metrics }) => metrics["vmaf"] ?? Number.NaN);
  const least = Math.min(...part);
  const mean = part.reduce((sum, value) => sum + value, 0) / part.length;
  const row = copy.locator(".legend tr", { hasText: "vmaf" });
  await row.getByText(mean.toFixed(2)).waitFor();
  await row.getByText(`${least.toFixed(2)} at ${100 + part.indexOf(least)}`).waitFor();
  await row.getByRole("button").click();
  await copy.getByRole("region", { name: `Frame ${100 + part.indexOf(least)}`, exact: true }).waitFor();
  await page.context().close();
  await copy.context().close();
});

test("a threshold counts the frames below it like the CSV", async () => {
  const csv = await (await fetch(`${up.rest}/v1/jobs/${id}/frames?format=csv`)).text();
  const [header = "", ...lines] = csv.trimEnd().split("\n");
  const column = header.split(",").indexOf("vmaf");
  const values = lines.map((line) => Number(line.split(",")[column]));
  const limit = [...values].sort((one, other) => one - other)[40] ?? Number.NaN;
  const page = await opened();
  await page.getByLabel("Threshold", { exact: true }).fill(String(limit));
  await page.keyboard.press("Enter");
  const below = values.filter((value) => value < limit).length;
  const share = `${((below / values.length) * 100).toFixed(1)} %`;
  await page.getByText(`vmaf below ${limit}: ${below} of ${values.length} frames (${share})`).waitFor();
  await page.reload();
  await page.getByText(`vmaf below ${limit}: ${below} of ${values.length}`).waitFor();
  await page.getByRole("button", { name: `Remove threshold vmaf ${limit}` }).click();
  await page.waitForURL((url) => !url.searchParams.has("threshold"));
  await page.context().close();
});

test("downloads of the job and its frames as JSON and CSV equal the API's", async () => {
  const page = await opened();
  const taken = async (format: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: `Download ${format}`, exact: true }).click(),
    ]);
    assert.match(download.suggestedFilename(), new RegExp(`^ten-seconds-.*\\.${format.toLowerCase()}$`));
    return readFile(await download.path(), "utf8");
  };
  // Its stills may become ready meanwhile, which changes the job.
  const before = (await jobs.get(id)).body;
  const json = JSON.parse(await taken("JSON"));
  const after = (await jobs.get(id)).body;
  assert.deepEqual(json, { ...(json.revision === before.revision ? before : after), frames });
  const csv = await fetch(`${up.rest}/v1/jobs/${id}/frames?format=csv`);
  assert.equal(await taken("CSV"), await csv.text());
  await page.context().close();
});

test("a frame can be selected by keyboard, and the visible range is available as a table", async () => {
  const page = await opened("?from=100&to=120");
  await page.locator(".plot").focus();
  await page.keyboard.press(".");
  await page.keyboard.press(".");
  await page.locator(".readout").getByText("Frame 111").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Frame 111", exact: true }).waitFor();
  await page.getByText("Visible range as a table").click();
  const table = page.getByRole("table", { name: "Every frame in the visible range" });
  await table.locator("tbody tr").first().waitFor();
  assert.equal(await table.locator("tbody tr").count(), 21);
  const cells = await table.locator("tbody tr").nth(5).locator("td").allTextContents();
  assert.deepEqual(cells, ["105", "00:00:04:05", (frames[105]?.metrics["vmaf"] ?? Number.NaN).toFixed(2)]);
  await page.context().close();
});

test("the distribution counts every visible frame once", async () => {
  const page = await opened("?from=100&to=159");
  await page.getByText("Distribution of scores").click();
  const table = page.getByRole("table", { name: "vmaf: frames by score" });
  await table.locator("tbody tr").first().waitFor();
  const counts = await table.locator("tbody td:nth-child(2)").allTextContents();
  assert.equal(
    counts.reduce((sum, count) => sum + Number(count), 0),
    60,
  );
  assert.equal(await table.locator("tbody tr").first().locator("td").last().textContent(), "100.0 %");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("a metric has one name on the page, and component features are offered once", async () => {
  const page = await opened();
  const name = page.locator(".pooled tbody th").first();
  assert.equal(await name.textContent(), "vmaf");
  assert.equal(await name.locator("bdi").getAttribute("title"), "Model vmaf_v0.6.1");
  assert.equal(await page.locator(".legend tbody bdi").first().textContent(), "vmaf");
  const { result } = (await jobs.get(id)).body;
  const { pooled } = result as unknown as { readonly pooled: Readonly<Record<string, Pooled>> };
  const components = Object.keys(pooled).filter((metric) => metric !== "vmaf" && !metric.startsWith("psnr"));
  const button = `Show ${components.length} component features`;
  assert.equal(await page.getByRole("button", { name: button, exact: true }).count(), 1);
  await page.close();
});

test("the score is above paths and dates, and below the files' properties", async () => {
  const page = await opened();
  const { result } = (await jobs.get(id)).body;
  const { distorted } = result as unknown as { readonly distorted: MediaInfo };
  assert.ok(distorted.videoBitRate);
  const head = page.locator(".sides > div", { hasText: "Distorted" });
  assert.equal(
    (await head.locator("dd").textContent())?.replace(/\s+/g, " ").trim(),
    `distorted.mp4 ${mediaText(distorted)}`,
  );
  assert.match(
    mediaText(distorted),
    /^h264 · 160×90 · 25 fps · [\d.]+ kbit\/s video, [\d.]+ kbit\/s overall$/,
  );
  const top = async (place: string) => (await page.locator(place).first().boundingBox())?.y ?? Number.NaN;
  assert.ok((await top(".sides")) < (await top(".score-value")));
  for (const later of [".plot", ".job-details .path", ".job-details time"])
    assert.ok((await top(".score-value")) < (await top(later)), later);
  assert.ok((await top(".score-value")) < 400, "the score is visible without scrolling");
  await page.context().close();
});

test("pooled scores match the API: mean to P50, maximum and standard deviation", async () => {
  const page = await opened();
  const heads = await page.locator(".pooled thead th").allTextContents();
  assert.deepEqual(heads, ["Metric", "Mean", "Harmonic", "Min", "P1", "P5", "P10", "P50", "Max", "Std dev"]);
  const { pooled = {} } = (await jobs.get(id)).body.result ?? {};
  const { mean, harmonicMean, min, p1, p5, p10, p50, max, stdDev } = pooled["vmaf"] as unknown as Pooled;
  const titles = await page
    .locator(".pooled tbody tr")
    .first()
    .locator("td")
    .evaluateAll((cells) => cells.map(({ title }) => Number(title)));
  assert.deepEqual(titles, [mean, harmonicMean, min, p1, p5, p10, p50, max, stdDev]);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV: pooled scores" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /^ten-seconds-.*-scores\.csv$/);
  const [heading = "", first = ""] = (await readFile(await download.path(), "utf8")).split("\n");
  assert.match(heading, /^metric,model,mean,low,high,harmonic_mean,min,p1,p5,p10,p50,max,std_dev$/);
  assert.deepEqual(first.split(",").toSpliced(3, 2), [
    "vmaf",
    "vmaf_v0.6.1",
    ...[mean, harmonicMean, min, p1, p5, p10, p50, max, stdDev].map(String),
  ]);
  await page.context().close();
});

test("stills tasks list their frames instead of a range", async () => {
  await until(async () => {
    const { work = [] } = (await jobs.get(id)).body;
    return work.some(({ kind, state }) => kind === "STILLS" && state === "DONE");
  }, "the stills");
  const { work = [] } = (await jobs.get(id)).body;
  const { frames: made = [] } = work.find(({ kind }) => kind === "STILLS") ?? {};
  assert.ok(made.length > 1);
  const page = await opened();
  await page.getByText("Execution").click();
  const row = page.locator(".work tr", { hasText: "Stills" }).first();
  assert.equal(await row.locator(".frames").textContent(), made.join(", "));
  await page.context().close();
});

test("shows source files and execution, accessible in light and wide, dark and narrow", async () => {
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 380],
  ] as const) {
    const page = await pages.page(scored.url("?metrics=vmaf,psnr_y&frame=3&threshold=90"), {
      colorScheme,
      viewport: { width, height: 900 },
    });
    const files = page.getByRole("region", { name: "Source files" });
    await files.getByText("rawvideo").waitFor();
    await files.getByRole("row", { name: "Codec rawvideo h264" }).waitFor();
    assert.equal(await files.locator(".differs").count(), 0, "no property differs");
    await page.getByText("Execution").click();
    await page.locator(".work").getByText("local").first().waitFor();
    await page.locator(".plot .u-over").waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `${colorScheme} ${width}`);
    if (width < 640) assert.deepEqual(await smallTargets(page), []);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    assert.ok(Number(overflow) <= 0, `the page is ${String(overflow)} px wider than ${width}`);
    await page.context().close();
  }
});

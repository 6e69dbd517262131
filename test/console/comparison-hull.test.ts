/** The page of a comparison whose ladders have encodes of several picture sizes: the curve is their convex hull. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { encode, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const SCENE = { width: 192, height: 108, frames: 12 };
const CRFS = [20, 26, 32, 38, 44];

interface Comparison {
  readonly id: string;
  readonly progress: { readonly queued: number; readonly running: number };
  readonly cells: readonly { readonly ladder: string; readonly offHull: readonly string[] }[];
  readonly deltas: readonly {
    readonly metric: string;
    readonly method: string;
    readonly bdRate?: number;
    readonly byClip: readonly { readonly offHull: number }[];
  }[];
}

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
let made: Comparison;

before(async () => {
  directory = await MediaDirectory.open();
  const reference = await pristine(directory, "reference.y4m", SCENE);
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  const pairs: object[] = [];
  for (const preset of ["ultrafast", "medium"])
    for (const size of ["96:54", "192:108"])
      for (const crf of CRFS) {
        const name = `${preset}-${size.split(":")[1]}-${crf}.mp4`;
        const scaled = ["-vf", `scale=${size}`, "-c:v", "libx264", "-preset", preset, "-crf", String(crf)];
        const distorted = await encode(directory, name, SCENE, [...scaled, "-threads", "1"]);
        pairs.push({ reference, distorted, ladder: preset });
      }
  const jobs = await JobsClient.of(up);
  const { body } = await jobs.call<Comparison>("submitComparison", "/v1/comparisons", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "sizes", settings: { features: ["psnr"] }, pairs }),
  });
  await until(async () => {
    ({ body: made } = await jobs.call<Comparison>("getComparison", `/v1/comparisons/${body.id}`));
    return made.progress.queued + made.progress.running === 0;
  }, "the end of the comparison's jobs");
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

const offHull = (metric: string) => made.cells.filter((cell) => cell.offHull.includes(metric)).length;

async function opened(query = "", options = {}): Promise<Page> {
  const page = await pages.page(`${up.rest}/console/comparisons/${made.id}${query}`, options);
  await page.locator("table.cells-table").waitFor();
  return page;
}

test("encodes that are not on the hull are marked in the chart and the table, by the chosen metric", async () => {
  const page = await opened();
  for (const metric of ["vmaf", "psnr_y"]) {
    const count = offHull(metric);
    assert.ok(count > 2 && count < 14, `${count} by ${metric}`);
    await page.getByLabel("Metric").selectOption(metric);
    await page
      .locator(`.rate-chart .mark.off-hull`)
      .nth(count - 1)
      .waitFor();
    assert.equal(await page.locator(".rate-chart .mark.off-hull").count(), count);
    assert.equal(await page.locator(".cells-table").getByText("not on the hull").count(), count);
    const chart = page.getByLabel("Score and bit rate", { exact: true });
    assert.equal(await chart.getByRole("link", { name: /, not on the hull$/ }).count(), count);
    await chart.getByText("is the convex hull of its encodes").waitFor();
  }
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("the numbers are those of the hulls, and say how many encodes they are without", async () => {
  const page = await opened();
  const row = page.locator(".delta-table tbody tr").first();
  const delta = made.deltas.find(({ metric, method }) => metric === "vmaf" && method === "pchip");
  const { bdRate = Number.NaN } = delta ?? {};
  const text = `${bdRate < 0 ? "−" : "+"}${Math.abs(bdRate).toFixed(2)} %`;
  await row.getByText(text).waitFor();
  await row.getByText(`${delta?.byClip[0]?.offHull} encodes are not on the hulls.`).waitFor();
  await page.getByLabel("Difference from the anchor").locator("svg .curve").first().waitFor();
  await page.context().close();
});

test("the page fits a phone, in both themes", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await opened("", { colorScheme, viewport: { width: 390, height: 844 } });
    const wide = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
    assert.ok(wide <= 0, `${wide} pixels too wide`);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.context().close();
  }
});

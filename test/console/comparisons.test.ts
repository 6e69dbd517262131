/** The pages of comparisons in a real browser: list, curves, BD-rates, encodes and actions. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { bdRate } from "../../src/rates/bd-rate.ts";
import { SVC, start } from "../cli/program.ts";
import { encode, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const SCENE = { width: 160, height: 90, frames: 24 };
const CRFS = [24, 30, 36, 42];
const LADDERS = ["ultrafast", "medium"];
/** HTML, and right-to-left text. */
const HOSTILE = `<img src=x onerror=alert(1)> \u202etxet ${"long-".repeat(20)}`;

interface Cell {
  readonly number: number;
  readonly ladder: string;
  readonly jobId: string;
  readonly state: string;
  readonly media?: { readonly videoBitRate: number };
  readonly pooled: Readonly<Record<string, { readonly mean: number }>>;
}

interface Comparison {
  readonly id: string;
  readonly progress: { readonly queued: number; readonly running: number };
  readonly cells: readonly Cell[];
}

let directory: MediaDirectory;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;
/** Two ladders of four encodes, and an encode that does not exist. */
let made: Comparison;
/** One ladder with a hostile name. */
let hostile: Comparison;

before(async () => {
  directory = await MediaDirectory.open();
  const reference = await pristine(directory, "reference.y4m", SCENE);
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  jobs = await JobsClient.of(up);
  const pairs: object[] = [];
  for (const preset of LADDERS)
    for (const crf of CRFS) {
      const options = ["-c:v", "libx264", "-preset", preset, "-crf", String(crf), "-threads", "1"];
      const distorted = await encode(directory, `${preset}-${crf}.mp4`, SCENE, options);
      pairs.push({ reference, distorted, ladder: preset });
    }
  pairs.push({ reference, distorted: directory.file("missing.mp4"), ladder: "medium" });
  made = await submitted({ name: "presets", settings: { features: ["psnr"] }, pairs });
  const distorted = directory.file("medium-24.mp4");
  hostile = await submitted({
    name: HOSTILE.replace("\u202e", ""),
    pairs: [{ reference, distorted, ladder: HOSTILE.slice(0, 99), clip: HOSTILE.slice(0, 99) }],
  });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

/** Submits a comparison and waits until all its jobs have ended. */
async function submitted(request: object): Promise<Comparison> {
  const { body } = await jobs.call<Comparison>("submitComparison", "/v1/comparisons", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  let comparison = body;
  await until(async () => {
    ({ body: comparison } = await jobs.call<Comparison>("getComparison", `/v1/comparisons/${body.id}`));
    return comparison.progress.queued + comparison.progress.running === 0;
  }, "the end of the comparison's jobs");
  return comparison;
}

async function opened({ id }: Comparison, query = "", options = {}): Promise<Page> {
  const page = await pages.page(`${up.rest}/console/comparisons/${id}${query}`, options);
  await page.locator("table.cells-table").waitFor();
  return page;
}

function pointsOf(ladder: string, metric: string) {
  return made.cells.flatMap(({ ladder: own, media, pooled }) => {
    const [rate, score] = [media?.videoBitRate, pooled[metric]?.mean];
    return own === ladder && rate !== undefined && score !== undefined ? [{ rate, score }] : [];
  });
}

test("the list leads to a comparison, with its progress", async () => {
  const page = await pages.page(`${up.rest}/console/jobs`);
  await page.getByRole("link", { name: "Comparisons" }).click();
  const row = page.locator(".comparison-list li").filter({ hasText: "presets" });
  await row.getByText("8 of 9 encodes scored · 1 failed").waitFor();
  await row.getByRole("link", { name: "presets" }).click();
  await page.waitForURL(`**/comparisons/${made.id}`);
  await page.getByRole("heading", { level: 1, name: "presets" }).waitFor();
  await page.context().close();
});

test("the navigation has one page for comparing, which leads to the comparison of jobs and back", async () => {
  const page = await pages.page(`${up.rest}/console/jobs`);
  const entries = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /^Compar/ });
  await entries.first().waitFor();
  assert.deepEqual(await entries.allTextContents(), ["Comparisons"]);
  await entries.click();
  await page.getByRole("link", { name: "Compare jobs frame by frame" }).click();
  await page.getByRole("heading", { level: 1, name: "Compare jobs frame by frame" }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("link", { name: "All comparisons" }).click();
  await page.getByRole("heading", { level: 1, name: "Comparisons" }).waitFor();
  await page.context().close();
});

test("BD-rates are those of the scores, by metric and method", async () => {
  const page = await opened(made);
  const shown = async () => (await page.locator(".delta-table tbody td.number").first().textContent()) ?? "";
  const expected = (metric: string) => {
    const outcome = bdRate(pointsOf("ultrafast", metric), pointsOf("medium", metric));
    assert.ok("delta" in outcome);
    const { value } = outcome.delta;
    return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)} %`;
  };
  assert.equal(await shown(), expected("vmaf"));
  await page.getByLabel("Metric").selectOption("psnr_y");
  await page.waitForURL(/metric=psnr_y/);
  assert.equal(await shown(), expected("psnr_y"));
  await page.getByLabel("Method").selectOption("aom-ctc");
  await page.waitForURL(/method=aom-ctc/);
  await page.reload();
  await page.locator("table.delta-table").waitFor();
  assert.equal(await page.getByLabel("Method").inputValue(), "aom-ctc");
  await page.context().close();
});

test("the button that copies says so until the text changes, or for some seconds", async () => {
  const page = await opened(made, "", { permissions: ["clipboard-read", "clipboard-write"] });
  const card = page.getByRole("region", { name: "Proposed ladders" });
  await card.getByRole("button", { name: "Copy as CSV" }).waitFor();
  // As in Safari, the click does not focus the button.
  const copy = `[...document.querySelectorAll("button")].find((one) => one.textContent === "Copy as CSV").click()`;
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.evaluate(copy);
  await card.getByRole("button", { name: "Copied" }).waitFor();
  await card.getByLabel("Step in points").fill("3");
  await card.getByRole("button", { name: "Copy as CSV" }).waitFor();
  await page.evaluate(copy);
  await card.getByRole("button", { name: "Copied" }).waitFor();
  await page.clock.runFor(10_000);
  await card.getByRole("button", { name: "Copy as CSV" }).waitFor();
  await page.context().close();
});

test("a form proposes ladders in steps up to a rate, with reasons, and copies them as CSV", async () => {
  const page = await opened(made, "", { permissions: ["clipboard-read", "clipboard-write"] });
  const card = page.getByRole("region", { name: "Proposed ladders" });
  const rows = card.locator("tbody tr");
  const first = () => rows.first().textContent();
  await until(async () => /the best of the encodes/.test((await first()) ?? ""), "a ladder without a limit");
  const best = Math.max(...pointsOf("ultrafast", "vmaf").map(({ rate }) => rate));
  const most = Math.floor(best / 2000);
  await card.getByLabel("Largest bit rate in kbit/s").fill(String(most));
  await until(async () => /the highest score within/.test((await first()) ?? ""), "a ladder with a limit");
  const few = await rows.count();
  await card.getByLabel("Step in points").fill("3");
  await page.waitForURL((url) => url.searchParams.get("step") === "3");
  await until(async () => (await rows.count()) > few, "smaller steps");
  assert.equal(new URL(page.url()).searchParams.get("cap"), String(most));
  await card.getByRole("button", { name: "Copy as CSV" }).click();
  await card.getByText("Copied").waitFor();
  const copied = await page.evaluate<string>("navigator.clipboard.readText()");
  const lines = copied.trimEnd().split("\n");
  assert.equal(lines[0], "ladder,clip,rate,vmaf,like,reason");
  assert.match(lines[1] ?? "", new RegExp(`^ultrafast,reference\\.y4m,${most * 1000},\\d+\\.\\d\\d,`));
  assert.equal(lines.length - 1, await rows.count());
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.reload();
  await until(
    async () => (await card.getByLabel("Step in points").inputValue()) === "3",
    "the step of the URL",
  );
  for (const wrong of ["0", "-1", "0.01", ""]) {
    await card.getByLabel("Step in points").fill(wrong);
    await card.getByText("At least 0.1 points.").waitFor();
    assert.equal(await rows.count(), 0, wrong);
  }
  await page.context().close();
});

test("rungs that are missing are named", async () => {
  const page = await opened(made);
  const rungs = page.getByRole("region", { name: "Rungs" });
  await rungs
    .getByText(/^ultrafast: .*a rung near .* would halve the step$/)
    .first()
    .waitFor();
  await page.context().close();
});

test("the report and the CSV are those of the command line", async () => {
  const page = await opened(hostile);
  const commands = { Report: ["report"], CSV: ["comparisons", "show", "--csv"] };
  const reported = () => start(SVC, ["report", hostile.id, "--server", up.grpc]).ended();
  await until(async () => (await reported()).stdout.includes("<img "), "stills of the worst moment");
  for (const [what, command] of Object.entries(commands)) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: `Download ${what === "CSV" ? what : "report"}`, exact: true }).click(),
    ]);
    assert.match(download.suggestedFilename(), new RegExp(`-${hostile.id.slice(0, 8)}\\.(html|csv)$`));
    const { stdout } = await start(SVC, [...command, hostile.id, "--server", up.grpc]).ended();
    assert.ok(stdout.length > 0);
    assert.equal(await readFile(await download.path(), "utf8"), stdout);
  }
  await page.context().close();
});

test("each table can be saved as the CSV of the command line", async () => {
  const page = await opened(made);
  const tables = {
    "bd-rates": "BD-rates",
    rungs: "rungs",
    proposals: "proposed ladders",
    scores: "scores of the encodes",
  };
  for (const [table, name] of Object.entries(tables)) {
    const button = page.getByRole("button", { name: `Download CSV: ${name}`, exact: true });
    await button.focus();
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    assert.equal(download.suggestedFilename(), `presets-${made.id.slice(0, 8)}-${table}.csv`);
    const options = ["--table", table, ...(table === "proposals" ? ["--propose", "6"] : [])];
    const { stdout } = await start(SVC, [
      ...["comparisons", "show", made.id, "--server", up.grpc, "--csv"],
      ...options,
    ]).ended();
    assert.equal(await readFile(await download.path(), "utf8"), stdout, table);
    assert.ok(stdout.split("\n").length > 2, stdout);
  }
  // The averages of a single clip are its numbers, and no encode has segments.
  assert.equal(await page.getByRole("button", { name: /averages|segments/ }).count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("curves have a mark for every scored encode, which leads to its job", async () => {
  const page = await opened(made);
  assert.equal(await page.locator(".rate-chart .mark").count(), 8);
  const chart = page.getByRole("region", { name: "Score and bit rate" });
  const classes = await chart
    .locator("figure .curve")
    .evaluateAll((curves) => curves.map((curve) => curve.getAttribute("class")));
  // Both have the same codec.
  assert.deepEqual(classes, ["curve of-1", "curve of-2"]);
  const [first] = made.cells;
  await page.locator(`.rate-chart a[href$="${first?.jobId}"]`).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/jobs/${first?.jobId}`);
  await page.context().close();
});

test("the difference from the anchor is drawn over scores and over bit rates", async () => {
  const page = await opened(made);
  const chart = page.getByRole("region", { name: "Difference from the anchor" });
  await chart.getByText("More or fewer bits, over VMAF").waitFor();
  assert.equal(await chart.locator("figure .curve").count(), LADDERS.length - 1);
  // The slower preset needs fewer bits at every score: its curve is below zero.
  const zero = Number(await chart.locator("line.zero").getAttribute("y1"));
  const path = (await chart.locator("figure .curve").getAttribute("d")) ?? "";
  const heights = [...path.matchAll(/ ([\d.]+)/g)].map(([, height]) => Number(height));
  assert.ok(heights.length > 100 && heights.every((height) => height > zero), path);
  await chart.getByLabel("Show").selectOption("score");
  await page.waitForURL(/difference=score/);
  await chart.getByText("VMAF, over bit rate").waitFor();
  await chart
    .getByText(/^[\d.]+ [kM]bit\/s$/)
    .first()
    .waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("a cell without a score says why, and can be run again", async () => {
  const page = await opened(made);
  const row = page.locator(".cells-table tbody tr").filter({ hasText: "missing.mp4" });
  await row.getByText("MEDIA_NOT_FOUND").waitFor();
  await page.getByRole("button", { name: "Run 1 encode again" }).click();
  const before = made.cells.find(({ state }) => state === "FAILED")?.jobId;
  assert.ok(before);
  await until(async () => {
    const { body } = await jobs.call<Comparison>("getComparison", `/v1/comparisons/${made.id}`);
    const cell = body.cells.find(({ number }) => number === 9);
    return cell?.state === "FAILED" && cell.jobId !== before;
  }, "another job of the cell");
  await row.getByText("MEDIA_NOT_FOUND").waitFor();
  await page.context().close();
});

test("the form submits a comparison, and says what is missing", async () => {
  const page = await pages.page(`${up.rest}/console/comparisons`);
  await page.getByRole("button", { name: "New comparison" }).click();
  const dialog = page.getByRole("dialog", { name: "New comparison" });
  await dialog.getByRole("button", { name: "Compare" }).click();
  await dialog.getByText("Enter the path of the reference.").waitFor();
  await dialog.getByText("Enter the path of at least one encode.").waitFor();
  await dialog.getByLabel("Reference", { exact: true }).fill(directory.file("reference.y4m"));
  const [fast, slow] = [directory.file("ultrafast-24.mp4"), directory.file("medium-24.mp4")];
  await dialog.getByLabel("Encodes", { exact: true }).fill(`fast=${fast}\n\n ${slow} \n`);
  await dialog.getByRole("button", { name: "psnr", exact: true }).click();
  await dialog.getByRole("button", { name: "codec", exact: true }).click();
  await dialog.getByRole("button", { name: "encoder", exact: true }).click();
  await dialog.getByRole("button", { name: "size", exact: true }).click();
  await dialog.getByLabel("Gates").fill("vmaf.mean=1 psnr_y.min=90");
  await dialog.getByLabel("Name").fill("by hand");
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByLabel("Name").press("Enter");
  await page.waitForURL(/\/comparisons\/[0-9a-f-]{36}$/);
  await page.getByText("2 of 2 encodes scored").waitFor();
  const ladders = page.locator(".cells-table tbody tr td:first-child");
  assert.deepEqual(
    (await ladders.allTextContents()).map((text) => text.trim()),
    ["fast", "libx264 160×90"],
  );
  assert.deepEqual(await page.locator(".cells-table .gate-badge").allTextContents(), [
    "gate missed",
    "gate missed",
  ]);
  await page.getByLabel("Metric").selectOption("psnr_y");
  await page.context().close();
});

test("encodes are added to a comparison, which says how many were there already", async () => {
  const reference = directory.file("reference.y4m");
  const [first, second] = [directory.file("medium-24.mp4"), directory.file("medium-30.mp4")];
  const nameless = ["-c:v", "mpeg4", "-fflags", "+bitexact"];
  const other = await encode(directory, "nameless.avi", SCENE, nameless);
  const own = await submitted({
    ...{ name: "grown", groupBy: ["encoder", "size"] },
    pairs: [{ reference, distorted: first }],
  });
  const page = await opened(own);
  await page.getByRole("button", { name: "Add encodes" }).click();
  const dialog = page.getByRole("dialog", { name: "Add encodes" });
  assert.equal(await dialog.getByLabel("Reference", { exact: true }).inputValue(), reference);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("Enter the path of at least one encode.").waitFor();
  await dialog.getByRole("button", { name: "Browse: Encodes" }).waitFor();
  await dialog.getByRole("button", { name: "Upload: Encodes" }).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByLabel("Encodes", { exact: true }).fill(`${first}\n${other}\nslow=${second}`);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("status").filter({ hasText: "2 encodes added, 1 was there already." }).waitFor();
  await page.getByText("3 of 3 encodes scored").waitFor();
  await page
    .getByText("1 encode names no encoder, so its codec stands for it. Ladders: mpeg4 160×90.")
    .waitFor();
  const ladders = await page.locator(".cells-table tbody tr td:first-child").allTextContents();
  assert.deepEqual(ladders.map((text) => text.trim()).sort(), ["libx264 160×90", "mpeg4 160×90", "slow"]);
  await page.getByRole("button", { name: "Add encodes" }).click();
  await dialog.getByLabel("Encodes", { exact: true }).fill("ftp://host/a.mp4");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByRole("alert").waitFor();
  pages.expectComplaints(/400/);
  await page.context().close();
});

test("names are shown as text", async () => {
  const page = await opened(hostile, "", { viewport: { width: 380, height: 800 } });
  assert.equal(await page.locator("main img").count(), 0);
  await page.getByText("There is no other ladder to compare with").waitFor();
  const width = await page.evaluate("document.documentElement.scrollWidth");
  assert.equal(width, 380);
  await page.context().close();
});

test("a comparison is deleted after a confirmation, and its jobs stay", async () => {
  const distorted = directory.file("medium-24.mp4");
  const reference = directory.file("reference.y4m");
  const own = await submitted({ name: "short-lived", pairs: [{ reference, distorted }] });
  const page = await opened(own);
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this comparison?" });
  assert.deepEqual(await accessibilityFaults(page), []);
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete the comparison" }).click();
  await page.waitForURL(`**/comparisons`);
  await page.getByRole("link", { name: "presets" }).waitFor();
  assert.equal(await page.getByText("short-lived").count(), 0);
  const { status } = await jobs.call("getJob", `/v1/jobs/${own.cells[0]?.jobId}`);
  assert.equal(status, 200);
  await page.context().close();
});

test("a comparison that does not exist is said to be missing", async () => {
  const page = await pages.page(`${up.rest}/console/comparisons/00000000-0000-4000-8000-000000000000`);
  await page.getByRole("heading", { name: "Comparison not found" }).waitFor();
  pages.expectComplaints(/404/);
  await page.context().close();
});

test("both pages are accessible in light and wide, dark and narrow", async () => {
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 380],
  ] as const) {
    const viewport = { width, height: 900 };
    const page = await opened(made, "", { colorScheme, viewport });
    assert.deepEqual(await accessibilityFaults(page), [], `${colorScheme} ${width}`);
    if (width < 640) assert.deepEqual(await smallTargets(page), []);
    await page.goto(`${up.rest}/console/comparisons`);
    await page.locator(".comparison-list").waitFor();
    assert.deepEqual(await accessibilityFaults(page), [], `${colorScheme} ${width}, list`);
    await page.context().close();
  }
});

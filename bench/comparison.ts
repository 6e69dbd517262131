/**
 * A comparison of 30 clips, 8 encoders and 6 rungs by 14 metrics: how long it takes to submit, and to answer once it is
 * scored, over REST with the whole body read, to draw its page in Debian's Chromium without a graphics card, and to write
 * its report, and the sizes of report and CSV. Run with `npm run bench:comparison`; docs/performance.md has the results of
 * one run.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { COMPARISON_TABLES, tableCsv } from "../src/report/csv/comparison.ts";
import { reportPage } from "../src/report/page.ts";
import { Database } from "../src/store/connection/database.ts";
import { postgresDriver } from "../src/store/connection/postgres.ts";
import { statement } from "../src/store/connection/statement.ts";
import { embeddedDriver } from "../src/store/embedded/database.ts";
import { Pages } from "../test/console/browser.ts";
import { PostgresCluster } from "../test/store/postgres.ts";
import { interleave, median, milliseconds } from "./interleave.ts";
import { startController } from "./system.ts";

const CLIPS = 30;
const LADDERS = 8;
const RUNGS = 6;
const ROUNDS = 15;
const PAGES = 5;
const METRICS = ["vmaf", "vmaf_v0.6.1neg", "psnr_y", "psnr_cb", "psnr_cr", "float_ssim", "float_ms_ssim"];
const MORE_METRICS = ["psnr_hvs", "psnr_hvs_y", "cambi", "ciede2000", "xpsnr_y", "xpsnr_u", "xpsnr_v"];
/** Features of the models that results have as well. */
const OWN_FEATURES = ["integer_adm2", "integer_motion2", "integer_vif_scale0", "integer_vif_scale1"];
const STATS = ["mean", "harmonicMean", "min", "max", "stdDev", "p1", "p5", "p10", "p50"];

interface Pair {
  readonly reference: string;
  readonly distorted: string;
  readonly ladder: string;
  readonly clip: string;
}

const PAIRS: readonly Pair[] = range(CLIPS).flatMap((clip) =>
  range(LADDERS).flatMap((ladder) =>
    range(RUNGS).map((rung) => ({
      ...{ reference: `/media/clip-${clip}.mov`, distorted: `/media/clip-${clip}-${ladder}-${rung}.mp4` },
      ...{ ladder: `encoder ${ladder}`, clip: `clip ${clip}` },
    })),
  ),
);

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** The result of a cell: scores rise with the rung. */
function resultOf(index: number): string {
  const rung = index % RUNGS;
  const valuesOf = (metric: string): readonly [string, object] => {
    const largest = /ssim/.test(metric) ? 1 : 100;
    const share = 0.6 + 0.06 * rung + 0.0001 * (index % 97);
    const score = metric === "cambi" ? 24 * (1 - share) : largest * share;
    return [metric, Object.fromEntries(STATS.map((stat) => [stat, score]))];
  };
  const metrics = [...METRICS, ...MORE_METRICS, ...OWN_FEATURES];
  return JSON.stringify({ score: 90, pooled: Object.fromEntries(metrics.map(valuesOf)), frameCount: 250 });
}

const FILL = statement(`
  update svc.job set state = 'SUCCEEDED', result = given.result, video_codec = 'h264', video_width = 1920,
    video_height = 1080, video_bit_rate = given.rate, frames_total = 250, frames_done = 250,
    started_at = now(), ended_at = now()
  from jsonb_to_recordset($1) as given(number int, result text, rate float8)
  join svc.comparison_cell cell on cell.number = given.number
  where job.id = cell.job_id`);

async function fill(database: Database): Promise<void> {
  const rows = PAIRS.map((_, index) => ({
    number: index + 1,
    result: resultOf(index),
    rate: 500_000 * 2 ** (index % RUNGS) * (1 + 0.01 * (index % 89)),
  }));
  await database.query("owner", FILL, [JSON.stringify(rows)]);
  await database.close();
}

async function ask(url: string, body?: object): Promise<{ readonly text: string; readonly ms: number }> {
  const started = performance.now();
  const sent = body && { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(url, { headers: { "content-type": "application/json" }, ...sent });
  const text = await response.text();
  assert.ok(response.ok, text.slice(0, 500));
  return { text, ms: performance.now() - started };
}

/** Notes when the table of cells was drawn. */
const WATCH = `(() => {
  const look = () => document.querySelector("table.cells-table tbody tr") === null
    ? requestAnimationFrame(look)
    : requestAnimationFrame((now) => { globalThis.drawnAt = now; });
  requestAnimationFrame(look);
})()`;
const DRAWN = `(async () => {
  while (globalThis.drawnAt === undefined) await new Promise(requestAnimationFrame);
  const answers = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/v1/comparisons/"));
  return globalThis.drawnAt - answers[0].responseEnd;
})()`;

interface Drawing {
  /** Milliseconds from the last byte of the answer to the frame with the table. */
  readonly ms: number;
  /** CPU time of the page's main thread in milliseconds, from the request of the page on: other programs do not change it. */
  readonly cpuMs: number;
}

async function drawing(pages: Pages, url: string): Promise<Drawing> {
  const page = await pages.page("about:blank");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript(WATCH);
  await page.goto(url);
  await page.locator("table.cells-table tbody tr").first().waitFor();
  const ms = await page.evaluate<number>(DRAWN);
  const { metrics } = await devtools.send("Performance.getMetrics");
  await page.context().close();
  const seconds = metrics.find((metric) => metric.name === "TaskDuration")?.value ?? Number.NaN;
  return { ms, cpuMs: seconds * 1000 };
}

/** Prints how long the report takes, without pictures, and the sizes of the report and of each table as CSV. */
function measureReport(text: string): void {
  const comparison = JSON.parse(text) as Parameters<typeof reportPage>[0];
  const times: number[] = [];
  let page = "";
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    page = [...reportPage(comparison, "0.0.0")].join("");
    times.push(performance.now() - started);
  }
  console.log(
    `  report of ${megabytes(page)} written in ${milliseconds(median(times))} (median of ${ROUNDS})`,
  );
  const tables = COMPARISON_TABLES.map((table) => {
    const csv = [...tableCsv(table, comparison, { step: 6, maxRate: undefined })].join("");
    return `${table} ${megabytes(csv)}`;
  });
  console.log(`  CSV: ${tables.join(", ")}`);
}

function megabytes(text: string): string {
  return `${(Buffer.byteLength(text) / 1e6).toFixed(2)} MB`;
}

async function measure(name: string, store: readonly string[], open: () => Database): Promise<void> {
  const flags = [...store, "--media-root", "/media"];
  let path: string;
  {
    await using controller = await startController(flags);
    const submitted = await ask(`${controller.rest}/v1/comparisons`, { pairs: PAIRS });
    path = `/v1/comparisons/${(JSON.parse(submitted.text) as { id: string }).id}`;
    console.log(`\n${PAIRS.length} cells on ${name}\n  submitted in ${milliseconds(submitted.ms)}`);
  }
  await fill(open());
  await using controller = await startController(flags);
  let text = "";
  const run = async () => {
    text = (await ask(controller.rest + path)).text;
  };
  const [timing] = await interleave([{ name, pid: controller.pid, run }], ROUNDS);
  assert.ok(timing);
  const [wall, cpu] = [timing.median, median(timing.cpu)].map(milliseconds);
  console.log(
    `  answered in ${wall}, ${cpu} CPU of the controller (medians of ${ROUNDS}), ${megabytes(text)}`,
  );
  measureReport(text);
  const list = await ask(`${controller.rest}/v1/comparisons`);
  console.log(`  listed in ${milliseconds(list.ms)}`);
  await using pages = await Pages.open();
  const drawings: Drawing[] = [];
  for (let round = 0; round < PAGES; round++)
    drawings.push(await drawing(pages, `${controller.rest}/console${path.replace("/v1", "")}`));
  const [drawn, used] = [median(drawings.map(({ ms }) => ms)), median(drawings.map(({ cpuMs }) => cpuMs))];
  console.log(
    `  drawn in ${milliseconds(drawn)} after the answer, ${milliseconds(used)} CPU of the page (medians of ${PAGES})`,
  );
}

console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores`);
const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  await using cluster = await PostgresCluster.start();
  const url = await cluster.createDatabase("svc");
  await measure("PostgreSQL", ["--database-url", url], () => new Database(postgresDriver(url)));
  const dataDir = join(directory, "store");
  await measure(
    "the embedded database",
    ["--data-dir", dataDir],
    () => new Database(embeddedDriver(dataDir)),
  );
} finally {
  await rm(directory, { recursive: true });
}

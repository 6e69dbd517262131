/** Gates in the console: typed in the form, kept with the job, shown in list, page and chart, and found by a filter. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const SCENE = { width: 320, height: 180, frames: 50 };
const PHONE = { viewport: { width: 390, height: 800 }, colorScheme: "dark" } as const;

let directory: MediaDirectory;
let pair: { readonly reference: string; readonly distorted: string };
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;

before(async () => {
  directory = await MediaDirectory.open();
  pair = {
    reference: await pristine(directory, "reference.y4m", SCENE),
    distorted: await encode(directory, "encode.mp4", SCENE, LOSSY.h264),
  };
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  jobs = await JobsClient.of(up);
  pages = await Pages.open();
});
after(async () => {
  try {
    await pages[Symbol.asyncDispose]();
  } finally {
    await up[Symbol.asyncDispose]();
    await directory.remove();
  }
});

async function scored(name: string, gates: readonly string[]): Promise<string> {
  const { id } = (await jobs.submit({ ...pair, name, gates })).body;
  await jobs.until(id, "SUCCEEDED");
  return id;
}

test("the list marks a job that misses a gate, and finds it by a filter", async () => {
  await scored("met", ["vmaf.mean=1"]);
  await scored("missed", ["vmaf.mean=1", "vmaf.p5=99.9"]);
  for (const options of [{}, PHONE]) {
    const page = await pages.page(`${up.rest}/console/jobs`, options);
    await page.getByText("gate missed", { exact: true }).waitFor();
    await page.getByText("gates passed", { exact: true }).waitFor();
    assert.equal(await page.getByRole("group", { name: "States" }).getByText("Gate missed").count(), 0);
    const filter = page.getByRole("group", { name: "Gates" }).getByRole("checkbox", { name: "Gate missed" });
    await filter.check();
    await page.getByRole("link", { name: "met", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "missed", exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("gates"), "missed");
    assert.deepEqual(await accessibilityFaults(page), []);
    await filter.uncheck();
    await page.getByRole("link", { name: "met", exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("gates"), null);
    await page.context().close();
  }
});

test("the form takes a gate per line, also with spaces around the value", async () => {
  for (const options of [{}, PHONE]) {
    const page = await pages.page(`${up.rest}/console/jobs`, options);
    await page.getByRole("button", { name: "Submit jobs" }).click();
    await page.getByLabel("Reference", { exact: true }).fill(pair.reference);
    await page.getByLabel("Distorted", { exact: true }).fill(pair.distorted);
    await page.getByText("Advanced").click();
    await page.getByLabel("Gates", { exact: true }).fill("vmaf.mean= 1\nvmaf.p5=99.9");
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    await page.getByText("Submitted:").waitFor();
    const { body } = await jobs.list();
    assert.deepEqual(body.jobs[0]?.spec["gates"], ["vmaf.mean= 1", "vmaf.p5=99.9"]);
    await page.context().close();
  }
});

test("the page of a job has the verdicts, and its chart the limits", async () => {
  const id = await scored("page", ["vmaf.mean=1", "vmaf.p5=99.9"]);
  for (const options of [{}, PHONE]) {
    const page = await pages.page(`${up.rest}/console/jobs/${id}`, options);
    const gates = page.getByRole("region", { name: "Gates" }).first();
    await gates.getByRole("row", { name: /vmaf p5 99\.9 .* missed/ }).waitFor();
    await gates.getByRole("row", { name: /vmaf mean 1 .* passed/ }).waitFor();
    await page.locator(".chart canvas").first().waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.context().close();
  }
});

test("a value that barely misses its gate has enough digits to differ from the limit", async () => {
  const first = await jobs.get(await scored("close", ["vmaf.mean=1"]));
  const mean = first.body.result?.pooled["vmaf"]?.mean ?? Number.NaN;
  // Rounded to two decimals, the value and its limit would be the same.
  const id = await scored("closer", [`vmaf.mean=${mean + 0.000_002}`]);
  const page = await pages.page(`${up.rest}/console/jobs/${id}`);
  const row = page
    .getByRole("region", { name: "Gates" })
    .first()
    .getByRole("row", { name: /missed$/ });
  await row.waitFor();
  const [limit = "", value = ""] = await row.locator("td.number").allInnerTexts();
  assert.ok(Number(value) < Number(limit), `${value} < ${limit}`);
  assert.match(value, /^\d+\.\d{3,6}$/);
  await page.context().close();
});

/** Models of several ranges and scorers of several versions in the console, scored by a real node that has both. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const SCENE = { width: 640, height: 360, frames: 25 };
/** Of the npm package's scorer, the further one of the node. */
const OLD_LIBVMAF = "dea9a77";

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
/** By all models, by v0.6.1 with each scorer. */
let all: string;
let now: string;
let then: string;

before(async () => {
  directory = await MediaDirectory.open();
  const pair = {
    reference: await pristine(directory, "reference.y4m", SCENE),
    distorted: await encode(directory, "distorted.mp4", SCENE, LOSSY.h264),
  };
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  const jobs = await JobsClient.of(up);
  const scored = async (spec: object) => {
    const { id } = (await jobs.submit({ ...pair, ...spec })).body;
    await jobs.settled(id);
    return id;
  };
  all = await scored({ models: ["v1-tv", "v1", "vmaf_v0.6.1"] });
  now = await scored({ name: "now" });
  then = await scored({ name: "then", scorerVersion: OLD_LIBVMAF });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

test("a result names each model, its choice and its range; thresholds and the axis end at the range", async () => {
  const page = await pages.page(`${up.rest}/console/jobs/${all}`);
  await page.locator(".plot .u-over").waitFor();
  await page.getByText("of 110 · v1-tv, mean of 25 frames").waitFor();
  const models = await page.getByRole("list", { name: "Models" }).getByRole("listitem").allTextContents();
  assert.match(models[0] ?? "", /^v1-tv: vmaf_v1\.0\.16_3d0h_2160 · .* · scores 0 to 110 · 10 bits/);
  assert.match(models[1] ?? "", /^v1: vmaf_v1\.0\.16_3d0h .* encode 640x360, 8 bitsHD, because .* 360 lines/);
  assert.match(models[2] ?? "", /^vmaf_v0\.6\.1 · HD TV at 3 picture heights · 8 bits$/);
  const limit = page.locator(".thresholds form input");
  const add = page.locator(".thresholds").getByRole("button", { name: "Add" });
  await limit.fill("110.5");
  await page.getByText("Scores of vmaf are from 0 to 110.").waitFor();
  assert.ok(await add.isDisabled());
  await limit.fill("105");
  await add.click();
  await page.getByText("vmaf below 105: 25 of 25 frames").waitFor();
  await page.context().close();
});

test("features have short names; libvmaf's names are in their tooltips", async () => {
  const page = await pages.page(`${up.rest}/console/jobs/${all}`);
  await page.getByRole("button", { name: /component features/ }).click();
  const name = page.locator("table.pooled bdi", { hasText: /^detail, v1, 2160 lines$/ });
  assert.equal(
    await name.getAttribute("title"),
    "integer_adm2_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_rdh_2160\nshare of the reference's detail that is kept: 1 all",
  );
  for (const short of ["detail", "VIF 0", "motion 3, v1", "ADM, v1", "CAMBI (banding)", "chroma Cb"])
    await page.locator("table.pooled").getByText(short, { exact: true }).waitFor();
  await page.context().close();
});

test("Compare names the versions of the scorers if they differ, in both themes and on a phone", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    const viewport = { width: 390, height: 844 };
    const page = await pages.page(`${up.rest}/console/compare?job=${now}&job=${then}`, {
      colorScheme,
      viewport,
    });
    const note = page.getByRole("note").filter({ hasText: "Scored by different scorers" });
    await note.getByText(/libvmaf 86da14d/).waitFor();
    await note.getByText(/libvmaf dea9a77/).waitFor();
    await note
      .getByText("scores of the 0.6.1 models differ by up to 0.00012 in HD, and by more in small frames")
      .waitFor();
    await page.locator(".plot .u-over").waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(await smallTargets(page), []);
    await page.context().close();
  }
  const same = await pages.page(`${up.rest}/console/compare?job=${now}`);
  await same.locator(".plot .u-over").waitFor();
  assert.equal(await same.getByText("Scored by different scorers").count(), 0);
  await same.context().close();
});

test("the list of jobs names the scorers below it if their versions of libvmaf differ, as svc jobs list does", async () => {
  const page = await pages.page(`${up.rest}/console/jobs`, { viewport: { width: 390, height: 844 } });
  const note = page.getByRole("note").filter({ hasText: "Scored by different scorers" });
  await note.getByText(/libvmaf 86da14d/).waitFor();
  await note.getByText(/libvmaf dea9a77/).waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("searchbox").fill(then);
  await note.waitFor({ state: "detached" });
  await page.context().close();
  assert.match(await jobsList(), /\nNote: scored by different scorers: .*86da14d.*\n$/);
  assert.doesNotMatch(await jobsList("--json"), /Note/);
});

/** The output of `svc jobs list`. */
async function jobsList(...args: readonly string[]): Promise<string> {
  await using running = start(SVC, ["jobs", "list", "--server", up.grpc, ...args]);
  const { code, stdout, stderr } = await running.ended();
  assert.equal(code, 0, stderr);
  return stdout;
}

test("the submit dialog offers short names and versions, and submits the encode and the version", async () => {
  const page = await pages.page(`${up.rest}/console/jobs`);
  await page.getByRole("button", { name: "Submit jobs" }).click();
  const dialog = page.getByRole("dialog");
  const offered = dialog.getByRole("group", { name: "Available models" }).getByRole("button");
  await offered.first().waitFor();
  assert.deepEqual((await offered.allTextContents()).slice(0, 3), ["v1", "v1-phone", "v1-tv"]);
  await dialog.getByLabel("Reference", { exact: true }).fill(directory.file("reference.y4m"));
  await dialog.getByLabel("Distorted", { exact: true }).fill(directory.file("distorted.mp4"));
  await dialog.locator("summary").click();
  await dialog.getByLabel("Encode bit depth").fill("7");
  await dialog.getByLabel("Scorer version").fill(OLD_LIBVMAF);
  await dialog.getByText("Enter a whole number from 8 to 16.").waitFor();
  await dialog.getByLabel("Encode bit depth").fill("10");
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.method() === "POST" && one.url().includes("/v1/jobs")),
    dialog.getByRole("button", { name: "Submit", exact: true }).click(),
  ]);
  const text = request.postData() ?? "";
  assert.ok(
    text.includes('"encode":{"bitDepth":10}') && text.includes(`"scorerVersion":"${OLD_LIBVMAF}"`),
    text,
  );
  await page.context().close();
});

test("a node's card lists its further scorers with their models", async () => {
  const page = await pages.page(`${up.rest}/console/nodes`);
  const card = page.locator(".node");
  await card.getByText(/libvmaf 86da14d$/).waitFor();
  await card.getByText("Further scorer").waitFor();
  await card.getByText(/libvmaf dea9a77 with .*vmaf_v0\.6\.1/).waitFor();
  await page.context().close();
});

/** Findings on a job's page: pairs that do not match fail with them, and are scored with their fixes by a button. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const SCENE = { width: 320, height: 180, frames: 100 };
/** Frames that the distorted video lacks at its beginning. */
const CUT = 7;
const PHONE = { viewport: { width: 390, height: 800 }, colorScheme: "dark" } as const;

let directory: MediaDirectory;
let reference: string;
let cut: string;
let up: ControllerProcess;
let jobs: JobsClient;
let pages: Pages;

before(async () => {
  directory = await MediaDirectory.open();
  reference = await pristine(directory, "reference.y4m", SCENE);
  cut = await encoded("cut.mp4", `trim=start_frame=${CUT},setpts=PTS-STARTPTS`, CUT);
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

/** An encode of as many frames as the reference has, of a scene that is `longer` by some frames, through filters. */
function encoded(name: string, filters: string, longer = 0): Promise<string> {
  return encode(directory, name, { ...SCENE, frames: SCENE.frames + longer, filters }, LOSSY.h264);
}

async function failed(spec: object): Promise<Job> {
  return jobs.until((await jobs.submit(spec)).body.id, "FAILED");
}

async function opened(id: string, options: Parameters<Pages["page"]>[1] = {}): Promise<Page> {
  const page = await pages.page(`${up.rest}/console/jobs/${id}`, options);
  await page.getByRole("region", { name: "Findings" }).waitFor();
  return page;
}

/** The job whose page is opened from that of another. */
async function leftFor(page: Page, id: string): Promise<Job> {
  await page.waitForURL((url) => !url.pathname.endsWith(id));
  return (await jobs.get(new URL(page.url()).pathname.split("/").at(-1) ?? "")).body;
}

function findingsIn({ error }: Job): readonly { readonly code: string; readonly evidence: string }[] {
  return error?.found?.["findings"] as readonly { readonly code: string; readonly evidence: string }[];
}

async function widerBy(page: Page): Promise<number> {
  return Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
}

test("a pair whose beginning was cut off fails with the finding, and the keyboard scores it with the fix", async () => {
  const spec = { reference, distorted: cut, name: "cut", labels: { title: "a" }, subsample: 2 };
  const job = await failed(spec);
  const page = await opened(job.id);
  const findings = page.getByRole("region", { name: "Findings" });
  await findings.getByRole("heading", { name: "Shifted in time" }).waitFor();
  await findings.getByText("Certain").waitFor();
  await findings.getByText(findingsIn(job)[0]?.evidence ?? "", { exact: true }).waitFor();
  await findings.getByText(`Fix: offset -${CUT}`).waitFor();
  assert.equal(await page.getByText("remedy").count(), 0, "facts that buttons stand for are not listed");
  assert.equal(await findings.getByRole("button", { name: "Show frames" }).count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  await findings.getByRole("button", { name: "Score with these fixes" }).focus();
  await page.keyboard.press("Enter");
  const { id } = await leftFor(page, job.id);
  const repaired = await jobs.until(id, "SUCCEEDED");
  assert.deepEqual(repaired.spec, { ...spec, offset: -CUT });
  assert.ok((repaired.result?.score ?? 0) > 70, JSON.stringify(repaired.result?.score));
  await page.locator(".job-head").getByText("Succeeded").waitFor();
  await page.getByRole("region", { name: "Details" }).getByText(`offset -${CUT}`).waitFor();
  assert.equal(await page.getByRole("region", { name: "Findings" }).count(), 0);
  await page.context().close();
});

test("a pair that was only diagnosed has no score, and is scored with its fixes", async () => {
  const { body } = await jobs.submit({ reference, distorted: cut, name: "only", diagnoseOnly: true });
  const job = await jobs.until(body.id, "SUCCEEDED");
  const page = await pages.page(`${up.rest}/console/jobs/${job.id}`);
  const diagnosis = page.getByRole("region", { name: "Diagnosis" });
  await diagnosis.getByRole("heading", { name: "Certain Shifted in time" }).waitFor();
  await page.getByRole("region", { name: "Source files" }).getByText("h264").first().waitFor();
  await page.getByRole("region", { name: "Details" }).getByText("only diagnose").waitFor();
  assert.equal(await page.getByRole("region", { name: /Result|Per-frame/ }).count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
  await diagnosis.getByRole("button", { name: "Score with these fixes" }).click();
  const { spec } = await leftFor(page, job.id);
  assert.deepEqual(spec, { reference, distorted: cut, name: "only", offset: -CUT });
  await page.context().close();
});

test("a mirrored pair is scored with its fix, or as it is", async () => {
  const spec = { reference, distorted: await encoded("mirrored.mp4", "hflip"), name: "mirrored" };
  const job = await failed(spec);
  const page = await opened(job.id, PHONE);
  await page.getByRole("heading", { name: "Certain Mirrored" }).waitFor();
  assert.ok((await widerBy(page)) <= 0);
  assert.deepEqual(await smallTargets(page), []);
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Score as it is" }).click();
  const asItIs = await jobs.until((await leftFor(page, job.id)).id, "SUCCEEDED");
  assert.deepEqual(asItIs.spec, { ...spec, findings: { action: "WARN" } });
  await page.getByRole("region", { name: "Details" }).getByText("warn", { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Score with these fixes" }).click();
  const repaired = await jobs.until((await leftFor(page, job.id)).id, "SUCCEEDED");
  assert.deepEqual(repaired.spec, { ...spec, mirror: { distorted: "HORIZONTAL" } });
  assert.ok((repaired.result?.score ?? 0) > (asItIs.result?.score ?? 100) + 50);
  await page.context().close();
});

test("a pair that is repaired first shows what was fixed, with stills of both sides at the place", async () => {
  const distorted = await encoded("dropped.mp4", "select=not(between(n\\,40\\,46)),setpts=N/25/TB", 7);
  const job = await failed({ reference, distorted, name: "dropped" });
  const page = await opened(job.id);
  await page.getByRole("button", { name: "Edit and resubmit" }).click();
  await page.getByText("Advanced").click();
  await page.getByLabel("Repair the pair first").check();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press("Control+Enter");
  const { id, spec } = await leftFor(page, job.id);
  assert.deepEqual(spec, { reference, distorted, name: "dropped", fix: true });
  await jobs.settled(id);
  const finding = page.locator(".finding", { hasText: "Frames missing" });
  await finding.getByText("Fixed").waitFor();
  assert.equal(await page.getByRole("button", { name: "Score with these fixes" }).count(), 0);
  await finding.getByRole("link", { name: "frames 40–46" }).click();
  await page.getByRole("region", { name: "Frame 40", exact: true }).waitFor();
  await finding.getByRole("button", { name: "Show frames" }).focus();
  await page.keyboard.press("Enter");
  const drawn = `[...document.querySelectorAll(".finding .still-viewer img")].filter((one) => one.complete && one.naturalWidth === ${SCENE.width}).length`;
  await until(async () => (await page.evaluate(drawn)) === 2, "both stills");
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.keyboard.press("Enter");
  await finding.locator(".still-viewer").waitFor({ state: "detached" });
  await page.context().close();
});

test("findings of a scored pair offer their fixes, and are not repeated as warnings", async () => {
  const spec = { reference, distorted: cut, name: "warned", findings: { action: "WARN" } };
  const { id } = (await jobs.submit(spec)).body;
  const { result } = await jobs.settled(id);
  const { findings = [] } = (result ?? {}) as { findings?: { evidence: string; confidence: string }[] };
  const hint = { code: "NOT_CHECKED", confidence: "possible", evidence: "Only 9 % moves.", side: "" };
  const page = await pages.page("about:blank");
  // One that is only possible is added to the job's own.
  await page.route(`**/v1/jobs/${id}`, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { result: { findings: object[] } };
    body.result.findings.push({ ...hint, fixed: false });
    await route.fulfill({ response, json: body });
  });
  await page.goto(`${up.rest}/console/jobs/${id}`);
  const region = page.getByRole("region", { name: "Findings" });
  await region.getByRole("heading", { name: "Shifted in time" }).waitFor();
  const evidence = findings[0]?.evidence ?? "no finding";
  await page.getByText(evidence).waitFor();
  assert.equal(await page.getByText(evidence).count(), 1);
  assert.equal(await page.getByText(hint.evidence).count(), 0);
  const folded = findings.filter(({ confidence }) => confidence === "possible").length + 1;
  const count = `${folded} possible ${folded === 1 ? "finding" : "findings"}`;
  await region.getByRole("button", { name: `Show ${count}` }).click();
  await region.getByText(hint.evidence).waitFor();
  assert.equal(await region.getByRole("button", { name: "Score as it is" }).count(), 0);
  await region.getByRole("button", { name: "Score with these fixes" }).click();
  assert.deepEqual((await leftFor(page, id)).spec, { ...spec, offset: -CUT });
  await page.context().close();
});

test("a reader sees findings without buttons to submit jobs", async () => {
  const job = await failed({ reference, distorted: cut });
  const page = await pages.page("about:blank");
  const caller = { tenant: "dev", subject: "reader", roles: ["svc:reader"] };
  await page.route("**/v1/whoami", (route) => route.fulfill({ json: caller }));
  await page.goto(`${up.rest}/console/jobs/${job.id}`);
  await page.getByRole("heading", { name: "Shifted in time" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Score / }).count(), 0);
  await page.context().close();
});

/** The ten tasks of a video engineer, each in at most three steps from the home page. docs/console.md lists them. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { SVC, start } from "../cli/program.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const MOST_STEPS = 3;
const CLIPS = 10;
const FRAMES = 16;
/** The second half of a clip is another shot. */
const SHOTS = "negate=enable='gte(n,8)'";
const CODECS = {
  h264: (quality: number) => [
    "-c:v",
    "libx264",
    "-preset",
    "ultrafast",
    "-crf",
    String(quality),
    "-threads",
    "1",
  ],
  mpeg4: (quality: number) => ["-c:v", "mpeg4", "-q:v", String(Math.round(quality / 3)), "-threads", "1"],
} as const;
const QUALITIES = [22, 28, 34, 40];
const NAME = "h264 against mpeg4";

let directory: MediaDirectory;
let up: ControllerProcess;
let pages: Pages;
/** Of the ladder that is submitted in the console. */
let reference: string;
let encodes: readonly string[];

before(async () => {
  directory = await MediaDirectory.open();
  const rows = ["reference,distorted,ladder"];
  const releases = ["reference,distorted,label:release"];
  for (let clip = 0; clip < CLIPS; clip++) {
    const scene = { width: 96, height: 64, frames: FRAMES, seed: clip + 1, filters: SHOTS };
    const source = await encode(directory, `clip${clip}.mp4`, scene, [...LOSSY.h264, "-crf", "6"]);
    for (const [codec, options] of Object.entries(CODECS)) {
      for (const quality of QUALITIES) {
        const path = await encode(directory, `clip${clip}-${codec}-${quality}.mp4`, scene, options(quality));
        rows.push(`${source},${path},${codec}`);
        if (codec === "h264" && quality < 30) releases.push(`${source},${path},${quality === 22 ? 6 : 7}`);
      }
    }
  }
  reference = directory.file("clip0.mp4");
  encodes = QUALITIES.map((quality) => directory.file(`clip0-h264-${quality}.mp4`));
  up = await ControllerProcess.up({ console: true, dataDir: directory.file("data") });
  await submitted("compare", rows, "--submit", "--name", NAME);
  await submitted("jobs", releases, "--wait");
  const failing = ["jobs", "submit", reference, "/gone.mp4", "--remote-files", "--name", "gone"];
  await start(SVC, [...failing, "--server", up.grpc, "--wait", "--quiet"]).ended();
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await directory.remove();
});

async function submitted(
  what: "compare" | "jobs",
  rows: readonly string[],
  ...flags: string[]
): Promise<void> {
  const list = directory.file(`${what}.csv`);
  await writeFile(list, `${rows.join("\n")}\n`);
  const command = what === "jobs" ? ["jobs", "submit"] : ["compare"];
  const args = [...command, "--from", list, ...flags, "--quiet", "--server", up.grpc];
  const { code, stderr } = await start(SVC, args).ended();
  assert.equal(code, 0, stderr);
}

/** A person on the home page. Each click, choice or filled form is a step. */
class Visitor {
  readonly page: Page;
  #steps = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async step(act: (page: Page) => Promise<unknown>): Promise<void> {
    this.#steps++;
    assert.ok(this.#steps <= MOST_STEPS, `step ${this.#steps}`);
    await act(this.page);
  }

  section(name: string): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }

  openComparison(): Promise<void> {
    return this.step(() => this.section("Latest comparisons").getByRole("link", { name: NAME }).click());
  }
}

/** A task, from the home page to its end. */
function task(what: string, run: (visitor: Visitor) => Promise<void>): void {
  test(what, async () => {
    const page = await pages.page(`${up.rest}/console/`, { viewport: { width: 1280, height: 900 } });
    await page.getByRole("heading", { name: "What do you want to know?" }).waitFor();
    await run(new Visitor(page));
    await page.context().close();
  });
}

task("submit a ladder", async (visitor) => {
  await visitor.step((page) => page.getByRole("button", { name: "Compare encodes" }).click());
  const form = visitor.page.getByRole("dialog", { name: "New comparison" });
  await visitor.step(async () => {
    await form.getByLabel("Reference", { exact: true }).fill(reference);
    await form.getByLabel("Encodes", { exact: true }).fill(encodes.join("\n"));
  });
  await visitor.step(() => form.getByRole("button", { name: "Compare", exact: true }).click());
  await visitor.page.getByText("4 of 4 encodes scored").waitFor();
});

task("find the worst encode", async (visitor) => {
  await visitor.openComparison();
  await visitor.step((page) => page.getByLabel("Order").selectOption("worst"));
  const means = await visitor.page.locator(".cells-table tbody tr td:nth-of-type(4)").allTextContents();
  assert.equal(means.length, CLIPS * QUALITIES.length * Object.keys(CODECS).length);
  assert.equal(Number(means[0]), Math.min(...means.map(Number)));
  await visitor.step((page) => page.locator(".cells-table tbody tr").first().getByRole("link").click());
  await visitor.page.locator(".big-score").waitFor();
});

task("see how many bits one codec saves over another on ten clips", async (visitor) => {
  await visitor.openComparison();
  const mean = visitor.section("BD-rate").locator("tr.average");
  await mean.getByText("Mean of 10 clips").waitFor();
  await mean.getByText(/^[+−]\d+\.\d\d %$/).waitFor();
});

task("find the worst shot of an encode", async (visitor) => {
  await visitor.step(() =>
    visitor.section("Latest jobs").getByRole("link", { name: /clip/ }).first().click(),
  );
  const shots = visitor.page.getByRole("region", { name: "2 shots" });
  await shots.waitFor();
  const means = await shots.locator("tbody tr td:nth-child(4)").allTextContents();
  assert.ok(Number(means[0]) <= Number(means[1]));
  await visitor.step(() => shots.locator("tbody tr").first().getByRole("button").first().click());
  await visitor.page.waitForURL(/from=\d+&to=\d+/);
});

task("get a report for a manager", async (visitor) => {
  await visitor.openComparison();
  const saved = visitor.page.waitForEvent("download");
  await visitor.step((page) => page.getByRole("button", { name: "Download report" }).click());
  const text = await readFile(await (await saved).path(), "utf8");
  assert.match(text, /^<!DOCTYPE html>/);
  assert.ok(text.includes(NAME));
});

task("see last week's runs", async (visitor) => {
  await visitor.step((page) => page.getByRole("link", { name: "Jobs of the last 7 days" }).click());
  await visitor.page.getByText(/\d+ of \d+ jobs/).waitFor();
  assert.match(visitor.page.url(), /since=7d/);
});

task("find out why a job failed", async (visitor) => {
  await visitor.step(() =>
    visitor.section("Latest failures").getByRole("link", { name: "gone" }).first().click(),
  );
  await visitor.page
    .getByText(/"\/gone\.mp4" does not exist/)
    .first()
    .waitFor();
});

task("compare with the last release", async (visitor) => {
  await visitor.step((page) => page.getByRole("link", { name: "Compare releases" }).click());
  await visitor.section("Summary").getByText("release 7 against 6").waitFor();
  await visitor.section("Summary").locator(".verdict.worse").waitFor();
});

task("export jobs to a sheet", async (visitor) => {
  await visitor.step((page) => page.getByRole("link", { name: "Jobs of the last 7 days" }).click());
  const saved = visitor.page.waitForEvent("download");
  await visitor.step((page) => page.getByRole("button", { name: "Download CSV" }).click());
  const [heading = "", ...rows] = (await readFile(await (await saved).path(), "utf8")).trim().split("\n");
  assert.match(heading, /^id,name,state,score,/);
  assert.ok(
    rows.some((row) => /,gone,FAILED,,.*MEDIA_NOT_FOUND,$/.test(row)),
    rows.join("\n"),
  );
  assert.ok(
    rows.some((row) => /SUCCEEDED,\d+\.\d+,.*clip0-h264-22\.mp4,h264,96,64,\d+/.test(row)),
    rows.join("\n"),
  );
});

task("share a link", async (visitor) => {
  await visitor.openComparison();
  await visitor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await visitor.step((page) => page.getByRole("button", { name: "Copy link" }).click());
  const link = await visitor.page.evaluate("navigator.clipboard.readText()");
  assert.equal(link, visitor.page.url());
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, viewport] of Object.entries({
    desk: { width: 1280, height: 900 },
    phone: { width: 390, height: 800 },
  })) {
    test(`the home page is accessible in ${colorScheme} at ${name} size`, async () => {
      const page = await pages.page(`${up.rest}/console/`, { viewport, colorScheme });
      await page.locator(".home-list").first().waitFor();
      assert.deepEqual(await accessibilityFaults(page), []);
      if (name === "phone") assert.deepEqual(await smallTargets(page), []);
      await page.context().close();
    });
  }
}

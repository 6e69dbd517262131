/** Uploads from the forms of the console in a real browser: progress, failures, and what becomes of the files. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Page as JobList, JobsClient } from "../server/jobs-client.ts";
import { until } from "../waiting.ts";
import { accessibilityFaults, smallTargets } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const MIB = 2 ** 20;

let directory: string;
let controller: ControllerProcess;
let pages: Pages;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-console-uploads-"));
  controller = await ControllerProcess.start({
    console: true,
    dataDir: join(directory, "data"),
    args: ["--uploads", join(directory, "uploads"), "--tenant-upload-size", "1"],
  });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function file(name: string, bytes: number): Promise<string> {
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, randomBytes(bytes));
  return path;
}

async function digest(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

async function opened(path: string, button: string, options = {}): Promise<Page> {
  const page = await pages.page(`${controller.rest}/console/${path}`, options);
  await page.getByRole("button", { name: button }).click();
  return page;
}

/** Chooses files in the dialog of the browser. */
async function choose(page: Page, field: string, files: readonly string[]): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: `Upload: ${field}`, exact: true }).click();
  await (await chooser).setFiles([...files]);
}

/** Drops files and folders on a field, as a person does from another window. */
async function drop(page: Page, field: string, files: string[]): Promise<void> {
  const box = await page.getByLabel(field, { exact: true }).boundingBox();
  assert.ok(box);
  const session = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, ...at, data });
}

async function pairs(): Promise<readonly (readonly [string, string])[]> {
  const jobs = await JobsClient.of(controller);
  const { body } = await jobs.call<JobList>("listJobs", "/v1/jobs");
  return body.jobs.map(
    ({ spec: { reference, distorted } }) => [String(reference), String(distorted)] as const,
  );
}

test("a reference and two encodes are sent and submitted", async () => {
  const page = await opened("jobs", "Submit jobs");
  const files = [
    await file("film.mov", 20 * MIB),
    await file("low ä.mp4", 10),
    await file("high.mp4", 10),
  ] as const;
  // Holds the second part of the film, so that its progress can be seen.
  const held = Promise.withResolvers<Route>();
  await page.route(
    (url) => url.pathname.startsWith("/v1/uploads/"),
    (route) =>
      route.request().headers()["upload-offset"] === String(8 * MIB) ? held.resolve(route) : route.continue(),
  );
  await choose(page, "Reference", [files[0]]);
  const route = await held.promise;
  await choose(page, "Distorted", files.slice(1));
  await page.getByText("8.39 MB of 21.0 MB").waitFor();
  assert.ok(await page.getByRole("button", { name: "Uploading …" }).isDisabled());
  assert.deepEqual(await accessibilityFaults(page), []);
  await route.continue();
  await page.getByRole("button", { name: "Submit 2 jobs" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const stored = await pairs();
  assert.deepEqual(
    stored.map((pair) => pair.map((path) => path.split("/").at(-1))),
    [
      ["film.mov", "high.mp4"],
      ["film.mov", "low ä.mp4"],
    ],
  );
  assert.equal(await digest(stored[0]?.[0] ?? ""), await digest(files[0]));
  await page.context().close();
});

test("an upload that was stopped continues when its file is chosen again", async () => {
  const page = await opened("jobs", "Submit jobs");
  const path = await file("again.mov", 20 * MIB);
  const offsets: string[] = [];
  let isHeld = true;
  await page.route(
    (url) => url.pathname.startsWith("/v1/uploads/"),
    async (route) => {
      const offset = route.request().headers()["upload-offset"];
      if (offset !== undefined) offsets.push(offset);
      if (isHeld && offset === String(8 * MIB)) return;
      await route.continue();
    },
  );
  await choose(page, "Reference", [path]);
  await page.getByText("8.39 MB of 21.0 MB").waitFor();
  await page.getByRole("button", { name: "Cancel the upload of again.mov" }).click();
  isHeld = false;
  assert.equal(await page.getByLabel("Reference", { exact: true }).inputValue(), "");
  await choose(page, "Reference", [path]);
  await page.getByRole("list", { name: "Uploads: Reference" }).waitFor({ state: "detached" });
  assert.deepEqual(
    offsets,
    [0, 8, 8, 16].map((part) => String(part * MIB)),
  );
  const stored = await page.getByLabel("Reference", { exact: true }).inputValue();
  assert.equal(await digest(stored), await digest(path));
  await page.context().close();
});

test("a refused upload says why, and can be retried or removed", async () => {
  const page = await opened("jobs", "Submit jobs", { viewport: { width: 375, height: 700 } });
  // The controller refuses an empty file.
  await choose(page, "Distorted", [await file("empty.mp4", 0)]);
  await page.getByText(/The file "empty\.mp4" is empty/).waitFor();
  pages.expectComplaints(/400/);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(await smallTargets(page), []);
  await page.getByRole("button", { name: "Retry the upload of empty.mp4" }).click();
  await page.getByText(/is empty/).waitFor();
  pages.expectComplaints(/400/);
  assert.ok(await page.getByRole("button", { name: "Submit", exact: true }).isEnabled());
  await page.getByRole("button", { name: "Cancel the upload of empty.mp4" }).click();
  assert.equal(await page.getByText(/is empty/).count(), 0);
  await page.context().close();
});

test("files and a folder are dropped on the fields of a new comparison", async () => {
  const page = await opened("comparisons", "New comparison");
  const folder = join(directory, "ladder");
  for (const name of ["rung 10.mp4", "rung 9.mp4", ".DS_Store"]) await file(join("ladder", name), 10);
  await drop(page, "Reference", [await file("source.mov", 10)]);
  await drop(page, "Encodes", [await file("first.mp4", 10), folder]);
  const names = async (field: string) =>
    (await page.getByLabel(field, { exact: true }).inputValue())
      .split("\n")
      .map((path) => path.split("/").at(-1));
  await until(async () => (await names("Encodes")).length === 3, "three encodes");
  assert.deepEqual(await names("Reference"), ["source.mov"]);
  assert.deepEqual(await names("Encodes"), ["first.mp4", "rung 9.mp4", "rung 10.mp4"]);
  await page.context().close();
});

test("a controller without uploads has no upload buttons", async () => {
  const without = await ControllerProcess.start({ console: true, dataDir: join(directory, "without") });
  try {
    const page = await pages.page(`${without.rest}/console/jobs`);
    await page.getByRole("button", { name: "Submit jobs" }).click();
    await page.getByRole("button", { name: "Browse: Reference" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Upload: Reference" }).count(), 0);
    await page.context().close();
  } finally {
    await without[Symbol.asyncDispose]();
  }
});

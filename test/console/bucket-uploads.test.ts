/** Uploads from the forms of the console to a bucket, in a real browser: progress and resumption. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { ControllerProcess } from "../server/controller-process.ts";
import { S3Proxy } from "../storages/s3-proxy.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { Pages } from "./browser.ts";

const MIB = 2 ** 20;
/** Three parts. */
const FILM = randomBytes(40 * MIB);

let directory: string;
let s3: S3Server;
let proxy: S3Proxy;
let controller: ControllerProcess;
let pages: Pages;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-console-buckets-"));
  s3 = await S3Server.start(directory);
  proxy = await S3Proxy.open(s3.endpoint);
  const credentials = { file: s3.credentials, profile: BUCKET };
  const own = { endpoint: proxy.endpoint, region: REGION, credentials, privateNetwork: true };
  const storages = [{ s3: { ...own, buckets: [BUCKET], uploads: `${BUCKET}/in/` } }];
  await writeFile(join(directory, "storages.json"), JSON.stringify({ storages }));
  controller = await ControllerProcess.start({
    console: true,
    dataDir: join(directory, "data"),
    args: ["--storages-file", join(directory, "storages.json"), "--console-upload-origin", proxy.endpoint],
  });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

/** Chooses the film for the reference. */
async function choose(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Upload: Reference", exact: true }).click();
  await (await chooser).setFiles([path]);
}

async function opened(): Promise<Page> {
  const page = await pages.page(`${controller.rest}/console/jobs`);
  await page.getByRole("button", { name: "Submit jobs" }).click();
  return page;
}

test("a file is sent to the bucket in parts, and continues where it stopped when it is chosen again", async () => {
  await s3.allowOrigin(controller.rest);
  const { headers } = await fetch(`${controller.rest}/console/`);
  const policy = headers.get("content-security-policy") ?? "";
  assert.ok(policy.includes(`connect-src 'self' ${proxy.endpoint};`), policy);
  const page = await opened();
  const sent: number[] = [];
  proxy.harm = ({ number }) => {
    if (number === 2) return "CUT";
    sent.push(number);
    return undefined;
  };
  const path = join(directory, "film ä.mov");
  await writeFile(path, FILM);
  await choose(page, path);
  await page.getByText("25.2 MB of 41.9 MB").waitFor();
  await page.getByRole("button", { name: "Cancel the upload of film ä.mov" }).click();
  pages.expectComplaints(/ERR_/);
  proxy.harm = ({ number }) => {
    sent.push(number);
    return undefined;
  };
  await choose(page, path);
  await page.getByRole("list", { name: "Uploads: Reference" }).waitFor({ state: "detached" });
  assert.deepEqual(
    sent.sort((one, other) => one - other),
    [1, 2, 3],
  );
  const name = await page.getByLabel("Reference", { exact: true }).inputValue();
  assert.match(name, /^s3:\/\/videos\/in\/.*\/film ä\.mov$/);
  assert.deepEqual(await s3.get(name.slice(`s3://${BUCKET}/`.length)), FILM);
  await page.context().close();
});

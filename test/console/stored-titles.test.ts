/** Titles in a bucket and on a web server in the console, in a real browser: named in the form, shown by rendition. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { Authority } from "../server/certificates.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { MediaServer } from "../storages/media-server.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { accessibilityFaults } from "./accessibility.ts";
import { Pages } from "./browser.ts";

const COMPARISON = /\/comparisons\/[0-9a-f-]{36}$/;

let titles: Titles;
let s3: S3Server;
let web: MediaServer;
let up: ControllerProcess;
let pages: Pages;
let source: string;

before(async () => {
  titles = await Titles.open();
  for (const folder of ["media", "title"]) await mkdir(titles.file(folder));
  source = titles.file("media/source.mkv");
  await copyFile(titles.source, source);
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  await ffmpeg([
    ...[...inputs, "-map", "0:v", "-map", "1:v", "-c", "copy", "-f", "hls", "-hls_time", "1"],
    ...["-hls_playlist_type", "vod", "-master_pl_name", "master.m3u8", "-var_stream_map", "v:0 v:1"],
    ...["-b:v:0", "400k", "-b:v:1", "120k", "-hls_segment_type", "fmp4"],
    ...["-hls_fmp4_init_filename", "v%v-init.mp4", "-hls_segment_filename", titles.file("title/v%v-%d.m4s")],
    titles.file("title/v%v.m3u8"),
  ]);
  s3 = await S3Server.start(titles.file(""));
  const authority = await Authority.open(titles.file(""), "authority");
  web = await MediaServer.start(authority);
  for (const name of await readdir(titles.file("title"))) {
    const content = await readFile(titles.file(`title/${name}`));
    await s3.put(`titles/film/${name}`, content);
    if (name !== "v0-3.m4s") await s3.put(`titles/damaged/${name}`, content);
    web.put(`/film/${name}`, content);
  }
  const credentials = { file: s3.credentials, profile: BUCKET };
  const bucket = { endpoint: s3.endpoint, region: REGION, buckets: [`${BUCKET}/titles/`], credentials };
  const storages = [
    { s3: { ...bucket, privateNetwork: true } },
    { https: { hosts: [web.host], privateNetwork: true } },
  ];
  await writeFile(titles.file("storages.json"), JSON.stringify({ storages }));
  up = await ControllerProcess.up({
    console: true,
    dataDir: titles.file("data"),
    args: [
      ...["--media-root", titles.file("media"), "--media-cache", titles.file("cache")],
      ...["--storages-file", titles.file("storages.json"), "--worst-stills", "0"],
    ],
    env: { NODE_EXTRA_CA_CERTS: authority.path },
  });
  pages = await Pages.open();
});
after(async () => {
  await pages[Symbol.asyncDispose]();
  await up[Symbol.asyncDispose]();
  await web.close();
  await s3[Symbol.asyncDispose]();
  await titles[Symbol.asyncDispose]();
});

/** Submits the form with the source and these encodes. */
async function compare(encodes: string): Promise<Page> {
  const page = await pages.page(`${up.rest}/console/comparisons`);
  await page.getByRole("button", { name: "New comparison" }).click();
  const dialog = page.getByRole("dialog", { name: "New comparison" });
  await dialog.getByLabel("Reference", { exact: true }).fill(source);
  await dialog.getByLabel("Encodes", { exact: true }).fill(encodes);
  await dialog.getByRole("button", { name: "Compare" }).click();
  return page;
}

const inBucket = (path: string): string => `s3://${BUCKET}/titles/${path}`;

for (const [where, manifest] of [
  ["a bucket", () => inBucket("film/master.m3u8")],
  ["a web server", () => web.url("/film/master.m3u8")],
] as const)
  test(`a manifest in ${where} becomes an encode for each rendition, with its scores`, async () => {
    const page = await compare(manifest());
    await page.waitForURL(COMPARISON);
    await page.getByText("2 of 2 encodes scored").waitFor();
    const cells = page.locator(".cells-table tbody tr");
    await cells.nth(1).waitFor();
    const rows = await cells.allTextContents();
    const scores = "\\d\\d\\.\\d\\d".repeat(4);
    for (const [index, size] of ["96x54", "160x90"].entries())
      assert.match(
        rows[index] ?? "",
        new RegExp(`master\\.m3u8#${size}-\\d+k h264 · ${size.replace("x", "×")}.* kbit/s${scores}$`),
      );
    await page.getByRole("heading", { name: "Worst of 12 segments" }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    const encodes = page.getByRole("region", { name: "Encodes" }).first();
    await encodes.getByRole("link", { name: /^master\.m3u8#160x90/ }).click();
    await page.getByRole("region", { name: "6 segments" }).waitFor();
    const details = await page.getByRole("region", { name: "Details" }).textContent();
    assert.ok(details?.includes(`${manifest()}#160x90-`), details ?? "");
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.context().close();
  });

test("a rendition with a missing segment has the reason instead of scores", async () => {
  const page = await compare(inBucket("damaged/master.m3u8"));
  await page.waitForURL(COMPARISON);
  await page.getByText("1 of 2 encodes scored").waitFor();
  await page.getByText("1 encode of source.mkv in 1 ladder").waitFor();
  const failed = page.locator(".cells-table tbody tr").filter({ hasText: "MEDIA_NOT_FOUND" });
  assert.match(
    (await failed.textContent()) ?? "",
    /master\.m3u8#160x90-\d+k.*"s3:\/\/videos\/titles\/damaged\/v0-3\.m4s".* does not exist/,
  );
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.context().close();
});

test("the form says that there is no manifest", async () => {
  const page = await compare(inBucket("film/none.m3u8"));
  const said = await page.getByRole("alert").textContent();
  assert.match(said ?? "", /"s3:\/\/videos\/titles\/film\/none\.m3u8" cannot be read: it does not exist/);
  pages.expectComplaints(/Failed to load resource/);
  await page.context().close();
});

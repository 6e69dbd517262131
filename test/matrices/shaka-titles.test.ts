/** Titles that Shaka Packager packaged: each rendition has the digits of its encode, frame by frame, and its segments. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { shakaPackager } from "../../scripts/testing/shaka-packager.ts";
import { readTitle } from "../../src/titles/read-title.ts";
import { type Codec, Titles } from "../media/titles.ts";

const run = promisify(execFile);

let titles: Titles;
let packager: string;
before(async () => {
  titles = await Titles.open();
  packager = await shakaPackager();
});
after(() => titles[Symbol.asyncDispose]());

type Layout = (folder: string, codec: Codec) => string;

const SEGMENTS: Layout = (folder, codec) =>
  `init_segment=${folder}/${codec}-init.mp4,segment_template=${folder}/${codec}-$Number$.m4s`;
const ONE_FILE: Layout = (folder, codec) => `output=${folder}/${codec}.mp4`;
const TRANSPORT: Layout = (folder, codec) => `segment_template=${folder}/${codec}-$Number$.ts`;

/** Packages encodes, each with its audio. Returns the folder. */
async function packaged(
  name: string,
  codecs: readonly Codec[],
  layout: Layout,
  options: readonly string[] = [],
): Promise<string> {
  const folder = titles.file(name);
  await mkdir(folder, { recursive: true });
  const streams: string[] = [];
  for (const codec of codecs) {
    const input = await titles.encode(codec);
    streams.push(`in=${input},stream=video,${layout(folder, codec)},playlist_name=${codec}.m3u8`);
  }
  const outputs = [
    "--hls_master_playlist_output",
    `${folder}/title.m3u8`,
    "--mpd_output",
    `${folder}/title.mpd`,
  ];
  const cut = ["--segment_duration", "1", "--fragment_duration", "1", "--generate_static_live_mpd"];
  await run(packager, [...streams, ...cut, ...outputs, ...options]);
  return folder;
}

const LADDER = ["h264", "small"] as const;

test("segments of fMP4 for HLS and DASH", async () => {
  const folder = await packaged("segments", LADDER, SEGMENTS);
  await titles.expect(`${folder}/title.m3u8`, LADDER);
  await titles.expect(`${folder}/title.mpd`, LADDER);
});

test("segments of constant duration", async () => {
  const folder = await packaged("constant", LADDER, SEGMENTS, ["--segment_template_constant_duration"]);
  await titles.expect(`${folder}/title.mpd`, LADDER);
});

test("one file for each rendition, with an index: byte ranges in HLS, the whole file in DASH", async () => {
  const folder = await packaged("files", LADDER, ONE_FILE);
  await titles.expect(`${folder}/title.m3u8`, LADDER);
  await titles.expect(`${folder}/title.mpd`, LADDER, { starts: "unknown" });
});

test("an MPD of two periods", async () => {
  const folder = await packaged("periods", LADDER, SEGMENTS, ["--ad_cues", "3"]);
  assert.equal((await readFile(`${folder}/title.mpd`, "utf8")).match(/<Period /g)?.length, 2);
  await titles.expect(`${folder}/title.mpd`, LADDER);
});

test("MPEG-TS", async () => {
  const folder = await packaged("transport", LADDER, TRANSPORT);
  await titles.expect(`${folder}/title.m3u8`, LADDER);
});

for (const codec of ["hevc", "vp9", "av1"] as const) {
  test(`${codec} in fMP4`, async () => {
    const folder = await packaged(codec, [codec], SEGMENTS);
    await titles.expect(`${folder}/title.m3u8`, [codec]);
    await titles.expect(`${folder}/title.mpd`, [codec]);
  });
}

test("encrypted titles are refused by name", async () => {
  const keys = `label=:key_id=${"ab".repeat(16)}:key=${"cd".repeat(16)}`;
  const options = ["--enable_raw_key_encryption", "--keys", keys, "--clear_lead", "0"];
  const folder = await packaged("locked", LADDER, SEGMENTS, options);
  await assert.rejects(readTitle(`${folder}/title.mpd`), { code: "MEDIA_ENCRYPTED" });
  // The playlists do not say so; the init segments do.
  await assert.rejects(titles.expect(`${folder}/title.m3u8`, LADDER), { code: "MEDIA_ENCRYPTED" });
});

/** Titles that ffmpeg packaged: each rendition has the digits of its encode, frame by frame, and its segments. */
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readTitle } from "../../src/titles/read-title.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { type Codec, Titles } from "../media/titles.ts";

let titles: Titles;
before(async () => {
  titles = await Titles.open();
});
after(() => titles[Symbol.asyncDispose]());

const HLS = ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"];
const FMP4 = ["-hls_segment_type", "fmp4"];
const DASH = ["-f", "dash", "-seg_duration", "1"];

/** Packages encodes as they are. Returns the manifest. */
async function packaged(
  folder: string,
  codecs: readonly Codec[],
  options: readonly string[],
  {
    name = "title.m3u8",
    maps = codecs.map((_, index) => `${index}:v`),
  }: { name?: string; maps?: readonly string[] } = {},
): Promise<string> {
  const inputs: string[] = [];
  for (const codec of codecs) inputs.push("-i", await titles.encode(codec));
  await mkdir(titles.file(folder), { recursive: true });
  const manifest = titles.file(`${folder}/${name}`);
  await ffmpeg([...inputs, ...maps.flatMap((map) => ["-map", map]), "-c", "copy", ...options, manifest]);
  return manifest;
}

/** The options of a master playlist of several variants. */
function master(folder: string, map: string): readonly string[] {
  return [
    "-master_pl_name",
    "master.m3u8",
    "-hls_segment_filename",
    titles.file(`${folder}/v%v-%d.seg`),
    "-var_stream_map",
    map,
  ];
}

for (const [what, codecs, options] of [
  ["HLS with MPEG-TS", ["h264"], HLS],
  ["HLS with MPEG-TS in one file", ["h264"], [...HLS, "-hls_flags", "single_file"]],
  ["HLS with fMP4", ["h264"], [...HLS, ...FMP4]],
  ["HLS with fMP4 in one file", ["h264"], [...HLS, ...FMP4, "-hls_flags", "single_file"]],
  ["HLS with HEVC", ["hevc"], [...HLS, ...FMP4]],
  ["HLS with HEVC in MPEG-TS", ["hevc"], HLS],
  ["HLS with AV1", ["av1"], [...HLS, ...FMP4]],
  ["HLS with rounded durations", ["h264"], [...HLS, "-hls_flags", "round_durations"]],
  ["HLS with time stamps that wrap after two seconds", ["h264"], [...HLS, "-output_ts_offset", "95441.7"]],
] as const) {
  test(what, async () => {
    const manifest = await packaged(what.replaceAll(" ", "-"), codecs, options);
    await titles.expect(manifest, codecs);
  });
}

for (const [what, codecs, options] of [
  ["DASH with numbered segments", ["h264", "small"], [...DASH, "-use_timeline", "0"]],
  ["DASH with a timeline", ["h264", "small"], [...DASH, "-use_timeline", "1"]],
  ["DASH with a list of segments", ["h264"], [...DASH, "-use_template", "0"]],
  ["DASH with one file each", ["h264", "small"], [...DASH, "-single_file", "1"]],
  ["DASH with HEVC", ["hevc"], DASH],
  ["DASH with AV1", ["av1"], DASH],
  ["DASH with VP9 in WebM", ["vp9"], [...DASH, "-dash_segment_type", "webm"]],
] as const) {
  test(what, async () => {
    const manifest = await packaged(what.replaceAll(" ", "-"), codecs, options, { name: "title.mpd" });
    await titles.expect(manifest, codecs);
  });
}

test("DASH with its playlists for HLS", async () => {
  const options = [...DASH, "-hls_playlist", "1"];
  const manifest = await packaged("both", ["h264", "small"], options, { name: "title.mpd" });
  await titles.expect(join(manifest, "../master.m3u8"), ["h264", "small"]);
  await titles.expect(manifest, ["h264", "small"]);
});

test("a master playlist whose variants share their audio", async () => {
  const codecs = ["h264", "small"] as const;
  const map = "v:0,agroup:sound v:1,agroup:sound a:0,agroup:sound,default:yes";
  const options = [...HLS, ...FMP4, ...master("shared", map)];
  const manifest = await packaged("shared", codecs, options, {
    name: "v%v.m3u8",
    maps: ["0:v", "1:v", "0:a"],
  });
  await titles.expect(join(manifest, "../master.m3u8"), codecs);
});

test("a master playlist of variants with their own audio in the same segments", async () => {
  const codecs = ["h264", "small"] as const;
  const options = [...HLS, ...master("muxed", "v:0,a:0 v:1,a:1")];
  const maps = ["0:v", "1:v", "0:a", "1:a"];
  const manifest = await packaged("muxed", codecs, options, { name: "v%v.m3u8", maps });
  await titles.expect(join(manifest, "../master.m3u8"), codecs);
});

for (const [what, options, extension] of [
  ["MPEG-TS", [], "ts"],
  ["fMP4", FMP4, "m4s"],
] as const) {
  test(`${what} whose time stamps begin anew after a discontinuity`, async () => {
    const halves = [`${what}-first`, `${what}-second`];
    for (const [index, half] of halves.entries()) {
      const from = ["-ss", String(index * 3)];
      await mkdir(titles.file(`joined-${what}/${half}`), { recursive: true });
      const segments = ["-hls_segment_filename", titles.file(`joined-${what}/${half}/%d.${extension}`)];
      const path = titles.file(`joined-${what}/${half}/half.m3u8`);
      const input = await titles.encode("h264");
      await ffmpeg([
        ...from,
        "-i",
        input,
        "-map",
        "0:v",
        "-c",
        "copy",
        "-frames:v",
        "75",
        ...HLS,
        ...options,
        ...segments,
        path,
      ]);
    }
    const lines = await Promise.all(
      halves.map(async (half) => {
        const text = await readFile(titles.file(`joined-${what}/${half}/half.m3u8`), "utf8");
        return text
          .replaceAll(/^(?!#)(?=.)/gm, `${half}/`)
          .replaceAll('URI="', `URI="${half}/`)
          .split("\n");
      }),
    );
    const [first = [], second = []] = lines.map((of) =>
      of.filter((line) => line !== "#EXT-X-ENDLIST" && line !== ""),
    );
    const later = second.slice(second.findIndex((line) => /^#EXT(INF|-X-MAP)/.test(line)));
    const manifest = titles.file(`joined-${what}/title.m3u8`);
    await writeFile(manifest, [...first, "#EXT-X-DISCONTINUITY", ...later, "#EXT-X-ENDLIST", ""].join("\n"));
    await titles.expect(manifest, ["h264"]);
  });
}

test("an encrypted title and an unfinished one are refused by name", async () => {
  const key = titles.file("key.bin");
  await writeFile(key, Buffer.alloc(16, 7));
  await writeFile(titles.file("key.txt"), `key.bin\n${key}\n`);
  const locked = await packaged("locked", ["h264"], [...HLS, "-hls_key_info_file", titles.file("key.txt")]);
  await assert.rejects(readTitle(locked), { code: "MEDIA_ENCRYPTED" });
  const live = await packaged(
    "live",
    ["h264"],
    ["-f", "hls", "-hls_time", "1", "-hls_flags", "omit_endlist"],
  );
  await assert.rejects(readTitle(live), { code: "MANIFEST_UNSUPPORTED", message: /EXT-X-ENDLIST/ });
});

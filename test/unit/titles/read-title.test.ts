/** Manifests that no packager makes: a clear failure with a stable code, in a short time. */
import assert from "node:assert/strict";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readTitle } from "../../../src/titles/read-title.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-test-titles-"));
});
after(() => rm(folder, { recursive: true }));

const MEDIA = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:2\n";
const END = "#EXT-X-ENDLIST\n";

function mpd(content: string, attributes = 'type="static" mediaPresentationDuration="PT4S"'): string {
  return `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" ${attributes}><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="100000" width="160" height="90" codecs="avc1.64001f">${content}</Representation></AdaptationSet></Period></MPD>`;
}

const template = (attributes: string) =>
  mpd(`<SegmentTemplate initialization="i.mp4" media="$Number$.m4s" ${attributes}/>`);

const REFUSED: Readonly<Record<string, readonly [text: string, code: string, message?: RegExp]>> = {
  "an empty file": ["", "MANIFEST_INVALID", /neither an HLS playlist nor a DASH MPD/],
  "another text": ["hello", "MANIFEST_INVALID"],
  "a playlist without segments": [`${MEDIA}${END}`, "MANIFEST_INVALID", /no segments/],
  "a playlist of nothing": [
    "#EXTM3U\n#EXT-X-VERSION:7\n",
    "MANIFEST_INVALID",
    /names neither renditions nor segments\.$/,
  ],
  "a playlist that is live": [`${MEDIA}#EXTINF:2,\n1.ts\n`, "MANIFEST_UNSUPPORTED", /EXT-X-ENDLIST/],
  "an encrypted playlist": [
    `${MEDIA}#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF:2,\n1.ts\n${END}`,
    "MEDIA_ENCRYPTED",
  ],
  "a playlist with a gap": [`${MEDIA}#EXT-X-GAP\n#EXTINF:2,\n1.ts\n${END}`, "MANIFEST_UNSUPPORTED", /gaps/],
  "a playlist that names another host": [
    `${MEDIA}#EXTINF:2,\nhttps://example.com/1.ts\n${END}`,
    "MANIFEST_UNSUPPORTED",
    /not below its own folder/,
  ],
  "a negative duration": [`${MEDIA}#EXTINF:-2,\n1.ts\n${END}`, "MANIFEST_INVALID"],
  "a byte range that is none": [
    `${MEDIA}#EXT-X-BYTERANGE:1e99@-4\n#EXTINF:2,\n1.ts\n${END}`,
    "MANIFEST_INVALID",
  ],
  "a byte range of no bytes": [`${MEDIA}#EXT-X-BYTERANGE:0@5\n#EXTINF:2,\n1.ts\n${END}`, "MANIFEST_INVALID"],
  "a byte range that is text": [
    `${MEDIA}#EXT-X-BYTERANGE:some\n#EXTINF:2,\n1.ts\n${END}`,
    "MANIFEST_INVALID",
  ],
  "a byte range without offset that is the first": [
    `${MEDIA}#EXT-X-BYTERANGE:100\n#EXTINF:2,\n1.ts\n#EXT-X-BYTERANGE:50\n#EXTINF:2,\n1.ts\n${END}`,
    "MANIFEST_INVALID",
    /continues no other/,
  ],
  "a byte range without offset after one of another file": [
    `${MEDIA}#EXT-X-BYTERANGE:100@0\n#EXTINF:2,\n1.ts\n#EXT-X-BYTERANGE:50\n#EXTINF:2,\n2.ts\n${END}`,
    "MANIFEST_INVALID",
    /continues no other/,
  ],
  "a playlist of I-frames": [
    `${MEDIA}#EXT-X-I-FRAMES-ONLY\n#EXT-X-BYTERANGE:100@10\n#EXTINF:2,\n1.ts\n${END}`,
    "MANIFEST_INVALID",
    /only I-frames/,
  ],
  "a playlist with variables": [
    `${MEDIA}#EXT-X-DEFINE:NAME="x",VALUE="y"\n#EXTINF:2,\n{$x}/1.ts\n${END}`,
    "MANIFEST_UNSUPPORTED",
    /EXT-X-DEFINE/,
  ],
  "a segment above the folder": [`${MEDIA}#EXTINF:2,\n../1.ts\n${END}`, "MANIFEST_UNSUPPORTED"],
  "a master playlist with a key for its variants": [
    '#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES,URI="skd://x"\n#EXT-X-STREAM-INF:BANDWIDTH=64000\nmissing.m3u8\n',
    "MEDIA_ENCRYPTED",
    /EXT-X-SESSION-KEY/,
  ],
  "a master playlist of 101 variants, before the first is read": [
    `#EXTM3U\n${Array.from({ length: 101 }, (_, index) => `#EXT-X-STREAM-INF:BANDWIDTH=1\n${index}/missing.m3u8\n`).join("")}`,
    "MANIFEST_INVALID",
    /more than 100 renditions/,
  ],
  "a master playlist of audio only": [
    '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.2"\na.m3u8\n',
    "MANIFEST_INVALID",
    /names no video/,
  ],
  "a master playlist that names itself": [
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000\nmanifest.m3u8\n",
    "MANIFEST_INVALID",
    /not a media playlist/,
  ],
  "a master playlist whose variant is missing": [
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000\nmissing.m3u8\n",
    "MEDIA_NOT_FOUND",
  ],
  "an MPD without an end": ["<MPD>", "MANIFEST_INVALID"],
  "an MPD that is live": [
    template('duration="2" timescale="1"').replace("static", "dynamic"),
    "MANIFEST_UNSUPPORTED",
    /is live/,
  ],
  "an encrypted MPD": [
    mpd('<ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011"/>'),
    "MEDIA_ENCRYPTED",
  ],
  "a template of a billion segments": [
    template('duration="1" timescale="1000000000"'),
    "MANIFEST_INVALID",
    /more than 100000/,
  ],
  "a template of segments without a duration": [template('duration="0" timescale="1"'), "MANIFEST_INVALID"],
  "a timeline of a billion segments": [
    mpd(
      '<SegmentTemplate initialization="i.mp4" media="$Time$.m4s" timescale="1"><SegmentTimeline><S t="0" d="1" r="1000000000"/></SegmentTimeline></SegmentTemplate>',
    ),
    "MANIFEST_INVALID",
    /more than 100000/,
  ],
  "an MPD with entities that grow": [
    `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>${mpd("<BaseURL>&b;</BaseURL>")}`,
    "MANIFEST_INVALID",
  ],
};

for (const [what, [text, code, message = /./]] of Object.entries(REFUSED)) {
  test(`${what} is refused`, async () => {
    const manifest = join(folder, "manifest.m3u8");
    await writeFile(manifest, text);
    await assert.rejects(readTitle(manifest), { code, message });
  });
}

test("a manifest of a gigabyte is refused before it is read", async () => {
  const manifest = join(folder, "huge.mpd");
  await writeFile(manifest, "");
  await truncate(manifest, 2 ** 30);
  await assert.rejects(readTitle(manifest), { code: "MANIFEST_INVALID", message: /1073741824 bytes/ });
});

test("a manifest that does not exist, or is a folder, is refused", async () => {
  await assert.rejects(readTitle(join(folder, "no.mpd")), { code: "MEDIA_NOT_FOUND" });
  await assert.rejects(readTitle(folder), { code: "MEDIA_NOT_A_FILE" });
});

test("renditions are named by size and rate, each once", async () => {
  const manifest = join(folder, "names.m3u8");
  const variants = [
    "BANDWIDTH=2500000,RESOLUTION=1280x720",
    "BANDWIDTH=2600000,AVERAGE-BANDWIDTH=2500000,RESOLUTION=1280x720",
    "BANDWIDTH=400",
  ];
  const lines = variants.flatMap((attributes, index) => [`#EXT-X-STREAM-INF:${attributes}`, `${index}.m3u8`]);
  await writeFile(
    manifest,
    ["#EXTM3U", ...lines, "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=1x1", "0.m3u8", ""].join("\n"),
  );
  for (const index of variants.keys())
    await writeFile(join(folder, `${index}.m3u8`), `${MEDIA}#EXTINF:2,\n1.ts\n${END}`);
  const names = (await readTitle(manifest)).map(({ name }) => name);
  assert.deepEqual(names, ["1280x720-2500k", "1280x720-2500k-2", "1k"]);
});

test("a byte range without offset continues the one before", async () => {
  const manifest = join(folder, "ranges.m3u8");
  const lines = ["100@10", "50", "7"].flatMap((range) => [`#EXT-X-BYTERANGE:${range}`, "#EXTINF:2,", "1.ts"]);
  await writeFile(manifest, `\uFEFF${MEDIA}#EXT-X-KEY:METHOD=NONE\n${lines.join("\r\n")}\r\n${END}`);
  const [rendition] = await readTitle(manifest);
  assert.deepEqual(
    rendition?.segments.map(({ range }) => range),
    [
      { first: 10, length: 100 },
      { first: 110, length: 50 },
      { first: 160, length: 7 },
    ],
  );
});

test("an MPD whose elements have a prefix is read", async () => {
  const manifest = join(folder, "prefix.mpd");
  const text = template('duration="2"')
    .replaceAll(/<(\/?)(?=[A-Z])/g, "<$1x:")
    .replace("xmlns=", "xmlns:x=");
  await writeFile(manifest, text);
  const [rendition] = await readTitle(manifest);
  assert.deepEqual(
    rendition?.segments.map(({ file }) => file),
    [join(folder, "1.m4s"), join(folder, "2.m4s")],
  );
});

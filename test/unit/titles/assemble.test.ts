/** Renditions that cannot be joined: a clear failure that names what is wrong. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assemble } from "../../../src/titles/assemble.ts";
import type { TitleSegment } from "../../../src/titles/title.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-test-titles-"));
  await writeFile(join(folder, "tiny"), "ab");
  await writeFile(join(folder, "text"), "#EXTM3U and so on, but no video");
  await writeFile(join(folder, "webm"), Buffer.from("1a45dfa300000000", "hex"));
  await writeFile(join(folder, "mp4"), Buffer.from("0000000c6d6f6f6600000000", "hex"));
  await writeFile(join(folder, "ts"), Buffer.alloc(188 * 2 - 1, 0x47));
});
after(() => rm(folder, { recursive: true }));

let made = 0;

function joined(
  ...segments: readonly (Partial<TitleSegment> & { readonly file: string })[]
): Promise<string> {
  const { signal } = new AbortController();
  const placed = segments.map((segment) => ({
    ...{ seconds: 1, isDiscontinuous: false, ...segment },
    file: join(folder, segment.file),
    ...(segment.init && { init: { ...segment.init, file: join(folder, segment.init.file) } }),
  }));
  const assembling = { manifest: "title.m3u8", target: join(folder, `joined${made++}`), signal };
  return assemble({ name: "1k", segments: placed, isCut: true }, assembling);
}

const UNSUPPORTED = "MANIFEST_UNSUPPORTED";
for (const [what, segments, code, message] of [
  [
    "segments of two bytes",
    [{ file: "tiny" }, { file: "tiny" }],
    UNSUPPORTED,
    /are not MP4, MPEG-TS or WebM/,
  ],
  ["texts", [{ file: "text" }, { file: "text" }], UNSUPPORTED, /are not MP4/],
  [
    "WebM with a discontinuity",
    [{ file: "webm" }, { file: "webm", isDiscontinuous: true }],
    UNSUPPORTED,
    /WebM/,
  ],
  ["MP4 without an init segment", [{ file: "mp4" }, { file: "mp4" }], UNSUPPORTED, /without an init segment/],
  ["an init segment without tracks", [{ file: "mp4", init: { file: "mp4" } }], UNSUPPORTED, /no box moov/],
  [
    "packets that are cut off",
    [{ file: "ts" }, { file: "ts" }],
    UNSUPPORTED,
    /damaged: in ".*ts", the last packet/,
  ],
  [
    "a missing file",
    [{ file: "gone" }, { file: "ts" }],
    "MEDIA_NOT_FOUND",
    /"[^"]*gone" of the title does not/,
  ],
  [
    "a range past the end",
    [{ file: "ts", range: { first: 300, length: 188 } }],
    "MEDIA_TRUNCATED",
    /has 375 bytes, but its manifest names 188 from 300 on/,
  ],
] as const) {
  test(`${what} are refused`, async () => {
    await assert.rejects(joined(...segments), { code, message });
  });
}

test("a single file that holds the whole rendition is used as it is", async () => {
  assert.equal(await joined({ file: "text" }), join(folder, "text"));
  const parts = [
    { file: "ts", range: { first: 0, length: 188 } },
    { file: "ts", range: { first: 188, length: 187 } },
  ];
  assert.equal(await joined(...parts), join(folder, "ts"));
});

/** Titles that are read in a thread of their own: what is read of them, and how it fails. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { Failure } from "../../../src/platform/failure.ts";
import { openFile } from "../../../src/titles/open-file.ts";
import { readTitle } from "../../../src/titles/read-title.ts";
import { TitleReader } from "../../../src/titles/title-reader.ts";

const MASTER =
  "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2000\nhigh.m3u8\n";
const playlist = (segments: number): string =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${"#EXTINF:1,\n1.ts\n".repeat(segments)}#EXT-X-ENDLIST\n`;

let folder: string;
let manifest: string;
let titles: TitleReader;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-title-reader-"));
  manifest = join(folder, "master.m3u8");
  await writeFile(manifest, MASTER);
  await writeFile(join(folder, "low.m3u8"), playlist(2));
  await writeFile(join(folder, "high.m3u8"), playlist(3));
});
beforeEach(() => {
  titles = new TitleReader();
});
afterEach(async () => titles.close());
after(async () => rm(folder, { recursive: true }));

test("reads the names of all renditions, and the segments of one", async () => {
  const [first, second] = await readTitle(manifest);
  const names = [first?.name, second?.name];
  const read = (wanted?: string) => titles.read(manifest, openFile, wanted);
  assert.deepEqual(await Promise.all([read(), read("2k"), read("3k")]), [
    { names, rendition: undefined },
    { names, rendition: second },
    { names, rendition: undefined },
  ]);
});

test("reads a title in a storage", async () => {
  const place = { root: "s3://bucket/", path: "a b/", manifest: "low.m3u8" };
  const asked: string[] = [];
  const open = (file: string) => {
    asked.push(file);
    return openFile(join(folder, "low.m3u8"));
  };
  const { rendition } = await titles.read(place, open, "rendition1");
  assert.deepEqual(asked, ["s3://bucket/a b/low.m3u8"]);
  assert.deepEqual(
    rendition?.segments.map(({ file }) => file),
    ["s3://bucket/a b/1.ts", "s3://bucket/a b/1.ts"],
  );
});

test("fails like a title that is read here, and reads the next one", async () => {
  const live = join(folder, "live.m3u8");
  await writeFile(live, playlist(1).replace("#EXT-X-ENDLIST", ""));
  for (const path of [live, join(folder, "none.mpd"), folder]) {
    const { code, message } = await readTitle(path).then(
      () => assert.fail("it was read"),
      (error: unknown) => Failure.from(error),
    );
    await assert.rejects(titles.read(path, openFile), { code, message });
  }
  const denied = new Failure("MEDIA_NOT_READABLE", "denied");
  await assert.rejects(
    titles.read(manifest, () => Promise.reject(denied)),
    denied,
  );
  assert.equal((await titles.read(manifest, openFile)).names.length, 2);
});

test("stops reading when it is closed", async () => {
  const open = () => new Promise<never>(() => {});
  const reading = assert.rejects(titles.read(manifest, open), { code: "INTERNAL" });
  await titles.close();
  await reading;
});

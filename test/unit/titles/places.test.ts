import assert from "node:assert/strict";
import { test } from "node:test";
import { Places } from "../../../src/titles/places.ts";

const places = new Places("/videos/film/master.m3u8");
const BASE = places.addressOf();
const DEEPER = places.addressOf("/videos/film/720p/index.m3u8");

test("addresses are relative to the manifest that has them", () => {
  assert.equal(places.fileOf("720p/index.m3u8", BASE), "/videos/film/720p/index.m3u8");
  assert.equal(places.fileOf("1.ts", DEEPER), "/videos/film/720p/1.ts");
  assert.equal(places.fileOf("../audio/1.ts", DEEPER), "/videos/film/audio/1.ts");
  assert.equal(places.fileOf("../film/1.ts", BASE), "/videos/film/1.ts");
});

test("names are decoded, and queries left out", () => {
  assert.equal(places.fileOf("part%201%23.ts?token=secret#t=1", BASE), "/videos/film/part 1#.ts");
  const odd = new Places("/videos/100% #1?/größe.mpd");
  assert.equal(odd.fileOf("a.mp4", odd.addressOf()), "/videos/100% #1?/a.mp4");
  assert.equal(odd.fileOf(odd.addressOf(), odd.addressOf()), "/videos/100% #1?/größe.mpd");
});

for (const address of [
  "https://example.com/1.ts",
  "//example.com/1.ts",
  "file:///etc/passwd",
  "data:text/plain,x",
  "https://title.invalid.example.com/1.ts",
  "..%2f..%2fetc%2fpasswd",
  "a/..%2f..%2f..%2fetc/passwd",
  "%2e%2e%2f%2e%2e%2fpasswd",
  "1%00.ts",
  "%ff%fe.ts",
  "http://[",
  "",
]) {
  test(`${JSON.stringify(address)} is refused, or stays in the folder`, () => {
    try {
      assert.match(places.fileOf(address, BASE), /^\/videos\/film\/./);
    } catch (error) {
      assert.equal((error as { code?: string }).code, "MANIFEST_UNSUPPORTED", String(error));
      assert.match(String(error), /not below its own folder/);
    }
  });
}

test("addresses above the folder, of other hosts and of other schemes are refused", () => {
  for (const address of [
    "/1.ts",
    "/etc/passwd",
    "../1.ts",
    "../../../../1.ts",
    "../title/1.ts",
    "../film2/1.ts",
    "..\\1.ts",
    "720p/../../1.ts",
    "%2e%2e/1.ts",
    "https://example.com/1.ts",
    "//example.com/1.ts",
    "file:///etc/passwd",
    "..%2f..%2fpasswd",
  ])
    assert.throws(() => places.fileOf(address, BASE), { code: "MANIFEST_UNSUPPORTED" }, address);
  assert.throws(() => places.fileOf("../../1.ts", DEEPER), { code: "MANIFEST_UNSUPPORTED" });
});

test("a manifest may be in the root of the file system", () => {
  const root = new Places("/title.mpd");
  assert.equal(root.fileOf("a/1.ts", root.addressOf()), "/a/1.ts");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { FilePlaces, ObjectPlaces } from "../../../src/titles/places.ts";

const places = new FilePlaces("/videos/film/master.m3u8");
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
  const odd = new FilePlaces("/videos/100% #1?/größe.mpd");
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
  const root = new FilePlaces("/title.mpd");
  assert.equal(root.fileOf("a/1.ts", root.addressOf()), "/a/1.ts");
});

const objects = new ObjectPlaces({ root: "s3://videos/", path: "a b/film/", manifest: "master.m3u8" });
const HERE = objects.addressOf();

test("addresses of objects are relative to the manifest that has them, and decoded once", () => {
  const deeper = objects.addressOf("s3://videos/a b/film/720p/index.m3u8");
  assert.equal(objects.manifest, "s3://videos/a b/film/master.m3u8");
  assert.equal(objects.fileOf("720p/1.ts", HERE), "s3://videos/a b/film/720p/1.ts");
  assert.equal(objects.fileOf("../audio/1.ts", deeper), "s3://videos/a b/film/audio/1.ts");
  assert.equal(objects.fileOf("1%20%23%252f.ts#t=1", HERE), "s3://videos/a b/film/1 #%2f.ts");
  assert.equal(objects.fileOf("../../a%20b/film/1.ts", HERE), "s3://videos/a b/film/1.ts");
  assert.equal(objects.pathOf("s3://videos/a b/film/720p/1.ts"), "720p/1.ts");
});

test("addresses outside of the folder, of other hosts, and ambiguous ones are refused", () => {
  for (const address of [
    ...[
      "../1.ts",
      "/1.ts",
      "../film2/1.ts",
      "720p/../../1.ts",
      "%2e%2e/1.ts",
      "..\\1.ts",
      "//a.example/1.ts",
    ],
    ...["https://a.example/1.ts", "s3://videos/a b/film/1.ts", "file:///etc/passwd", "data:,x", "http://["],
    ...["..%2f1.ts", "720p%2f1.ts", "720p%5c1.ts", "1%00.ts", "%ff.ts", "720p//1.ts", "720p/", "."],
  ])
    assert.throws(() => objects.fileOf(address, HERE), { code: "MANIFEST_UNSUPPORTED" }, address);
});

test("addresses of objects with a query are refused", () => {
  for (const address of ["1.ts?token=secret", "?x", "720p/1.ts?versionId=1#t"])
    assert.throws(() => objects.fileOf(address, HERE), { message: /which has a query/ }, address);
});

test("a folder may be that of a bucket, or have empty parts", () => {
  const bucket = new ObjectPlaces({ root: "s3://videos/", path: "", manifest: "title.mpd" });
  assert.equal(bucket.fileOf("a/1.ts", bucket.addressOf()), "s3://videos/a/1.ts");
  assert.throws(() => bucket.fileOf("//a.example/1.ts", bucket.addressOf()), {
    code: "MANIFEST_UNSUPPORTED",
  });
  const odd = new ObjectPlaces({ root: "s3://videos/", path: "a//b/", manifest: "title.mpd" });
  assert.equal(odd.fileOf("1.ts", odd.addressOf()), "s3://videos/a//b/1.ts");
  assert.throws(() => odd.fileOf("../../b/1.ts", odd.addressOf()), { code: "MANIFEST_UNSUPPORTED" });
});

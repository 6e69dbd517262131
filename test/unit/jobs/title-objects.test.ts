import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type RemoteName, remoteName } from "../../../src/jobs/media/names.ts";
import { isStoredTitle, titleFolder, titleObject } from "../../../src/jobs/media/title-objects.ts";

function named(text: string): RemoteName {
  const name = remoteName(text);
  if (name === undefined || name.kind === "fault") assert.fail(text);
  return name;
}

/** The object of a title, as text. */
function object(manifest: string, path: string): string | undefined {
  const found = titleObject(named(manifest), path);
  if (found === undefined) return undefined;
  return found.kind === "s3" ? `s3://${found.bucket}/${found.key}` : `https://${found.host}${found.path}`;
}

describe("objects of a title", () => {
  test("are below the folder of its manifest", () => {
    assert.equal(object("s3://videos/a/m.m3u8", "low/1.ts"), "s3://videos/a/low/1.ts");
    assert.equal(object("s3://videos/m.m3u8", "1.ts"), "s3://videos/1.ts");
    assert.equal(object("s3://videos/a//m.m3u8", "1.ts"), "s3://videos/a//1.ts");
    assert.equal(object("https://a.example/m.mpd", "low/1.ts"), "https://a.example/low/1.ts");
  });

  test("are encoded once in URLs, and not in keys", () => {
    assert.equal(object("s3://videos/a%20b/m.m3u8", "%2e%2e/1 #?.ts"), "s3://videos/a%20b/%2e%2e/1 #?.ts");
    assert.equal(
      object("https://a.example/a%20b/m.m3u8", "%2e%2e/1 #?.ts"),
      "https://a.example/a%20b/%252e%252e/1%20%23%3F.ts",
    );
  });

  for (const path of [
    ...["", "/", "..", ".", "../1.ts", "a/../1.ts", "a/../../1.ts", "a/./1.ts", "a//1.ts", "/1.ts", "a/"],
    ...["..\\1.ts", "a\\1.ts", "1\0.ts", "1\n.ts", "\ud800.ts", "x".repeat(1025)],
  ])
    test(`are not ${JSON.stringify(path.slice(0, 20))}`, () => {
      assert.equal(object("s3://videos/a/m.m3u8", path), undefined);
      assert.equal(object("https://a.example/a/m.m3u8", path), undefined);
    });

  test("have keys of at most 1024 bytes", () => {
    assert.equal(object(`s3://videos/${"a".repeat(1000)}/m.m3u8`, "x".repeat(30)), undefined);
  });

  test("are found below the folder, however URLs and storages read their keys", () => {
    for (const path of [
      "%2e%2e/1.ts",
      "%2e%2e%2f1.ts",
      "...",
      "a;b",
      "@host/1.ts",
      "https:/a/1.ts",
      "~/1.ts",
    ]) {
      const url = new URL(object("https://a.example/a/m.m3u8", path) ?? "");
      assert.equal(url.host, "a.example");
      assert.ok(url.pathname.startsWith("/a/"), url.href);
      assert.deepEqual([url.search, url.hash], ["", ""]);
    }
  });
});

test("the folder of a manifest is decoded, unless its name would then mean another folder", () => {
  const folder = (manifest: string) => titleFolder(named(manifest));
  assert.deepEqual(folder("https://a.example/a%20b/m%231.m3u8"), {
    ...{ root: "https://a.example/", path: "a b/", manifest: "m#1.m3u8" },
  });
  assert.deepEqual(folder("s3://videos/a%20b/m.m3u8"), {
    ...{ root: "s3://videos/", path: "a%20b/", manifest: "m.m3u8" },
  });
  for (const manifest of [
    "https://a.example/a%2Fb/m.m3u8",
    "https://a.example/a%5cb/m.m3u8",
    "https://a.example/a%00/m.m3u8",
    "https://a.example/%ff/m.m3u8",
    "s3://videos/m.m3u8?versionId=1",
  ])
    assert.equal(folder(manifest), undefined, manifest);
});

test("titles in storages are neither files nor other objects", () => {
  for (const name of ["s3://videos/m.m3u8", "s3://videos/m.MPD#1x1-1k", "https://a.example/m.mpd#rendition1"])
    assert.ok(isStoredTitle(name), name);
  for (const name of ["/videos/m.m3u8", "m.m3u8#1k", "s3://videos/film.mp4", "s3://videos/film.mp4#1k"])
    assert.ok(!isStoredTitle(name), name);
});

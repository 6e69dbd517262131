/** Names of folders in the file browser of the submit dialog. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crumbsOf, fitsInLine, folderOf, lastPart } from "../../../web/src/media/folders.ts";

test("begins in the folder of what was typed, if it can be listed", () => {
  for (const [typed, folder] of [
    ["/videos/a/film.mp4", "/videos/a/"],
    ["/film.mp4", "/"],
    ["s3://bucket/2026/film.mp4", "s3://bucket/2026/"],
    ["s3://bucket/film.mp4", "s3://bucket/"],
    ["s3://bucket", ""],
    ["https://media.example/film.mp4", ""],
    ["film.mp4", ""],
    ["", ""],
  ])
    assert.equal(folderOf(typed ?? ""), folder, typed);
});

test("leads from the tenant's root down to the folder, and to nothing above the root", () => {
  const labels = (folder: string, ...beginnings: string[]) =>
    crumbsOf(folder, beginnings).map(({ label, name }) => `${label} ${name}`);
  assert.deepEqual(labels("", "/srv/"), []);
  assert.deepEqual(labels("/srv/media/a/b/", "/srv/media/", "/srv/"), [
    "/srv/media/ /srv/media/",
    "a /srv/media/a/",
    "b /srv/media/a/b/",
  ]);
  assert.deepEqual(labels("s3://encodes/2026/x/", "s3://encodes/2026/"), [
    "s3://encodes/2026/ s3://encodes/2026/",
    "x s3://encodes/2026/x/",
  ]);
  assert.deepEqual(labels("s3://encodes/20", "s3://encodes/20"), ["s3://encodes/20 s3://encodes/20"]);
});

test("shows the last part of a name, and offers only what a line of the form can hold", () => {
  assert.equal(lastPart("/srv/media/film.mp4", "/srv/media/"), "film.mp4");
  assert.equal(lastPart("s3://bucket/", ""), "s3://bucket/");
  assert.equal(fitsInLine("/srv/a b.mp4"), true);
  assert.equal(fitsInLine("/srv/a.mp4 "), false);
});

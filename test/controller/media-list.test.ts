/** What a tenant may name in jobs: only its own roots and storages, page by page, also with hostile names and links. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { insideRoots } from "../../src/controller/requests/media-policy.ts";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import {
  type ListMediaRequestSchema as Asked,
  ListMediaRequestSchema,
  MediaEntry_Kind,
} from "../../src/gen/proto/svc/v1/media_pb.ts";
import type { Storage } from "../../src/jobs/media/storages.ts";
import type { FailureCode } from "../../src/platform/failure.ts";
import { caller } from "./peer.ts";
import { refused, System } from "./system.ts";

const KINDS: Readonly<Record<MediaEntry_Kind, string>> = {
  [MediaEntry_Kind.KIND_UNSPECIFIED]: "",
  [MediaEntry_Kind.FOLDER]: "FOLDER",
  [MediaEntry_Kind.FILE]: "FILE",
  [MediaEntry_Kind.WEB_SERVER]: "WEB_SERVER",
};

let media: string;
let system: System;

const STORAGES: readonly Storage[] = [
  {
    kind: "s3",
    endpoint: undefined,
    region: "eu-central-1",
    buckets: [
      { bucket: "masters", prefix: "" },
      { bucket: "encodes", prefix: "2026/" },
    ],
    credentials: { file: "/nowhere", profile: "default" },
    privateNetwork: false,
  },
  { kind: "https", hosts: ["media.example", "cdn.example:8443"], privateNetwork: false },
];

before(async () => {
  media = await realpath(await mkdtemp(join(tmpdir(), "svc-media-")));
  await mkdir(join(media, "a/encodes"), { recursive: true });
  await mkdir(join(media, "b/private"), { recursive: true });
  await writeFile(join(media, "a/film.mp4"), "12345");
  await utimes(join(media, "a/film.mp4"), 1e9, 1e9);
  await writeFile(join(media, "b/private/secret.mp4"), "x");
  const roots = new MediaRoots([join(media, "{tenant}"), join(media, "nowhere")]);
  system = await System.open({
    media: insideRoots(roots),
    storagesOf: (tenant) => (tenant === "a" ? STORAGES : []),
  });
});
after(async () => {
  await system.close();
  await rm(media, { recursive: true });
});

async function page(tenant: string, request: MessageInitShape<typeof Asked> = {}) {
  const list = system.controller.tenants.listMedia;
  const { entries, nextPageToken } = await list(create(ListMediaRequestSchema, request), caller(tenant));
  return { names: entries.map(({ name }) => name), entries, nextPageToken };
}

async function code(tenant: string, under: string, expected: FailureCode): Promise<string> {
  return (await refused(page(tenant, { under }), expected)).message;
}

describe("without a folder", () => {
  test("lists the roots that exist, and the storages", async () => {
    const { entries } = await page("a");
    assert.deepEqual(
      entries.map(({ name, kind }) => [name, KINDS[kind]]),
      [
        [`${media}/a/`, "FOLDER"],
        ["https://cdn.example:8443/", "WEB_SERVER"],
        ["https://media.example/", "WEB_SERVER"],
        ["s3://encodes/2026/", "FOLDER"],
        ["s3://masters/", "FOLDER"],
      ],
    );
    assert.deepEqual((await page("b")).names, [`${media}/b/`]);
    assert.deepEqual((await page("stranger")).names, []);
  });

  test("is paged", async () => {
    const first = await page("a", { pageSize: 3 });
    const second = await page("a", { pageSize: 3, pageToken: first.nextPageToken });
    assert.equal(second.nextPageToken, "");
    assert.deepEqual([...first.names, ...second.names], (await page("a")).names);
  });
});

describe("a folder", () => {
  test("has files with size and time, and folders", async () => {
    for (const under of [join(media, "a"), join(media, "a/"), join(media, "a/encodes/..")]) {
      const { entries } = await page("a", { under });
      assert.deepEqual(
        entries.map(({ name, kind }) => [name, KINDS[kind]]),
        [
          [join(media, "a/encodes/"), "FOLDER"],
          [join(media, "a/film.mp4"), "FILE"],
        ],
      );
      const [encodes, film] = entries;
      assert.equal(encodes?.size, undefined);
      assert.equal(film?.size, 5);
      assert.equal(film?.modifyTime && timestampDate(film.modifyTime).getTime(), 1e12);
    }
  });

  test("of another tenant is refused in the same words whether or not it exists", async () => {
    const outside = ["b", "b/private/", "b/none", "a/../b", "a/../..", "a-2", ".."];
    for (const path of outside) {
      const under = join(media, "/").concat(path);
      const message = await code("a", under, "PATH_NOT_ALLOWED");
      assert.equal(message.replaceAll(JSON.stringify(under), "X"), NOT_INSIDE, path);
    }
    await code("b", join(media, "a"), "PATH_NOT_ALLOWED");
    await code("a", "relative", "PATH_NOT_ALLOWED");
    await code("a", "/", "PATH_NOT_ALLOWED");
  });

  test("that is missing, or a file, is not found", async () => {
    await code("a", join(media, "a/none"), "MEDIA_NOT_FOUND");
    await code("a", join(media, "a/film.mp4"), "MEDIA_NOT_FOUND");
    await code("a", join(media, "nowhere"), "MEDIA_NOT_FOUND");
  });

  test("shows links that stay inside, and none that leave it, dangle or loop", async () => {
    const own = join(media, "a/links");
    await mkdir(own);
    await symlink("../film.mp4", join(own, "inside.mp4"));
    await symlink("../encodes", join(own, "folder"));
    await symlink("../../b/private/secret.mp4", join(own, "outside.mp4"));
    await symlink("../../b/private", join(own, "outside"));
    await symlink("/etc", join(own, "etc"));
    await symlink("none", join(own, "dangling"));
    await symlink("loop", join(own, "loop"));
    const { names } = await page("a", { under: own });
    assert.deepEqual(names, [join(own, "folder/"), join(own, "inside.mp4")]);
    for (const name of ["outside", "etc"]) await code("a", join(own, name), "PATH_NOT_ALLOWED");
    assert.deepEqual((await page("a", { under: join(own, "folder") })).names, []);
  });

  test("has no pipes, names that are not UTF-8 or control characters, and all other names as they are", async () => {
    const own = join(media, "a/odd");
    await mkdir(own);
    execFileSync("mkfifo", [join(own, "pipe")]);
    for (const name of ["\n", "\u0001\u001b[31m.mp4", "\u0085"]) await writeFile(join(own, name), "");
    const names = ["%2e%2e%2f", "..x", "a\\b", "a?b#c", "é", "影片", "😀.mp4"];
    for (const name of names) await writeFile(join(own, name), "");
    await writeFile(Buffer.concat([Buffer.from(`${own}/bad`), Buffer.from([0xff, 0xfe])]), "");
    await utimes(join(own, "é"), 3e11, 3e11);
    const sorted = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const listed = await page("a", { under: own });
    assert.deepEqual(
      listed.names,
      sorted.map((name) => join(own, name)),
    );
    const late = listed.entries.find(({ name }) => name.endsWith("é"));
    assert.deepEqual([late?.size, late?.modifyTime], [0, undefined]);
    await system.submit("a", { reference: listed.names[0] ?? "", distorted: listed.names[1] ?? "" });
  });

  test("is read to its end page by page, and continues at the same place while files come and go", async () => {
    const own = join(media, "a/many");
    await mkdir(own);
    const names = Array.from({ length: 23 }, (_, index) => `${String(index).padStart(3, "0")}.mp4`);
    for (const name of names) await writeFile(join(own, name), "");
    const seen: string[] = [];
    let pageToken = "";
    do {
      const next = await page("a", { under: own, pageSize: 5, pageToken });
      assert.ok(next.names.length <= 5);
      seen.push(...next.names);
      pageToken = next.nextPageToken;
      await rm(join(own, "004.mp4"), { force: true });
    } while (pageToken !== "");
    assert.deepEqual(
      seen,
      names.map((name) => join(own, name)),
    );
  });
});

test("page tokens of other folders, and forged ones, are refused", async () => {
  const { nextPageToken: pageToken } = await page("a", { pageSize: 1 });
  const under = join(media, "a");
  await refused(page("a", { under, pageToken }), "INVALID_REQUEST");
  for (const forged of ["x", "bnVsbA", Buffer.from('["/etc"]').toString("base64url"), "A".repeat(9000)])
    await refused(page("a", { under, pageToken: forged }), "INVALID_REQUEST");
  await refused(page("a", { pageSize: 501 }), "INVALID_REQUEST");
});

test("foreign buckets and prefixes, and names that are not folders, are refused before any connection", async () => {
  for (const under of [
    "s3://encodes/",
    "s3://encodes/2025/",
    "s3://encodes/2026",
    "s3://other/",
    "s3://masters2/",
  ])
    await code("a", under, "URL_NOT_ALLOWED");
  await code("b", "s3://masters/", "URL_NOT_ALLOWED");
  for (const under of [
    ...["s3://masters/../encodes/", "s3://masters/a?b", "s3://masters/a\\b", "s3://Masters/", "s3://"],
    ...["https://media.example/", "file:///etc", "a\0b", "/".repeat(5000), "s3://masters/\u0007"],
  ])
    await code("a", under, "INVALID_REQUEST");
});

const NOT_INSIDE =
  "X is not inside a media root. Use a path below one of the directories given with --media-root.";

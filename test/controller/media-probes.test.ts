/** Headers of listed files: of videos, of files that only pretend to be some, and within limits. */
import assert from "node:assert/strict";
import { copyFile, symlink, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { insideRoots } from "../../src/controller/requests/media-policy.ts";
import { Probes } from "../../src/controller/videos/probes.ts";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { type Header, openHeaders, type ReadHeader } from "../../src/engine/header.ts";
import { ListMediaRequestSchema } from "../../src/gen/proto/svc/v1/media_pb.ts";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { caller } from "./peer.ts";
import { System } from "./system.ts";

const NEVER = new AbortController().signal;

const videos = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `/${index}`, roots: new MediaRoots([]) }));

let directory: MediaDirectory;
let system: System;
let readHeader: ReadHeader;

before(async () => {
  directory = await MediaDirectory.open();
  const film = await encode(directory, "film.mp4", { width: 160, height: 90, frames: 50 }, LOSSY.h264);
  await copyFile(film, directory.file("no-extension"));
  await writeFile(directory.file("noise.mp4"), Buffer.alloc(100_000, "\x9d\x01 moov ftyp"));
  await writeFile(directory.file("empty.mov"), "");
  await writeFile(directory.file("list.m3u8"), "#EXTM3U\n#EXTINF:1,\n/etc/passwd\n");
  await writeFile(directory.file("list.mp4"), "ffconcat version 1.0\nfile /etc/passwd\n");
  await symlink("/etc/passwd", directory.file("outside.mp4"));
  readHeader = (await openHeaders({})) ?? assert.fail("there is no ffmpeg");
  system = await System.open({ media: insideRoots(new MediaRoots([directory.path])), readHeader });
});
after(async () => {
  await system.close();
  await directory.remove();
});

async function listed(probe: boolean) {
  const request = create(ListMediaRequestSchema, { under: directory.path, probe });
  const { entries, probed } = await system.controller.tenants.listMedia(request, caller("a"));
  return { probed, headers: Object.fromEntries(entries.map(({ name, probe: own }) => [name, own])) };
}

test("files have the codec, size, rate and duration of their headers on request", async () => {
  const { probed, headers } = await listed(true);
  assert.equal(probed, true);
  for (const name of ["film.mp4", "no-extension"]) {
    const { codec, width, height, frameRate, duration } = headers[directory.file(name)] ?? {};
    assert.deepEqual([codec, width, height, frameRate, duration], ["h264", 160, 90, 25, 2]);
  }
  const plain = await listed(false);
  assert.equal(plain.probed, false);
  assert.ok(Object.values(plain.headers).every((probe) => probe === undefined));
});

test("files without a video, playlists and links to elsewhere have no properties", async () => {
  const { headers } = await listed(true);
  for (const name of ["noise.mp4", "empty.mov", "list.m3u8", "list.mp4"]) {
    assert.ok(directory.file(name) in headers, name);
    assert.equal(headers[directory.file(name)], undefined, name);
  }
  const roots = new MediaRoots([directory.path]);
  for (const name of ["/etc/passwd", directory.file("outside.mp4")])
    await assert.rejects(readHeader({ name, roots }, NEVER), { code: "PATH_NOT_ALLOWED" });
});

test("a controller that does not probe says so", async () => {
  const without = new System(
    system.store,
    { media: insideRoots(new MediaRoots([directory.path])) },
    async () => {},
  );
  const request = create(ListMediaRequestSchema, { under: directory.path, probe: true });
  const { probed, entries } = await without.controller.tenants.listMedia(request, caller("a"));
  assert.equal(probed, false);
  assert.ok(entries.length > 0 && entries.every(({ probe }) => probe === undefined));
  await without.close();
});

test("a file system that does not answer holds up no response", async () => {
  const probes = new Probes(() => new Promise(() => {}));
  const left = new AbortController();
  const asked = probes.of("a", videos(3), left.signal);
  left.abort();
  assert.equal((await asked).size, 0);
});

test("at most two files of a tenant and four of all are read at a time, and none for a caller who left", async () => {
  let [running, most, read] = [0, 0, 0];
  const ends: (() => void)[] = [];
  const reader: ReadHeader = async (_video, signal) => {
    read++;
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => {
      ends.push(resolve);
      signal.addEventListener("abort", () => resolve());
    });
    running--;
    throw new Error("it cannot be read");
  };
  const probes = new Probes(reader);
  const left = new AbortController();
  const asked = ["a", "b", "c"].map((tenant) => probes.of(tenant, videos(100), left.signal));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([running, most], [4, 4]);
  left.abort();
  const found: ReadonlyMap<string, Header>[] = await Promise.all(asked);
  assert.deepEqual([read, found.every(({ size }) => size === 0)], [4, true]);
});

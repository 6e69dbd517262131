/** The node's cache: every byte right, fetched once, kept over restarts, within its limit, and never another tenant's. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { appendFile, open as openFile, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { BLOCK_BYTES } from "../../src/media/cache/block-map.ts";
import { MediaCache } from "../../src/media/cache/cache.ts";
import { ObjectFault, type ObjectVersion } from "../../src/media/objects/object.ts";
import { Failure } from "../../src/platform/failure.ts";
import { content, openWhole, StorageFixture } from "./storage-fixture.ts";

const MIB = 2 ** 20;
const FILM = "/film.mp4";
const BYTES = content(40 * MIB + 12_345);

let fixture: StorageFixture;
let directory: string;
let cache: MediaCache;
const signal = AbortSignal.timeout(300_000);

before(async () => {
  fixture = await StorageFixture.open();
});

beforeEach(async () => {
  directory = join(fixture.directory, "cache");
  await rm(directory, { recursive: true, force: true });
  fixture.server.fault = () => false;
  fixture.server.put(FILM, BYTES);
  cache = await open();
  fixture.server.requests.length = 0;
  fixture.server.sentBytes = 0;
});

after(() => fixture[Symbol.asyncDispose]());

/** The folder of the first process. */
function own(): string {
  return join(directory, "0");
}

function open(maxBytes = 1000 * MIB): Promise<MediaCache> {
  return MediaCache.open({ directory, maxBytes, reader: fixture.reader });
}

function look(path: string): Promise<ObjectVersion> {
  return fixture.reader.look(fixture.access(path), false, signal);
}

async function use(path: string, version: ObjectVersion, tenant = "acme", from = cache) {
  const key = { tenant, place: fixture.server.url(path), name: fixture.server.url(path), version };
  return openWhole(from, key, { access: () => fixture.access(path), signal });
}

async function bytesOf(path: string, version: ObjectVersion, tenant = "acme", from = cache): Promise<Buffer> {
  await using object = await use(path, version, tenant, from);
  return await object.handle.readFile();
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Requests beside those of `look`. */
function fetches(): number {
  return fixture.server.requests.filter(({ range }) => range !== "bytes=0-0").length;
}

test("an object is fetched once, and then read from disk", async () => {
  const version = await look(FILM);
  assert.equal(sha256(await bytesOf(FILM, version)), sha256(BYTES));
  const first = fetches();
  assert.equal(sha256(await bytesOf(FILM, version)), sha256(BYTES));
  assert.equal(fetches(), first);
  assert.equal(fixture.server.sentBytes, BYTES.length + 1);
  assert.equal(cache.bytes, BYTES.length);
  await cache.close();
});

test("tasks that need the same object at the same time fetch it once", async () => {
  const version = await look(FILM);
  const all = await Promise.all(Array.from({ length: 6 }, () => bytesOf(FILM, version)));
  for (const bytes of all) assert.equal(sha256(bytes), sha256(BYTES));
  assert.equal(fixture.server.sentBytes, BYTES.length + 1);
  await cache.close();
});

test("the descriptor cannot be written to", async () => {
  await using object = await use(FILM, await look(FILM));
  await assert.rejects(object.handle.write("x"), { code: "EBADF" });
  await cache.close();
});

test("another tenant's object is fetched again", async () => {
  const version = await look(FILM);
  await bytesOf(FILM, version, "acme");
  const first = fetches();
  await bytesOf(FILM, version, "globex");
  assert.equal(fetches(), 2 * first);
  const folders = (await readdir(own(), { withFileTypes: true })).filter((one) => one.isDirectory());
  assert.equal(folders.length, 2);
  assert.ok(folders.every(({ name }) => /^[0-9a-f]{64}$/.test(name)));
  await cache.close();
});

test("another version is another object", async () => {
  const version = await look(FILM);
  await bytesOf(FILM, version);
  const other = content(3 * MIB);
  fixture.server.put(FILM, other);
  assert.equal(sha256(await bytesOf(FILM, await look(FILM))), sha256(other));
  await cache.close();
});

test("an object that is replaced while it is fetched is never served", async () => {
  const version = await look(FILM);
  let requests = 0;
  fixture.server.fault = () => {
    requests++;
    if (requests === 2) fixture.server.put(FILM, content(BYTES.length));
    return false;
  };
  await assert.rejects(
    use(FILM, version),
    (error) => error instanceof ObjectFault && error.trouble === "CHANGED",
  );
  await cache.close();
});

test("only the blocks of the ranges are fetched; the rest reads as zeros", async () => {
  const version = await look(FILM);
  const key = { tenant: "acme", place: "p", name: "n", version };
  const read = { access: () => fixture.access(FILM), signal, version };
  const sent = fixture.server.sentBytes;
  await using object = await cache.open(key);
  const ranges = [
    { first: 10, last: 20 },
    { first: BLOCK_BYTES, last: 2 * BLOCK_BYTES },
    { first: BYTES.length - 1, last: BYTES.length + 100 },
  ];
  await object.fetch(ranges, read);
  const needed = 3 * BLOCK_BYTES + (BYTES.length % BLOCK_BYTES);
  assert.equal(fixture.server.sentBytes - sent, needed);
  const there = await object.handle.readFile();
  assert.deepEqual(there.subarray(0, 3 * BLOCK_BYTES), BYTES.subarray(0, 3 * BLOCK_BYTES));
  assert.equal(there.at(-1), BYTES.at(-1));
  assert.ok(there.subarray(3 * BLOCK_BYTES, -BLOCK_BYTES).every((byte) => byte === 0));
  await object.fetch(ranges, read);
  assert.equal(fixture.server.sentBytes - sent, needed);
  await cache.close();
});

test("a block that was changed on disk is not served, and is fetched again", async () => {
  const version = await look(FILM);
  const key = { tenant: "acme", place: "p", name: "n", version };
  const read = { access: () => fixture.access(FILM), signal, version };
  await using object = await cache.open(key);
  const ranges = [
    { first: 0, last: 5 * BLOCK_BYTES },
    { first: BYTES.length - 1, last: BYTES.length + 100 },
  ];
  assert.equal(await object.holds(ranges), false);
  await object.fetch(ranges, read);
  assert.equal(await object.holds(ranges), true);
  const disk = await openFile(object.path, "r+");
  await disk.write(Buffer.alloc(4096), 0, 4096, 3 * BLOCK_BYTES + 17);
  await disk.close();
  const sent = fixture.server.sentBytes;
  assert.equal(await object.holds([{ first: 0, last: BLOCK_BYTES }]), true);
  assert.equal(await object.holds(ranges), false);
  await object.fetch(ranges, read);
  assert.equal(fixture.server.sentBytes - sent, BLOCK_BYTES);
  assert.equal(await object.holds(ranges), true);
  await cache.close();
  const again = await open();
  await using reopened = await again.open(key);
  assert.equal(await reopened.holds(ranges), true);
  assert.equal(await reopened.holds([{ first: 0, last: BYTES.length - 1 }]), false);
  await again.close();
});

test("bytes that one task failed to fetch are fetched by the next", async () => {
  const version = await look(FILM);
  const stop = new AbortController();
  fixture.server.fault = () => {
    stop.abort(new Error("stopped"));
    return false;
  };
  const key = { tenant: "acme", place: "p", name: "n", version };
  const access = () => fixture.access(FILM);
  await assert.rejects(openWhole(cache, key, { access, signal: stop.signal }), /stopped/);
  fixture.server.fault = () => false;
  await using object = await openWhole(cache, key, { access, signal });
  assert.equal(sha256(await object.handle.readFile()), sha256(BYTES));
  await cache.close();
});

test("fetched bytes survive a restart", async () => {
  const version = await look(FILM);
  await bytesOf(FILM, version);
  const first = fetches();
  await cache.close();
  cache = await open();
  assert.equal(cache.bytes, BYTES.length);
  assert.equal(sha256(await bytesOf(FILM, version)), sha256(BYTES));
  assert.equal(fetches(), first);
  await cache.close();
});

test("damaged, foreign and incomplete files are removed at the start", async () => {
  const version = await look(FILM);
  await bytesOf(FILM, version);
  await cache.close();
  const folder = join(own(), (await readdir(own())).find((name) => name.length === 64) ?? "");
  const [map = ""] = (await readdir(folder)).filter((name) => name.endsWith(".map"));
  const content = await readFile(join(folder, map));
  await writeFile(join(folder, `${"0".repeat(64)}.map`), content);
  await writeFile(join(folder, "alone.data"), "x");
  await appendFile(join(folder, map), "x");
  cache = await open();
  assert.equal(cache.bytes, 0);
  assert.deepEqual(await readdir(folder), []);
  assert.equal(sha256(await bytesOf(FILM, version)), sha256(BYTES));
  await cache.close();
});

test("processes that share a directory have a folder each, and find it again", async () => {
  const version = await look(FILM);
  const second = await open();
  await bytesOf(FILM, version, "acme", second);
  assert.equal(cache.bytes, 0);
  await cache.close();
  await second.close();
  const [first, again] = [await open(), await open()];
  assert.deepEqual([first.bytes, again.bytes], [0, BYTES.length]);
  await Promise.all([first.close(), again.close()]);
});

test("a directory that cannot be used is named", async () => {
  await writeFile(join(fixture.directory, "file"), "");
  await cache.close();
  const opening = MediaCache.open({
    directory: join(fixture.directory, "file"),
    maxBytes: 1,
    reader: fixture.reader,
  });
  await assert.rejects(opening, (error) => error instanceof Failure && error.code === "TEMP_DIR_UNUSABLE");
});

test("the least recently used object is evicted first, and objects in use stay", async () => {
  await cache.close();
  cache = await open(10 * MIB);
  const versions = new Map<string, ObjectVersion>();
  for (const name of ["/a", "/b", "/c", "/d"]) {
    fixture.server.put(name, content(4 * MIB));
    versions.set(name, await look(name));
  }
  const of = (name: string) => versions.get(name) as ObjectVersion;
  await bytesOf("/a", of("/a"));
  await bytesOf("/b", of("/b"));
  await bytesOf("/a", of("/a"));
  fixture.server.requests.length = 0;
  await bytesOf("/c", of("/c"));
  await bytesOf("/a", of("/a"));
  assert.deepEqual([...new Set(fixture.server.requests.map(({ path }) => path))], ["/c"]);
  assert.equal(cache.bytes, 8 * MIB);
  const [a, c] = [await use("/a", of("/a")), await use("/c", of("/c"))];
  await assert.rejects(
    use("/d", of("/d")),
    (error) => error instanceof Failure && error.code === "MEDIA_CACHE_FULL",
  );
  await c[Symbol.asyncDispose]();
  assert.equal((await bytesOf("/d", of("/d"))).length, 4 * MIB);
  assert.equal((await a.handle.stat()).size, 4 * MIB);
  await a[Symbol.asyncDispose]();
  await cache.close();
  cache = await open(5 * MIB);
  assert.equal(cache.bytes, 4 * MIB);
  await cache.close();
});

test("an object that is larger than the cache reserves no space", async () => {
  const version = { ...(await look(FILM)), size: 2 ** 49 };
  await assert.rejects(
    use(FILM, version),
    (error) => error instanceof Failure && error.code === "MEDIA_CACHE_FULL",
  );
  assert.deepEqual(await readdir(own()), ["lock"]);
  await cache.close();
});

test("kill -9 while objects are fetched leaves no hole that counts as fetched", async () => {
  await cache.close();
  const version = await look(FILM);
  const script = new URL("cache-process.ts", import.meta.url).pathname;
  let kills = 0;
  for (let round = 0; round < 3; round++) {
    const args = [
      script,
      directory,
      fixture.server.url(FILM),
      JSON.stringify(version),
      join(fixture.directory, "authority.pem"),
    ];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let requests = 0;
    fixture.server.fault = () => {
      requests++;
      if (requests === 2) child.kill("SIGKILL");
      return false;
    };
    const [, how] = await once(child, "exit");
    if (how === "SIGKILL") kills++;
    fixture.server.fault = () => false;
    const files = await readdir(directory, { recursive: true });
    for (const file of files.filter((name) => name.endsWith(".data")))
      assert.equal((await stat(join(directory, file))).size, BYTES.length);
    await holesAreMarked();
  }
  assert.ok(kills > 0);
  cache = await open();
  assert.equal(sha256(await bytesOf(FILM, version)), sha256(BYTES));
  await cache.close();
});

/** Compares every block that the map has with the object. */
async function holesAreMarked(): Promise<void> {
  const block = 256 * 1024;
  const files = await readdir(directory, { recursive: true });
  for (const file of files.filter((name) => name.endsWith(".map"))) {
    const map = await readFile(join(directory, file));
    const bits = map.subarray(map.indexOf("\n") + 1);
    const data = await readFile(join(directory, file.replace(/map$/, "data")));
    for (let index = 0; index * block < BYTES.length; index++) {
      if (((bits[index >> 3] ?? 0) & (1 << (index & 7))) === 0) continue;
      const [from, to] = [index * block, (index + 1) * block];
      assert.ok(data.subarray(from, to).equals(BYTES.subarray(from, to)), `block ${index}`);
    }
  }
}

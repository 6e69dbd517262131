/**
 * A storage at its worst: 1,000 cut connections, 100 stalls, and 100 objects that are replaced while they are fetched.
 * Every byte that is served is right, and every change is noticed.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { MediaCache } from "../../src/media/cache/cache.ts";
import { ObjectFault } from "../../src/media/objects/object.ts";
import { content, openWhole, StorageFixture } from "../storages/storage-fixture.ts";

const OBJECTS = 100;
const CUTS = 1000;
const BYTES = 700_000;

let fixture: StorageFixture;
let cache: MediaCache;
let objects: ReadonlyMap<string, Buffer>;

before(async () => {
  fixture = await StorageFixture.open();
  const directory = join(fixture.directory, "cache");
  cache = await MediaCache.open({ directory, maxBytes: 2 ** 40, reader: fixture.reader });
});

beforeEach(() => {
  fixture.server.fault = () => false;
  objects = new Map(Array.from({ length: OBJECTS }, (_, index) => [`/${index}.mp4`, content(BYTES)]));
  for (const [path, bytes] of objects) fixture.server.put(path, bytes);
});

after(async () => {
  await cache.close();
  await fixture[Symbol.asyncDispose]();
});

/** Fetches an object into the cache and returns its digest. */
async function fetched(path: string): Promise<string> {
  const signal = AbortSignal.timeout(600_000);
  const version = await fixture.reader.look(fixture.access(path), false, signal);
  const key = { tenant: "acme", place: path, name: path, version };
  await using object = await openWhole(cache, key, { access: () => fixture.access(path), signal });
  return digestOf(await object.handle.readFile());
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function allRight(): Promise<void> {
  const found = await Promise.all([...objects.keys()].map(fetched));
  assert.deepEqual(found, [...objects.values()].map(digestOf));
}

test("1,000 cut connections", async () => {
  let cuts = 0;
  fixture.server.fault = ({ range, response, headers, body }) => {
    if (range.last === 0 || cuts >= CUTS) return false;
    cuts++;
    response.writeHead(206, headers);
    response.write(body.subarray(0, 1 + Math.floor(Math.random() * Math.min(60_000, body.length))), () =>
      response.destroy(),
    );
    return true;
  };
  await allRight();
  assert.equal(cuts, CUTS);
});

test("100 stalls", async () => {
  const stalled = new Set<string>();
  fixture.server.fault = ({ path, range, response, headers, body }) => {
    if (range.last === 0 || stalled.has(path)) return false;
    stalled.add(path);
    response.writeHead(206, headers);
    response.write(body.subarray(0, 1000));
    return true;
  };
  await allRight();
  assert.equal(stalled.size, OBJECTS);
});

test("100 replaced objects", async () => {
  fixture.server.fault = (asked) => {
    const { path, range, response, headers, body } = asked;
    if (range.last === 0 || range.first > 0) return false;
    fixture.server.put(path, content(BYTES));
    response.writeHead(206, headers);
    response.write(body.subarray(0, Math.floor(BYTES / 2)), () => response.destroy());
    return true;
  };
  const outcomes = await Promise.allSettled([...objects.keys()].map(fetched));
  const changed = outcomes.filter(
    (one) =>
      one.status === "rejected" && one.reason instanceof ObjectFault && one.reason.trouble === "CHANGED",
  );
  assert.equal(changed.length, OBJECTS);
});

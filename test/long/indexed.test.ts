/** Large videos of a server that are planned by their index, with a node's cache: cut connections, other versions, and a disk that forgets. */
import assert from "node:assert/strict";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { OpenRemote, WorkEngine } from "../../src/engine/contract/work.ts";
import { readSegment } from "../../src/engine/planning/segment-json.ts";
import { MediaAccess_Side, MediaAccessSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { LeasedMedia } from "../../src/worker/media/leased-media.ts";
import { NodeMedia } from "../../src/worker/media/node-media.ts";
import { NodeMetrics } from "../../src/worker/metrics.ts";
import { Fixture } from "../engine/fixture.ts";
import { encode, RICH, SCENE } from "../media/clips.ts";
import { enlarge } from "../media/enlarge.ts";
import { StorageFixture } from "../storages/storage-fixture.ts";

const MIB = 2 ** 20;
const FILM = { ...SCENE, width: 320, height: 180, frames: 500, filters: "noise=alls=40:allf=t" };
const OPTIONS = { segments: { seconds: 5 } };
/** Of the empty box behind the film, which makes it large. */
const EMPTY = 300 * MIB;
const NAME = "/film.mp4";

let engines: Fixture;
let storage: StorageFixture;
let engine: WorkEngine;
let path: string;
let film: Buffer;
let media: NodeMedia;
let caches = 0;

before(async () => {
  [engines, storage] = await Promise.all([Fixture.open(), StorageFixture.open()]);
  engine = await engines.engine();
  path = await encode(engines.media, "film.mp4", FILM, RICH.h264);
  const packets = await readFile(path);
  await enlarge(path, EMPTY);
  film = Buffer.concat([packets, (await firstBytes(path, packets.length + 8)).subarray(packets.length)]);
});

beforeEach(async () => {
  await media?.close();
  storage.server.fault = () => false;
  put("one");
  media = new NodeMedia({
    ...{ directory: cacheFolder(++caches), maxBytes: 2000 * MIB, roots: undefined },
    sign: () => assert.fail("there is no title"),
    ...{ metrics: new NodeMetrics(new Registry()), log: openLog({ level: "silent", format: "json" }) },
  });
  storage.server.sentBytes = 0;
});

after(async () => {
  await media.close();
  await storage[Symbol.asyncDispose]();
  await engines.close();
});

function cacheFolder(number: number): string {
  return join(storage.directory, `cache-${number}`);
}

async function firstBytes(file: string, length: number): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return buffer;
}

/** Makes or replaces the object. */
function put(version: string): void {
  const length = film.length - 8 + EMPTY;
  const subarray = (first: number, end: number) => {
    const bytes = Buffer.alloc(end - first);
    film.copy(bytes, 0, first, end);
    return bytes;
  };
  storage.server.serve(NAME, { length, subarray }, version);
}

/** How a task that was leased now opens the object. */
async function leased(): Promise<Readonly<Record<"reference" | "distorted", OpenRemote>>> {
  const {
    etag,
    size,
    modifiedMs = 0,
  } = await storage.reader.look(storage.access(NAME), false, AbortSignal.timeout(60_000));
  const url = storage.server.url(NAME);
  const [reference, distorted] = [MediaAccess_Side.REFERENCE, MediaAccess_Side.DISTORTED].map((side) =>
    create(MediaAccessSchema, {
      ...{ side, url, validSeconds: 900, hosts: [storage.server.host], privateNetwork: true },
      version: { etag, size, modifyTime: timestampFromMs(modifiedMs) },
    }),
  );
  assert.ok(reference && distorted);
  const fence = { session: "session", itemId: "task", attempt: 1 };
  const task = {
    fence,
    jobId: "job",
    tenant: "acme",
    media: new LeasedMedia([reference, distorted]),
    plan: undefined,
  };
  const openers = media.openers({ ...task, names: { reference: url, distorted: url } });
  assert.ok(openers.reference && openers.distorted);
  return { reference: openers.reference, distorted: openers.distorted };
}

function request() {
  const findings = { action: "IGNORE" as const };
  return pairRequest({ reference: path, distorted: path, findings });
}

async function score(plan: string, segment: string, remote?: Awaited<ReturnType<typeof leased>>) {
  const { table } = await engine.scoreSegment({ request: request(), plan, segment }, remote && { remote });
  return [...table.rows()];
}

/** The scores of the second segment of the file on disk, as long as those of a plan by the index. */
async function here() {
  const { plan, segments } = await engine.plan(request(), { segments: { seconds: 8 } });
  return score(plan, segments[1]?.segment ?? "");
}

test("interrupted connections change no score", async () => {
  let cuts = 0;
  storage.server.fault = ({ response, headers, body }) => {
    if (body.length < MIB || cuts++ % 2 > 0) return false;
    storage.server.sentBytes += body.length >> 1;
    response.writeHead(206, headers).write(body.subarray(0, body.length >> 1), () => response.destroy());
    return true;
  };
  const remote = await leased();
  const { plan, segments } = await engine.plan(request(), { ...OPTIONS, remote });
  assert.ok(readSegment(segments[1]?.segment ?? "").coverages?.distorted?.proof.byPlace);
  assert.deepEqual(await score(plan, segments[1]?.segment ?? "", remote), await here());
  assert.ok(cuts > 1);
  assert.ok(storage.server.sentBytes < film.length, `${storage.server.sentBytes} bytes were sent`);
});

test("an object that is replaced while it is planned, or before a segment is scored, has changed", async () => {
  const remote = await leased();
  let requests = 0;
  storage.server.fault = () => {
    if (++requests === 2) put("two");
    return false;
  };
  await assert.rejects(engine.plan(request(), { ...OPTIONS, remote }), { code: "MEDIA_CHANGED" });
  storage.server.fault = () => false;
  const again = await leased();
  const { plan, segments } = await engine.plan(request(), { ...OPTIONS, remote: again });
  put("three");
  await assert.rejects(score(plan, segments[1]?.segment ?? "", again), { code: "MEDIA_CHANGED" });
});

test("bytes that the disk of the cache lost are noticed and fetched again", async () => {
  const remote = await leased();
  const { plan, segments } = await engine.plan(request(), { ...OPTIONS, remote });
  const segment = segments[1]?.segment ?? "";
  const right = await score(plan, segment, remote);
  const folder = join(cacheFolder(caches), "0");
  const names = await readdir(folder, { recursive: true });
  const data = join(folder, names.find((name) => name.endsWith(".data")) ?? "");
  const { ranges = [] } = readSegment(segment).coverages?.distorted ?? {};
  const needed = ranges.toSorted((a, b) => b.last - b.first - (a.last - a.first))[0] ?? { first: 0, last: 0 };
  for (const share of [0.2, 0.5, 0.8]) {
    await using disk = await open(data, "r+");
    const at = Math.floor(needed.first + share * (needed.last - needed.first));
    await disk.write(Buffer.alloc(4096), 0, 4096, at);
    const sent = storage.server.sentBytes;
    assert.deepEqual(await score(plan, segment, remote), right);
    const again = storage.server.sentBytes - sent;
    assert.ok(again > 0 && again < MIB, `${again} bytes were fetched again`);
  }
});

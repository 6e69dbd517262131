/** A node's progress in fetching the two videos of a task, as its heartbeats report it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Registry } from "prom-client";
import { MediaAccess_Side, WorkItemSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { Lease, Leases } from "../../src/worker/lease.ts";
import { NodeMedia } from "../../src/worker/media/node-media.ts";
import { NodeMetrics } from "../../src/worker/metrics.ts";
import { until } from "../waiting.ts";
import { content, StorageFixture } from "./storage-fixture.ts";

const MIB = 2 ** 20;
const SIZES = { "/reference.mov": 3 * MIB, "/distorted.mp4": MIB + 7 };
const TOTAL = 4 * MIB + 7;

let fixture: StorageFixture;
let media: NodeMedia;

before(async () => {
  fixture = await StorageFixture.open();
  for (const [path, size] of Object.entries(SIZES)) fixture.server.put(path, content(size));
  media = new NodeMedia({
    ...{ directory: join(fixture.directory, "cache"), maxBytes: 100 * MIB, roots: undefined },
    sign: () => assert.fail("there is no title"),
    ...{ metrics: new NodeMetrics(new Registry()), log: openLog({ level: "silent", format: "json" }) },
  });
});
after(async () => {
  await media.close();
  await fixture[Symbol.asyncDispose]();
});

/** A task with both videos; the lists of a heartbeat show its progress. */
async function leased() {
  const access = async (side: MediaAccess_Side, path: string) => {
    const {
      etag,
      size,
      modifiedMs = 0,
    } = await fixture.reader.look(fixture.access(path), false, AbortSignal.timeout(60_000));
    return {
      ...{ side, url: fixture.server.url(path), validSeconds: 900, hosts: [fixture.server.host] },
      ...{ privateNetwork: true, version: { etag, size, modifyTime: timestampFromMs(modifiedMs) } },
    };
  };
  const both = [
    await access(MediaAccess_Side.REFERENCE, "/reference.mov"),
    await access(MediaAccess_Side.DISTORTED, "/distorted.mp4"),
  ];
  const lease = new Lease("session", create(WorkItemSchema, { itemId: "task", attempt: 1, media: both }));
  const leases = new Leases();
  leases.add(lease);
  const names = { reference: both[0]?.url ?? "", distorted: both[1]?.url ?? "" };
  const fence = { session: "session", itemId: "task", attempt: 1 };
  const openers = media.openers({
    fence,
    jobId: "job",
    tenant: "acme",
    media: lease.media,
    names,
    plan: undefined,
  });
  const reported = () => {
    const [running] = leases.of("session");
    return running?.fetch && [running.fetch.bytesDone, running.fetch.bytesTotal];
  };
  const open = async (side: "reference" | "distorted") => {
    await using opened = await openers[side]?.(lease.signal);
    await opened?.fetch?.([{ first: 0, last: opened.size - 1 }]);
  };
  return { reported, open };
}

test("a heartbeat reports what was fetched of both videos, and nothing once all is there", async () => {
  const rest = Promise.withResolvers<void>();
  fixture.server.fault = async ({ path, response, headers, body }) => {
    if (path !== "/reference.mov" || body.length < MIB) return false;
    response.writeHead(206, headers).write(body.subarray(0, MIB));
    await rest.promise;
    response.end(body.subarray(MIB));
    return true;
  };
  const { reported, open } = await leased();
  assert.equal(reported(), undefined);
  const opening = open("reference");
  try {
    await until(() => reported()?.[0] === MIB, "the first bytes", 20_000);
    assert.deepEqual(reported(), [MIB, TOTAL]);
  } finally {
    rest.resolve();
  }
  await opening;
  assert.deepEqual(reported(), [3 * MIB, TOTAL]);
  await open("distorted");
  assert.equal(reported(), undefined);
});

test("videos in the cache count as fetched", async () => {
  const { reported, open } = await leased();
  await open("distorted");
  assert.deepEqual(reported(), [MIB + 7, TOTAL]);
  await open("reference");
  assert.equal(reported(), undefined);
});

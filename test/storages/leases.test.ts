/** URLs of leased tasks: signed for one object, renewed when a node asks, and never for a task that it does not hold. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import type { Storage } from "../../src/jobs/media/storages.ts";
import { Peer } from "../controller/peer.ts";
import { FLEET, System } from "../controller/system.ts";
import { StorageFixture } from "./storage-fixture.ts";

const NAMES = { reference: "s3://videos/masters/film.mov", distorted: "s3://videos/encodes/film 1.mp4" };

let fixture: StorageFixture;
let credentials: string;
let storages: readonly Storage[];
let system: System;
let node: Peer;

before(async () => {
  fixture = await StorageFixture.open();
  fixture.server.put("/videos/masters/film.mov", Buffer.from("reference"));
  fixture.server.put("/videos/encodes/film%201.mp4", Buffer.from("distorted film"));
  credentials = join(fixture.directory, "credentials");
  system = await System.open({ storagesOf: () => storages });
  node = await Peer.register(system.nodes, FLEET);
});

beforeEach(async () => {
  await writeFile(credentials, "[default]\naws_access_key_id = KEYID\naws_secret_access_key = hush\n");
  storages = [
    {
      kind: "s3",
      endpoint: `https://${fixture.server.host}`,
      region: "eu-central-1",
      buckets: [{ bucket: "videos", prefix: "" }],
      credentials: { file: credentials, profile: "default" },
      privateNetwork: true,
    },
  ];
});

after(async () => {
  await system.close();
  await fixture[Symbol.asyncDispose]();
});

test("a lease has a signed URL and the stored version of each object", async () => {
  await system.submit("acme", NAMES);
  const { media, request } = await node.pullNow();
  assert.equal(request?.distorted, NAMES.distorted);
  assert.deepEqual(
    media.map(({ version, validSeconds, hosts }) => [version?.size, validSeconds, hosts]),
    [
      [9, 900, [fixture.server.host]],
      [14, 900, [fixture.server.host]],
    ],
  );
  const url = new URL(media[1]?.url ?? "");
  assert.equal(url.pathname, "/videos/encodes/film%201.mp4");
  assert.equal(url.searchParams.get("X-Amz-Expires"), "900");
  assert.match(
    url.searchParams.get("X-Amz-Credential") ?? "",
    /^KEYID\/\d{8}\/eu-central-1\/s3\/aws4_request$/,
  );
  assert.doesNotMatch(url.href, /hush/);
});

test("a node that asks gets new URLs for the tasks that it holds, and for no others", async () => {
  await system.submit("acme", NAMES);
  const { itemId, attempt } = await node.pullNow();
  const held = { itemId, attempt, framesDone: 0 };
  assert.deepEqual((await node.heartbeat({ running: [held] })).media, []);
  const { media } = await node.heartbeat({ running: [{ ...held, renewMedia: true }] });
  assert.deepEqual(
    media.map((renewed) => [renewed.itemId, renewed.attempt, renewed.media.length]),
    [[itemId, attempt, 2]],
  );
  const other = await Peer.register(system.nodes, FLEET);
  const stolen = await other.heartbeat({ running: [{ ...held, renewMedia: true }] });
  assert.deepEqual(stolen.media, []);
  const later = await node.heartbeat({ running: [{ ...held, attempt: attempt + 1, renewMedia: true }] });
  assert.deepEqual(later.media, []);
});

test("a job shows how far its node has fetched, and refuses impossible numbers", async () => {
  const { job } = await system.submit("acme", NAMES);
  const { itemId, attempt } = await node.pullNow();
  const report = async (bytesDone: number, bytesTotal: number) => {
    await node.heartbeat({ running: [{ itemId, attempt, fetch: { bytesDone, bytesTotal } }] });
    const { fetch } = await system.job("acme", job.id);
    return fetch && [fetch.bytesDone, fetch.bytesTotal];
  };
  assert.deepEqual(await report(5e12, 6e12), [5e12, 6e12]);
  assert.deepEqual(await report(7e12, 6e12), [6e12, 6e12]);
  for (const bytes of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 2 ** 53]) {
    await assert.rejects(report(bytes, 6e12), { code: "INVALID_REQUEST" });
    await assert.rejects(report(0, bytes), { code: "INVALID_REQUEST" });
  }
  await node.heartbeat({ running: [{ itemId, attempt }] });
  assert.equal((await system.job("acme", job.id)).fetch, undefined);
  await system.cancel("acme", job.id);
});

test("a job whose storage was removed meanwhile fails, and its node gets no task", async () => {
  const { job } = await system.submit("acme", NAMES);
  storages = [];
  assert.equal(await node.pull(), undefined);
  const { error } = await system.job("acme", job.id);
  assert.equal(error?.code, "URL_NOT_ALLOWED");
});

test("a job is refused while the controller has no credentials", async () => {
  await rm(credentials);
  const [storage] = storages;
  assert.ok(storage?.kind === "s3");
  storages = [{ ...storage, credentials: { file: join(fixture.directory, "none"), profile: "default" } }];
  await assert.rejects(system.submit("acme", NAMES), { code: "STORAGE_UNAVAILABLE" });
});

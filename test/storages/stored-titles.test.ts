/** Titles in storages: of which objects a controller signs URLs, and what a node fetches, joins and notices. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Registry } from "prom-client";
import type { RemoteVideo } from "../../src/engine/contract/work.ts";
import { Job_State, RequestClipsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { MediaAccess_Side, type WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import type { Storage } from "../../src/jobs/media/storages.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { LeasedMedia } from "../../src/worker/media/leased-media.ts";
import { NodeMedia } from "../../src/worker/media/node-media.ts";
import { NodeMetrics } from "../../src/worker/metrics.ts";
import { caller, Peer } from "../controller/peer.ts";
import { CAPABILITIES } from "../controller/scored.ts";
import { FLEET, System } from "../controller/system.ts";
import { until } from "../waiting.ts";
import { StorageFixture } from "./storage-fixture.ts";

const FOLDER = "s3://videos/titles/film";
const PACKET = 188;
const SEGMENT_BYTES = 40 * PACKET;
const OLDER = { ...CAPABILITIES, stills: true, clips: true, titles: true };
const READS_TITLES = { ...OLDER, storedTitles: true };

let fixture: StorageFixture;
let storages: readonly Storage[];
let system: System;
let node: Peer;
let caches = 0;
const opened: NodeMedia[] = [];
const videos: RemoteVideo[] = [];

before(async () => {
  fixture = await StorageFixture.open();
  const credentials = join(fixture.directory, "credentials");
  await writeFile(credentials, "[default]\naws_access_key_id = KEYID\naws_secret_access_key = hush\n");
  storages = [
    {
      kind: "s3",
      endpoint: `https://${fixture.server.host}`,
      region: "eu-central-1",
      buckets: [{ bucket: "videos", prefix: "" }],
      reserved: { bucket: "videos", prefix: "titles/film/results/" },
      credentials: { file: credentials, profile: "default" },
      privateNetwork: true,
    },
    { kind: "https", hosts: [fixture.server.host], privateNetwork: true },
  ];
  system = await System.open({ storagesOf: (tenant) => (tenant === "stranger" ? [] : storages) });
  node = await Peer.register(system.nodes, FLEET, { capabilities: READS_TITLES });
});

beforeEach(() => {
  fixture.server.fault = () => false;
  fixture.server.put("/videos/reference.mov", Buffer.from("reference"));
  put("master.m3u8", master(["low/list.m3u8", "high%20rate/list.m3u8"]));
  put("low/list.m3u8", playlist(["1.ts", "2.ts", "3.ts"]));
  put("high%20rate/list.m3u8", playlist(["1.ts", "../low/2.ts"]));
  put("packed.m3u8", packed("low/1.ts"));
  for (const number of [1, 2, 3]) put(`low/${number}.ts`, segment(number));
  put("high%20rate/1.ts", segment(9));
  fixture.server.requests.length = 0;
});

afterEach(async () => {
  for (const video of videos.splice(0)) await video[Symbol.asyncDispose]();
  for (const media of opened.splice(0)) await media.close();
});

after(async () => {
  await system.close();
  await fixture[Symbol.asyncDispose]();
});

/** Puts an object of the title, which a web server has, too. `path`: encoded. */
function put(path: string, content: Buffer | string): void {
  for (const folder of ["/videos/titles/film", "/web/a%20b"])
    fixture.server.put(`${folder}/${path}`, Buffer.from(content));
}

/** Packets of MPEG-TS without a payload. */
function segment(fill: number): Buffer {
  const packet = Buffer.alloc(PACKET, fill);
  packet[0] = 0x47;
  packet[3] = 0;
  return Buffer.concat(Array(SEGMENT_BYTES / PACKET).fill(packet));
}

function master(uris: readonly string[]): string {
  const variants = uris.map((uri, index) => `#EXT-X-STREAM-INF:BANDWIDTH=${index + 1}000\n${uri}\n`);
  return `#EXTM3U\n${variants.join("")}`;
}

function playlist(uris: readonly string[]): string {
  const segments = uris.map((uri) => `#EXTINF:1,\n${uri}\n`).join("");
  return `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${segments}#EXT-X-ENDLIST\n`;
}

/** Two segments in the middle of a file. */
function packed(uri: string): string {
  const ranges = [4 * PACKET, 6 * PACKET].map(
    (first) => `#EXT-X-BYTERANGE:${2 * PACKET}@${first}\n#EXTINF:1,\n${uri}\n`,
  );
  return `#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:1\n${ranges.join("")}#EXT-X-ENDLIST\n`;
}

/** A task that plans a rendition. */
async function leased(distorted = `${FOLDER}/master.m3u8#1k`, tenant = "acme"): Promise<WorkItem> {
  await system.submit(tenant, { reference: "s3://videos/reference.mov", distorted });
  return node.pullNow();
}

function mediaOf(maxBytes = 2 ** 20): NodeMedia {
  const media = new NodeMedia({
    ...{ directory: join(fixture.directory, `cache-${++caches}`), maxBytes, roots: undefined },
    sign: ({ itemId, attempt }, side, paths) =>
      node.signed({ itemId, attempt }, paths, {
        side: side === "reference" ? MediaAccess_Side.REFERENCE : MediaAccess_Side.DISTORTED,
      }),
    ...{ metrics: new NodeMetrics(new Registry()), log: openLog({ level: "silent", format: "json" }) },
  });
  opened.push(media);
  return media;
}

/** Opens the rendition of a task. */
async function open(
  { itemId, attempt, jobId, tenantId: tenant, request, media: access }: WorkItem,
  media = mediaOf(),
  { side = "distorted", plan }: { readonly side?: "reference" | "distorted"; readonly plan?: string } = {},
): Promise<RemoteVideo> {
  const names = { reference: request?.reference ?? "", distorted: request?.distorted ?? "" };
  const fence = { session: node.session, itemId, attempt };
  const openers = media.openers({ fence, jobId, tenant, names, plan, media: new LeasedMedia(access) });
  const video = (await openers[side]?.(AbortSignal.timeout(60_000))) ?? assert.fail("it is a title");
  videos.push(video);
  return video;
}

describe("a controller", () => {
  test("signs URLs of objects below the folder of the manifest, for 15 minutes", async () => {
    const item = await leased();
    assert.deepEqual(
      item.media.map(({ url }) => new URL(url).pathname),
      ["/videos/reference.mov", "/videos/titles/film/master.m3u8"],
    );
    const { urls, validSeconds } = await node.signed(item, ["low/1.ts", "a b/ü+%2F?#.ts"]);
    assert.equal(validSeconds, 900);
    assert.deepEqual(
      urls.map((url) => new URL(url).pathname),
      ["/videos/titles/film/low/1.ts", "/videos/titles/film/a%20b/%C3%BC%2B%252F%3F%23.ts"],
    );
    for (const url of urls) assert.match(url, /X-Amz-Signature=/);
  });

  test("signs no URL of any other object", async () => {
    const item = await leased();
    for (const path of [
      ...[
        "../reference.mov",
        "low/../../x.ts",
        "..",
        ".",
        "low/./1.ts",
        "",
        "/",
        "/reference.mov",
        "low//1.ts",
      ],
      ...["low/", "a\\..\\b.ts", "a\0.ts", "\ud800.ts", "x".repeat(1100), "results/part.bin"],
    ])
      await assert.rejects(node.signed(item, ["low/1.ts", path]), { code: "URL_NOT_ALLOWED" }, path);
    const encoded = await node.signed(
      item,
      ["%2e%2e/%2e%2e/reference.mov", "https://a.example/1.ts"].slice(0, 1),
    );
    assert.equal(
      new URL(encoded.urls[0] ?? "").pathname,
      "/videos/titles/film/%252e%252e/%252e%252e/reference.mov",
    );
    for (const paths of [[], Array<string>(251).fill("low/1.ts")])
      await assert.rejects(node.signed(item, paths), { code: "INVALID_REQUEST" });
    for (const side of [MediaAccess_Side.REFERENCE, MediaAccess_Side.SIDE_UNSPECIFIED])
      await assert.rejects(node.signed(item, ["low/1.ts"], { side }), { code: "INVALID_REQUEST" });
  });

  test("signs nothing for another session, attempt or task, and after the task", async () => {
    const item = await leased();
    const other = await Peer.register(system.nodes, FLEET, { capabilities: READS_TITLES });
    const stranger = await Peer.register(system.nodes, "stranger", { capabilities: READS_TITLES });
    const stale = { code: "STALE_ATTEMPT" };
    await assert.rejects(other.signed(item, ["low/1.ts"]), stale);
    await assert.rejects(stranger.signed(item, ["low/1.ts"]), stale);
    await assert.rejects(node.as("stranger").signed(item, ["low/1.ts"]), stale);
    await assert.rejects(node.signed({ ...item, attempt: item.attempt + 1 }, ["low/1.ts"]), stale);
    await assert.rejects(node.signed({ ...item, itemId: "task" }, ["low/1.ts"]), stale);
    await node.report(item, { case: "failure", value: { code: "MEDIA_CORRUPT", message: "for a test" } });
    await assert.rejects(node.signed(item, ["low/1.ts"]), stale);
  });

  test("signs nothing for a job over a video that is not a title", async () => {
    const item = await leased("s3://videos/titles/film/low/1.ts");
    await assert.rejects(node.signed(item, ["2.ts"]), { code: "INVALID_REQUEST" });
  });

  test("gives tasks of titles in storages only to nodes that read them", async () => {
    const older = await Peer.register(system.nodes, FLEET, {
      capabilities: { ...CAPABILITIES, titles: true },
    });
    const { job } = await system.submit("acme", {
      ...{ reference: "s3://videos/reference.mov", distorted: `${FOLDER}/master.m3u8#1k` },
    });
    assert.equal(await older.pull(), undefined);
    const item = await node.pullNow();
    await node.plan(item, 70, 35);
    for (const first of [0, 35]) {
      assert.equal(await older.pull(), undefined);
      const segment = await node.pullNow();
      assert.equal(segment.work.case, "segment", String(first));
      await node.score(segment, 70);
    }
    await until(async () => (await system.job("acme", job.id)).state === Job_State.SUCCEEDED, "the result");
    // Stills of the worst frames.
    assert.equal(await older.pull(), undefined);
    const shown = await node.pullNow();
    assert.deepEqual([shown.work.case, shown.jobId], ["stills", job.id]);
    await node.report(shown, { case: "failure", value: { code: "MEDIA_CORRUPT", message: "for a test" } });
    const request = create(RequestClipsRequestSchema, { id: job.id, frames: [1] });
    await system.jobs.requestClips(request, caller("acme"));
    assert.equal(await older.pull(), undefined);
    assert.equal((await node.pullNow()).work.case, "clip");
  });

  test("refuses a missing manifest, and one whose folder cannot be named", async () => {
    const host = fixture.server.host;
    for (const [distorted, code] of [
      [`${FOLDER}/none.m3u8#1k`, "MEDIA_NOT_FOUND"],
      [`${FOLDER}/master.m3u8`, "INVALID_REQUEST"],
      [`s3://videos/titles/film/x?versionId=1.mpd#1k`, "MANIFEST_UNSUPPORTED"],
      [`https://${host}/web%2Fa/master.m3u8#1k`, "MANIFEST_UNSUPPORTED"],
      [`https://${host}/web/master.m3u8?token=1#1k`, "URL_NOT_SUPPORTED"],
      ["https://other.example/master.m3u8#1k", "URL_NOT_ALLOWED"],
      ["s3://other/master.m3u8#1k", "URL_NOT_ALLOWED"],
    ] as const)
      await assert.rejects(
        system.submit("acme", { reference: "s3://videos/reference.mov", distorted }),
        { code },
        distorted,
      );
  });
});

describe("a node", () => {
  for (const [where, manifest] of [
    ["a bucket", () => `${FOLDER}/master.m3u8`],
    ["a web server", () => fixture.server.url("/web/a%20b/master.m3u8")],
  ] as const)
    test(`joins the segments of a rendition in ${where}, and fetches no others`, async () => {
      const media = mediaOf();
      const item = await leased(`${manifest()}#2k`);
      const video = await open(item, media);
      assert.deepEqual(await readFile(video.path), Buffer.concat([segment(9), segment(2)]));
      assert.deepEqual(video.segmentStarts, [0, 1]);
      assert.equal(video.fileName, "master-2k.ts");
      const paths = fixture.server.requests.map(({ path }) => path);
      assert.ok(!paths.some((path) => /low\/[13]\.ts$/.test(path)), paths.join("\n"));
      const before = fixture.server.requests.filter(({ range }) => range !== "bytes=0-0").length;
      const again = await open(item, media);
      assert.equal(again.path, video.path);
      const [lists, after] = [3, fixture.server.requests.filter(({ range }) => range !== "bytes=0-0").length];
      assert.equal(after - before, lists);
      await video.verifyUnchanged();
    });

  test("takes a rendition as reference, too", async () => {
    await system.submit("acme", {
      ...{ reference: `${FOLDER}/master.m3u8#2k`, distorted: "s3://videos/reference.mov" },
    });
    const { path } = await open(await node.pullNow(), mediaOf(), { side: "reference" });
    assert.deepEqual(await readFile(path), Buffer.concat([segment(9), segment(2)]));
  });

  test("fetches only the byte ranges that a manifest names", async () => {
    const { path } = await open(await leased(`${FOLDER}/packed.m3u8#rendition1`));
    assert.equal((await readFile(path)).length, 4 * PACKET);
    const ranges = fixture.server.requests
      .filter(({ path: of }) => of.endsWith("1.ts"))
      .map(({ range }) => range);
    assert.deepEqual(ranges.filter((range) => range !== "bytes=0-0").sort(), [
      ...["bytes=1128-1503", "bytes=752-1127", "bytes=752-767"],
    ]);
  });

  test("takes a file that is a rendition by itself", async () => {
    put("single.m3u8", playlist(["low/1.ts"]));
    const { path } = await open(await leased(`${FOLDER}/single.m3u8#rendition1`));
    assert.deepEqual(await readFile(path), segment(1));
  });

  test("notices a segment or playlist that was replaced, and treats the title as another video", async () => {
    const media = mediaOf();
    const item = await leased();
    const video = await open(item, media);
    await video.verifyUnchanged();
    for (const [path, content] of [
      ["low/2.ts", segment(8)],
      ["low/list.m3u8", playlist(["1.ts", "2.ts"])],
    ] as const) {
      put(path, content);
      await assert.rejects(video.verifyUnchanged(), {
        code: "MEDIA_CHANGED",
        message: /since the title was read/,
      });
      const next = await open(item, media);
      assert.notEqual(next.modifiedMs, video.modifiedMs);
      assert.notEqual(next.identity, video.identity);
      assert.notEqual(next.path, video.path);
    }
    put("master.m3u8", master(["low/list.m3u8"]));
    await assert.rejects(open(item, media), { code: "MEDIA_CHANGED" });
  });

  test("asks about no object twice for further tasks of a plan, and verifies 64 of many after each", async () => {
    const names = Array.from({ length: 150 }, (_, index) => `long/${index}.ts`);
    for (const [index, name] of names.entries()) put(name, segment(index));
    put("long.m3u8", playlist(names));
    const [item, media] = [await leased(`${FOLDER}/long.m3u8#rendition1`), mediaOf(2 ** 21)];
    const task = async (plan: string): Promise<string[]> => {
      fixture.server.requests.length = 0;
      const video = await open(item, media, { plan });
      await video.verifyUnchanged();
      const looks = fixture.server.requests.filter(({ range }) => range === "bytes=0-0");
      return looks.map(({ path }) => path);
    };
    const objects = names.length + 1;
    // It looks at all but the manifest, which the lease has, and verifies all.
    assert.equal((await task("a plan")).length, 2 * objects - 1);
    const turns = [await task("a plan"), await task("a plan"), await task("a plan")];
    assert.deepEqual(
      turns.map(({ length }) => length),
      [64, 64, 64],
    );
    assert.equal(new Set(turns.flat()).size, objects);
    assert.equal((await task("another plan")).length, 2 * objects - 1);
  });

  test("looks at all objects again once one was replaced during a plan", async () => {
    const [item, media] = [await leased(), mediaOf()];
    const [first, second] = [
      await open(item, media, { plan: "a plan" }),
      await open(item, media, { plan: "a plan" }),
    ];
    await first.verifyUnchanged();
    const third = await open(item, media, { plan: "a plan" });
    assert.deepEqual([third.identity, third.path], [first.identity, first.path]);
    put("low/2.ts", segment(8));
    for (const video of [second, third])
      await assert.rejects(video.verifyUnchanged(), { code: "MEDIA_CHANGED" });
    assert.notEqual((await open(item, media, { plan: "a plan" })).identity, first.identity);
  });

  test("fails only the rendition of which a segment is missing", async () => {
    fixture.server.delete("/videos/titles/film/low/3.ts");
    await assert.rejects(open(await leased()), { code: "MEDIA_NOT_FOUND", message: /low\/3\.ts/ });
    const video = await open(await leased(`${FOLDER}/master.m3u8#2k`));
    assert.equal(video.size, 2 * SEGMENT_BYTES);
  });

  test("reads nothing outside of the folder, on another host or with a query", async () => {
    for (const uri of [
      ...[
        "../other/1.ts",
        "/videos/titles/film/1.ts",
        "https://a.example/1.ts",
        "//a.example/1.ts",
        "low/..%2f1.ts",
      ],
      ...[
        "low/1.ts?token=secret",
        "s3://videos/titles/film/low/1.ts",
        "low\\..\\..\\1.ts",
        "low%2f1.ts",
        "low//1.ts",
      ],
    ]) {
      put("outside.m3u8", playlist([uri]));
      const opening = open(await leased(`${FOLDER}/outside.m3u8#rendition1`));
      await assert.rejects(opening, { code: "MANIFEST_UNSUPPORTED" }, uri);
    }
  });

  test("asks for another URL if the storage refuses one", async () => {
    const refused = new Set<string>();
    fixture.server.fault = ({ request, response, path, range }) => {
      const signature = new URL(request.url ?? "", "https://x").searchParams.get("X-Amz-Signature") ?? "";
      if (!path.endsWith("2.ts") || range.last === 0 || (refused.size > 0 && !refused.has(signature)))
        return false;
      refused.add(signature);
      response.writeHead(403).end();
      return true;
    };
    // Signatures of the same second are the same.
    const video = await open(await leased());
    assert.equal(video.size, 3 * SEGMENT_BYTES);
    assert.equal(refused.size, 1);
  });

  test("refuses a rendition that its cache has no room for, and fetches none of it", async () => {
    const item = await leased();
    await assert.rejects(open(item, mediaOf(2 * SEGMENT_BYTES)), { code: "MEDIA_CACHE_FULL" });
    const fetched = fixture.server.requests.filter(
      ({ path, range }) => path.endsWith(".ts") && range !== "bytes=0-0",
    );
    assert.deepEqual(fetched, []);
  });

  test("keeps the files of tenants apart", async () => {
    const media = mediaOf();
    const [one, other] = [
      await open(await leased(), media),
      await open(await leased(undefined, "other"), media),
    ];
    assert.notEqual(one.path, other.path);
    const fetched = fixture.server.requests.filter(
      ({ path, range }) => path.endsWith("3.ts") && range !== "bytes=0-0",
    );
    assert.equal(fetched.length, 2);
  });
});

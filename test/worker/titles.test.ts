/** Titles on a node: it lists their renditions and scores them, and reads only what their tenant may read. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { MediaRoots } from "../../src/engine/files/roots.ts";
import { openEngine } from "../../src/engine/open.ts";
import type { PlanReport } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { until } from "../waiting.ts";
import { planWork, RunningNode, segmentWork } from "./fixture.ts";
import { Peer } from "./peer.ts";

let titles: Titles;
let peer: Peer;
let node: RunningNode;
let reference: string;

const file = (name: string): string => titles.file(`media/${name}`);
const cache = (): string => titles.file("cache");

before(async () => {
  titles = await Titles.open();
  for (const name of ["a/title", "a/changing", "b"]) await mkdir(file(name), { recursive: true });
  reference = file("a/source.mkv");
  await copyFile(titles.source, reference);
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  for (const title of ["a/title", "a/changing"])
    await ffmpeg([
      ...[...inputs, "-map", "0:v", "-map", "1:v", "-c", "copy", "-f", "dash", "-seg_duration", "1"],
      file(`${title}/title.mpd`),
    ]);
  await writeFile(file("b/secret.ts"), "another tenant's");
  peer = await Peer.open();
  const mediaRoots = new MediaRoots([file("{tenant}")]);
  const engine = await openEngine({ threads: 1, mediaRoots });
  const mediaCache = { directory: cache(), maxBytes: 2 ** 30 };
  node = new RunningNode(peer.address, engine, 1, { mediaRoots, mediaCache });
  node.node.start();
  await peer.until(() => peer.registrations.length > 0, "the registration");
});
after(async () => {
  await node[Symbol.asyncDispose]();
  assert.deepEqual(await joined(), [], "a stopped node leaves no joined files");
  await peer[Symbol.asyncDispose]();
  await titles[Symbol.asyncDispose]();
});

async function joined(): Promise<readonly string[]> {
  const files = await readdir(cache(), { recursive: true });
  return files.filter((name) => name.endsWith(".mp4"));
}

async function list(manifest: string, tenantId = "a") {
  const work = { case: "title", value: {} } as const;
  return peer.reported(peer.offer({ request: { reference, distorted: manifest }, work, tenantId }));
}

async function renditions(manifest: string): Promise<readonly string[]> {
  const report = await list(manifest);
  assert.equal(report.case, "title", JSON.stringify(report.value));
  return report.value.renditions;
}

async function planned(distorted: string): Promise<PlanReport> {
  const report = await peer.reported(peer.offer({ ...planWork({ reference, distorted }), tenantId: "a" }));
  assert.equal(report.case, "plan", JSON.stringify(report.value));
  return report.value;
}

/** The failure of a title's task, or of the plan of its rendition. */
async function refused(manifest: string, rendition?: string, tenantId = "a"): Promise<string> {
  const pair = { reference, distorted: `${manifest}#${rendition ?? ""}` };
  const report =
    rendition === undefined
      ? await list(manifest, tenantId)
      : await peer.reported(peer.offer({ ...planWork(pair), tenantId }));
  assert.equal(report.case, "failure", JSON.stringify(report.value));
  return `${report.value.code} ${report.value.message}`;
}

/** Writes a playlist of one segment. */
async function playlist(name: string, uri: string): Promise<string> {
  const text = `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${uri}\n#EXT-X-ENDLIST\n`;
  await writeFile(file(name), text);
  return file(name);
}

test("says that it reads titles, lists renditions, and plans each like its encode", async () => {
  assert.equal(peer.registrations[0]?.capabilities?.titles, true);
  const manifest = file("a/title/title.mpd");
  const names = await renditions(manifest);
  assert.equal(names.length, 2);
  assert.match(names[1] ?? "", /^96x54-\d+k$/);
  for (const [index, name] of names.entries()) {
    const encode = file(`a/encode-${index}.mp4`);
    await copyFile(await titles.encode(index === 0 ? "h264" : "small"), encode);
    const rendition = await planned(`${manifest}#${name}`);
    const direct = await planned(encode);
    const cuts = ({ segments }: PlanReport) => segments.map((one) => [one.firstFrame, one.frameCount]);
    assert.deepEqual(cuts(rendition), cuts(direct));
    assert.equal(rendition.frameCount, 150);
  }
});

test("joins a rendition once for all of its tasks, and identifies it by its files", async () => {
  const manifest = file("a/title/title.mpd");
  const old = new Date(Date.now() - 3_600_000);
  const [name = ""] = await renditions(manifest);
  const pair = { reference, distorted: `${manifest}#${name}` };
  // Files are identified by their times once these are a while ago.
  await until(async () => (await planned(pair.distorted)).distortedIdentity !== "", "the files to settle");
  const [first, again] = [await planned(pair.distorted), await planned(pair.distorted)];
  assert.equal(first.plan, again.plan);
  assert.match(first.distortedIdentity, /^title [0-9a-f]{64}$/);
  assert.equal(first.distortedIdentity, again.distortedIdentity);
  const before = await joined();
  for (const index of [0, 3]) {
    const report = await peer.reported(peer.offer({ ...segmentWork(pair, first, index), tenantId: "a" }));
    assert.equal(report.case, "segment", JSON.stringify(report.value));
  }
  assert.deepEqual(await joined(), before);
  // The times are those of another content: the plan does not hold for it.
  const [segment = ""] = (await readdir(file("a/title"))).filter((one) => one.startsWith("chunk-stream0"));
  await utimes(file(`a/title/${segment}`), old, old);
  const report = await peer.reported(peer.offer({ ...segmentWork(pair, first, 1), tenantId: "a" }));
  assert.equal(report.case === "failure" && report.value.code, "MEDIA_CHANGED", JSON.stringify(report.value));
  assert.notEqual((await planned(pair.distorted)).plan, first.plan);
});

test("lists the renditions of a manifest that lost the requested one", async () => {
  const manifest = file("a/changing/title.mpd");
  const [name = ""] = await renditions(manifest);
  const text = await readFile(manifest, "utf8");
  await writeFile(manifest, text.replace(/<Representation id="0".*?<\/Representation>/s, ""));
  assert.match(
    await refused(manifest, name),
    /^MEDIA_NOT_FOUND .* has no rendition "160x90-\d+k"\. It has 96x54-/,
  );
});

test("reads no file outside of the folder of the manifest and of the roots of its tenant", async () => {
  const other = file("b/secret.ts");
  for (const uri of ["../source.mkv", other, `file://${other}`, "https://a.example/1.ts", "//a.example/1.ts"])
    assert.match(await refused(await playlist("a/title/outside.m3u8", uri)), /^MANIFEST_UNSUPPORTED /, uri);
  await symlink(other, file("a/title/link.ts"));
  await symlink(file("b"), file("a/title/folder"));
  for (const uri of ["link.ts", "folder/secret.ts", "folder/none.ts"])
    assert.match(
      await refused(await playlist("a/title/linked.m3u8", uri), "rendition1"),
      /^PATH_NOT_ALLOWED /,
      uri,
    );
  await symlink(file("b/title.m3u8"), file("a/title/link.m3u8"));
  await playlist("b/title.m3u8", "secret.ts");
  for (const manifest of ["a/title/link.m3u8", "a/title/folder/title.m3u8", "b/title.m3u8"])
    assert.match(await refused(file(manifest)), /^PATH_NOT_ALLOWED /, manifest);
  assert.match(await refused(file("a/title/title.mpd"), undefined, "b"), /^PATH_NOT_ALLOWED /);
});

test("refuses pipes, folders, loops, entities, encrypted and oversized titles", async () => {
  execFileSync("mkfifo", [file("a/title/pipe.ts"), file("a/title/pipe.m3u8")]);
  assert.match(await refused(file("a/title/pipe.m3u8")), /^MEDIA_NOT_A_FILE /);
  assert.match(
    await refused(await playlist("a/title/p.m3u8", "pipe.ts"), "rendition1"),
    /^MEDIA_NOT_A_FILE /,
  );
  await mkdir(file("a/folder.m3u8"));
  assert.match(await refused(file("a/folder.m3u8")), /^MEDIA_NOT_A_FILE /);
  assert.match(await refused(file("a/none.m3u8")), /^MEDIA_NOT_FOUND /);
  const written = async (name: string, text: string) => {
    await writeFile(file(`a/${name}`), text);
    return refused(file(`a/${name}`));
  };
  const variant = (uri: string) => `#EXT-X-STREAM-INF:BANDWIDTH=1\n${uri}\n`;
  assert.match(await written("loop.m3u8", `#EXTM3U\n${variant("loop.m3u8")}`), /^MANIFEST_INVALID /);
  const many = Array.from({ length: 3_000 }, (_, index) => variant(`${index}.m3u8`)).join("");
  assert.match(
    await written("many.m3u8", `#EXTM3U\n${many}`),
    /^MANIFEST_INVALID .*more than 100 renditions/,
  );
  const key =
    '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF:1,\n1.ts\n#EXT-X-ENDLIST\n';
  assert.match(await written("key.m3u8", key), /^MEDIA_ENCRYPTED /);
  const entity = '<!DOCTYPE MPD [<!ENTITY x SYSTEM "file:///etc/passwd">]><MPD>&x;</MPD>';
  assert.match(await written("entity.mpd", entity), /^MANIFEST_INVALID /);
  assert.match(await written("zeros.mpd", "\0".repeat(17 * 2 ** 20)), /^MANIFEST_INVALID .*the most are/);
});

test("refuses a rendition that is larger than its cache before it joins anything", async () => {
  const segments = "#EXT-X-BYTERANGE:1000000@0\n#EXTINF:1,\nbig.ts\n".repeat(2_000);
  await writeFile(file("a/big.ts"), Buffer.alloc(1_000_000, "G"));
  await writeFile(
    file("a/big.m3u8"),
    `#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:1\n${segments}#EXT-X-ENDLIST\n`,
  );
  assert.match(await refused(file("a/big.m3u8"), "rendition1"), /^MEDIA_CACHE_FULL /);
});

/** Jobs whose videos are objects in a real S3 server: found, signed, fetched, exact, and one version for all of a job. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { encode, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { enlarge } from "../media/enlarge.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";

const SCENE = { width: 160, height: 90, frames: 75 };
/** Keys with what must be encoded in URLs, and encoded otherwise in signatures. */
const KEYS = [
  "plain.mp4",
  "with space/and+plus.mp4",
  "parentheses (1)!*'.mp4",
  "percent%20%2F.mp4",
  "ünïcödé/影片.mp4",
  "tilde~under_score=equals&and;semi,colon:@$.mp4",
  "hash#tag.mp4",
];

let directory: MediaDirectory;
let s3: S3Server;
let svc: ControllerProcess;
let jobs: JobsClient;
let reference: string;
let distorted: string;

before(async () => {
  directory = await MediaDirectory.open();
  reference = await encode(directory, "reference.mkv", SCENE, LOSSY.h264);
  distorted = await encode(directory, "distorted.mp4", SCENE, LOSSY.mpeg4);
  s3 = await S3Server.start(directory.path);
  await s3.put("masters/reference.mkv", await readFile(reference));
  await s3.put("encodes/distorted.mp4", await readFile(distorted));
  await s3.put("private/other.mp4", await readFile(distorted));
  const wrong = directory.file("wrong");
  await writeFile(wrong, "[default]\naws_access_key_id = NOBODY\naws_secret_access_key = none\n");
  const storage = (buckets: readonly string[], credentials: object) => ({
    s3: { endpoint: s3.endpoint, region: REGION, buckets, credentials, privateNetwork: true },
  });
  const own = { file: s3.credentials, profile: BUCKET };
  const prefixes = ["masters/", "encodes/", "headers/", "keys/", "none/"].map(
    (prefix) => `${BUCKET}/${prefix}`,
  );
  const storages = [storage(prefixes, own), storage([`${BUCKET}/wrong/`], { file: wrong })];
  const file = directory.file("storages.json");
  await writeFile(file, JSON.stringify({ storages }));
  svc = await ControllerProcess.up({
    dataDir: directory.file("data"),
    args: [
      ...["--segment-seconds", "1", "--storages-file", file, "--worst-stills", "0", "--log-level", "debug"],
      ...["--media-cache", directory.file("cache")],
    ],
  });
  jobs = await JobsClient.of(svc);
});

after(async () => {
  await svc.stop();
  await s3[Symbol.asyncDispose]();
  await directory.remove();
});

const MASTER = `s3://${BUCKET}/masters/reference.mkv`;
const ENCODE = `s3://${BUCKET}/encodes/distorted.mp4`;

test("a pair in a bucket has exactly the scores of the same files on disk, whole and cut", async () => {
  const local = await jobs.until((await jobs.submitAnew({ reference, distorted })).id, "SUCCEEDED");
  const cut = await jobs.until(
    (await jobs.submitAnew({ reference: MASTER, distorted: ENCODE })).id,
    "SUCCEEDED",
  );
  assert.ok(cut.segmentsTotal > 1);
  assert.deepEqual(cut.result?.["pooled"], local.result?.["pooled"]);
  assert.equal(await jobs.framesOf(cut), await jobs.framesOf(local));
  const avi = await encode(directory, "whole.avi", SCENE, LOSSY.mpeg4);
  await s3.put("encodes/whole.avi", await readFile(avi));
  const inBucket = `s3://${BUCKET}/encodes/whole.avi`;
  const wholeLocal = await jobs.until((await jobs.submitAnew({ reference, distorted: avi })).id, "SUCCEEDED");
  const whole = await jobs.until(
    (await jobs.submitAnew({ reference: MASTER, distorted: inBucket })).id,
    "SUCCEEDED",
  );
  assert.equal(whole.segmentsTotal, 1);
  assert.equal(await jobs.framesOf(whole), await jobs.framesOf(wholeLocal));
});

test("keys with any characters are signed and found", async () => {
  for (const key of KEYS) {
    await s3.put(`keys/${key}`, await readFile(distorted));
    const { spec } = await jobs.submitAnew({
      reference: MASTER,
      distorted: `s3://${BUCKET}/keys/${key}`,
      diagnoseOnly: true,
    });
    assert.ok(spec["distortedVersion"], key);
  }
});

test("an object that is replaced or deleted while its job waits or runs ends it as MEDIA_CHANGED", async () => {
  const bytes = await readFile(distorted);
  for (const change of ["replaced", "deleted"]) {
    const key = `encodes/${change}.mp4`;
    await s3.put(key, bytes);
    const { id } = await jobs.submitAnew({ reference: MASTER, distorted: `s3://${BUCKET}/${key}` });
    await (change === "deleted" ? s3.delete(key) : s3.put(key, Buffer.concat([bytes, Buffer.alloc(9)])));
    const { error } = await jobs.until(id, "FAILED");
    assert.equal(error?.code, "MEDIA_CHANGED");
  }
});

test("objects that are missing, forbidden or outside the prefixes are refused", async () => {
  for (const [name, status, code] of [
    [`s3://${BUCKET}/none/film.mp4`, 422, "MEDIA_NOT_FOUND"],
    [`s3://${BUCKET}/wrong/film.mp4`, 422, "MEDIA_NOT_READABLE"],
    [`s3://${BUCKET}/private/other.mp4`, 403, "URL_NOT_ALLOWED"],
    [`s3://${BUCKET}/encodes/../private/other.mp4`, 400, "URL_NOT_SUPPORTED"],
    [`s3://other/encodes/distorted.mp4`, 403, "URL_NOT_ALLOWED"],
  ] as const) {
    const answer = await jobs.submit({ reference: MASTER, distorted: name });
    assert.equal(answer.body.code, code, JSON.stringify(answer.body));
    assert.equal(answer.status, status);
  }
});

interface MediaPage {
  readonly entries: readonly {
    readonly name: string;
    readonly kind: string;
    readonly size?: number;
    readonly probe?: object;
  }[];
  readonly nextPageToken: string;
}

async function listed(under: string, pageSize = 500): Promise<MediaPage["entries"]> {
  const entries: MediaPage["entries"][number][] = [];
  let pageToken = "";
  do {
    const query = new URLSearchParams({ under, pageSize: String(pageSize), pageToken });
    const { status, body } = await jobs.call<MediaPage>("listMedia", `/v1/media?${query.toString()}`);
    assert.equal(status, 200, JSON.stringify(body));
    entries.push(...body.entries);
    pageToken = body.nextPageToken;
  } while (pageToken !== "");
  return entries;
}

test("folders of a bucket are listed, with any characters, and page by page", async () => {
  for (const key of KEYS) await s3.put(`keys/${key}`, Buffer.from("1234567"));
  // Jobs cannot name these.
  for (const key of ["a?b.mp4", "a?/b.mp4"]) await s3.put(`keys/${key}`, Buffer.from("x"));
  const top = await listed(`s3://${BUCKET}/keys/`);
  const inside = (
    await Promise.all(top.filter(({ kind }) => kind === "FOLDER").map(({ name }) => listed(name)))
  ).flat();
  const files = [...top, ...inside].filter(({ kind }) => kind === "FILE");
  const names = KEYS.map((key) => `s3://${BUCKET}/keys/${key}`);
  assert.deepEqual(files.map(({ name }) => name).sort(), names.sort());
  assert.ok(files.every(({ size }) => size === 7));
  for (const pageSize of [1, 2, 3]) assert.deepEqual(await listed(`s3://${BUCKET}/keys/`, pageSize), top);
});

test("objects have the codec, size, rate and duration of their headers on request", async () => {
  const noisy = { ...SCENE, filters: "noise=alls=90:allf=t" };
  // Its index is at neither end: a hole of 12 MiB follows.
  const film = await encode(directory, "film.mp4", noisy, ["-c:v", "libx264", "-qp", "0"]);
  await s3.put("headers/film.mp4", await readFile(await enlarge(film, 12 * 2 ** 20)));
  await s3.put("headers/reference.mkv", await readFile(reference));
  await s3.put("headers/noise.mp4", Buffer.alloc(5_000_000, "\x9d\x01 moov ftyp"));
  await s3.put("headers/empty.mp4", Buffer.alloc(0));
  await s3.put("headers/list.m3u8", Buffer.from("#EXTM3U\n#EXTINF:1,\n/etc/passwd\n"));
  const query = new URLSearchParams({ under: `s3://${BUCKET}/headers/`, probe: "true" });
  const { body } = await jobs.call<MediaPage>("listMedia", `/v1/media?${query.toString()}`);
  const video = { codec: "h264", width: 160, height: 90, duration: 3, frameRate: 25 };
  assert.deepEqual(
    body.entries.map(({ name, probe }) => [name.slice(name.lastIndexOf("/") + 1), probe]),
    [
      ["empty.mp4", undefined],
      ["film.mp4", video],
      ["list.m3u8", undefined],
      ["noise.mp4", undefined],
      ["reference.mkv", video],
    ],
  );
});

test("nothing outside the prefixes is listed", async () => {
  const { body } = await jobs.call<MediaPage>("listMedia", "/v1/media");
  const prefixes = body.entries.map(({ name }) => name).filter((name) => name.startsWith("s3:"));
  assert.deepEqual(
    prefixes,
    ["encodes/", "headers/", "keys/", "masters/", "none/", "wrong/"].map(
      (prefix) => `s3://${BUCKET}/${prefix}`,
    ),
  );
  assert.deepEqual(await listed(`s3://${BUCKET}/none/`), []);
  for (const [under, code] of [
    [`s3://${BUCKET}/`, "URL_NOT_ALLOWED"],
    [`s3://${BUCKET}/private/`, "URL_NOT_ALLOWED"],
    [`s3://${BUCKET}/encodes/../private/`, "INVALID_REQUEST"],
    [`s3://${BUCKET}/wrong/`, "MEDIA_NOT_READABLE"],
  ]) {
    const path = `/v1/media?under=${encodeURIComponent(under ?? "")}`;
    assert.equal((await jobs.call<MediaPage>("listMedia", path)).body.code, code, under);
  }
});

test("no signature and no credentials are logged, stored or shown", async () => {
  const shown = JSON.stringify([svc.log, (await jobs.list()).body]);
  const metrics = await (await fetch(`${svc.metrics}/metrics`)).text();
  for (const text of [shown, metrics]) assert.doesNotMatch(text, /X-Amz|AKIDTEST|se\+cret/i);
});

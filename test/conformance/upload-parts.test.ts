/** Videos of another machine that go to a bucket: the command line, through cuts, restarts, and parts that are refused. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, beforeEach, describe, test } from "node:test";
import { Up } from "../cli/up.ts";
import { draw, LOSSY } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { S3Proxy } from "../storages/s3-proxy.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { until } from "../waiting.ts";

const MIB = 2 ** 20;
const PLACE = `s3://${BUCKET}/`;

let directory: MediaDirectory;
let s3: S3Server;
let proxy: S3Proxy;
let up: Up;

before(async () => {
  directory = await MediaDirectory.open();
  s3 = await S3Server.start(directory.path);
  proxy = await S3Proxy.open(s3.endpoint);
  const credentials = { file: s3.credentials, profile: BUCKET };
  const own = { endpoint: proxy.endpoint, region: REGION, credentials, privateNetwork: true };
  const storages = [{ s3: { ...own, buckets: [`${BUCKET}/in/`], uploads: `${BUCKET}/in/` } }];
  await writeFile(directory.file("storages.json"), JSON.stringify({ storages }));
  const cache = ["--media-cache", directory.file("cache"), "--worst-stills", "0"];
  up = await Up.start(["--storages-file", directory.file("storages.json"), ...cache]);
});
beforeEach(() => {
  proxy.harm = () => undefined;
});
after(async () => {
  await up[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await s3[Symbol.asyncDispose]();
  await directory.remove();
});

interface StoredUpload {
  readonly id: string;
  readonly name: string;
  readonly offset: number;
  readonly path: string;
}

async function uploads(): Promise<readonly StoredUpload[]> {
  const response = await fetch(`${up.rest}/v1/uploads`);
  return ((await response.json()) as { uploads: StoredUpload[] }).uploads;
}

/** Waits until parts of a file are in the bucket, but not all. */
async function begun(name: string): Promise<void> {
  await until(
    async () => (await uploads()).some((one) => one.name === name && one.offset > 0),
    `parts of ${name}`,
  );
}

/** Writes a file of random bytes: six parts, of which the last one is short. */
async function file(name: string, bytes = 81 * MIB): Promise<string> {
  await writeFile(directory.file(name), randomBytes(bytes));
  return directory.file(name);
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Fails unless the object of that URL has the bytes of the file. */
async function arrived(stdout: string, path: string): Promise<void> {
  const url = stdout.trim();
  assert.ok(url.startsWith(`${PLACE}in/`), url);
  assert.equal(digestOf(await s3.get(url.slice(PLACE.length))), digestOf(await readFile(path)));
}

describe("a file arrives whole in the bucket", () => {
  test("over ten interrupted connections, with URLs that expire, and bytes that are changed", async () => {
    const harms = ["CUT", "EXPIRE", "CUT", "TAMPER"] as const;
    let cuts = 0;
    proxy.harm = ({ number, before }) => {
      const harm = harms[(number + before) % harms.length];
      if (before >= 3 || harm === undefined) return undefined;
      if (harm === "CUT") cuts++;
      return harm;
    };
    const path = await file("harmed ä.mov");
    const { code, stdout, stderr } = await up.svc(["uploads", "add", path]);
    assert.equal(code, 0, stderr);
    assert.ok(cuts >= 7, String(cuts));
    await arrived(stdout, path);
    assert.match(stderr, /harmed ä\.mov: uploaded \(84\.9 MB\)/);
  });

  test("while the controller is killed and starts again", async () => {
    const path = await file("killed.mov");
    proxy.harm = ({ number, before }) => (number > 4 && before < 2 ? "CUT" : undefined);
    await using sending = up.start(["uploads", "add", path]);
    await begun("killed.mov");
    await up.restart();
    const { code, stdout, stderr } = await sending.ended();
    assert.equal(code, 0, stderr);
    await arrived(stdout, path);
  });

  test("by the next svc uploads add, if the first one was killed", async () => {
    const path = await file("again.mov");
    proxy.harm = ({ number }) => (number > 3 ? "CUT" : undefined);
    await using killed = up.start(["uploads", "add", path]);
    await begun("again.mov");
    killed.child.kill("SIGKILL");
    await killed.ended();
    proxy.harm = () => undefined;
    const next = await up.svc(["uploads", "add", path]);
    assert.match(next.stderr, /again\.mov: upload resumed and completed \(84\.9 MB\)/);
    await arrived(next.stdout, path);
    assert.match((await up.svc(["uploads", "add", path])).stderr, /was uploaded before/);
    assert.equal((await uploads()).filter(({ name }) => name === "again.mov").length, 1);
  });

  test("from the start, if the bucket has dropped its parts", async () => {
    const path = await file("dropped.mov");
    proxy.harm = ({ number }) => (number > 3 ? "CUT" : undefined);
    await using killed = up.start(["uploads", "add", path]);
    await begun("dropped.mov");
    killed.child.kill("SIGKILL");
    await killed.ended();
    await s3.abortAll();
    proxy.harm = () => undefined;
    const next = await up.svc(["uploads", "add", path]);
    assert.match(next.stderr, /dropped\.mov: uploaded \(84\.9 MB\)/);
    await arrived(next.stdout, path);
  });
});

test("a part that is refused again and again ends the command, and no URL is shown", async () => {
  proxy.harm = ({ number }) => (number === 2 ? "TAMPER" : undefined);
  const path = await file("refused.mov", 17 * MIB);
  const { code, stdout, stderr } = await up.svc(["uploads", "add", path]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /part 2 of\s+".*refused\.mov".*status\s+400\s+\(BadDigest\).*\[UPLOAD_REFUSED\]/s);
  assert.doesNotMatch(stderr + JSON.stringify(up.process.log), /X-Amz|Signature/i);
  proxy.harm = () => undefined;
  assert.match((await up.svc(["uploads", "add", path])).stderr, /upload resumed and completed/);
});

describe("jobs", () => {
  let pair: [string, string];
  before(async () => {
    pair = [directory.file("source.mp4"), directory.file("encode.mp4")];
    await ffmpeg([...draw(), "-c:v", "libx264", "-qp", "0", pair[0]]);
    await ffmpeg([...draw(), ...LOSSY.h264, pair[1]]);
  });

  test("score the objects exactly as svc score does, and keep their versions", async () => {
    const args = ["jobs", "submit", "--upload", ...pair, "--wait", "--json"];
    const { code, stdout, stderr } = await up.svc(args);
    assert.equal(code, 0, stderr);
    const local = await up.svc(["score", ...pair, "--json"]);
    const [far, near] = [stdout, local.stdout].map((text) => JSON.parse(text));
    assert.deepEqual((far.result ?? far).pooled, near.pooled);
    const { jobs } = JSON.parse(
      (await up.svc(["jobs", "list", "--json"])).stdout.replace(/^/, '{"jobs":[').replace(/\s*$/, "]}"),
    );
    assert.match(jobs[0].spec.reference, /^s3:\/\/videos\/in\/.*\/source\.mp4$/);
    assert.ok(jobs[0].spec.referenceVersion.etag);
    const id = (await uploads()).find(({ name }) => name === "encode.mp4")?.id ?? assert.fail();
    const listed = await up.svc(["uploads", "list"]);
    assert.match(listed.stdout, new RegExp(`${id} .*100 % .*s3://.*/encode\\.mp4`));
    assert.equal((await up.svc(["uploads", "delete", id])).code, 0);
    assert.deepEqual(
      (await s3.keys("in/")).filter((key) => key.includes(id)),
      [],
    );
  });

  test("of a comparison name the objects", async () => {
    const args = ["compare", pair[0], pair[1], "--submit", "--upload", "--json"];
    const { code, stdout, stderr } = await up.svc(args);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /s3:\/\/videos\/in\/[^"]*\/encode\.mp4/);
  });
});

/** Jobs whose videos are objects on an https server: exact, one version for all of a job, and no secrets anywhere. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, beforeEach, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { MediaDirectory } from "../media/directory.ts";
import { Authority } from "../server/certificates.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { MediaServer } from "../storages/media-server.ts";

const SCENE = { width: 160, height: 90, frames: 75 };

let directory: MediaDirectory;
let server: MediaServer;
let svc: ControllerProcess;
let jobs: JobsClient;
let files: { readonly reference: string; readonly distorted: string };

before(async () => {
  directory = await MediaDirectory.open();
  const reference = await encode(directory, "reference.mkv", SCENE, LOSSY.h264);
  const distorted = await encode(directory, "distorted.mp4", SCENE, LOSSY.mpeg4);
  files = { reference, distorted };
  const authority = await Authority.open(directory.path, "authority");
  server = await MediaServer.start(authority);
  const storages = directory.file("storages.yaml");
  const credentials = directory.file("credentials");
  await writeFile(credentials, "[default]\naws_access_key_id = KEYID\naws_secret_access_key = hush\n");
  const bucket = { region: "eu-central-1", buckets: ["bucket/encodes/"], credentials: { file: credentials } };
  const own = [
    { https: { hosts: [server.host, "localhost:1"], privateNetwork: true } },
    { s3: { ...bucket, endpoint: server.url(""), privateNetwork: true } },
  ];
  await writeFile(storages, JSON.stringify({ storages: own }));
  svc = await ControllerProcess.up({
    dataDir: directory.file("data"),
    args: [
      ...["--segment-seconds", "1", "--storages-file", storages, "--worst-stills", "0"],
      ...["--media-cache", directory.file("cache"), "--log-level", "debug"],
    ],
    env: { NODE_EXTRA_CA_CERTS: authority.path },
  });
  jobs = await JobsClient.of(svc);
});

beforeEach(async () => {
  server.fault = () => false;
  server.put("/reference.mkv", await readFile(files.reference));
  server.put("/distorted.mp4", await readFile(files.distorted));
  server.requests.length = 0;
});

after(async () => {
  await svc.stop();
  await server.close();
  await directory.remove();
});

function objects() {
  return { reference: server.url("/reference.mkv"), distorted: server.url("/distorted.mp4") };
}

async function refused(spec: object, status: number, code: string): Promise<string> {
  const answer = await jobs.submit({ ...objects(), ...spec });
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.code, code);
  return answer.body.detail;
}

test("a pair on a server has exactly the scores of the same files on disk, and is fetched once", async () => {
  const local = await jobs.until((await jobs.submitAnew(files)).id, "SUCCEEDED");
  server.sentBytes = 0;
  const remote = await jobs.until((await jobs.submitAnew(objects())).id, "SUCCEEDED");
  assert.ok(remote.segmentsTotal > 1, "it is cut");
  assert.deepEqual(remote.result?.["pooled"], local.result?.["pooled"]);
  assert.equal(await jobs.framesOf(remote), await jobs.framesOf(local));
  const bytes = (await readFile(files.reference)).length + (await readFile(files.distorted)).length;
  const lookUps = server.requests.filter(({ range }) => range === "bytes=0-0").length;
  assert.equal(server.sentBytes, bytes + lookUps);
  const again = await jobs.until(
    (await jobs.submitAnew({ ...objects(), features: ["psnr"] })).id,
    "SUCCEEDED",
  );
  assert.equal(again.score, local.score);
  const fetched = server.requests.filter(({ range }) => range !== "bytes=0-0").length;
  assert.equal(fetched, 2);
});

test("a job says which versions of its objects it scores", async () => {
  const { spec } = await jobs.submitAnew(objects());
  const version = spec["distortedVersion"] as { readonly etag: string; readonly size: number };
  assert.match(version.etag, /^"[0-9a-f]{64}"$/);
  assert.equal(version.size, (await readFile(files.distorted)).length);
  assert.equal((spec["referenceVersion"] as { modifyTime: string }).modifyTime, "2026-01-02T03:04:05Z");
});

test("the same objects are not scored twice, and replaced ones are", async () => {
  const bytes = await readFile(files.distorted);
  server.put("/reused.mp4", bytes);
  const spec = { reference: objects().reference, distorted: server.url("/reused.mp4"), noCache: false };
  const first = await jobs.until((await jobs.submitAnew(spec)).id, "SUCCEEDED");
  const { status, body: again } = await jobs.submit(spec);
  assert.equal(status, 201);
  assert.equal(again.state, "SUCCEEDED");
  assert.equal(again.score, first.score);
  server.put("/reused.mp4", Buffer.concat([bytes, Buffer.alloc(8)]));
  const { body: other } = await jobs.submit(spec);
  assert.equal(other.state, "QUEUED");
  await jobs.cancel(other.id);
});

test("a mix of a file and an object is scored", async () => {
  const mixed = { reference: files.reference, distorted: objects().distorted };
  const done = await jobs.until((await jobs.submitAnew(mixed)).id, "SUCCEEDED");
  assert.equal(done.result?.["frameCount"], SCENE.frames);
});

test("a pair is diagnosed over https, too", async () => {
  const { id } = await jobs.submitAnew({ ...objects(), diagnoseOnly: true });
  await jobs.until(id, "SUCCEEDED");
});

test("svc jobs submit takes objects, also in a list, and refuses URLs with secrets before it connects", async () => {
  const { reference, distorted } = objects();
  const submit = ["jobs", "submit", "--server", svc.grpc];
  const waited = await start(SVC, [...submit, reference, distorted, "--wait"]).ended();
  assert.equal(waited.code, 0, waited.stderr);
  const list = directory.file("list.csv");
  await writeFile(list, `reference,distorted\n${files.reference},${distorted}\n`);
  const listed = await start(SVC, [...submit, "--from", list]).ended();
  assert.equal(listed.code, 0, listed.stderr);
  const job = await jobs.get(listed.stdout.trim());
  assert.equal(job.body.spec["distorted"], distorted);
  const signed = await start(SVC, [...submit, reference, `${distorted}?signature=hush`]).ended();
  assert.equal(signed.code, 2);
  assert.match(signed.stderr, /URL_NOT_SUPPORTED/);
  assert.doesNotMatch(signed.stderr, /hush/);
});

test("raw video takes its geometry from the object's name", async () => {
  const raw = await pristine(directory, "raw_160x90.yuv", { ...SCENE, frames: 10 });
  const bytes = await readFile(raw);
  server.put("/raw%20clip_160x90.yuv", bytes);
  const url = server.url("/raw%20clip_160x90.yuv");
  const { id } = await jobs.submitAnew({ reference: url, distorted: url });
  const done = await jobs.until(id, "SUCCEEDED");
  assert.equal(done.result?.["frameCount"], 10);
});

test("an object that is replaced while its job waits or runs ends it as MEDIA_CHANGED", async () => {
  const bytes = await readFile(files.distorted);
  for (const nth of [0, 1, 2]) {
    const path = `/replaced-${nth}.mp4`;
    server.put(path, bytes);
    let requests = 0;
    server.fault = (asked) => {
      if (asked.path !== path) return false;
      // Request 0 looks at the object at submission; its response is still of the old one.
      if (requests === nth) server.put(path, Buffer.concat([bytes, Buffer.alloc(nth + 1)]));
      requests++;
      return false;
    };
    const { id } = await jobs.submitAnew({ reference: objects().reference, distorted: server.url(path) });
    const { error } = await jobs.until(id, "FAILED");
    assert.equal(error?.code, "MEDIA_CHANGED", `replaced after request ${nth}`);
    assert.match(error.message, /submit the pair again/i);
  }
});

test("an object that is deleted while its job waits ends it as MEDIA_CHANGED", async () => {
  server.put("/deleted.mp4", await readFile(files.distorted));
  server.fault = ({ path, range }) => {
    if (path === "/deleted.mp4" && range.last === 0) server.delete("/deleted.mp4");
    return false;
  };
  const { id } = await jobs.submitAnew({
    reference: objects().reference,
    distorted: server.url("/deleted.mp4"),
  });
  const { error } = await jobs.until(id, "FAILED");
  assert.equal(error?.code, "MEDIA_CHANGED");
});

test("cut connections, stalls and errors of the server change nothing", async () => {
  const expected = await jobs.until((await jobs.submitAnew(files)).id, "SUCCEEDED");
  server.put("/cut.mp4", await readFile(files.distorted));
  let faults = 0;
  server.fault = ({ path, range, response, headers, body }) => {
    if (path !== "/cut.mp4" || range.last === 0 || faults >= 5) return false;
    faults++;
    if (faults % 2 === 0) response.writeHead(503).end();
    else {
      response.writeHead(206, headers);
      response.write(body.subarray(0, body.length / 3), () => response.destroy());
    }
    return true;
  };
  const { id } = await jobs.submitAnew({ reference: objects().reference, distorted: server.url("/cut.mp4") });
  const done = await jobs.until(id, "SUCCEEDED");
  assert.equal(faults, 5);
  assert.equal(done.retries, 0);
  assert.deepEqual(done.result?.["pooled"], expected.result?.["pooled"]);
});

test("a URL that the storage refuses is renewed with the next heartbeat", async () => {
  server.put("/bucket/encodes/distorted.mp4", await readFile(files.distorted));
  const refusedUrls = new Set<string>();
  server.fault = ({ path, range, request: { url = "" }, response }) => {
    // The URL of the first fetch is refused whenever it is used, as one that has expired.
    if (path.startsWith("/bucket/") && range.last > 0 && refusedUrls.size === 0) refusedUrls.add(url);
    if (!refusedUrls.has(url)) return false;
    response.writeHead(403).end();
    return true;
  };
  const { id } = await jobs.submitAnew({
    reference: objects().reference,
    distorted: "s3://bucket/encodes/distorted.mp4",
  });
  const done = await jobs.until(id, "SUCCEEDED");
  assert.equal(refusedUrls.size, 1);
  assert.equal(done.retries, 0);
});

test("a given version must be the current one", async () => {
  const { spec } = await jobs.submitAnew(objects());
  const { distortedVersion } = spec;
  await jobs.submitAnew({ ...objects(), distortedVersion });
  server.put("/distorted.mp4", Buffer.alloc(100));
  await refused({ distortedVersion }, 422, "MEDIA_CHANGED");
  const inFile = { ...files, distortedVersion };
  assert.equal((await jobs.submit(inFile)).body.code, "INVALID_REQUEST");
});

test("a repeated submission finds its job, even if the objects are gone", async () => {
  const headers = { "idempotency-key": "gone" };
  const first = await jobs.submit(objects(), headers);
  assert.equal(first.status, 201);
  server.delete("/reference.mkv");
  const again = await jobs.submit(objects(), headers);
  assert.equal(again.body.id, first.body.id);
});

test("what cannot be read is refused at submission, and a batch says which job is at fault", async () => {
  await refused({ distorted: server.url("/none.mp4") }, 422, "MEDIA_NOT_FOUND");
  server.put("/empty.mp4", Buffer.alloc(0));
  await refused({ distorted: server.url("/empty.mp4") }, 422, "MEDIA_NO_FRAMES");
  server.fault = ({ response }) => {
    response.writeHead(403).end();
    return true;
  };
  await refused({}, 422, "MEDIA_NOT_READABLE");
  server.fault = () => false;
  await refused({ distorted: "https://localhost:1/film.mp4" }, 503, "STORAGE_UNAVAILABLE");
  const batch = [{ job: objects() }, { job: { ...objects(), distorted: server.url("/none.mp4") } }];
  const { status, body } = await jobs.post<object>("submitJobs", "/v1/jobs:batch", { jobs: batch });
  assert.equal(status, 422, JSON.stringify(body));
  assert.match(body.detail, /^jobs\[1\]: /);
});

test("names outside the storages, with queries, credentials or other schemes are refused", async () => {
  for (const distorted of ["https://other.example/a.mp4", "s3://bucket/a.mp4", `https://127.0.0.1/a.mp4`])
    await refused({ distorted }, 403, "URL_NOT_ALLOWED");
  for (const distorted of [
    ...[`${objects().distorted}?token=hush`, `${objects().distorted}#hush`, "file:///etc/passwd"],
    ...[objects().distorted.replace("//", "//user:hush@"), objects().distorted.replace("https", "http")],
  ])
    assert.doesNotMatch(await refused({ distorted }, 400, "URL_NOT_SUPPORTED"), /hush/);
});

test("the metrics count what was fetched, and neither they nor the log have a URL's query", async () => {
  const metrics = await (await fetch(`${svc.metrics}/metrics`)).text();
  assert.ok(Number(/^svc_node_media_fetched_bytes_total (\d+)/m.exec(metrics)?.[1]) > 0);
  assert.ok(Number(/^svc_node_media_cache_bytes (\d+)/m.exec(metrics)?.[1]) > 0);
  assert.doesNotMatch(metrics, /hush|localhost:\d+\//);
  assert.doesNotMatch(JSON.stringify(svc.log), /hush/);
});

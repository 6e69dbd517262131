/** Comparisons of titles in storages: on a web server and in a bucket, with the digits of the same title in a media root. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { Authority } from "../server/certificates.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { MediaServer } from "../storages/media-server.ts";
import { until } from "../waiting.ts";

interface Cell {
  readonly distorted: string;
  readonly jobId: string;
  readonly state: string;
  readonly pooled: Readonly<Record<string, object>>;
  readonly segments?: readonly object[];
  readonly error?: { readonly code: string; readonly message: string };
}

interface Comparison {
  readonly id: string;
  readonly progress: { readonly queued: number; readonly running: number };
  readonly cells: readonly Cell[];
}

let titles: Titles;
let server: MediaServer;
let controller: ControllerProcess;
let jobs: JobsClient;
let source: string;
/** Of HLS with fMP4, HLS with one file by byte ranges, and DASH. */
const manifests = ["hls/master.m3u8", "packed/master.m3u8", "dash/title.mpd"];
const nodes: SvcProcess[] = [];

const file = (name: string): string => titles.file(`media/${name}`);
const inBucket = (path: string): string => `s3://bucket/titles/${path}`;
const onServer = (path: string): string => server.url(`/web/my%20titles/${path}`);

before(async () => {
  titles = await Titles.open();
  for (const folder of ["hls", "packed", "dash"]) await mkdir(file(folder), { recursive: true });
  source = file("source.mkv");
  await copyFile(titles.source, source);
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  const both = [...inputs, "-map", "0:v", "-map", "1:v", "-c", "copy"];
  const hls = (folder: string) => [
    ...[...both, "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"],
    ...["-master_pl_name", "master.m3u8", "-var_stream_map", "v:0 v:1", "-b:v:0", "400k", "-b:v:1", "120k"],
    ...["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "v%v-init.mp4"],
    ...["-hls_segment_filename", file(`${folder}/v%v-%d.m4s`)],
  ];
  await ffmpeg([...hls("hls"), file("hls/v%v.m3u8")]);
  await ffmpeg([
    ...hls("packed").slice(0, -1),
    file("packed/v%v.m4s"),
    "-hls_flags",
    "single_file",
    file("packed/v%v.m3u8"),
  ]);
  await ffmpeg([...both, "-f", "dash", "-seg_duration", "1", file("dash/title.mpd")]);
  const authority = await Authority.open(titles.file(""), "authority");
  server = await MediaServer.start(authority);
  const [storages, credentials] = [titles.file("storages.json"), titles.file("credentials")];
  await writeFile(credentials, "[default]\naws_access_key_id = KEYID\naws_secret_access_key = hush\n");
  const bucket = { region: "eu-central-1", buckets: ["bucket/titles/"], credentials: { file: credentials } };
  const own = [
    { https: { hosts: [server.host], privateNetwork: true } },
    { s3: { ...bucket, endpoint: server.url(""), privateNetwork: true } },
  ];
  await writeFile(storages, JSON.stringify({ storages: own }));
  const roots = ["--media-root", titles.file("media")];
  const env = { NODE_EXTRA_CA_CERTS: authority.path };
  controller = await ControllerProcess.start({
    dataDir: titles.file("data"),
    args: [...roots, "--segment-seconds", "2", "--storages-file", storages, "--worst-stills", "0"],
    env,
  });
  jobs = await JobsClient.of(controller);
  for (const name of ["one", "two"]) {
    const cache = ["--media-cache", titles.file("cache"), "--media-cache-size", "1"];
    const args = ["--controller", controller.grpc, "--metrics-port", "0", "--name", name, ...cache, ...roots];
    const node = new SvcProcess("node", { args, env });
    nodes.push(node);
    await node.logged("registered");
  }
});

after(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await server.close();
  await titles[Symbol.asyncDispose]();
});

beforeEach(async () => {
  server.fault = () => false;
  for (const folder of ["hls", "packed", "dash"]) await put(folder);
  server.requests.length = 0;
});

/** Puts a title on the server, at both of its addresses. */
async function put(folder: string): Promise<void> {
  for (const name of await readdir(file(folder))) {
    const content = await readFile(file(`${folder}/${name}`));
    server.put(`/bucket/titles/${folder}/${name}`, content);
    server.put(`/web/my%20titles/${folder}/${name}`, content);
  }
}

const asJson = (body: object, method = "POST") => ({
  ...{ method, headers: { "content-type": "application/json" } },
  body: JSON.stringify(body),
});

async function submit(distorted: string, settings: object = {}) {
  const request = { settings: { noCache: true, ...settings }, pairs: [{ reference: source, distorted }] };
  return jobs.call<Comparison>("submitComparison", "/v1/comparisons", asJson(request));
}

async function ended({ id }: { readonly id: string }): Promise<Comparison> {
  const found = async () => (await jobs.call<Comparison>("getComparison", `/v1/comparisons/${id}`)).body;
  await until(async () => {
    const { progress } = await found();
    return progress.queued + progress.running === 0;
  }, "the comparison to end");
  return found();
}

async function compared(distorted: string): Promise<readonly Cell[]> {
  const { status, body } = await submit(distorted);
  assert.equal(status, 201, JSON.stringify(body));
  return (await ended(body)).cells;
}

const rendition = (name: string): string => name.slice(name.lastIndexOf("#"));
const facts = ({ distorted, state, pooled, segments }: Cell) => ({
  ...{ rendition: rendition(distorted), state, pooled, segments },
});

describe("a title in a storage", () => {
  for (const path of manifests)
    test(`has exactly the scores and segments of ${path} in a media root`, async () => {
      const local = await compared(file(path));
      assert.deepEqual(
        local.map(({ state, segments }) => [state, segments?.length]),
        [
          ["SUCCEEDED", 6],
          ["SUCCEEDED", 6],
        ],
        JSON.stringify(local),
      );
      for (const manifest of [inBucket(path), onServer(path)]) {
        const cells = await compared(manifest);
        assert.deepEqual(cells.map(facts), local.map(facts), JSON.stringify(cells));
        assert.ok(cells.every(({ distorted }) => distorted.startsWith(`${manifest}#`)));
      }
    });

  test("is fetched by the node of each task once, and only the segments of its rendition", async () => {
    const [cell] = await compared(inBucket(join("hls", "v0.m3u8")));
    assert.equal(cell?.state, "SUCCEEDED", JSON.stringify(cell));
    const fetched = server.requests.filter(({ range }) => range !== "bytes=0-0");
    assert.ok(
      fetched.every(({ path }) => /\/bucket\/titles\/hls\/v0/.test(path)),
      JSON.stringify(fetched),
    );
    assert.ok(fetched.every(({ ifMatch }) => ifMatch !== undefined));
    const whole = fetched.filter(({ path, range }) => path.endsWith("v0-3.m4s") && range !== "bytes=0-15");
    assert.ok(whole.length >= 1 && whole.length <= nodes.length, JSON.stringify(whole));
  });

  test("is compared by svc compare, and one rendition of it is scored as a job", async () => {
    const manifest = inBucket("hls/master.m3u8");
    await using running = start(SVC, ["compare", source, manifest, "--submit", "--quiet"], {
      env: { SVC_SERVER: controller.grpc },
    });
    running.child.stdin?.end();
    const { code, stdout, stderr } = await running.ended();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The worst 5 of 12 segments$/m);
    const [name] = (await compared(manifest)).map(({ distorted }) => distorted);
    const { body } = await jobs.submit({ reference: source, distorted: name ?? "" });
    assert.deepEqual(Object.keys(body.spec["distortedVersion"] ?? {}), ["etag", "size", "modifyTime"]);
    await jobs.until(body.id, "SUCCEEDED");
    const { body: scored } = await jobs.call<{
      readonly result: { readonly streamSegments: readonly object[] };
    }>("getJob", `/v1/jobs/${body.id}`);
    assert.equal(scored.result.streamSegments.length, 6);
    const stills = `/v1/jobs/${body.id}/stills`;
    const asked = await jobs.call("requestStills", stills, asJson({ frames: [7] }));
    assert.equal(asked.status, 202, JSON.stringify(asked.body));
    const listed = async () =>
      (await jobs.call<{ readonly stills: readonly { readonly state: string }[] }>("listStills", stills)).body
        .stills;
    await until(async () => (await listed()).every(({ state }) => state !== "PENDING"), "the stills");
    assert.deepEqual(
      (await listed()).map(({ state }) => state),
      ["READY", "READY"],
    );
    const diagnosed = await jobs.submitAnew({ reference: source, distorted: name ?? "", diagnoseOnly: true });
    await jobs.until(diagnosed.id, "SUCCEEDED");
  });

  test("fails only the rendition of which a segment is missing", async () => {
    server.delete("/bucket/titles/hls/v1-2.m4s");
    const [first, second] = await compared(inBucket("hls/master.m3u8"));
    assert.equal(first?.state, "SUCCEEDED");
    assert.equal(second?.error?.code, "MEDIA_NOT_FOUND");
    assert.match(second?.error?.message ?? "", /"s3:\/\/bucket\/titles\/hls\/v1-2\.m4s"/);
  });

  test("ends as MEDIA_CHANGED if a segment is replaced after the job was planned", async () => {
    const path = "/bucket/titles/hls/v0-3.m4s";
    const other = await readFile(file("hls/v0-4.m4s"));
    // The last look of the task that plans.
    server.fault = ({ path: asked, range, request }) => {
      const isLast = asked === path && range.last === 0 && request.headers["if-match"] !== undefined;
      if (isLast) server.put(path, other);
      return false;
    };
    const [cell] = await compared(inBucket("hls/v0.m3u8"));
    assert.equal(cell?.error?.code, "MEDIA_CHANGED", JSON.stringify(cell));
  });

  test("is refused outside of the storages, and fails for objects outside of its folder", async () => {
    for (const [distorted, code] of [
      ["s3://bucket/private/title.mpd", "URL_NOT_ALLOWED"],
      ["s3://other/titles/title.mpd", "URL_NOT_ALLOWED"],
      ["https://films.example/title.mpd", "URL_NOT_ALLOWED"],
      [inBucket("hls/none.m3u8"), "MEDIA_NOT_FOUND"],
      [`${onServer("hls/master.m3u8")}?token=1`, "URL_NOT_SUPPORTED"],
    ] as const) {
      const { body } = await submit(distorted);
      assert.equal(body.code, code, distorted);
    }
    const one = await jobs.submit({ reference: source, distorted: inBucket("hls/master.m3u8") });
    assert.deepEqual([one.status, one.body.code], [400, "INVALID_REQUEST"]);
    const playlist = await readFile(file("hls/v0.m3u8"), "utf8");
    for (const uri of ["../dash/title.mpd", "https://films.example/1.m4s", "v0-0.m4s?token=1"]) {
      server.put("/bucket/titles/hls/odd.m3u8", Buffer.from(playlist.replace(/^v0-0\.m4s$/m, uri)));
      const [cell] = await compared(inBucket("hls/odd.m3u8"));
      assert.equal(cell?.error?.code, "MANIFEST_UNSUPPORTED", uri);
    }
  });

  test("is reached by URLs that nobody is shown", async () => {
    const shown = JSON.stringify([controller.log, nodes.map(({ log }) => log), (await jobs.list()).body]);
    for (const secret of [/X-Amz/, /KEYID/, /hush/]) assert.doesNotMatch(shown, secret);
  });
});

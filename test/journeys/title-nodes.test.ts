/** Comparisons of titles on a controller and its nodes: submitted over REST, gRPC and by the console's requests. */
import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { SVC, start } from "../cli/program.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

interface Cell {
  readonly number: number;
  readonly reference: string;
  readonly distorted: string;
  readonly ladder: string;
  readonly jobId: string;
  readonly state: string;
  readonly media?: { readonly width: number; readonly videoBitRate?: number };
  readonly pooled: Readonly<Record<string, object>>;
  readonly segments?: readonly { readonly firstFrame: number; readonly frameCount: number }[];
  readonly error?: { readonly code: string; readonly message: string };
}

interface Comparison {
  readonly id: string;
  readonly progress: { readonly queued: number; readonly running: number };
  readonly cells: readonly Cell[];
}

const HD_AND_4K = ["vmaf_v0.6.1", "vmaf_4k_v0.6.1"];

let titles: Titles;
let controller: ControllerProcess;
let jobs: JobsClient;
let source: string;
let manifest: string;
const nodes: SvcProcess[] = [];

const file = (name: string): string => titles.file(`media/${name}`);

before(async () => {
  titles = await Titles.open();
  await mkdir(file("title"), { recursive: true });
  source = file("source.mkv");
  await copyFile(titles.source, source);
  manifest = file("title/master.m3u8");
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  await ffmpeg([
    ...[...inputs, "-map", "0:v", "-map", "1:v", "-c", "copy", "-f", "hls", "-hls_time", "1"],
    ...["-hls_playlist_type", "vod", "-master_pl_name", "master.m3u8", "-var_stream_map", "v:0 v:1"],
    ...["-b:v:0", "400k", "-b:v:1", "120k"],
    ...["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "v%v-init.mp4"],
    ...["-hls_segment_filename", file("title/v%v-%d.m4s"), file("title/v%v.m3u8")],
  ]);
  const roots = ["--media-root", titles.file("media")];
  controller = await ControllerProcess.start({
    dataDir: titles.file("data"),
    args: [...roots, "--segment-seconds", "2"],
  });
  jobs = await JobsClient.of(controller);
  for (const name of ["one", "two"]) {
    const cache = ["--media-cache", titles.file("cache")];
    const args = ["--controller", controller.grpc, "--metrics-port", "0", "--name", name, ...cache, ...roots];
    const node = new SvcProcess("node", { args });
    nodes.push(node);
    await node.logged("registered");
  }
});
after(async () => {
  for (const node of nodes) await node[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
  await titles[Symbol.asyncDispose]();
});

const asJson = (body: object, method = "POST") => ({
  ...{ method, headers: { "content-type": "application/json" } },
  body: JSON.stringify(body),
});

async function submit(request: object) {
  return jobs.call<Comparison>("submitComparison", "/v1/comparisons", asJson(request));
}

async function ended({ id }: { readonly id: string }): Promise<Comparison> {
  for (;;) {
    const { body } = await jobs.call<Comparison>("getComparison", `/v1/comparisons/${id}`);
    if (body.progress.queued + body.progress.running === 0) return body;
    await until(async () => {
      const { body: now } = await jobs.call<Comparison>("getComparison", `/v1/comparisons/${id}`);
      return JSON.stringify(now.progress) !== JSON.stringify(body.progress);
    }, "progress");
  }
}

async function svc(...args: readonly string[]) {
  await using running = start(SVC, args, { env: { SVC_SERVER: controller.grpc } });
  running.child.stdin?.end();
  return await running.ended();
}

describe("a comparison of a title", () => {
  test("scores all renditions by device on the nodes, exactly as svc compare does", async () => {
    const { status, body } = await submit({
      ...{ name: "weekly", settings: { models: HD_AND_4K } },
      pairs: [{ reference: source, distorted: manifest, ladder: "web" }],
    });
    assert.equal(status, 201, JSON.stringify(body));
    assert.deepEqual(
      body.cells.map(({ distorted }) => distorted),
      [manifest],
    );
    const { cells } = await ended(body);
    const models = HD_AND_4K.flatMap((model) => ["--model", model]);
    const here = await svc("compare", source, manifest, ...models, "--json", "--quiet");
    assert.equal(here.code, 0, here.stderr);
    const facts = ({ distorted, pooled, media, segments }: Cell) => ({ distorted, pooled, media, segments });
    assert.deepEqual(cells.map(facts), (JSON.parse(here.stdout) as Comparison).cells.map(facts));
    assert.deepEqual(
      cells.map(({ number, state, ladder, media }) => [number, state, ladder, media?.width]),
      [
        [1, "SUCCEEDED", "web", 160],
        [2, "SUCCEEDED", "web", 96],
      ],
    );
    assert.deepEqual(Object.keys(cells[0]?.pooled ?? {}), ["vmaf", "vmaf_4k_v0.6.1"]);
    assert.deepEqual(
      cells[1]?.segments?.map(({ firstFrame, frameCount }) => [firstFrame, frameCount]),
      [0, 25, 50, 75, 100, 125].map((first) => [first, 25]),
    );
    for (const { jobId } of cells) {
      const { body: job } = await jobs.call<{
        readonly work: readonly { readonly kind: string }[];
        readonly result: { readonly streamSegments: readonly object[] };
      }>("getJob", `/v1/jobs/${jobId}`);
      assert.deepEqual(job.result.streamSegments, cells.find((cell) => cell.jobId === jobId)?.segments);
      // Segments that join the rendition themselves: more than one task of each.
      assert.ok(job.work.filter(({ kind }) => kind === "SEGMENT").length >= 2, JSON.stringify(job.work));
    }
  });

  test("takes the next title into the same comparison, and a single rendition as a job", async () => {
    const { body } = await submit({ pairs: [{ reference: source, distorted: await titles.encode("h264") }] });
    assert.equal(body.code, "PATH_NOT_ALLOWED");
    const encode = file("encode.mp4");
    await copyFile(await titles.encode("h264"), encode);
    const { body: made } = await submit({ pairs: [{ reference: source, distorted: encode }] });
    const pairs = [{ reference: source, distorted: manifest }];
    const added = await jobs.call<{ readonly added: number }>(
      "addCells",
      `/v1/comparisons/${made.id}/cells`,
      asJson({ pairs }),
    );
    assert.deepEqual([added.status, added.body.added], [200, 1]);
    const { cells } = await ended(made);
    assert.equal(cells.length, 3);
    assert.deepEqual(cells[1]?.pooled, cells[0]?.pooled);
    const { body: job } = await jobs.submit({ reference: source, distorted: cells[1]?.distorted ?? "" });
    await jobs.until(job.id, "SUCCEEDED");
    const again = await jobs.call<{ readonly added: number }>(
      "addCells",
      `/v1/comparisons/${made.id}/cells`,
      asJson({ pairs }),
    );
    assert.deepEqual([again.status, again.body.added], [200, 0]);
    assert.equal((await ended(made)).cells.length, 3);
    // With all its renditions in the same request, the title has nothing to add.
    const renditions = cells.slice(1).map(({ distorted }) => ({ reference: source, distorted }));
    const { body: full } = await submit({ pairs: [...renditions, ...pairs] });
    const failed = (await ended(full)).cells[2];
    assert.deepEqual([failed?.distorted, failed?.error?.code], [manifest, "INVALID_REQUEST"]);
    assert.match(failed?.error?.message ?? "", /has all renditions of the title already/);
  });

  test("says in its cell why a title cannot be read, and reads it again on a retry", async () => {
    const later = file("title/later.m3u8");
    const text = await readFile(file("title/v0.m3u8"), "utf8");
    await writeFile(later, text.replace("#EXTINF", '#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF'));
    const { body } = await submit({ pairs: [{ reference: source, distorted: later }] });
    const [cell] = (await ended(body)).cells;
    assert.deepEqual([cell?.state, cell?.error?.code, cell?.distorted], ["FAILED", "MEDIA_ENCRYPTED", later]);
    await writeFile(later, text);
    const retried = await jobs.call("retryCells", `/v1/comparisons/${body.id}:retry`, asJson({}));
    assert.equal(retried.status, 200);
    const [fixed] = (await ended(body)).cells;
    assert.deepEqual([fixed?.state, fixed?.distorted], ["SUCCEEDED", `${later}#rendition1`]);
  });

  test("is the same over gRPC, and its page has the worst segments", async () => {
    const { code, stdout, stderr } = await svc("compare", source, manifest, "--submit", "--quiet");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The worst 5 of 12 segments$/m);
    const { body } = await jobs.call<{ readonly comparisons: readonly Comparison[] }>(
      "listComparisons",
      "/v1/comparisons?pageSize=1",
    );
    const shown = await svc("comparisons", "show", body.comparisons[0]?.id ?? "");
    assert.match(shown.stdout, /^The worst 5 of 12 segments$/m);
  });

  test("is refused where a title cannot be read or is no single video", async () => {
    for (const [pair, code] of [
      [{ reference: manifest, distorted: source }, "INVALID_REQUEST"],
      [{ reference: source, distorted: "s3://films/title.mpd" }, "URL_NOT_ALLOWED"],
      [{ reference: source, distorted: "https://films.example/title.mpd" }, "URL_NOT_ALLOWED"],
      [{ reference: source, distorted: "/etc/title.m3u8" }, "PATH_NOT_ALLOWED"],
      [{ reference: source, distorted: "/etc/title.m3u8#1x1-1k" }, "PATH_NOT_ALLOWED"],
      [{ reference: source, distorted: `${file("")}../title.m3u8` }, "PATH_NOT_ALLOWED"],
    ] as const) {
      const { body } = await submit({ pairs: [pair] });
      assert.equal(body.code, code, JSON.stringify(pair));
    }
    const one = await jobs.submit({ reference: source, distorted: manifest });
    assert.deepEqual([one.status, one.body.code], [400, "INVALID_REQUEST"]);
    const job = { reference: source, distorted: manifest };
    const batch = await jobs.call("submitJobs", "/v1/jobs:batch", asJson({ jobs: [{ job }] }));
    assert.deepEqual([batch.status, batch.body.code], [400, "INVALID_REQUEST"]);
    assert.match(batch.body.detail, /^jobs\[0\]: /);
  });
});

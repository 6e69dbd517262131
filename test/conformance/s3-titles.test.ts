/** Titles in a real S3 server: signed, fetched and joined, with the digits of the same title in a media root. */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { ffmpeg } from "../media/ffmpeg.ts";
import { Titles } from "../media/titles.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { until } from "../waiting.ts";

interface Cell {
  readonly distorted: string;
  readonly state: string;
  readonly pooled: Readonly<Record<string, object>>;
  readonly segments: readonly object[];
  readonly error?: { readonly code: string };
}

interface Comparison {
  readonly id: string;
  readonly progress: { readonly queued: number; readonly running: number };
  readonly cells: readonly Cell[];
}

/** With what must be encoded in URLs, and encoded otherwise in signatures. */
const FOLDER = "titles/ünïcödé (1) a+b%20=&$!'";

let titles: Titles;
let s3: S3Server;
let svc: ControllerProcess;
let jobs: JobsClient;

before(async () => {
  titles = await Titles.open();
  await mkdir(titles.file("title"));
  const inputs = ["-i", await titles.encode("h264"), "-i", await titles.encode("small")];
  await ffmpeg([
    ...[...inputs, "-map", "0:v", "-map", "1:v", "-c", "copy"],
    ...["-f", "dash", "-seg_duration", "1", titles.file("title/title.mpd")],
  ]);
  s3 = await S3Server.start(titles.file(""));
  await put();
  const own = { file: s3.credentials, profile: BUCKET };
  const storage = { endpoint: s3.endpoint, region: REGION, buckets: [`${BUCKET}/titles/`], credentials: own };
  const file = titles.file("storages.json");
  await writeFile(file, JSON.stringify({ storages: [{ s3: { ...storage, privateNetwork: true } }] }));
  svc = await ControllerProcess.up({
    dataDir: titles.file("data"),
    args: [
      ...["--segment-seconds", "2", "--storages-file", file, "--worst-stills", "0"],
      ...["--media-cache", titles.file("cache")],
    ],
  });
  jobs = await JobsClient.of(svc);
});

after(async () => {
  await svc.stop();
  await s3[Symbol.asyncDispose]();
  await titles[Symbol.asyncDispose]();
});

async function put(): Promise<void> {
  for (const name of await readdir(titles.file("title")))
    await s3.put(`${FOLDER}/${name}`, await readFile(titles.file(`title/${name}`)));
}

async function compared(distorted: string): Promise<readonly Cell[]> {
  const { body } = await jobs.call<Comparison>("submitComparison", "/v1/comparisons", {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({
      settings: { noCache: true },
      pairs: [{ reference: titles.source, distorted }],
    }),
  });
  const found = async () => (await jobs.call<Comparison>("getComparison", `/v1/comparisons/${body.id}`)).body;
  await until(async () => {
    const { progress } = await found();
    return progress.queued + progress.running === 0;
  }, "the comparison to end");
  return (await found()).cells;
}

const MANIFEST = `s3://${BUCKET}/${FOLDER}/title.mpd`;

test("a title in a bucket has exactly the scores of the same title on disk", async () => {
  const local = await compared(titles.file("title/title.mpd"));
  const cells = await compared(MANIFEST);
  const facts = ({ state, pooled, segments }: Cell) => ({ state, pooled, segments });
  assert.deepEqual(cells.map(facts), local.map(facts), JSON.stringify(cells));
  assert.deepEqual(
    cells.map(({ state, segments }) => [state, segments.length]),
    [
      ["SUCCEEDED", 6],
      ["SUCCEEDED", 6],
    ],
  );
});

test("a segment that is missing fails its rendition, and one that is replaced is scored with its new content", async () => {
  const [first = ""] = (await readdir(titles.file("title"))).filter((name) =>
    name.startsWith("chunk-stream1"),
  );
  await s3.delete(`${FOLDER}/${first}`);
  const [one, other] = await compared(MANIFEST);
  assert.equal(one?.state, "SUCCEEDED");
  assert.match(other?.error?.code ?? "", /^MEDIA_NOT_FOUND$/);
  await put();
  assert.ok((await compared(MANIFEST)).every(({ state }) => state === "SUCCEEDED"));
});

test("no signature and no credentials are logged or shown", async () => {
  const shown = JSON.stringify([svc.log, (await jobs.list()).body]);
  assert.doesNotMatch(shown, /X-Amz|AKIDTEST|se\+cret/i);
});

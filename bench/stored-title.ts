/**
 * What a rendition of many segments in a bucket costs, against the same one on the disk: requests, and time and CPU time of
 * its node. The bucket is a web server in this process, which waits MILLISECONDS before each response. Run with
 * `npm run bench:stored-title -- [SEGMENTS [MILLISECONDS]]`; docs/titles.md has the results of one run.
 */
import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Authority } from "../test/server/certificates.ts";
import { MediaServer } from "../test/storages/media-server.ts";
import { cpuTime } from "./interleave.ts";
import { ffmpeg } from "./media.ts";
import { System } from "./system.ts";

const SEGMENTS = Number(process.argv[2] ?? 1800);
const MILLISECONDS = Number(process.argv[3] ?? 0);
const SEGMENT_SECONDS = 2;
/** Few and small frames: the requests count here, not the scoring. */
const FILM = `testsrc2=s=64x36:r=1:d=${SEGMENTS * SEGMENT_SECONDS}`;
const ENCODE = [
  "-c:v",
  "libx264",
  "-preset",
  "ultrafast",
  "-pix_fmt",
  "yuv420p",
  "-g",
  String(SEGMENT_SECONDS),
];

await using directory = await mkdtempDisposable(join(tmpdir(), "svc-bench-"));
const here = (name: string) => join(directory.path, name);
await ffmpeg(["-f", "lavfi", "-i", FILM, ...ENCODE, "-crf", "10", "reference.mp4"], directory.path);
const hls = ["-f", "hls", "-hls_time", String(SEGMENT_SECONDS), "-hls_playlist_type", "vod"];
const parts = [
  ...hls,
  "-hls_segment_type",
  "fmp4",
  "-hls_fmp4_init_filename",
  "title-init.mp4",
  "title.m3u8",
];
await ffmpeg(["-i", "reference.mp4", ...ENCODE, "-crf", "35", ...parts], directory.path);

const authority = await Authority.open(directory.path, "authority");
process.env["NODE_EXTRA_CA_CERTS"] = authority.path;
const server = await MediaServer.start(authority);
server.fault = async () => {
  if (MILLISECONDS > 0) await pause(MILLISECONDS);
  return false;
};
for (const name of await readdir(directory.path))
  if (name.startsWith("title")) server.put(`/videos/film/${name}`, await readFile(here(name)));
await writeFile(here("credentials"), "[default]\naws_access_key_id = KEYID\naws_secret_access_key = hush\n");
const s3 = {
  ...{ endpoint: server.url(""), region: "eu-central-1", privateNetwork: true },
  ...{ buckets: ["videos"], credentials: { file: here("credentials") } },
};
await writeFile(here("storages.json"), JSON.stringify({ storages: [{ s3 }] }));

const threads = availableParallelism();
const system = await System.start(
  directory.path,
  "store",
  [{ threads, flags: ["--media-cache", here("cache")] }],
  ["--storages-file", here("storages.json")],
);
await system.client.nodesOnline(system.controller.rest, 1);
const pid = system.nodes[0]?.pid;
console.log(
  `A rendition of ${SEGMENTS} segments, ${MILLISECONDS} ms for each response, ${cpus()[0]?.model}, ${threads} threads`,
);
for (const [name, manifest] of [
  ["on the disk", here("title.m3u8")],
  ["in the bucket", "s3://videos/film/title.m3u8"],
] as const) {
  server.requests.length = 0;
  const [started, spent] = [performance.now(), await cpuTime(pid)];
  await system.client.score({ reference: here("reference.mp4"), distorted: `${manifest}#rendition1` });
  const [wall, cpu] = [performance.now() - started, (await cpuTime(pid)) - spent];
  const figures = `${(wall / 1000).toFixed(1)} s, CPU of the node ${(cpu / 1000).toFixed(1)} s`;
  console.log(`  ${name.padEnd(14)} ${figures}, requests ${server.requests.length}`);
}
await system[Symbol.asyncDispose]();
await server.close();

/**
 * How long a film of 20 GB takes to its first scored segment: in a storage that sends 1 Gbit/s, and on the disk of the
 * node. Run with `npm run bench:first-score -- [gigabytes]`.
 */
import { mkdtempDisposable, open, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Authority } from "../test/server/certificates.ts";
import { MediaServer } from "../test/storages/media-server.ts";
import { LongFilm } from "./long-film.ts";
import { ffmpeg } from "./media.ts";
import { System } from "./system.ts";

const BYTES = Number(process.argv[2] ?? 20) * 1e9;
const BITS_PER_SECOND = 1e9;
const POLL_MS = 50;
/** Bytes of the films on the disk that are not zeros: more than what the first segments need. */
const ON_DISK = 400 * 2 ** 20;
/** Bits per second of both videos. */
const RATES = { reference: "22M", distorted: "11M" } as const;

const CLIP_SECONDS = 10;
/** How often the clips repeat: both films have the same frames, and the larger one about the bytes. */
const TIMES = Math.round((8 * BYTES) / (CLIP_SECONDS * 1e6 * Number.parseInt(RATES.reference, 10)));

await using directory = await mkdtempDisposable(join(tmpdir(), "svc-bench-"));
const authority = await Authority.open(directory.path, "authority");
process.env["NODE_EXTRA_CA_CERTS"] = authority.path;
await using stack = new AsyncDisposableStack();
const server = await MediaServer.start(authority);
stack.defer(() => server.close());
/** When the line is free again. */
let freeAt = 0;
server.fault = async ({ body }) => {
  freeAt = Math.max(freeAt, performance.now()) + (8000 * body.length) / BITS_PER_SECOND;
  await sleep(Math.max(0, freeAt - performance.now()));
  return false;
};

const films = await Promise.all(Object.entries(RATES).map(([side, rate]) => film(side, rate)));
const sizes = films.map(({ length }) => `${(length / 1e9).toFixed(1)} GB`).join(" and ");
console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} threads; ${sizes}`);
const storages = join(directory.path, "storages.json");
await writeFile(
  storages,
  JSON.stringify({ storages: [{ https: { hosts: [server.host], privateNetwork: true } }] }),
);
await measure("storage", (side) => server.url(`/${side}.mp4`));
await measure("disk", (side) => join(directory.path, `${side}-film.mp4`));

/** Makes a film in the storage and, mostly as a hole, on the disk. */
async function film(side: string, rate: string): Promise<LongFilm> {
  const scene = "testsrc2=s=320x180:r=25,noise=alls=60:allf=t,format=yuv420p";
  const coding = ["-c:v", "libx264", "-preset", "veryfast", "-g", "50", "-b:v", rate, "-minrate", rate];
  const clip = `${side}-clip.mp4`;
  const steady = ["-maxrate", rate, "-bufsize", rate];
  await ffmpeg(
    ["-f", "lavfi", "-i", scene, "-t", String(CLIP_SECONDS), ...coding, ...steady, clip],
    directory.path,
  );
  const long = await LongFilm.of(join(directory.path, clip), TIMES);
  server.serve(`/${side}.mp4`, long, `${side} ${long.length}`);
  await using file = await open(join(directory.path, `${side}-film.mp4`), "w");
  const real = long.subarray(0, Math.min(ON_DISK, long.length));
  await file.write(real);
  await file.truncate(long.length);
  return long;
}

async function measure(place: string, nameOf: (side: string) => string): Promise<void> {
  const cache = ["--media-cache", join(directory.path, `cache-${place}`)];
  const node = { threads: availableParallelism(), flags: cache };
  await using system = await System.start(directory.path, place, [node], ["--storages-file", storages]);
  await system.client.nodesOnline(system.controller.rest, 1);
  const before = server.sentBytes;
  const started = performance.now();
  const id = await system.client.submit({ reference: nameOf("reference"), distorted: nameOf("distorted") });
  let planned: number | undefined;
  for (;;) {
    const { segmentsTotal, segmentsDone } = await system.client.job(id);
    if (segmentsTotal > 0) planned ??= performance.now() - started;
    if (segmentsDone > 0) break;
    await sleep(POLL_MS);
  }
  const seconds = (ms = 0) => (ms / 1000).toFixed(1);
  const fetched = (server.sentBytes - before) / 1e6;
  console.log(
    `${place}: planned after ${seconds(planned)} s, first segment after ${seconds(performance.now() - started)} s; ` +
      `fetched ${fetched.toFixed(0)} MB`,
  );
}

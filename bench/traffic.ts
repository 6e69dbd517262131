/**
 * What a fleet fetches of one film in a storage: bytes, in files of both videos. Four nodes score it together, each with
 * a cache of its own. Run with `npm run bench:traffic -- [minutes [film…]]`; docs/performance.md has the results of one run.
 */
import { randomUUID } from "node:crypto";
import { mkdtempDisposable, readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { Authority } from "../test/server/certificates.ts";
import { MediaServer } from "../test/storages/media-server.ts";
import { ffmpeg } from "./media.ts";
import { System } from "./system.ts";

const MINUTES = Number(process.argv[2] ?? 5);
const NODES = 4;
const MIB = 2 ** 20;

/** Each film as [file, options of its encoder]. */
const FILMS = [
  ["film.mp4", ["-c:v", "libx264", "-preset", "veryfast", "-g", "50"]],
  ["film.mov", ["-c:v", "libx264", "-preset", "veryfast", "-g", "50"]],
  ["film.mkv", ["-c:v", "libx264", "-preset", "veryfast", "-g", "50"]],
  ["film.ts", ["-c:v", "mpeg2video", "-g", "25", "-bf", "2", "-maxrate", "40M", "-bufsize", "8M"]],
  ["film.mxf", ["-c:v", "mpeg2video", "-g", "25", "-bf", "2", "-maxrate", "40M", "-bufsize", "8M"]],
] as const;
/**
 * Bits per second of both sides: a segment of 10 s is large against what opening a file takes, and five minutes of
 * either are planned by their index.
 */
const RATES = { reference: "16M", distorted: "8M" } as const;

await using directory = await mkdtempDisposable(join(tmpdir(), "svc-bench-"));
const authority = await Authority.open(directory.path, "authority");
process.env["NODE_EXTRA_CA_CERTS"] = authority.path;
const server = await MediaServer.start(authority);
const storages = join(directory.path, "storages.json");
await writeFile(
  storages,
  JSON.stringify({ storages: [{ https: { hosts: [server.host], privateNetwork: true } }] }),
);
console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} threads`);
console.log(`${NODES} nodes, ${MINUTES} minutes at ${RATES.reference} and ${RATES.distorted} bit/s`);
const asked = process.argv.slice(3);
for (const [name, encode] of FILMS) if (asked.length === 0 || asked.includes(name)) await bench(name, encode);
await server.close();

async function bench(name: string, encode: readonly string[]): Promise<void> {
  const scene = "testsrc2=s=320x180:r=25,noise=alls=20:allf=t,format=yuv420p";
  let size = 0;
  for (const [side, rate] of Object.entries(RATES)) {
    const file = `${side}-${name}`;
    const length = ["-t", String(60 * MINUTES)];
    await ffmpeg(["-f", "lavfi", "-i", scene, ...length, ...encode, "-b:v", rate, file], directory.path);
    const content = await readFile(join(directory.path, file));
    size += content.length;
    server.put(`/${file}`, content);
  }
  const caches = ["--media-cache", join(directory.path, `cache-${name}`)];
  const nodes = Array.from({ length: NODES }, () => ({ threads: 1, flags: caches }));
  const store = `${name}-${randomUUID()}`;
  await using system = await System.start(directory.path, store, nodes, ["--storages-file", storages]);
  await system.client.nodesOnline(system.controller.rest, NODES);
  const before = server.sentBytes;
  const started = performance.now();
  const pair = {
    reference: server.url(`/reference-${name}`),
    distorted: server.url(`/distorted-${name}`),
  };
  const id = await system.client.submit(pair);
  await system.client.succeeded(id);
  const seconds = (performance.now() - started) / 1000;
  const { segmentsTotal } = await system.client.job(id);
  const sent = server.sentBytes - before;
  console.log(
    `${name}: ${(size / MIB).toFixed(0)} MiB in both files, ${segmentsTotal} segments; ` +
      `fetched ${(sent / size).toFixed(2)} times both files, in ${seconds.toFixed(0)} s`,
  );
}

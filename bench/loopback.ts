/**
 * What it costs to read a pair from an S3 server on loopback instead of the disk: the time of a job, and the CPU time of its node.
 * Run with `npm run bench:loopback -- [SECONDS [ROUNDS [RATE]]]`; docs/performance.md has the results of one run.
 */
import { mkdtempDisposable, readFile, stat, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { BUCKET, REGION, S3Server } from "../test/storages/s3-server.ts";
import { interleave, printCpu, printTimings } from "./interleave.ts";
import { makePair } from "./media.ts";
import { System } from "./system.ts";

const SECONDS = Number(process.argv[2] ?? 20);
const ROUNDS = Number(process.argv[3] ?? 7);
/** Bits per second of the reference. */
const RATE = process.argv[4] ?? "12M";
const SIDES = ["reference", "distorted"] as const;

await using directory = await mkdtempDisposable(join(tmpdir(), "svc-bench-"));
const here = (name: string) => join(directory.path, name);
await makePair(directory.path, "1920x1080", SECONDS, RATE);
await using server = await S3Server.start(directory.path);
const s3 = {
  ...{ endpoint: server.endpoint, region: REGION, privateNetwork: true },
  ...{ buckets: [BUCKET], credentials: { file: server.credentials, profile: "videos" } },
};
await writeFile(here("storages.json"), JSON.stringify({ storages: [{ s3 }] }));
const node = { threads: availableParallelism(), flags: ["--media-cache", here("cache")] };
await using system = await System.start(
  directory.path,
  "store",
  [node],
  ["--storages-file", here("storages.json")],
);
const { client } = system;
await client.nodesOnline(system.controller.rest, 1);

/** The pair under names that are in no cache: one for each round, and one to warm up. */
const objects = Array.from({ length: ROUNDS + 1 }, (_, copy) => ({
  reference: `s3://${BUCKET}/${copy}/reference.mp4`,
  distorted: `s3://${BUCKET}/${copy}/distorted.mp4`,
}));
for (const copy of objects.keys())
  for (const side of SIDES) await server.put(`${copy}/${side}.mp4`, await readFile(here(`${side}.mp4`)));

function unread() {
  const pair = objects.pop();
  if (pair === undefined) throw new Error("every copy of the pair was read");
  return pair;
}

const PAIR = { reference: here("reference.mp4"), distorted: here("distorted.mp4") };
const pid = system.nodes[0]?.pid ?? process.pid;
const timings = await interleave(
  [
    { name: "from the disk", pid, run: () => client.score(PAIR) },
    { name: "from S3 on loopback", pid, run: () => client.score(unread()) },
  ],
  ROUNDS,
);
const bytes = await Promise.all(SIDES.map(async (side) => (await stat(here(`${side}.mp4`))).size));
const megabytes = bytes.map((size) => (size / 1e6).toFixed(0)).join(" and ");
const title = `A job of ${SECONDS} s of 1080p, ${megabytes} MB, ${cpus()[0]?.model}, ${availableParallelism()} threads`;
printTimings(`${title}: wall`, timings);
printCpu(`${title}: CPU of the node`, timings);

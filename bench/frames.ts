/**
 * The cost of a long film's per-frame scores: storing, streaming and pooling them. Run with
 * `npm run bench:frames -- [frames]`; docs/performance.md has the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresCluster } from "../test/store/postgres.ts";
import { Client } from "./client.ts";
import { type Film, planFilm } from "./film.ts";
import { milliseconds } from "./interleave.ts";
import { BenchNode } from "./node.ts";
import { observations } from "./observer.ts";
import type { SvcProcess } from "./process.ts";
import { startController } from "./system.ts";

/** Three hours at 60 frames per second. */
const FRAMES = Number(process.argv[2] ?? 648_000);
const RATE = 60;
const DATABASE = "frames";

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`planning a film of ${FRAMES} frames`);
  await bench(await planFilm({ directory, frames: FRAMES, rate: RATE, segmentSeconds: 10 }));
} finally {
  await rm(directory, { recursive: true });
}

async function bench(film: Film): Promise<void> {
  await using cluster = await PostgresCluster.start({ durable: true });
  const observed = join(directory, "controller.jsonl");
  const store = ["--database-url", await cluster.createDatabase(DATABASE)];
  await using controller = await startController(store, { observed });
  using client = new Client(controller.grpc);
  using node = await BenchNode.register(controller.grpc, film, 4);
  const empty = await sizeOf(cluster);
  const id = await client.submit(film.pair);
  console.log("scoring it");
  const segments = film.planned.segments.length;
  for (let done = 0; done < segments; done++) await node.cycle();
  controller.signal("SIGUSR2");
  const idle = await controller.peakMemory();

  // The last report triggers pooling.
  const started = performance.now();
  await node.cycle();
  await client.succeeded(id);
  console.log(`\npooling ${FRAMES} frames in ${segments} segments`);
  console.log(`  last report to result       ${milliseconds(performance.now() - started)}`);
  console.log(`  longest event loop stall    ${milliseconds(await stallOf(controller, observed))}`);
  console.log(
    `  peak resident memory        ${megabytes(idle)} before, ${megabytes(await controller.peakMemory())} after`,
  );
  await printSize(cluster, film, empty);
  await printStreaming(controller, `${controller.rest}/v1/jobs/${id}/frames`, observed);
}

async function printSize(cluster: PostgresCluster, film: Film, empty: number): Promise<void> {
  await cluster.admin("vacuum", DATABASE);
  const metrics = film.metrics.length;
  const pieces = await cluster.admin("select pg_total_relation_size('svc.piece')::float8 as bytes", DATABASE);
  const bytes = (pieces.rows[0] as { bytes: number }).bytes;
  const all = (await sizeOf(cluster)) - empty;
  const each = (total: number) => (total / FRAMES / metrics).toFixed(2);
  console.log(`\nin the store, ${metrics} metrics per frame`);
  console.log(
    `  per-frame scores            ${each(bytes)} bytes per frame and metric (${megabytes(bytes / 2 ** 20)})`,
  );
  console.log(
    `  the whole database grew by  ${each(all)} bytes per frame and metric (${megabytes(all / 2 ** 20)})`,
  );
}

async function sizeOf(cluster: PostgresCluster): Promise<number> {
  await cluster.admin("checkpoint", DATABASE);
  const { rows } = await cluster.admin(`select pg_database_size('${DATABASE}')::float8 as bytes`);
  return (rows[0] as { bytes: number }).bytes;
}

async function printStreaming(controller: SvcProcess, url: string, observed: string): Promise<void> {
  await stallOf(controller, observed);
  for (const format of ["text/csv", "application/json"]) {
    const started = performance.now();
    const response = await fetch(url, { headers: { accept: format } });
    let bytes = 0;
    for await (const chunk of response.body ?? []) bytes += chunk.length;
    if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
    const seconds = (performance.now() - started) / 1000;
    const stall = await stallOf(controller, observed);
    const peak = await controller.peakMemory();
    console.log(`\nstreamed as ${format}: ${megabytes(bytes / 2 ** 20)} in ${seconds.toFixed(1)} s`);
    console.log(`  peak resident memory        ${megabytes(peak)}`);
    console.log(`  longest event loop stall    ${milliseconds(stall)}`);
  }
}

/** Returns the longest stall since the last call. */
async function stallOf(controller: SvcProcess, observed: string): Promise<number> {
  const stalls = async () => (await observations(observed)).filter((seen) => seen.kind === "stall");
  const before = (await stalls()).length;
  controller.signal("SIGUSR2");
  for (;;) {
    const now = await stalls();
    if (now.length > before) return now.at(-1)?.ms ?? 0;
    await sleep(5);
  }
}

function megabytes(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} MB`;
}

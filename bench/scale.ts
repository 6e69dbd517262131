/**
 * Measures the unit costs of docs/scale.md: what a job, a heartbeat, a stream and an idle node cost a controller and
 * its PostgreSQL, also with a million jobs in the queue. Run with `npm run bench:scale`, which takes some minutes, or
 * `npm run bench:scale -- --quick`, with a tenth of the load. Controller, database and clients share the machine.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Connection } from "../src/client/connection/connection.ts";
import { JobService } from "../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../src/gen/proto/svc/v1/node_pb.ts";
import { PostgresCluster } from "../test/store/postgres.ts";
import { Client } from "./client.ts";
import { costsOf, type Measured, printCosts, residentBytes } from "./costs.ts";
import { fill } from "./crowd.ts";
import { type Film, planFilm } from "./film.ts";
import { Fleet } from "./fleet.ts";
import { inFlight, percentile } from "./flight.ts";
import { median } from "./interleave.ts";
import { BenchNode, registrationOf } from "./node.ts";
import { Stream } from "./stream.ts";
import { startController } from "./system.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const SHARE = values.quick ? 0.1 : 1;
const JOBS = 1_000 * SHARE;
const QUEUED = 1_000_000 * SHARE;
const FINISHED = 200_000 * SHARE;
const CALLS = 5_000 * SHARE;
const NODES = 2_000 * SHARE;
/** One less than a tenant may have at one controller. */
const STREAMS = 99;
const IN_FLIGHT = 32;
const IDLE_MS = 30_000;
/** Shorter than the hold of real nodes, which does not change the cost of a heartbeat. */
const HOLD_MS = 100;
/** Frames of a segment. */
const MAX_DONE = 250;
const DATABASE = "scale";
const TABLES = ["job", "work", "piece", "still", "event"];
/** A clip of one minute: six segments of ten seconds. */
const FILM = { frames: 1_500, rate: 25, segmentSeconds: 10 };

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(
    `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores; ${values.quick ? "quick" : "full"}`,
  );
  await bench(await planFilm({ directory, ...FILM }));
} finally {
  await rm(directory, { recursive: true });
}

async function bench(film: Film): Promise<void> {
  const settings = { shared_buffers: "512MB", max_wal_size: "8GB" };
  await using cluster = await PostgresCluster.start({ durable: true, settings });
  await using controller = await startController([
    ...["--database-url", await cluster.createDatabase(DATABASE), "--segment-seconds", "10"],
  ]);
  const of = { cluster, database: DATABASE, controller };
  await benchJobs(of, film);
  await benchHeartbeats(of, film);
  await benchFleet(of, film);
  await benchDepth(of, film);
}

/** Measures whole jobs, from submission to the last still. */
async function benchJobs(of: Measured, film: Film): Promise<void> {
  using client = new Client(of.controller.grpc);
  using node = await BenchNode.register(of.controller.grpc, film, IN_FLIGHT);
  const tasks = film.planned.segments.length + 2;
  const whole = (jobs: number) => async () => {
    await inFlight(jobs, IN_FLIGHT, () => client.submit(film.pair));
    await inFlight(jobs * tasks, IN_FLIGHT, () => node.cycle());
  };
  await whole(JOBS / 10)();
  await analyze(of);
  const before = await sizes(of);
  console.log(`\n${JOBS} jobs of ${FILM.frames} frames in ${tasks} tasks`);
  const alone = await costsOf(of, whole(JOBS));
  printCosts("no streams", alone, JOBS, "job");
  await printSizes(of, before, JOBS);
  const streams = Array.from({ length: STREAMS }, () => Stream.open(of.controller.grpc));
  await Promise.all(streams.map(async ({ begun }) => begun));
  const streamed = await costsOf(of, whole(JOBS));
  printCosts(`${STREAMS} streams of all jobs`, streamed, JOBS, "job");
  await sleep(1_000);
  const sent = streams.reduce((sum, { events }) => sum + events, 0);
  const micros = ((streamed.controllerMs - alone.controllerMs) * 1000) / Math.max(1, sent);
  console.log(`  ${sent} events sent in total, ${micros.toFixed(0)} µs of the controller each`);
  for (const stream of streams) await stream.close();
}

/**
 * Measures heartbeats of busy nodes: each renews a lease on arrival and at the end of its hold, and reports progress.
 */
async function benchHeartbeats(of: Measured, film: Film): Promise<void> {
  using client = new Client(of.controller.grpc);
  await client.submit(film.pair);
  using planner = await BenchNode.register(of.controller.grpc, film, 1);
  await planner.cycle();
  using connection = new Connection({ address: of.controller.grpc });
  const leases = await Promise.all(
    film.planned.segments.map(async (_, index) => {
      const request = { ...registrationOf(film, 1), name: `busy-${index}` };
      const { session } = await connection.call(NodeService.method.registerNode, request);
      const { item } = await connection.call(NodeService.method.pullWork, { session, waitMs: 10_000 });
      if (item === undefined) throw new Error("there are no tasks left");
      return { session, itemId: item.itemId, attempt: item.attempt };
    }),
  );
  const beat = async (index: number): Promise<void> => {
    const leased = leases[index % leases.length];
    if (leased === undefined) throw new Error("nothing is leased");
    const { session, ...lease } = leased;
    const framesDone = Math.floor(index / leases.length) % MAX_DONE;
    const running = [{ ...lease, framesDone }];
    await connection.call(NodeService.method.heartbeat, { session, running, holdMs: HOLD_MS });
  };
  console.log(`\n${CALLS} heartbeats of busy nodes, with progress`);
  printCosts(
    "sequential per node",
    await costsOf(of, () => inFlight(CALLS, leases.length, beat)),
    CALLS,
    "heartbeat",
  );
}

/** Measures idle nodes. */
async function benchFleet(of: Measured, film: Film): Promise<void> {
  const { pid } = of.controller;
  const before = residentBytes(pid);
  const started = performance.now();
  await using fleet = await Fleet.start(of.controller.grpc, film, NODES);
  const seconds = (performance.now() - started) / 1000;
  console.log(`\n${NODES} idle nodes, each on its own connection`);
  console.log(`  registered in ${seconds.toFixed(1)} s: ${(NODES / seconds).toFixed(0)} per second`);
  await sleep(IDLE_MS / 3);
  const { heartbeats, pulls } = fleet;
  const idle = await costsOf(of, () => sleep(IDLE_MS));
  const perSecond = (count: number) => (count / idle.seconds).toFixed(0);
  console.log(
    `  ${perSecond(fleet.heartbeats - heartbeats)} heartbeats and ${perSecond(fleet.pulls - pulls)} polls per second`,
  );
  const share = (ms: number) => `${(ms / idle.seconds / 10).toFixed(1)} %`;
  console.log(`  of a core: controller ${share(idle.controllerMs)}, PostgreSQL ${share(idle.databaseMs)}`);
  console.log(
    `  ${((residentBytes(pid) - before) / NODES / 1000).toFixed(0)} kB of the controller's memory per node`,
  );
  const failed = [...fleet.failures].map(([code, count]) => `${count} ${code}`).join(", ");
  console.log(`  failed calls: ${failed || "none"}`);
}

/** Measures the same calls with a long queue and a long history. */
async function benchDepth(of: Measured, film: Film): Promise<void> {
  const started = performance.now();
  await fill(of, { finished: FINISHED, queued: QUEUED });
  console.log(
    `\n${QUEUED} jobs queued and ${FINISHED} finished, stored in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  using client = new Client(of.controller.grpc);
  using node = await BenchNode.register(of.controller.grpc, film, IN_FLIGHT);
  const submits = () => inFlight(CALLS, IN_FLIGHT, () => client.submit(film.pair));
  printCosts("submit", await costsOf(of, submits), CALLS, "job");
  const cycles = () => inFlight(CALLS, IN_FLIGHT, () => node.cycle());
  printCosts("lease and report a task", await costsOf(of, cycles), CALLS, "task");
  const idle = await costsOf(of, () => sleep(IDLE_MS));
  console.log(
    `  ${"maintenance tasks, without calls".padEnd(44)} controller ${(idle.controllerMs / idle.seconds / 10).toFixed(1)} %, ` +
      `PostgreSQL ${(idle.databaseMs / idle.seconds / 10).toFixed(1)} % of a core`,
  );
  const pages = {
    newest: {},
    succeeded: { states: [3] },
    "with a label that none has": { labels: { no: "such" } },
  };
  for (const [what, filter] of Object.entries(pages)) await benchList(of, what, filter);
  const [{ bytes } = { bytes: 0 }] = (
    await of.cluster.admin(`select pg_database_size('${DATABASE}') as bytes`)
  ).rows;
  console.log(`  the whole database takes ${(Number(bytes) / 1e9).toFixed(2)} GB`);
}

async function benchList(of: Measured, what: string, filter: object): Promise<void> {
  using connection = new Connection({ address: of.controller.grpc });
  const times: number[] = [];
  for (let call = 0; call < 50; call++) {
    const began = performance.now();
    await connection.call(JobService.method.listJobs, { pageSize: 50, ...filter });
    times.push(performance.now() - began);
  }
  console.log(
    `  ${`a page of 50 jobs, ${what}`.padEnd(44)} median ${median(times).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`,
  );
}

async function analyze({ cluster }: Measured): Promise<void> {
  await cluster.admin("vacuum analyze", DATABASE);
}

/** Returns the bytes of each table with its indexes, and its number of rows. */
async function sizes({ cluster }: Measured): Promise<ReadonlyMap<string, { bytes: number; rows: number }>> {
  const query = TABLES.map(
    (table) =>
      `select '${table}' as name, pg_total_relation_size('svc.${table}') as bytes, count(*) as rows from svc.${table}`,
  ).join(" union all ");
  const { rows } = await cluster.admin(query, DATABASE);
  return new Map(
    rows.map(({ name, bytes, rows: count }) => [name, { bytes: Number(bytes), rows: Number(count) }]),
  );
}

async function printSizes(
  of: Measured,
  before: Awaited<ReturnType<typeof sizes>>,
  jobs: number,
): Promise<void> {
  await analyze(of);
  for (const [table, now] of await sizes(of)) {
    const grown = now.bytes - (before.get(table)?.bytes ?? 0);
    const rows = now.rows - (before.get(table)?.rows ?? 0);
    console.log(
      `  ${`svc.${table}, with indexes`.padEnd(44)} ${(grown / jobs / 1000).toFixed(2)} kB and ${(rows / jobs).toFixed(1)} rows per job, ` +
        `${(grown / Math.max(1, rows)).toFixed(0)} bytes per row`,
    );
  }
}

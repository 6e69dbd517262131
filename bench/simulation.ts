/**
 * Simulates a fleet: many nodes, real except for their scorer, which sleeps, on several controllers with one PostgreSQL
 * and a steady flow of jobs. Prints the measurements next to the predictions of the formulas in docs/scale.md.
 *
 *   npm run bench:fleet                               300 nodes on 2 controllers, for 2 minutes after a minute
 *   npm run bench:fleet -- --nodes 200 --kill         then kills one controller
 *   npm run bench:fleet -- --paper                    prints the tables of docs/scale.md from its formulas; runs nothing
 *
 * All processes share the machine: CPU times, bytes and counts are meaningful, latencies only while the machine is not
 * saturated. Exits with 1 if a job, a score or a change was lost or duplicated.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PostgresCluster } from "../test/store/postgres.ts";
import { residentBytes } from "./costs.ts";
import { type Film, planFilm } from "./film.ts";
import { JOB_SECONDS } from "./formulas.ts";
import { fleetsTable, formulasTable } from "./paper.ts";
import type { SvcProcess } from "./process.ts";
import { balance, untilDone } from "./simulation/accounts.ts";
import { Calls, CountedConnection, firstOf } from "./simulation/calls.ts";
import { printComparison, sum } from "./simulation/comparison.ts";
import { Follower } from "./simulation/follower.ts";
import { Nodes } from "./simulation/nodes.ts";
import { Notices } from "./simulation/notices.ts";
import { Probe } from "./simulation/probe.ts";
import { nodesAt, type Sample, type Simulated, sample, storeConnectionsOf } from "./simulation/sample.ts";
import { SleepingEngine } from "./simulation/sleeping.ts";
import { Submitter } from "./simulation/submitter.ts";
import { startController } from "./system.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "300" },
    controllers: { type: "string", default: "2" },
    minutes: { type: "string", default: "2" },
    streams: { type: "string", default: "2" },
    kill: { type: "boolean", default: false },
    paper: { type: "boolean", default: false },
  },
});
const NODES = Number(values.nodes);
const CONTROLLERS = Number(values.controllers);
/** Streams per controller. */
const STREAMS = Number(values.streams);
const WINDOW_MS = Number(values.minutes) * 60_000;
const WARM_UP_MS = 60_000;
/** Share of slots in use. If all were always busy, stills would wait forever behind all other tasks. */
const BUSY = 0.95;
const LOOK_MS = 100;
/** Long enough for abandoned leases to expire. */
const AFTERWARDS_MS = 60_000;
const DATABASE = "fleet";
const SETTINGS = { shared_buffers: "512MB", max_wal_size: "8GB" };
/** A clip of one minute: six segments of ten seconds. */
const FILM = { frames: 1_500, rate: 25, segmentSeconds: 10 };

if (values.paper) console.log(`${formulasTable()}\n\n${fleetsTable()}`);
else await simulate();

async function simulate(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    console.log(
      `${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores; ${NODES} nodes, ${CONTROLLERS} controllers`,
    );
    await bench(await planFilm({ directory, ...FILM }));
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function bench(film: Film): Promise<void> {
  await using cluster = await PostgresCluster.start({ durable: true, settings: SETTINGS });
  await using processes = new AsyncDisposableStack();
  const url = await cluster.createDatabase(DATABASE);
  const controllers: SvcProcess[] = [];
  for (let index = 0; index < CONTROLLERS; index++) {
    controllers.push(
      processes.use(await startController(["--database-url", url, "--segment-seconds", "10"])),
    );
  }
  const addresses = controllers.map(({ grpc }) => grpc);
  const calls = new Calls();
  using submitting = new CountedConnection(firstOf(addresses, 0), calls);
  const submitter = new Submitter(submitting, film.pair, calls);
  const engine = new SleepingEngine(film, submitter.planning);
  await using notices = await Notices.open(url);
  const of: Simulated = { cluster, database: DATABASE, controllers, notices, engine };
  const followers = Array.from({ length: STREAMS * CONTROLLERS }, (_, index) =>
    processes.use(new Follower(firstOf(addresses, index))),
  );
  await Promise.all(followers.map(({ begun }) => begun));
  await using nodes = await Nodes.start(addresses, NODES, engine, calls);
  await measure(of, { film, addresses, calls, submitter });
  if (values.kill) await kill(of, calls);
  await submitter[Symbol.asyncDispose]();
  await untilDone(of);
  console.log(`\n  tasks as reported by the nodes: ${await nodes.outcomes()}`);
  for (const fault of await balance(of, submitter.ids, followers)) {
    console.log(`  FAULT: ${fault}`);
    process.exitCode = 1;
  }
}

interface Fleet {
  readonly film: Film;
  readonly addresses: readonly string[];
  readonly calls: Calls;
  readonly submitter: Submitter;
}

/** Measures a window of a steady flow of jobs, after a warm-up. */
async function measure(of: Simulated, { film, addresses, calls, submitter }: Fleet): Promise<void> {
  const jobsPerSecond = (BUSY * NODES) / JOB_SECONDS;
  const asked = new Calls();
  await using probes = new AsyncDisposableStack();
  for (const address of addresses) probes.use(await Probe.open(address, film, asked));
  submitter.start(jobsPerSecond);
  await sleep(WARM_UP_MS);
  calls.reset();
  asked.reset();
  const before = await sample(of);
  const busy = await meanBusy(of.engine);
  const after = await sample(of);
  const load = { busy: BUSY * NODES, idle: (1 - BUSY) * NODES, jobsPerSecond };
  const connections = await storeConnectionsOf(of);
  console.log(`\nload ${loadavg()[0]?.toFixed(1)}; ${busy.toFixed(0)} of ${NODES} nodes busy on average`);
  printComparison({
    ...{ before, after, connections },
    load: { ...load, controllers: CONTROLLERS, streams: STREAMS },
  });
  await printFleet(of, before, after);
  printCalls(calls, asked);
}

async function meanBusy(engine: SleepingEngine): Promise<number> {
  const until = performance.now() + WINDOW_MS;
  const seen: number[] = [];
  while (performance.now() < until) {
    seen.push(engine.busy);
    await sleep(LOOK_MS);
  }
  return sum(seen) / seen.length;
}

async function printFleet({ controllers }: Simulated, before: Sample, after: Sample): Promise<void> {
  const nodes = await Promise.all(controllers.map(nodesAt));
  const resident = controllers.map(({ pid }) => (residentBytes(pid) / 1e6).toFixed(0));
  const counted = (name: "expired" | "streamsCut") =>
    sum(after.counters.map((of) => of[name])) - sum(before.counters.map((of) => of[name]));
  console.log(`  nodes per controller: ${nodes.join(", ")}`);
  console.log(`  resident memory per controller, MB: ${resident.join(", ")}`);
  console.log(`  expired leases: ${counted("expired")}; disconnected streams: ${counted("streamsCut")}`);
}

function printCalls(calls: Calls, asked: Calls): void {
  const rows: [string, string][] = [
    ["SubmitJob", calls.latency("SubmitJob")],
    ["from its response to planning", calls.latency("grant")],
    ["ReportResult", calls.latency("ReportResult")],
    ["held heartbeat, beyond its hold", calls.latency("Heartbeat")],
    ["immediate heartbeat", asked.latency("Heartbeat")],
    ["page of 50 jobs", asked.latency("ListJobs")],
  ];
  for (const [what, took] of rows) console.log(`  ${what.padEnd(36)} ${took}`);
  console.log(`  failed calls: nodes and submitter ${calls.failures}; probes ${asked.failures}`);
}

/** Kills one controller: its nodes and streams must move to the others. */
async function kill({ controllers }: Simulated, calls: Calls): Promise<void> {
  const [victim, ...rest] = controllers;
  if (victim === undefined || rest.length === 0) throw new Error("--kill needs at least two controllers");
  calls.reset();
  const nodes = await nodesAt(victim);
  const killed = performance.now();
  victim.signal("SIGKILL");
  const connected = async () => sum(await Promise.all(rest.map(nodesAt)));
  while ((await connected()) < NODES) await sleep(LOOK_MS);
  const seconds = (performance.now() - killed) / 1000;
  console.log(
    `\nA controller with ${nodes} nodes was killed: the others had all nodes after ${seconds.toFixed(1)} s`,
  );
  await sleep(AFTERWARDS_MS);
  console.log(`  failed calls within a minute: ${calls.failures}`);
}

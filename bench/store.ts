/**
 * Compares the controller's calls on PostgreSQL with pg-boss. Both use the same cluster with durable settings and 32
 * concurrent calls: ours over gRPC from another process, pg-boss inside this one. Run with `npm run bench:store`;
 * docs/performance.md has the results of one run.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresCluster } from "../test/store/postgres.ts";
import { Boss } from "./boss.ts";
import { Client } from "./client.ts";
import { type Film, planFilm } from "./film.ts";
import { inFlight } from "./flight.ts";
import { interleave, median, printTimings, type Timing } from "./interleave.ts";
import { BenchNode } from "./node.ts";
import { startController } from "./system.ts";

const IN_FLIGHT = 32;
const CALLS = 2_000;
const ROUNDS = 11;
/** Including the warm-up round. */
const ALL_CALLS = CALLS * (ROUNDS + 1);
/** Approximate bytes of a segment's report; pg-boss completes jobs with the same size. */
const RESULT_BYTES = 900;

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}; ${IN_FLIGHT} in flight, ${CALLS} calls per round`);
  await bench(await planFilm({ directory, frames: 60_000, rate: 60, segmentSeconds: 1 }));
} finally {
  await rm(directory, { recursive: true });
}

async function bench(film: Film): Promise<void> {
  await using cluster = await PostgresCluster.start({ durable: true });
  await using boss = await Boss.open(await cluster.createDatabase("boss"), IN_FLIGHT);
  const store = ["--database-url", await cluster.createDatabase("svc")];
  await using controller = await startController(store);
  using client = new Client(controller.grpc);
  using node = await BenchNode.register(controller.grpc, film, IN_FLIGHT);
  const films = Math.ceil(ALL_CALLS / film.planned.segments.length) + 1;
  for (let index = 0; index < films; index++) await client.submit(film.pair);

  const submits = await interleave(
    [
      { name: "pg-boss send", run: () => inFlight(CALLS, IN_FLIGHT, () => boss.send(film.pair)) },
      { name: "SubmitJob", run: () => inFlight(CALLS, IN_FLIGHT, () => client.submit(film.pair)) },
    ],
    ROUNDS,
  );
  printTimings(`Storing ${CALLS} jobs`, submits);
  printRates(submits);
  const result = { rows: randomBytes(RESULT_BYTES).toString("base64").slice(0, RESULT_BYTES) };
  const cycles = await interleave(
    [
      {
        name: "pg-boss fetch + complete",
        run: () => inFlight(CALLS, IN_FLIGHT, () => boss.cycle(result)),
      },
      {
        name: "PullWork + ReportResult",
        run: () => inFlight(CALLS, IN_FLIGHT, () => node.cycleOfOpenFilm()),
      },
    ],
    ROUNDS,
  );
  printTimings(`Taking and completing ${CALLS} tasks`, cycles);
  printRates(cycles);
}

function printRates(timings: readonly Timing[]): void {
  for (const { name, times } of timings) {
    console.log(`  ${name.padEnd(28)} ${(CALLS / (median(times) / 1000)).toFixed(0)} per second`);
  }
}

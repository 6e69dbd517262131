/**
 * Latency of a tenant's job lists while another tenant stores batches of 1,000 jobs with 32 labels each, on the
 * embedded database and on PostgreSQL; alternates between with and without batches. Run with `npm run bench:batch`;
 * docs/performance.md has the results of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresCluster } from "../test/store/postgres.ts";
import { percentile } from "./flight.ts";
import { median, milliseconds } from "./interleave.ts";
import { BenchProvider } from "./provider.ts";
import { startController } from "./system.ts";

const JOBS = 1_000;
const LABELS = 32;
/** Length of a label value: a batch is just under the maximum request size of 4 MiB. */
const LABEL_CHARS = 100;
/** Lists per second of the other tenant. */
const RATE = 20;
const ROUNDS = 5;
/** Pause between rounds, so that the limit on submissions does not affect the measurement. */
const PAUSE_MS = 1_000;

interface Caller {
  readonly rest: string;
  readonly token: string;
}

const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
  using provider = await BenchProvider.open();
  await using cluster = await PostgresCluster.start({ durable: true });
  const stores = {
    embedded: ["--data-dir", join(directory, "store")],
    PostgreSQL: ["--database-url", await cluster.createDatabase("svc")],
  };
  console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores`);
  for (const [name, flags] of Object.entries(stores)) {
    await using controller = await startController(flags, {
      auth: [...provider.flags, "--media-root", "/media"],
    });
    const callerOf = async (tid: string) => ({
      rest: controller.rest,
      token: await provider.newToken({ tid }),
    });
    await bench(name, await callerOf("greedy"), await callerOf("modest"));
  }
} finally {
  await rm(directory, { recursive: true });
}

async function bench(name: string, greedy: Caller, modest: Caller): Promise<void> {
  await call(modest, "/v1/jobs", { reference: "/media/r.mp4", distorted: "/media/d.mp4" });
  const [alone, during, batches]: number[][] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const quiet = await listed(modest, sleep(PAUSE_MS));
    const storing = timed(() => call(greedy, "/v1/jobs:batch", batch()));
    const busy = await listed(modest, storing);
    // The first round is a warm-up: first statements cost more.
    if (round === 0) continue;
    alone?.push(...quiet);
    during?.push(...busy);
    batches?.push(await storing);
  }
  const summary = (times: readonly number[]) =>
    `median ${milliseconds(median(times))}   p99 ${milliseconds(percentile(times, 0.99))}   max ${milliseconds(Math.max(...times))}`;
  console.log(
    `\n${name}: a batch of ${JOBS} jobs takes ${milliseconds(median(batches ?? []))} (median of ${ROUNDS})`,
  );
  console.log(`  lists alone            ${summary(alone ?? [])}`);
  console.log(`  lists during a batch   ${summary(during ?? [])}`);
}

/** Requests lists at a fixed rate until `work` is done. Returns the milliseconds of each. */
async function listed(caller: Caller, work: Promise<unknown>): Promise<readonly number[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const times: Promise<number>[] = [];
  while (!isDone) {
    times.push(timed(() => call(caller, "/v1/jobs")));
    await sleep(1000 / RATE);
  }
  await done;
  return Promise.all(times);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function batch(): object {
  const value = "v".repeat(LABEL_CHARS);
  const labels = Object.fromEntries(Array.from({ length: LABELS }, (_, n) => [`label-${n}`, value]));
  const job = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4", labels };
  return { jobs: Array.from({ length: JOBS }, () => ({ job })) };
}

async function call({ rest, token }: Caller, path: string, body?: object): Promise<void> {
  const response = await fetch(rest + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${text}`);
}

/**
 * Lists of a tenant with a million jobs, and 100,000 jobs cancelled and deleted by one request while another tenant
 * keeps submitting. Run with `npm run bench:many-jobs -- [lists|changes]`; docs/performance.md has the results of one
 * run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../src/client/connection/connection.ts";
import { JobService } from "../src/gen/proto/svc/v1/job_pb.ts";
import { openLog } from "../src/platform/observability/log.ts";
import type { JobFilter, JobSort } from "../src/store/contract/job-records.ts";
import { openStore } from "../src/store/open.ts";
import { PostgresCluster } from "../test/store/postgres.ts";
import { percentile } from "./flight.ts";
import { median, milliseconds } from "./interleave.ts";
import { BenchProvider } from "./provider.ts";
import { startController } from "./system.ts";

const PARTS = { lists: benchLists, changes: benchChanges };
const JOBS = 1_000_000;
const PAGE = 51;
const ROUNDS = 15;
const CHANGED = 100_000;
const BATCH = 1_000;
/** Submissions per second of the other tenant. */
const SUBMITS = 25;
const ALONE_MS = 10_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAIR = { reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" };

/** Inserts jobs submitted three seconds apart and ended within two hours: 10 failed, 1,000 queued, 500 per release. */
const FILL = `
  insert into svc.job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by, state, created_at,
    started_at, ended_at, segments_total, segments_done, frames_done, frames_total, score, result)
  select gen_random_uuid(), 'bench', jsonb_build_object('reference', '/media/r.mp4', 'distorted', '/media/' || n || '.mp4')::text,
    '', '', jsonb_build_object('release', (n / 500)::text, 'title', (n % 1000)::text), 0, 'bench',
    case when n % 100000 = 7 then 'FAILED' when n > ${JOBS} - 1000 then 'QUEUED' else 'SUCCEEDED' end,
    now() - (${JOBS} - n) * interval '3 seconds', now(),
    case when n <= ${JOBS} - 1000 then now() - (${JOBS} - n) * interval '3 seconds' + random() * interval '2 hours' end,
    10, 10, 1000, 1000, 90, repeat(md5(n::text), 60)
  from generate_series(1, ${JOBS}) as n`;

const asked = process.argv[2];
console.log(`${cpus()[0]?.model ?? "unknown CPU"}, ${cpus().length} cores`);
for (const [name, part] of Object.entries(PARTS)) {
  if (asked === undefined || asked === name) await part();
}

async function benchLists(): Promise<void> {
  await using cluster = await PostgresCluster.start({ settings: { shared_buffers: "512MB" } });
  const log = openLog({ level: "error", format: "text" });
  const store = await openStore({ databaseUrl: await cluster.createDatabase("svc") }, log);
  await cluster.admin(FILL, "svc");
  await cluster.admin("vacuum analyze", "svc");
  const now = Date.now();
  const lists: [string, JobFilter, JobSort][] = [
    ["newest", {}, "NEWEST"],
    ["oldest", {}, "OLDEST"],
    ["the 10 failed ones", { states: ["FAILED"] }, "NEWEST"],
    ["queued, oldest first", { states: ["QUEUED", "RUNNING"] }, "OLDEST"],
    ["submitted before the last 30 days", { untilMs: now - 30 * DAY_MS }, "NEWEST"],
    ["last ended", {}, "LAST_ENDED"],
    ["ended in the last hour", { endedSinceMs: now - HOUR_MS }, "LAST_ENDED"],
    ["the 10 failed ones, last ended", { states: ["FAILED"] }, "LAST_ENDED"],
    ["of a release, of the last day", { labels: { release: "1995" }, sinceMs: now - DAY_MS }, "NEWEST"],
    ["of an old release, at any time", { labels: { release: "3" } }, "NEWEST"],
  ];
  console.log(`\nA page of ${PAGE - 1} of ${JOBS} jobs on PostgreSQL, and the count; ${ROUNDS} rounds`);
  for (const [name, filter, sort] of lists) {
    const [page, count] = [
      await timed(() => store.listJobs("bench", filter, undefined, PAGE, sort)),
      await timed(() => store.countJobs("bench", filter)),
    ];
    console.log(
      `  ${name.padEnd(36)} ${milliseconds(page).padStart(9)}   ${milliseconds(count).padStart(9)}`,
    );
  }
  await store.close();
}

/** Returns the median of the rounds, after a warm-up round. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const started = performance.now();
    await work();
    if (round > 0) times.push(performance.now() - started);
  }
  return median(times);
}

async function benchChanges(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "svc-bench-"));
  try {
    await using cluster = await PostgresCluster.start({ durable: true });
    const url = await cluster.createDatabase("svc");
    await changes("PostgreSQL", ["--database-url", url]);
    await changes("the embedded database", ["--data-dir", join(directory, "store")]);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function changes(name: string, store: readonly string[]): Promise<void> {
  using provider = await BenchProvider.open();
  const auth = [...provider.flags, "--media-root", "/media"];
  await using controller = await startController(store, { auth });
  const connect = async (tid: string) => {
    const token = await provider.newToken({ tid, svc_roles: ["svc:admin"] });
    return new Connection({ address: controller.grpc, token: async () => token });
  };
  using busy = await connect("busy");
  using other = await connect("other");
  const { submitJobs, cancelJobs, deleteJobs } = JobService.method;
  const jobs = Array.from({ length: BATCH }, () => ({ job: PAIR }));
  for (let first = 0; first < CHANGED; first += BATCH)
    await busy.call(submitJobs, { jobs }, { timeoutMs: 120_000 });
  console.log(`\n${CHANGED} jobs on ${name}, with ${SUBMITS} SubmitJob per second of another tenant`);
  await report("alone", other, () => sleep(ALONE_MS));
  await report("cancelled", other, () => readAll(busy.stream(cancelJobs, { all: true })));
  await report("deleted", other, () => readAll(busy.stream(deleteJobs, { all: true })));
}

async function readAll(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of parts);
}

/** Prints how long an operation takes, and the latency of the other tenant's calls meanwhile. */
async function report(name: string, other: Connection, work: () => Promise<unknown>): Promise<void> {
  const calls: Promise<number>[] = [];
  const call = async (): Promise<number> => {
    const started = performance.now();
    await other.call(JobService.method.submitJob, { job: PAIR });
    return performance.now() - started;
  };
  const timer = setInterval(() => calls.push(call()), 1_000 / SUBMITS);
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1_000;
  clearInterval(timer);
  const times = await Promise.all(calls);
  const rate =
    name === "alone" ? "" : `${seconds.toFixed(1)} s, ${(CHANGED / seconds).toFixed(0)} per second`;
  const shown = [median(times), percentile(times, 0.99), Math.max(...times)].map(milliseconds);
  console.log(
    `  ${name.padEnd(10)} ${rate.padEnd(28)} other tenant: median ${shown[0]}   p99 ${shown[1]}   max ${shown[2]}`,
  );
}

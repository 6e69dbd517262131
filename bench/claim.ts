/**
 * Claims from a long queue, and from a queue with many dead rows at its head. Run with `npm run bench:claim`;
 * docs/performance.md has the results of one run.
 */
import { randomUUID } from "node:crypto";
import pg from "pg";
import { planClass } from "../src/jobs/work.ts";
import { openLog } from "../src/platform/observability/log.ts";
import type { Store } from "../src/store/contract/store.ts";
import { openStore } from "../src/store/open.ts";
import { PostgresCluster } from "../test/store/postgres.ts";
import { percentile } from "./flight.ts";
import { interleave, median, milliseconds, printTimings } from "./interleave.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const TENANTS = 1_000;
/** Claims per round. The smaller queue must hold enough tasks for all rounds. */
const CLAIMS = 100;
const ROUNDS = 7;
const WORK_CLASS = planClass(["vmaf_v0.6.1"]);
const LEASE_MS = 600_000;
/** Number of claims while an old snapshot keeps every dead row. */
const UNDER_SNAPSHOT = 20_000;

await using cluster = await PostgresCluster.start({ durable: true, settings: { shared_buffers: "512MB" } });
const log = openLog({ level: "error", format: "text" });

async function benchDepth(): Promise<void> {
  await using few = await Queue.open("few", FEW, 1);
  await using many = await Queue.open("many", MANY, 1);
  await using spread = await Queue.open("spread", MANY, TENANTS);
  const claims = (queue: Queue) => async () => {
    for (let claim = 0; claim < CLAIMS; claim++) await queue.claim();
  };
  const timings = await interleave(
    [
      { name: "1,000 queued", run: claims(few) },
      { name: "1,000,000 of one tenant", run: claims(many) },
      { name: "1,000,000 of 1,000 tenants", run: claims(spread) },
    ],
    ROUNDS,
  );
  printTimings(`${CLAIMS} sequential claims`, timings);
  const started = performance.now();
  const ready = await spread.store.ready();
  console.log(`  ready classes (${ready.length} tenants)   ${milliseconds(performance.now() - started)}`);
}

async function benchDeadRows(): Promise<void> {
  await using queue = await Queue.open("dead", 2 * UNDER_SNAPSHOT, 1);
  const old = new pg.Client({ connectionString: cluster.url("dead") });
  await old.connect();
  await old.query("begin isolation level repeatable read");
  await old.query("select 1 from pg_class limit 1");
  const times: number[] = [];
  for (let claim = 0; claim < UNDER_SNAPSHOT; claim++) {
    const started = performance.now();
    await queue.claim();
    times.push(performance.now() - started);
  }
  await old.query("rollback");
  await old.end();
  const summary = (part: readonly number[]) =>
    `median ${milliseconds(median(part))}   p99 ${milliseconds(percentile(part, 0.99))}   max ${milliseconds(Math.max(...part))}`;
  console.log(`\n${UNDER_SNAPSHOT} claims while an old snapshot keeps every dead row`);
  console.log(`  first 1,000    ${summary(times.slice(0, 1_000))}`);
  console.log(`  last 1,000     ${summary(times.slice(-1_000))}`);
}

/** A store with many unplanned jobs, and the session of a node. */
class Queue implements AsyncDisposable {
  readonly store: Store;
  readonly #session: string;
  readonly #tenants: number;
  #turn = 0;

  private constructor(store: Store, session: string, tenants: number) {
    this.store = store;
    this.#session = session;
    this.#tenants = tenants;
  }

  static async open(name: string, jobs: number, tenants: number): Promise<Queue> {
    const store = await openStore({ databaseUrl: await cluster.createDatabase(name) }, log);
    const session = randomUUID();
    await store.registerNode(nodeOf(session));
    await store.insertJobs("template", [templateJob()]);
    await cluster.admin(fillOf(jobs, tenants), name);
    await cluster.admin("vacuum analyze", name);
    await cluster.admin("checkpoint", name);
    return new Queue(store, session, tenants);
  }

  /** Claims a task of the next tenant, in turn. */
  async claim(): Promise<void> {
    const tenant = `tenant-${this.#turn++ % this.#tenants}`;
    const claim = { session: this.#session, tenant, workClasses: [WORK_CLASS], leaseMs: LEASE_MS };
    if ((await this.store.claim(claim)) === undefined) throw new Error(`${tenant} has no tasks left`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
  }
}

function nodeOf(session: string) {
  const scorer = { program: "ffmpeg", version: "bench", libvmafVersion: "bench" };
  const capabilities = { scorer, models: [{ name: "vmaf_v0.6.1", digest: "" }] };
  const node = { id: randomUUID(), session, tenant: "fleet", name: "bench", slots: 1_000 };
  return { ...node, capabilities, version: "bench" };
}

function templateJob() {
  const spec = JSON.stringify({ reference: "/media/reference.mp4", distorted: "/media/distorted.mp4" });
  return {
    ...{ id: randomUUID(), spec, fingerprint: "template", name: "", labels: {}, priority: 0 },
    ...{ submittedBy: "bench", idempotencyKey: undefined, workClass: WORK_CLASS },
  };
}

/** SQL that copies the template job and its PLAN task, with tenants in turn. */
function fillOf(jobs: number, tenants: number): string {
  return `
    insert into svc.job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by, state, created_at)
    select gen_random_uuid(), 'tenant-' || (n % ${tenants}), spec, fingerprint, name, labels, priority, submitted_by,
      state, created_at + n * interval '1 microsecond'
    from svc.job, generate_series(0, ${jobs - 1}) as n order by n;
    insert into svc.work (job_id, tenant_id, kind, state, work_class, class_key, rank, job_seq, seq, generation, cost)
    select job.id, job.tenant_id, kind, work.state, work_class, class_key, rank, job.seq, work.seq, work.generation, cost
    from svc.job, svc.work where job.tenant_id <> 'template' order by job.seq;`;
}

await benchDepth();
await benchDeadRows();

/**
 * What stills take in the database with and without a results storage, and what it costs to move them. Run with
 * `npm run bench:results -- [JOBS]`; docs/scale.md has the results of one run.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { Registry } from "prom-client";
import { ResultMetrics } from "../src/controller/results/metrics.ts";
import { ResultMover } from "../src/controller/results/mover.ts";
import { ResultReader } from "../src/controller/results/reader.ts";
import { ObjectReader } from "../src/media/objects/reader.ts";
import { ResultObjects } from "../src/media/results/objects.ts";
import { CredentialSource } from "../src/media/storages/credentials.ts";
import { Signer } from "../src/media/storages/signer.ts";
import { openLog } from "../src/platform/observability/log.ts";
import type { Store } from "../src/store/contract/store.ts";
import { openStore } from "../src/store/open.ts";
import { BUCKET, REGION, S3Server } from "../test/storages/s3-server.ts";
import { PostgresCluster } from "../test/store/postgres.ts";
import { ALL, BOTH, still, succeeded } from "../test/store/still-jobs.ts";
import { fence, newTenant, register, take } from "../test/store/stores.ts";
import { COSTS } from "./formulas.ts";

const JOBS = Number(process.argv[2] ?? 100);
/** Five moments of both sides. */
const FRAMES = [1, 20, 40, 60, 80];
/** Jobs after which the table is vacuumed, as autovacuum does when a fifth of it is dead. */
const VACUUM_EVERY = 10;
const log = openLog({ level: "error", format: "text" });

async function scoreOne(store: Store): Promise<void> {
  const node = await register(store, newTenant());
  await succeeded(store, node, [{ segment: "segment 0", frames: FRAMES }]);
  const work = await take(store, node, ALL);
  const all = FRAMES.flatMap((frame) => BOTH.map((side) => ({ frame, side })));
  for (const [n, { frame, side }] of all.entries()) {
    const image = randomBytes(COSTS.pictureBytes);
    await store.recordStill(fence(node, work), { ...still(frame, side), image }, n === all.length - 1);
  }
}

async function measured(name: string, objects: ResultObjects | undefined): Promise<void> {
  await using cluster = await PostgresCluster.start({ durable: true });
  const databaseUrl = await cluster.createDatabase("svc");
  const store = await openStore({ databaseUrl }, log);
  const metrics = new ResultMetrics(new Registry());
  const reader = new ResultReader(objects, metrics);
  const mover = objects && new ResultMover({ store, objects, reader, metrics, scoresAfterMs: 0 });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const one = async (sql: string) => Number(Object.values((await client.query(sql)).rows[0])[0]);
  const wal = () => one("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
  const before = await wal();
  let moving = 0;
  for (let n = 1; n <= JOBS; n++) {
    await scoreOne(store);
    const started = process.cpuUsage();
    while (mover !== undefined && (await mover.move()) > 0);
    const { user, system } = process.cpuUsage(started);
    moving += (user + system) / 1000;
    if (n % VACUUM_EVERY === 0) await client.query("vacuum svc.still");
  }
  const size = await one(
    "select pg_total_relation_size('svc.still') + pg_total_relation_size('svc.result_object')",
  );
  console.log(
    `${name}: ${Math.round(size / JOBS / 1000)} kB per job in the tables, ${size} bytes in all; ` +
      `WAL ${Math.round(((await wal()) - before) / JOBS / 1000)} kB per job; moving ${(moving / JOBS).toFixed(1)} ms of CPU per job`,
  );
  await client.end();
  await store.close();
}

const directory = await mkdtemp(join(tmpdir(), "svc-bench-results-"));
const reader = new ObjectReader();
await measured("without a results storage", undefined);
{
  await using s3 = await S3Server.start(directory);
  const place = { bucket: BUCKET, prefix: "results/" };
  const credentials = { file: s3.credentials, profile: BUCKET };
  const service = { endpoint: s3.endpoint, region: REGION, credentials, privateNetwork: true };
  const storage = { kind: "s3" as const, ...service, buckets: [place] };
  await measured(
    "with one",
    new ResultObjects({ storage, ...place }, new Signer(new CredentialSource()), reader),
  );
  await reader.close();
}
await rm(directory, { recursive: true });

/** Moves that are killed at any point: no still or score is lost or changed, and nothing stays in the bucket that no row names. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { ResultMetrics } from "../../src/controller/results/metrics.ts";
import { ResultMover } from "../../src/controller/results/mover.ts";
import { ResultReader } from "../../src/controller/results/reader.ts";
import { ScoreReader } from "../../src/controller/results/scores.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { ResultObjects } from "../../src/media/results/objects.ts";
import { CredentialSource } from "../../src/media/storages/credentials.ts";
import { Signer } from "../../src/media/storages/signer.ts";
import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import { statement } from "../../src/store/connection/statement.ts";
import type { ResultPlace } from "../../src/store/contract/result-store.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { SVC, start } from "../cli/program.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { ALL, BOTH, begin, still } from "../store/still-jobs.ts";
import { fence, SILENT, segmentRecord, take } from "../store/stores.ts";

const JOBS = 12;
const KILLS = 10;
/** Milliseconds: a start takes about one second, and a move of all rows some more. */
const LONGEST_MS = 2_500;
const PREFIX = "results/";

/** The chunks of each job. */
const SCORES = [[...segmentRecord().last.rows], [...segmentRecord().last.rows]];

interface Made {
  readonly tenant: string;
  readonly id: string;
  readonly images: ReadonlyMap<string, Buffer>;
}

async function made(store: Store): Promise<Made> {
  const { tenant, node, job } = await begin(store);
  const work = await take(store, node, ALL);
  const keys = (work.stills ?? []).flatMap(({ frames }) =>
    frames.flatMap((frame) => BOTH.map((side) => ({ frame, side }))),
  );
  const images = new Map<string, Buffer>();
  for (const [n, { frame, side }] of keys.entries()) {
    // Of one part, and of several.
    const image = randomBytes(n === 0 ? 2 * 2 ** 20 + 5 : 20_000);
    images.set(`${frame} ${side}`, image);
    await store.recordStill(fence(node, work), { ...still(frame, side), image }, n === keys.length - 1);
  }
  return { tenant, id: job.id, images };
}

test("a killed move loses nothing and leaks nothing, in both directions", async () => {
  const directory = await mkdtemp(join(tmpdir(), "svc-results-kill-"));
  await using s3 = await S3Server.start(directory);
  await using cluster = await PostgresCluster.start();
  const databaseUrl = await cluster.createDatabase("svc");
  const credentials = { file: s3.credentials, profile: BUCKET };
  const service = { endpoint: s3.endpoint, region: REGION, credentials, privateNetwork: true };
  const file = join(directory, "results.json");
  await writeFile(
    file,
    JSON.stringify({ s3: { ...service, bucket: `${BUCKET}/${PREFIX}` }, scoresAfterDays: 0 }),
  );
  const store = await openStore({ databaseUrl }, SILENT);
  const database = new Database(postgresDriver(databaseUrl));
  const requests = new ObjectReader();
  const place = { bucket: BUCKET, prefix: PREFIX };
  const storage = { kind: "s3" as const, ...service, buckets: [place] };
  const signer = new Signer(new CredentialSource());
  const objects = new ResultObjects({ storage, ...place }, signer, requests);
  const metrics = new ResultMetrics(new Registry());
  const reader = new ResultReader(objects, metrics);
  const mover = new ResultMover({ store, objects, reader, metrics, scoresAfterMs: 0 });

  const all: Made[] = [];
  for (let n = 0; n < JOBS; n++) all.push(await made(store));
  const check = async () => {
    for (const { tenant, id, images } of all)
      for (const { frame, side } of await store.listStills(tenant, id)) {
        const found = await store.still(tenant, id, frame, side);
        assert.ok(found);
        const image = found.image ?? (await reader.read(found.object, "still"));
        assert.ok(images.get(`${frame} ${side}`)?.equals(image), `${id} ${frame} ${side}`);
      }
    for (const { tenant, id } of all) {
      const scores = new ScoreReader(reader, id);
      const rows: number[][] = [];
      for (const { chunks } of await store.parts(tenant, id, 0, 9))
        for await (const chunk of scores.read(chunks)) rows.push([...chunk]);
      assert.deepEqual(rows, SCORES, id);
    }
  };
  const move = (to: ResultPlace) =>
    start(SVC, ["migrate", "--results", to, "--results-storage", file, "--database-url", databaseUrl]);
  /** Lets holds and times of checks pass. */
  const later = async () => {
    for (const held of [
      "update svc.still set move_at = now()",
      "update svc.job set scores_move_at = now() where scores_move_at is not null",
      "update svc.result_object set move_at = now()",
    ])
      await database.query("fleet", statement(held), []);
    const due = "update svc.result_object set check_at = now() where check_at is not null";
    await database.query("fleet", statement(due), []);
  };

  const seed = randomBytes(4).toString("hex");
  process.stdout.write(`kills of seed ${seed}\n`);
  const drawn = (n: number) => createHash("sha256").update(`${seed} ${n}`).digest().readUInt16BE(0) / 65_536;
  for (let n = 0; n < KILLS; n++) {
    await using running = move(n % 3 === 2 ? "database" : "storage");
    await running.printed(/are left to move/);
    await delay(drawn(n) * LONGEST_MS);
    running.child.kill("SIGKILL");
    await running.ended();
    await check();
    await later();
    await mover.deleteUnreferenced();
  }
  const [deleted] = all.splice(0, 1);
  assert.ok(deleted);
  for (const to of ["storage", "database", "storage"] as const) {
    await using running = move(to);
    const { code, stderr } = await running.ended();
    assert.deepEqual([code, stderr], [0, ""]);
    await check();
    await later();
  }
  await store.deleteJob(deleted.tenant, deleted.id, false);
  await later();
  while ((await mover.deleteUnreferenced()) > 0) await later();
  await check();
  const rows = await database.query<{ key: string }>(
    "fleet",
    statement("select key from svc.result_object"),
    [],
  );
  const keys = await s3.keys(PREFIX);
  assert.deepEqual(keys.toSorted(), rows.map(({ key }) => `${PREFIX}${key}`).toSorted());
  assert.equal(
    keys.length,
    all.reduce((sum, { images }) => sum + images.size + 1, 0),
  );
  await requests.close();
  await database.close();
  await store.close();
  await rm(directory, { recursive: true });
});

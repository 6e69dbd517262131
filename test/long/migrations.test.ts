/** The schema: created once, recorded, refused if newer or different; copied with its rows. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { STILLS_CLASS } from "../../src/jobs/work.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Database } from "../../src/store/connection/database.ts";
import { postgresDriver } from "../../src/store/connection/postgres.ts";
import { statement } from "../../src/store/connection/statement.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { copyStore } from "../../src/store/copy.ts";
import { embeddedDriver } from "../../src/store/embedded/database.ts";
import { openStore } from "../../src/store/open.ts";
import { knownMigrations, type Migration, migrate } from "../../src/store/schema/migrations.ts";
import { PostgresCluster } from "../store/postgres.ts";
import {
  bytesOf,
  claim,
  embeddedTarget,
  fence,
  jobOutcome,
  LEASE_MS,
  newJob,
  plannedJob,
  register,
  SILENT,
  segmentRecord,
  take,
} from "../store/stores.ts";

const failure =
  (code: string, pattern = /./) =>
  (thrown: unknown) => {
    assert.ok(thrown instanceof Failure, String(thrown));
    assert.equal(thrown.code, code, thrown.message);
    assert.match(thrown.message, pattern);
    return true;
  };

const newer = (sql: string): Migration => {
  const number = knownMigrations().length + 1;
  return { number, name: `${String(number).padStart(4, "0")}_later.sql`, sql, checksum: "c" };
};

describe("migrations and copies", () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await PostgresCluster.start();
  });
  after(async () => cluster[Symbol.asyncDispose]());

  /** Runs `body` with a database and closes it. */
  const using = async <T>(databaseUrl: string, run: (database: Database) => Promise<T>): Promise<T> => {
    const database = new Database(postgresDriver(databaseUrl));
    try {
      return await run(database);
    } finally {
      await database.close();
    }
  };

  test("migration files are numbered from 1 without gaps", () => {
    assert.deepEqual(
      knownMigrations().map(({ number }) => number),
      knownMigrations().map((_, n) => n + 1),
    );
  });

  test("many concurrent migrations create the schema once, and a repeated one does nothing", async () => {
    const url = await cluster.createDatabase("at_once");
    const applied = await Promise.all(
      Array.from({ length: 5 }, async () =>
        using(url, async (database) => migrate(database, knownMigrations())),
      ),
    );
    assert.deepEqual(
      applied.flat(),
      knownMigrations().map(({ name }) => name),
    );
    assert.deepEqual(await using(url, (database) => migrate(database, knownMigrations())), []);
  });

  test("refuses a schema of a newer version, and one that differs", async () => {
    const url = await cluster.createDatabase("newer");
    const later = newer("create table later (a int)");
    await using(url, async (database) => migrate(database, [...knownMigrations(), later]));
    await assert.rejects(openStore({ databaseUrl: url }, SILENT), failure("SCHEMA_TOO_NEW", /_later\.sql/));
    const [first, ...rest] = knownMigrations();
    assert.ok(first);
    const changed = [{ ...first, checksum: "another" }, ...rest, later];
    await assert.rejects(
      using(url, async (database) => migrate(database, changed)),
      failure("SCHEMA_REFUSED", /0001/),
    );
  });

  test("a migration has no statement timeout, but does not block others while it waits for a table", async () => {
    const url = await cluster.createDatabase("long");
    const limits =
      "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock";
    const asked = newer(`create table svc.limits as ${limits}`);
    await using(url, async (database) => {
      await migrate(database, [...knownMigrations(), asked]);
      const read = statement("select statement, lock from svc.limits");
      assert.deepEqual(await database.query("owner", read, []), [{ statement: "0", lock: "10s" }]);
      const [now] = await database.query<{ statement: string }>("owner", statement(limits), []);
      assert.equal(now?.statement, "30s", "other statements have a timeout");
    });
  });

  test("rolls back a failed migration completely", async () => {
    const url = await cluster.createDatabase("fails");
    const broken = newer("create table half (a int); select 1/0");
    await assert.rejects(using(url, async (database) => migrate(database, [...knownMigrations(), broken])));
    await using(url, async (database) => {
      const [row] = await database.query<{ found: string | null }>(
        "owner",
        statement("select to_regclass('svc.half') as found"),
        [],
      );
      assert.equal(row?.found, null);
      assert.deepEqual(
        await migrate(database, knownMigrations()),
        knownMigrations().map(({ name }) => name),
      );
    });
  });

  test("names the statements to run if the user may not create roles", async () => {
    await cluster.createDatabase("plain_user");
    await using(cluster.url("plain_user"), (database) => migrate(database, knownMigrations()));
    await cluster.admin(
      "create role plain login; grant all on database plain_user to plain; alter database plain_user owner to plain",
    );
    const url = cluster.url("plain_user", "plain");
    await assert.rejects(
      openStore({ databaseUrl: url }, SILENT),
      failure("SCHEMA_REFUSED", /grant svc_tenant, svc_fleet to/),
    );
    await cluster.admin("drop schema svc cascade", "plain_user");
    await cluster.admin("grant svc_tenant, svc_fleet to plain");
    const store = await openStore({ databaseUrl: url }, SILENT);
    await store.insertJobs("t", [newJob()]);
    await store.close();
  });

  test("after a restore to another server, new changes are events and streams restart", async () => {
    const url = await cluster.createDatabase("restored");
    const first = await openStore({ databaseUrl: url }, SILENT);
    const job = newJob();
    await first.insertJobs("t", [job]);
    const cursor = await first.eventCursor();
    await first.close();
    await (await openStore({ databaseUrl: url }, SILENT)).close();
    await cluster.admin("update svc.installation set server = 'another'", "restored");
    await cluster.admin(
      "update svc.job set changed = '99999999'; update svc.event set pos = '99999999'",
      "restored",
    );
    const store = await openStore({ databaseUrl: url }, SILENT);
    assert.equal(await store.eventsAfter(cursor, 10), undefined);
    const start = await store.eventCursor();
    assert.deepEqual(
      (await store.snapshot("t", {}, undefined, 10, start)).map(({ ambiguous }) => ambiguous),
      [false],
    );
    await store.cancelJob("t", job.id);
    const events = await store.eventsAfter(start, 10);
    assert.deepEqual(
      events?.events.map((event) => event.job.state),
      ["CANCELLED"],
    );
    await store.close();
    const again = await openStore({ databaseUrl: url }, SILENT);
    assert.deepEqual(await again.eventsAfter(start, 10), events, "the server did not change");
    await again.close();
  });

  test("copies an embedded installation completely to PostgreSQL, where its jobs continue", async () => {
    const { target, remove } = await embeddedTarget();
    const url = await cluster.createDatabase("moved");
    const old = await openStore(target, SILENT);
    const node = await register(old, "t");
    const key = newJob({ idempotencyKey: "key", labels: { title: "ü" }, spec: '{"a":  1}' });
    await old.insertJobs("t", [key]);
    await old.cancelJob("t", key.id);
    const shown = await plannedJob(old, node, 1);
    await old.recordSegment(fence(node, await take(old, node)), segmentRecord());
    await old.succeed(
      shown.id,
      1,
      jobOutcome({ score: 90, frameCount: 100, stills: [{ segment: "segment 0", frames: [5] }] }),
    );
    const stills = fence(node, await take(old, node, [STILLS_CLASS]));
    const image = new Uint8Array(100_000).map((_, n) => n * 7);
    const still = { frame: 5, mediaType: "image/webp", width: 1, height: 1, image };
    await old.recordStill(stills, { ...still, side: "REFERENCE" }, false);
    await old.recordStill(stills, { ...still, side: "DISTORTED" }, true);
    const job = await plannedJob(old, node, 3);
    const rows = new Uint8Array(300_000).map((_, n) => n * 7);
    await old.recordSegment(
      fence(node, await take(old, node)),
      segmentRecord({ last: { number: 0, rows, rowCount: 9 } }),
    );
    const running = await take(old, node);
    await old.insertJobs(
      "t",
      Array.from({ length: 1200 }, () => newJob()),
    );
    const thing = { kind: "SUBJECT", value: "alice", issuedBefore: undefined, expiresAt: undefined } as const;
    const revoke = async (store: Store, value: string) =>
      store.revocations.revoke("t", { ...thing, value, id: randomUUID(), reason: "", revokedBy: "" }, 9);
    for (const value of ["alice", "bob"]) await revoke(old, value);
    const cursor = await old.eventCursor();
    const contentOf = async (store: Store) => ({
      revocations: await store.revocations.list("t", undefined, 9),
      job: await store.jobDetail("t", job.id),
      still: await store.still("t", shown.id, 5, "DISTORTED"),
      list: await store.listJobs("t", {}, undefined, 2000),
      parts: await Promise.all((await store.parts("t", job.id, 0, 10)).map(bytesOf)),
    });
    const before = await contentOf(old);
    await assert.rejects(copyStore(target.dataDir, url), failure("STORE_LOCKED"));
    await old.close();

    const copied = await copyStore(target.dataDir, url);
    assert.deepEqual([copied["job"], copied["work"], copied["piece"], copied["node"]], [1203, 1208, 2, 1]);
    assert.equal(copied["still"], 2);
    assert.ok((copied["event"] ?? 0) >= 1206);
    const moved = await openStore({ databaseUrl: url }, SILENT);
    assert.deepEqual(await contentOf(moved), before);
    assert.equal(await moved.eventsAfter(cursor, 10), undefined, "streams restart");
    await revoke(moved, "carol");
    const { changes } = await moved.revocations.changes(0, 9);
    assert.deepEqual(
      changes.map(({ value }) => value),
      ["alice", "bob", "carol"],
    );
    const [again] = await moved.insertJobs("t", [newJob({ idempotencyKey: "key" })]);
    assert.deepEqual([again?.created, again?.job.id], [false, key.id]);

    const [listed] = await moved.listNodes(["t"]);
    assert.deepEqual([listed?.id, listed?.state, listed?.work.length], [node.id, "OFFLINE", 1]);
    const start = await moved.eventCursor();
    await moved.renew(node.session, [{ itemId: running.id, attempt: 1, framesDone: 5 }], LEASE_MS, false);
    assert.equal((await moved.recordSegment(fence(node, running), segmentRecord())).recorded, "RECORDED");
    assert.equal((await take(moved, node)).jobId, job.id, "older jobs still go first");
    const [late] = await moved.insertJobs("t", [newJob()]);
    const events = (await moved.eventsAfter(start, 100))?.events ?? [];
    assert.deepEqual(
      events.map((event) => event.job.id),
      [job.id, job.id, late?.job.id],
    );
    assert.ok(await claim(moved, node));
    await moved.close();
    await assert.rejects(copyStore(target.dataDir, url), failure("STORE_NOT_EMPTY", /svc\.job/));
    await remove();
  });

  test("a copy that fails midway leaves an empty database and can be retried", async () => {
    const { target, remove } = await embeddedTarget();
    const url = await cluster.createDatabase("midway");
    const old = await openStore(target, SILENT);
    await old.insertJobs("t", [newJob(), newJob()]);
    await old.close();
    await using(url, (database) => migrate(database, knownMigrations()));
    await cluster.admin("alter table svc.event add constraint refused check (revision > 1)", "midway");
    await assert.rejects(copyStore(target.dataDir, url));
    await using(url, async (database) => {
      const [row] = await database.query<{ count: number }>(
        "owner",
        statement("select count(*) as count from svc.job"),
        [],
      );
      assert.equal(row?.count, 0);
    });
    await cluster.admin("alter table svc.event drop constraint refused", "midway");
    assert.equal((await copyStore(target.dataDir, url))["job"], 2);
    await remove();
  });

  test("creates nothing if there is nothing to copy", async () => {
    const { target, remove } = await embeddedTarget();
    const url = await cluster.createDatabase("nothing");
    await assert.rejects(copyStore(target.dataDir, url), failure("INVALID_REQUEST", /no embedded database/));
    const database = new Database(embeddedDriver(target.dataDir));
    await database.close();
    await remove();
  });
});

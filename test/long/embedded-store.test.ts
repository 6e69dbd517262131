/** The embedded database has a single process, and recovers after its process or thread died. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, statSync, watch } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Client } from "pg";
import { Failure } from "../../src/platform/failure.ts";
import { Database } from "../../src/store/connection/database.ts";
import { statement } from "../../src/store/connection/statement.ts";
import { DATABASE_FOLDER, embeddedDriver } from "../../src/store/embedded/database.ts";
import { EMPTY_DATABASE, ensureDatabase } from "../../src/store/embedded/database-files.ts";
import { openStore } from "../../src/store/open.ts";
import { kill, startWriter, untilWritten } from "../store/killed-writer.ts";
import { embeddedTarget, newJob, preparedTarget, SILENT } from "../store/stores.ts";

test("refuses a second process while the first runs, and admits it after the first was killed", async () => {
  const { target, remove } = await preparedTarget();
  const holder = startWriter(target.dataDir);
  const ids: string[] = [];
  await once(holder.stdout, "data");
  await assert.rejects(openStore(target, SILENT), (thrown) => {
    assert.ok(thrown instanceof Failure && thrown.code === "STORE_LOCKED");
    assert.match(thrown.message, new RegExp(`process ${holder.pid}\\b`));
    assert.ok(thrown.message.includes(target.dataDir));
    return true;
  });
  await untilWritten(holder, ids, 60);
  assert.match(
    readFileSync(join(target.dataDir, "lock-holder"), "utf8"),
    new RegExp(`process ${holder.pid}\\b`),
  );
  const store = await openStore(target, SILENT);
  await assert.rejects(openStore(target, SILENT), (thrown) => {
    assert.ok(thrown instanceof Failure && thrown.code === "STORE_LOCKED");
    assert.match(thrown.message, new RegExp(`process ${process.pid}\\b`));
    return true;
  });
  await store.insertJobs("t", [newJob()]);
  await store.close();
  await (await openStore(target, SILENT)).close();
  await remove();
});

/** Names and settings of a new database, which is a copy of `empty` if that exists. */
async function freshDatabase(empty: string): Promise<unknown> {
  const { target, remove } = await embeddedTarget();
  await ensureDatabase(join(target.dataDir, DATABASE_FOLDER), empty);
  const database = new Database(embeddedDriver(target.dataDir));
  const settings = statement("select name, setting from pg_settings order by name");
  const names = statement("select oid::int, relname from pg_class order by oid");
  const found = {
    settings: await database.query("owner", settings, []),
    names: await database.query("owner", names, []),
  };
  await database.close();
  const files = join(target.dataDir, DATABASE_FOLDER);
  assert.equal(statSync(files).mode & 0o077, 0, "only the owner can access the files");
  await remove();
  return found;
}

test("a copy of the empty database equals a newly initialized one", async () => {
  assert.ok(existsSync(EMPTY_DATABASE), "the installation created it");
  assert.deepEqual(await freshDatabase(EMPTY_DATABASE), await freshDatabase("/nowhere"));
});

test("recreates files that were unfinished when the process died", async () => {
  const { target, remove } = await embeddedTarget();
  const made = Promise.withResolvers<void>();
  const watcher = watch(target.dataDir, (_, name) => name === "database.unfinished" && made.resolve());
  const writer = startWriter(target.dataDir);
  await made.promise;
  watcher.close();
  await kill(writer);
  const store = await openStore(target, SILENT);
  await store.insertJobs("t", [newJob()]);
  await store.close();
  await remove();
});

test("restarts the database without data loss when its thread dies", async () => {
  const { target, remove } = await preparedTarget();
  const driver = embeddedDriver(target.dataDir);
  const clients: Client[] = [];
  const database = new Database({
    ...driver,
    connect: async () => {
      const client = await driver.connect();
      clients.push(client);
      return client;
    },
  });
  const run = async (sql: string) => database.query<{ a: number }>("owner", statement(sql), []);
  await run("create table public.t (a int)");
  await run("insert into public.t values (1)");
  const [client] = clients;
  const dying = run("select pg_sleep(0.2), a from public.t");
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } };
  connection.stream.destroy();
  await assert.rejects(dying, (thrown) => thrown instanceof Failure && thrown.code === "STORE_UNAVAILABLE");
  assert.deepEqual(await run("select a from public.t"), [{ a: 1 }]);
  assert.equal(clients.length, 2);
  await database.close();
  await remove();
});

test("keeps a running statement if the free disk space cannot be determined", async () => {
  const { target, remove } = await preparedTarget();
  const database = new Database(embeddedDriver(target.dataDir));
  const run = async (sql: string) => database.query<{ a: number }>("owner", statement(sql), []);
  await run("select 1 as a");
  // Longer than the interval of disk checks.
  const silent = run("select 2 as a from pg_sleep(4)");
  renameSync(target.dataDir, `${target.dataDir}-away`);
  try {
    assert.deepEqual(await silent, [{ a: 2 }]);
  } finally {
    renameSync(`${target.dataDir}-away`, target.dataDir);
  }
  await database.close();
  await remove();
});

test("returns a result of many megabytes", async () => {
  const { target, remove } = await preparedTarget();
  const database = new Database(embeddedDriver(target.dataDir));
  const [row] = await database.query<{ a: string }>(
    "owner",
    statement("select repeat('x', 20000000) as a"),
    [],
  );
  assert.equal(row?.a.length, 20_000_000);
  const long = "ü".repeat(5_000_000);
  const [back] = await database.query<{ n: number }>("owner", statement("select length($1::text) as n"), [
    long,
  ]);
  assert.equal(back?.n, 5_000_000);
  await database.close();
  await remove();
});

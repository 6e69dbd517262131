/** The embedded database is vacuumed and checkpointed automatically. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pino from "pino";
import { Database } from "../../src/store/connection/database.ts";
import { statement } from "../../src/store/connection/statement.ts";
import { embeddedDriver } from "../../src/store/embedded/database.ts";
import { vacuumOf } from "../../src/store/embedded/vacuum.ts";
import { Announcements } from "../../src/store/events/notifications.ts";
import { TABLES } from "../../src/store/schema/tables.ts";
import { sqlStore } from "../../src/store/sql-store.ts";
import { newJob, preparedTarget } from "./stores.ts";

/** Milliseconds between checks. */
const EVERY_MS = 5_000;

test("removes dead rows and old WAL files, and ends when stopped", async (context) => {
  const { target, remove } = await preparedTarget();
  const database = new Database(embeddedDriver(target.dataDir));
  const store = sqlStore(database, new Announcements(() => {}), []);
  const jobs = Array.from({ length: 1000 }, () => newJob({ spec: "x".repeat(1000) }));
  await store.insertJobs("t", jobs);
  for (const { id } of jobs.slice(0, 20)) await store.cancelJob("t", id);
  const ask = async (sql: string) =>
    (await database.query<{ value: string }>("owner", statement(sql), []))[0]?.value;
  const redo = "select redo_lsn as value from pg_control_checkpoint()";
  const allVisible = "select count(*) as value from svc.work where state = 'CANCELLED'";
  await database.query("owner", statement("update svc.revocation_revision set latest = latest + 1"), []);
  await ask("select pg_logical_emit_message(false, 'test', repeat('x', 17 * 1024 * 1024)) as value");
  const before = { redo: await ask(redo), log: logFiles(target.dataDir) };

  const { promise: done, resolve } = Promise.withResolvers<string>();
  const log = pino({ level: "debug" }, { write: (line: string) => resolve(line) });
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const vacuum = vacuumOf(database, log);
  vacuum.start();
  context.mock.timers.tick(EVERY_MS);
  assert.match(await done, /vacuumed and checkpointed/);
  await vacuum.stop();
  await vacuum.stop();

  assert.notEqual(await ask(redo), before.redo, "a checkpoint was done");
  assert.ok(logFiles(target.dataDir) <= before.log);
  assert.equal(await ask(allVisible), 20);
  const vacuumed =
    "select count(*) as value from pg_class where relname in ('work', 'revocation_revision') and relallvisible > 0";
  assert.equal(await ask(vacuumed), 2, "only VACUUM marks pages as all visible");
  await store.close();
  await remove();
});

test("the list of tables equals the schema's", async () => {
  const { target, remove } = await preparedTarget();
  const database = new Database(embeddedDriver(target.dataDir));
  const found = statement("select tablename as name from pg_tables where schemaname = 'svc'");
  const tables = await database.query<{ name: string }>("owner", found, []);
  assert.deepEqual(tables.map(({ name }) => name).sort(), [...TABLES].sort());
  await database.close();
  await remove();
});

test("retries after failures with growing pauses", async (context) => {
  const { target, remove } = await preparedTarget();
  const database = new Database(embeddedDriver(target.dataDir));
  await database.close();
  const pauses: number[] = [];
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const write = (line: string) => {
    const { pauseMs } = JSON.parse(line);
    if (pauses.push(pauseMs) === 4) resolve();
    // The pause begins after the line.
    else setImmediate(() => context.mock.timers.tick(pauseMs));
  };
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const vacuum = vacuumOf(database, pino({ level: "warn" }, { write }));
  vacuum.start();
  context.mock.timers.tick(EVERY_MS);
  await enough;
  await vacuum.stop();
  assert.deepEqual(pauses, [10_000, 20_000, 40_000, 80_000]);
  await remove();
});

const logFiles = (dataDir: string) => readdirSync(join(dataDir, "database", "pg_wal")).length;

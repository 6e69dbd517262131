/** The embedded database keeps what it acknowledged, whatever happens to its process, and has one holder. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, fsyncSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import type { Client } from "pg";
import { Failure } from "../../src/platform/failure.ts";
import { Database } from "../../src/store/database.ts";
import { durableOptions } from "../../src/store/durable-files.ts";
import { embeddedDriver } from "../../src/store/embedded.ts";
import { openStore } from "../../src/store/open.ts";
import { statement } from "../../src/store/statement.ts";
import { embeddedTarget, newJob, SILENT } from "./stores.ts";

const WRITER = fileURLToPath(new URL("writer.ts", import.meta.url));

/** An installation that the tests begin with copies of: to make one takes seconds. */
let template: string;

before(async () => {
  template = mkdtempSync(join(tmpdir(), "svc-template-"));
  await (await openStore({ dataDir: template }, SILENT)).close();
});

after(() => rmSync(template, { recursive: true }));

async function installation() {
  const { target, remove } = await embeddedTarget();
  cpSync(template, target.dataDir, { recursive: true });
  return { target, remove };
}

test("every transaction is synced before it is acknowledged", async () => {
  const { target, remove } = await installation();
  let syncs = 0;
  const count = (fd: number) => {
    fsyncSync(fd);
    syncs++;
  };
  const database = await PGlite.create(durableOptions(join(target.dataDir, "database"), count));
  await database.exec("set search_path = public; create table t (a int)");
  for (let n = 0; n < 15; n++) {
    const before = syncs;
    await database.query("insert into t values ($1)", [n]);
    assert.ok(syncs > before, `insert ${n} was not synced`);
  }
  const before = syncs;
  await database.query("select * from t");
  assert.equal(syncs, before, "a read syncs nothing, so it is the writes that were counted");
  await database.exec("checkpoint");
  assert.ok(syncs > before + 1, "a checkpoint syncs the data files");
  await database.close();
  await remove();
});

test("no acknowledged row is lost when the process is killed as it writes, time and again", async () => {
  const { target, remove } = await installation();
  const acknowledged: string[] = [];
  for (let round = 1; round <= 3; round++) {
    const writer = spawn(process.execPath, [WRITER, target.dataDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await untilWritten(writer, acknowledged, round * 15);
    const store = await openStore(target, SILENT);
    const found = new Set((await store.listJobs("t", {}, undefined, 100_000)).map(({ id }) => id));
    assert.deepEqual(
      acknowledged.filter((id) => !found.has(id)),
      [],
    );
    assert.equal((await store.jobDetail("t", acknowledged.at(-1) ?? ""))?.work.length, 1);
    await store.close();
  }
  await remove();
});

test("a second process is refused while the first lives, and takes over when it was killed", async () => {
  const { target, remove } = await installation();
  const holder = spawn(process.execPath, [WRITER, target.dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const ids: string[] = [];
  const killed = untilWritten(holder, ids, 60);
  await once(holder.stdout, "data");
  await assert.rejects(openStore(target, SILENT), (thrown) => {
    assert.ok(thrown instanceof Failure && thrown.code === "STORE_LOCKED");
    assert.match(thrown.message, new RegExp(`process ${holder.pid}\\b`));
    assert.ok(thrown.message.includes(target.dataDir));
    return true;
  });
  await killed;
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

test("files that were not finished when the process died are made anew", async () => {
  const { target, remove } = await embeddedTarget();
  const writer = spawn(process.execPath, [WRITER, target.dataDir], { stdio: ["ignore", "pipe", "inherit"] });
  const made = Promise.withResolvers<void>();
  const watcher = watch(target.dataDir, (_, name) => name === "database.unfinished" && made.resolve());
  await made.promise;
  watcher.close();
  await kill(writer);
  const store = await openStore(target, SILENT);
  await store.insertJobs("t", [newJob()]);
  await store.close();
  await remove();
});

test("the database is started anew when its thread dies, with everything", async () => {
  const { target, remove } = await installation();
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

test("a result of many megabytes comes through", async () => {
  const { target, remove } = await installation();
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

/** Reads acknowledged ids until there are so many, then kills the process as it goes on. */
async function untilWritten(writer: ChildProcess, ids: string[], count: number): Promise<void> {
  assert.ok(writer.stdout);
  for await (const line of createInterface({ input: writer.stdout })) {
    ids.push(line);
    if (ids.length === count) await kill(writer);
  }
  assert.ok(ids.length >= count, "the writer ended by itself");
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

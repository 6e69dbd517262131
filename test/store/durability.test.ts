/** The embedded database keeps every acknowledged change when its process dies. */
import assert from "node:assert/strict";
import fs, { cpSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { PGlite } from "@electric-sql/pglite";
import { DATABASE_FOLDER } from "../../src/store/embedded/database.ts";
import { durableOptions } from "../../src/store/embedded/durable-files.ts";
import { openStore } from "../../src/store/open.ts";
import { assertResumes, cursorAfterRefusals } from "./crash-cursors.ts";
import { startWriter, untilWritten } from "./killed-writer.ts";
import { embeddedTarget, preparedTarget, SILENT } from "./stores.ts";

test("syncs every transaction before acknowledging it", async (context) => {
  const { target, remove } = await preparedTarget();
  const { mock } = context.mock.method(fs, "fsyncSync");
  syncBuiltinESMExports();
  context.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  const database = await PGlite.create(durableOptions(join(target.dataDir, "database")));
  await database.exec("set search_path = public; create table t (a int)");
  for (let n = 0; n < 15; n++) {
    const before = mock.callCount();
    await database.query("insert into t values ($1)", [n]);
    assert.ok(mock.callCount() > before, `insert ${n} was not synced`);
  }
  const before = mock.callCount();
  await database.query("select * from t");
  assert.equal(mock.callCount(), before, "a read syncs nothing, so only writes were counted");
  await database.exec("checkpoint");
  assert.ok(mock.callCount() > before + 1, "a checkpoint syncs the data files");
  await database.close();
  await remove();
});

test("loses no acknowledged row when the process is killed repeatedly while writing", async () => {
  const { target, remove } = await preparedTarget();
  const acknowledged: string[] = [];
  for (let round = 1; round <= 3; round++) {
    const writer = startWriter(target.dataDir);
    await untilWritten(writer, acknowledged, 15);
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

test("resumes from before a crash without missing an event", async () => {
  const [{ target, remove }, crashed] = [await preparedTarget(), await embeddedTarget()];
  const store = await openStore(target, SILENT);
  const { tenant, cursor } = await cursorAfterRefusals(store);
  // What a crash at this moment leaves.
  const files = [target, crashed.target].map(({ dataDir }) => join(dataDir, DATABASE_FOLDER)) as [
    string,
    string,
  ];
  cpSync(...files, { recursive: true });
  await store.close();
  const recovered = await openStore(crashed.target, SILENT);
  try {
    await assertResumes(recovered, tenant, cursor);
  } finally {
    await recovered.close();
    await Promise.all([remove(), crashed.remove()]);
  }
});

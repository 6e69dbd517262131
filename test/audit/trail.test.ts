/** Stored audit records: in the background, in order, each exactly once even if the store fails. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { AuditRecord } from "../../src/audit/record.ts";
import { Trail } from "../../src/audit/trail.ts";
import { Failure } from "../../src/platform/failure.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { prepareDataDir } from "../store/prepared.ts";
import { until } from "../waiting.ts";

const LOG = openLog({ level: "silent", format: "json" });
let folder: string;
let store: Store;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-audit-"));
  await prepareDataDir(folder);
  store = await openStore({ dataDir: folder }, LOG);
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

let time = Date.now();
function record(tenant: string, given: Partial<AuditRecord> = {}): AuditRecord {
  return {
    ...{ id: randomUUID(), timeMs: time++, requestId: "r", transport: "grpc", tenant, subject: "alice" },
    ...{ operation: "o", targets: [], outcome: "OK", peer: "p", durationMs: 1, count: 1 },
    ...given,
  };
}

async function storedOf(tenant: string): Promise<readonly string[]> {
  const { records } = await store.listAudit(tenant, {}, undefined, 5_000);
  return records.map(({ id }) => id).toReversed();
}

function trailWith(insert: (records: readonly AuditRecord[]) => Promise<void>) {
  const state = { lost: 0 };
  const lost = (count: number) => {
    state.lost += count;
  };
  const trail = new Trail({ insert, log: LOG, lost });
  trail.start();
  return { trail, state };
}

test("stores records in the background, and buffered ones on close", async () => {
  const { trail, state } = trailWith((records) => store.insertAudit(records));
  const records = Array.from({ length: 1_300 }, () => record("one"));
  for (const one of records.slice(0, 700)) trail.take(one);
  await until(async () => (await storedOf("one")).length === 700, "the records");
  for (const one of records.slice(700)) trail.take(one);
  await trail.close();
  assert.deepEqual(
    await storedOf("one"),
    records.map(({ id }) => id),
  );
  assert.equal(state.lost, 0);
});

test("stores each record once if the store is unavailable or its response is lost", async () => {
  let calls = 0;
  const { trail, state } = trailWith(async (records) => {
    calls++;
    if (calls > 1) await store.insertAudit(records);
    if (calls < 3) throw new Failure("STORE_UNAVAILABLE", "The connection is lost.");
  });
  const records = Array.from({ length: 10 }, () => record("two"));
  for (const one of records) trail.take(one);
  await until(async () => calls === 3, "three calls");
  await trail.close();
  assert.deepEqual(
    await storedOf("two"),
    records.map(({ id }) => id),
  );
  assert.equal(state.lost, 0);
});

test("buffers records up to the limit while the store is unavailable, and counts the rest as lost", async () => {
  let away = true;
  const stored: string[] = [];
  const { trail, state } = trailWith(async (records) => {
    if (away) throw new Failure("STORE_UNAVAILABLE", "It is unavailable.");
    stored.push(...records.map(({ id }) => id));
  });
  const records = Array.from({ length: 10_007 }, () => record("three"));
  for (const one of records) trail.take(one);
  assert.equal(state.lost, 7);
  away = false;
  await trail.close();
  assert.deepEqual(
    stored,
    records.slice(0, 10_000).map(({ id }) => id),
  );
});

test("buffers and batches fewer records if they have many targets", async () => {
  const sizes: number[] = [];
  let away = true;
  const { trail, state } = trailWith(async (records) => {
    if (away) throw new Failure("STORE_UNAVAILABLE", "It is unavailable.");
    sizes.push(records.length);
  });
  const targets = Array.from({ length: 1_000 }, (_, n) => `${n}`);
  for (let n = 0; n < 300; n++) trail.take(record("many", { targets }));
  assert.equal(state.lost, 99);
  away = false;
  await trail.close();
  assert.deepEqual([Math.max(...sizes), sizes.reduce((sum, size) => sum + size)], [20, 201]);
  assert.equal(state.lost, 99);
});

test("close does not wait for a store that stays unavailable", async () => {
  const { trail, state } = trailWith(async () => {
    throw new Failure("STORE_UNAVAILABLE", "It is unavailable.");
  });
  for (let n = 0; n < 3; n++) trail.take(record("four"));
  await trail.close();
  assert.equal(state.lost, 3);
});

test("a record that the store rejects does not block others", async () => {
  const { trail, state } = trailWith((records) => store.insertAudit(records));
  const good = [record("five"), record("five")] as const;
  for (const one of [good[0], record("five", { id: "no UUID" }), good[1]]) trail.take(one);
  await trail.close();
  assert.deepEqual(
    await storedOf("five"),
    good.map(({ id }) => id),
  );
  assert.equal(state.lost, 1);
});

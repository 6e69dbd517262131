/** The audit log in the store: per tenant, newest first, in pages, deleted by age. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { AuditRecord } from "../../src/audit/record.ts";
import type { AuditCursor, AuditFilter } from "../../src/store/contract/audit-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { newTenant, onBothStores } from "./stores.ts";

const NOW = Date.now();

function record(tenant: string, given: Partial<AuditRecord> = {}): AuditRecord {
  return {
    ...{ id: randomUUID(), timeMs: NOW, requestId: "a request", transport: "grpc", tenant, subject: "alice" },
    ...{ operation: "svc.v1.JobService/CancelJob", targets: ["one", "two"], outcome: "OK" },
    ...{ peer: "127.0.0.1:5000", durationMs: 12, count: 1 },
    ...given,
  };
}

async function all(store: Store, tenant: string, filter: AuditFilter = {}, limit = 100) {
  const records: AuditRecord[] = [];
  let after: AuditCursor | undefined;
  for (;;) {
    const page = await store.listAudit(tenant, filter, after, limit);
    assert.ok(page.records.length <= limit);
    records.push(...page.records);
    if (page.next === undefined) return records;
    after = page.next;
  }
}

onBothStores((open) => {
  test("returns a record unchanged, and only to its own tenant", async () => {
    const { store } = open();
    const [mine, yours] = [newTenant(), newTenant()];
    const one = record(mine, { transport: "http", durationMs: undefined, count: 40_000_000_000 });
    const two = record(yours, { targets: [], peer: "", subject: "", requestId: "" });
    await store.insertAudit([one, two]);
    assert.deepEqual(await all(store, mine), [one]);
    assert.deepEqual(await all(store, yours), [two]);
    assert.deepEqual(await all(store, newTenant()), []);
  });

  test("stores a repeated record once", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [one, two] = [record(tenant), record(tenant, { timeMs: NOW - 1 })];
    await store.insertAudit([one]);
    await store.insertAudit([one, two]);
    assert.deepEqual(await all(store, tenant), [one, two]);
  });

  test("lists newest first in pages, also records with the same time", async () => {
    const { store } = open();
    const tenant = newTenant();
    const records = Array.from({ length: 25 }, (_, n) => record(tenant, { timeMs: NOW - Math.floor(n / 5) }));
    await store.insertAudit(records);
    for (const limit of [1, 4, 5, 25, 26]) {
      const listed = await all(store, tenant, {}, limit);
      assert.deepEqual(
        listed.map(({ timeMs }) => timeMs),
        records.map(({ timeMs }) => timeMs),
      );
      assert.equal(new Set(listed.map(({ id }) => id)).size, 25);
    }
  });

  test("filters by subject, operation, outcome, target and time", async () => {
    const { store } = open();
    const tenant = newTenant();
    const odd = record(tenant, {
      timeMs: NOW - 1000,
      subject: "bob",
      targets: ["three"],
      outcome: "ROLE_MISSING",
    });
    const rest = [record(tenant), record(tenant, { timeMs: NOW - 2000, operation: "drainNode" })] as const;
    await store.insertAudit([...rest, odd]);
    for (const filter of [
      ...[{ subject: "bob" }, { outcome: "ROLE_MISSING" }, { target: "three" }],
      ...[
        { sinceMs: NOW - 1000, untilMs: NOW },
        { subject: "bob", target: "three" },
      ],
    ]) {
      assert.deepEqual(await all(store, tenant, filter), [odd], JSON.stringify(filter));
    }
    assert.deepEqual(await all(store, tenant, { operation: "drainNode" }), [rest[1]]);
    assert.deepEqual(await all(store, tenant, { target: "two" }), rest);
    assert.deepEqual(await all(store, tenant, { subject: "bob", target: "two" }), []);
    assert.deepEqual(await all(store, tenant, { untilMs: NOW - 2000 }), []);
  });

  test("finds rare records behind many non-matching ones", async () => {
    const { store } = open();
    const tenant = newTenant();
    const many = Array.from({ length: 11_000 }, (_, n) => record(tenant, { timeMs: NOW - n }));
    const rare = [5_500, 10_999].map((n) => record(tenant, { timeMs: NOW - n, subject: "rare" }));
    for (let from = 0; from < many.length; from += 1_000)
      await store.insertAudit(many.slice(from, from + 1_000));
    await store.insertAudit(rare);
    assert.deepEqual(await all(store, tenant, { subject: "rare" }, 1), rare);
    const first = await store.listAudit(tenant, { subject: "rare" }, undefined, 10);
    assert.deepEqual([first.records, first.next === undefined], [[], false], "every page has bounded work");
  });

  test("shortens a page of records with many targets, and omits none", async () => {
    const { store } = open();
    const tenant = newTenant();
    const targets = Array.from({ length: 1_000 }, () => randomUUID());
    const records = Array.from({ length: 45 }, (_, n) => record(tenant, { timeMs: NOW - n, targets }));
    await store.insertAudit(records);
    const first = await store.listAudit(tenant, {}, undefined, 500);
    assert.deepEqual([first.records.length, first.next], [20, records[19]]);
    assert.deepEqual(await all(store, tenant, {}, 500), records);
    assert.deepEqual(await all(store, tenant, { target: targets[3] as string }, 44), records);
  });

  test("replaces characters that PostgreSQL cannot store", async () => {
    const { store } = open();
    const tenant = newTenant();
    const hostile = {
      targets: ["a\0b", "\ud800", "\u202e", "'; drop table audit; --"],
      subject: "\\u0000{}",
    };
    await store.insertAudit([record(tenant, hostile)]);
    const [listed] = await all(store, tenant);
    assert.deepEqual(listed?.targets, ["a\ufffdb", "\ufffd", "\u202e", "'; drop table audit; --"]);
    assert.equal(listed?.subject, "\\u0000{}");
  });

  test("deletes old records in batches", async () => {
    const { store } = open();
    const tenant = newTenant();
    const DAY_MS = 86_400_000;
    const old = Array.from({ length: 5 }, (_, n) => record(tenant, { timeMs: NOW - 400 * DAY_MS - n }));
    const young = record(tenant, { timeMs: NOW - 398 * DAY_MS });
    await store.insertAudit([...old, young]);
    assert.equal(await store.deleteAudit(399 * DAY_MS, 3), 3);
    assert.equal(await store.deleteAudit(399 * DAY_MS, 3), 2);
    assert.equal(await store.deleteAudit(399 * DAY_MS, 3), 0);
    assert.deepEqual(await all(store, tenant), [young]);
  });
});

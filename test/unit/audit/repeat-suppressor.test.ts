/** Repeated records: the first ones are written, the others are counted. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { AuditRecord } from "../../../src/audit/record.ts";
import { Floods } from "../../../src/audit/repeat-suppressor.ts";

function record(tenant: string, outcome: string): AuditRecord {
  return {
    ...{ id: randomUUID(), timeMs: 0, requestId: "r", transport: "grpc", tenant, subject: "alice" },
    ...{ operation: "o", targets: ["t"], outcome, peer: "p", durationMs: 1, count: 1 },
  };
}

function flooded(spanMs = 3_600_000) {
  const told: AuditRecord[] = [];
  const { promise: summed, resolve } = Promise.withResolvers<void>();
  const take = (one: AuditRecord) => {
    told.push(one);
    if (one.count > 1) resolve();
  };
  const keyOf = ({ tenant, outcome }: AuditRecord) => (outcome === "OK" ? undefined : tenant);
  return { told, summed, floods: new Floods({ to: { take }, keyOf, most: 3, spanMs }) };
}

const of = (told: readonly AuditRecord[], tenant: string) =>
  told.filter((one) => one.tenant === tenant).map(({ outcome, count }) => `${outcome} ${count}`);

test("writes the first records of a tenant and sums up the rest by outcome; others are written at once", () => {
  const { told, floods } = flooded();
  for (let n = 0; n < 100; n++) floods.take(record("a", n % 4 === 3 ? "B" : "A"));
  floods.take(record("b", "A"));
  for (let n = 0; n < 50; n++) floods.take(record("a", "OK"));
  assert.deepEqual([of(told, "a").length, of(told, "b")], [53, ["A 1"]]);
  floods.close();
  assert.deepEqual(of(told, "a").slice(53), ["B 25", "A 72"]);
  const { subject, operation, targets, peer, requestId, durationMs } = told.at(-1) ?? record("", "");
  assert.deepEqual(
    [subject, operation, targets, peer, requestId, durationMs],
    ["alice", "", [], "", "", undefined],
  );
  floods.close();
  assert.equal(told.length, 56);
});

test("starts again after the span", async () => {
  const { told, summed, floods } = flooded(1);
  for (let n = 0; n < 10; n++) floods.take(record("a", "A"));
  // The span's timer keeps no process alive.
  const alive = setInterval(() => {}, 1_000);
  await summed;
  clearInterval(alive);
  floods.take(record("a", "A"));
  floods.close();
  assert.deepEqual(of(told, "a"), ["A 1", "A 1", "A 1", "A 7", "A 1"]);
});

test("writes a single suppressed record unchanged", () => {
  const { told, floods } = flooded();
  const records = Array.from({ length: 4 }, () => record("a", "A"));
  for (const one of records) floods.take(one);
  floods.close();
  assert.deepEqual(told, records);
});

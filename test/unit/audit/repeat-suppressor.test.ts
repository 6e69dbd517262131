/** Repeated records: the first ones are written, the others are counted. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { AuditRecord } from "../../../src/audit/record.ts";
import { RepeatSuppressor } from "../../../src/audit/repeat-suppressor.ts";

function record(tenant: string, outcome: string): AuditRecord {
  return {
    ...{ id: randomUUID(), timeMs: 0, requestId: "r", transport: "grpc", tenant, subject: "alice" },
    ...{ operation: "o", targets: ["t"], outcome, peer: "p", durationMs: 1, count: 1 },
  };
}

function flooded(spanMs = 3_600_000) {
  const reported: AuditRecord[] = [];
  const { promise: summed, resolve } = Promise.withResolvers<void>();
  const take = (one: AuditRecord) => {
    reported.push(one);
    if (one.count > 1) resolve();
  };
  const keyOf = ({ tenant, outcome }: AuditRecord) => (outcome === "OK" ? undefined : tenant);
  return { reported, summed, suppressor: new RepeatSuppressor({ to: { take }, keyOf, most: 3, spanMs }) };
}

const of = (reported: readonly AuditRecord[], tenant: string) =>
  reported.filter((one) => one.tenant === tenant).map(({ outcome, count }) => `${outcome} ${count}`);

test("writes the first records of a tenant and sums up the rest by outcome; others are written at once", () => {
  const { reported, suppressor } = flooded();
  for (let n = 0; n < 100; n++) suppressor.take(record("a", n % 4 === 3 ? "B" : "A"));
  suppressor.take(record("b", "A"));
  for (let n = 0; n < 50; n++) suppressor.take(record("a", "OK"));
  assert.deepEqual([of(reported, "a").length, of(reported, "b")], [53, ["A 1"]]);
  suppressor.close();
  assert.deepEqual(of(reported, "a").slice(53), ["B 25", "A 72"]);
  const { subject, operation, targets, peer, requestId, durationMs } = reported.at(-1) ?? record("", "");
  assert.deepEqual(
    [subject, operation, targets, peer, requestId, durationMs],
    ["alice", "", [], "", "", undefined],
  );
  suppressor.close();
  assert.equal(reported.length, 56);
});

test("starts again after the span", async () => {
  const { reported, summed, suppressor } = flooded(1);
  for (let n = 0; n < 10; n++) suppressor.take(record("a", "A"));
  // The span's timer keeps no process alive.
  const alive = setInterval(() => {}, 1_000);
  await summed;
  clearInterval(alive);
  suppressor.take(record("a", "A"));
  suppressor.close();
  assert.deepEqual(of(reported, "a"), ["A 1", "A 1", "A 1", "A 7", "A 1"]);
});

test("writes a single suppressed record unchanged", () => {
  const { reported, suppressor } = flooded();
  const records = Array.from({ length: 4 }, () => record("a", "A"));
  for (const one of records) suppressor.take(one);
  suppressor.close();
  assert.deepEqual(reported, records);
});

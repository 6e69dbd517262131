/** Which requests are stored individually and which are only counted; through the services of a real controller. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Registry } from "prom-client";
import type { AuditRecord } from "../../src/audit/record.ts";
import { Permissions } from "../../src/auth/access/permissions.ts";
import { openLog } from "../../src/platform/observability/log.ts";
import { openAuditLog, openTrail } from "../../src/processes/controller/audit-log.ts";
import { System } from "../controller/system.ts";

const LOG = openLog({ level: "silent", format: "json" });
const CANCEL = "svc.v1.JobService/CancelJob";
const TABLE = { grpc: { [CANCEL]: "svc:writer" }, http: {} };

let system: System;
let permissions: Permissions;
before(async () => {
  system = await System.open();
  permissions = Permissions.of(TABLE, { grpc: [CANCEL], http: [] });
});
after(() => system.close());

/** Records requests of a tenant; returns what its administrators see, as "SUBJECT OUTCOME COUNT". */
async function kept(tenant: string, requests: readonly Partial<AuditRecord>[]): Promise<readonly string[]> {
  const auditLog = await openAuditLog(
    { auditLog: undefined, auditRetention: 90 },
    { log: LOG, registry: new Registry() },
  );
  const trail = openTrail(auditLog, permissions, () => system.store, LOG);
  trail.start();
  for (const { subject = "alice", outcome, unchanged, filter, jobs } of requests) {
    const entry = trail.audit.open({ requestId: "r", transport: "grpc", operation: CANCEL, peer: "here" });
    if (outcome === undefined) entry.admitted({ tenant, subject });
    else entry.refused(outcome, { tenant, subject });
    if (filter !== undefined) entry.chose(filter, jobs ?? 0);
    if (unchanged) entry.changedNothing();
    entry.close(true);
  }
  await trail.phase.run();
  const { records } = await system.store.listAudit(tenant, {}, undefined, 5_000);
  return records.map(({ subject, outcome, count }) => `${subject} ${outcome} ${count}`);
}

const many = (count: number, request: Partial<AuditRecord>) => Array.from({ length: count }, () => request);

test("stores every change, even many", async () => {
  const lines = await kept("busy", many(500, {}));
  assert.equal(lines.length, 500);
  assert.deepEqual([...new Set(lines)], ["alice OK 1"]);
});

test("stores every change of many jobs with any outcome, with its filter and number of jobs", async () => {
  const request = { outcome: "STORE_UNAVAILABLE", filter: "state=QUEUED", jobs: 7 };
  const lines = await kept("many", many(70, request));
  assert.equal(lines.length, 70);
  const { records } = await system.store.listAudit("many", {}, undefined, 1);
  assert.deepEqual(
    records.map(({ filter, jobs }) => [filter, jobs]),
    [["state=QUEUED", 7]],
  );
});

test("stores requests that change nothing or fail individually up to a limit, and counts the rest", async () => {
  const lines = await kept("idle", [
    ...many(300, { unchanged: true }),
    ...many(300, { outcome: "ROLE_MISSING" }),
  ]);
  assert.equal(lines.length, 62);
  const counts = lines.map((line) => Number(line.split(" ").at(-1)));
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    600,
  );
  assert.deepEqual(lines.filter((line) => !line.endsWith(" 1")).toSorted(), [
    "alice OK 240",
    "alice ROLE_MISSING 300",
  ]);
});

test("counts the repeated requests of each subject separately", async () => {
  const lines = await kept("shared", [
    ...many(300, { outcome: "ROLE_MISSING" }),
    { subject: "bob", outcome: "ROLE_MISSING" },
  ]);
  assert.deepEqual(
    lines.filter((line) => line.startsWith("bob")),
    ["bob ROLE_MISSING 1"],
  );
});

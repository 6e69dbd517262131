/** When the line of a request is written, and with which outcome. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AuditEntry } from "../../../src/audit/entry.ts";
import type { AuditRecord } from "../../../src/audit/record.ts";

function begin() {
  const reported: AuditRecord[] = [];
  const request = { requestId: "r", transport: "http", operation: "submitJob", peer: "here" } as const;
  const entry = new AuditEntry(request, (record) => reported.push(record));
  const outcomes = () => reported.map(({ outcome }) => outcome);
  return { entry, reported, outcomes };
}

const ALICE = { tenant: "acme", subject: "alice", roles: ["svc:admin"] };

test("writes one line when the answer has been sent", () => {
  const { entry, reported } = begin();
  entry.admitted(ALICE);
  entry.about(["job", "", undefined, "job", "x".repeat(9_000)]);
  assert.equal(reported.length, 0);
  entry.close(true);
  entry.close(false);
  assert.equal(reported.length, 1);
  const [line] = reported;
  assert.deepEqual(
    [line?.tenant, line?.subject, line?.outcome, line?.operation],
    ["acme", "alice", "OK", "submitJob"],
  );
  assert.deepEqual(line?.targets, ["job", "x".repeat(256)]);
});

test("takes the first failure as the outcome", () => {
  const { entry, outcomes } = begin();
  entry.admitted(ALICE);
  entry.failed("JOB_NOT_FOUND");
  entry.failed("NOT_FOUND");
  entry.close(true);
  assert.deepEqual(outcomes(), ["JOB_NOT_FOUND"]);
});

test("waits for work that continues after the caller hung up", () => {
  const { entry, reported, outcomes } = begin();
  entry.admitted(ALICE);
  const release = entry.hold();
  entry.close(false);
  assert.equal(reported.length, 0);
  entry.about(["made"]);
  release(true);
  assert.deepEqual(outcomes(), ["OK"]);
  assert.deepEqual(reported[0]?.targets, ["made"]);
});

test("writes a second line for work that starts after the caller hung up", () => {
  const { entry, outcomes } = begin();
  entry.admitted(ALICE);
  entry.close(false);
  assert.deepEqual(outcomes(), ["SCORE_CANCELLED"]);
  entry.hold()(true);
  assert.deepEqual(outcomes(), ["SCORE_CANCELLED", "OK"]);
});

test("names a refused caller only if it is known", () => {
  for (const caller of [undefined, { tenant: "acme", subject: "bob" }]) {
    const { entry, reported } = begin();
    entry.refused("TOKEN_INVALID", caller);
    entry.close(true);
    assert.deepEqual(
      [reported[0]?.tenant, reported[0]?.subject],
      [caller?.tenant ?? "", caller?.subject ?? ""],
    );
  }
});

test("writes nothing for probes", () => {
  const { entry, reported } = begin();
  entry.admitted({ tenant: "", subject: "" });
  entry.started();
  entry.hold()(true);
  entry.close(true);
  assert.deepEqual(reported, []);
});

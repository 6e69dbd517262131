/** The audit log table, and the parsing of past times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { parsePast } from "../../src/cli/flags/instants.ts";
import { auditTable } from "../../src/cli/tenants/audit.ts";
import { AuditRecordSchema } from "../../src/gen/proto/svc/v1/audit_pb.ts";

const TERMINAL = { columns: 140, color: false, unicode: true, live: false };

function record(over: MessageInitShape<typeof AuditRecordSchema> = {}) {
  return create(AuditRecordSchema, {
    ...{ time: timestampFromMs(Date.UTC(2026, 10, 21, 8, 0, 0)), requestId: "r", transport: "grpc" },
    ...{ subject: "alice", operation: "svc.v1.JobService/CancelJob", targets: ["one", "two"] },
    ...{ outcome: "OK", peer: "10.0.0.7:5000", count: 1 },
    ...over,
  });
}

test("prints one line per record; a summarised record shows its count", () => {
  const summed = record({
    operation: "",
    count: 40,
    outcome: "ROLE_MISSING",
    subject: "",
    targets: [],
    peer: "",
  });
  assert.deepEqual(auditTable([record(), summed], TERMINAL, { heading: true }), [
    "TIME                  SUBJECT   OPERATION       OUTCOME       FROM             TARGETS",
    "2026-11-21 08:00:00Z  alice     CancelJob       OK            10.0.0.7:5000    one two",
    "2026-11-21 08:00:00Z  -         40 calls        ROLE_MISSING  -",
  ]);
});

test("shows the number of jobs and the filter of a call that changes many jobs", () => {
  const many = record({
    ...{
      operation: "svc.v1.JobService/CancelJobs",
      targets: [],
      jobs: 1200,
      filter: "state=QUEUED&label=a%3Db",
    },
  });
  const [line = ""] = auditTable([many], TERMINAL, { heading: false });
  assert.match(line, /CancelJobs .* 1200 jobs state=QUEUED&label=a%3Db$/);
});

test("escapes hostile names, which stay in their line and column", () => {
  const [line = ""] = auditTable([record({ subject: "a\n\u001b[2J\u202e" })], TERMINAL, { heading: false });
  assert.match(line, /a\\n\\u\{1b\}\[2J\\u\{202e\}/);
});

test("parses an age, a day, or a time with its zone", () => {
  const now = Date.now();
  const past = parsePast("12h");
  assert.ok(Math.abs(now - 12 * 3_600_000 - past) < 60_000);
  assert.equal(parsePast("2026-05-17T09:30:00Z"), Date.UTC(2026, 4, 17, 9, 30));
  assert.equal(parsePast("2026-05-17"), new Date(2026, 4, 17).getTime());
  for (const text of ["", "12", "h", "yesterday", "2026-05-17T09:30:00", "2026-13-01", "26-05-17", "-1h"])
    assert.throws(() => parsePast(text), text);
});

/** A record is one line of JSON for any values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lineOf } from "../../../src/audit/line.ts";
import type { AuditRecord } from "../../../src/audit/record.ts";

const RECORD: AuditRecord = {
  ...{
    id: "id",
    timeMs: Date.UTC(2026, 10, 21, 8, 0, 0, 7),
    requestId: "r",
    transport: "grpc",
    tenant: "acme",
  },
  ...{ subject: "alice", operation: "svc.v1.JobService/GetJob", targets: ["job"], outcome: "OK" },
  ...{ peer: "127.0.0.1:5", durationMs: 3, count: 1 },
};

test("names members as the documentation does", () => {
  assert.equal(
    lineOf(RECORD),
    '{"time":"2026-11-21T08:00:00.007Z","requestId":"r","transport":"grpc","tenant":"acme","subject":"alice",' +
      '"operation":"svc.v1.JobService/GetJob","targets":["job"],"outcome":"OK","peer":"127.0.0.1:5","durationMs":3}\n',
  );
  assert.match(lineOf({ ...RECORD, durationMs: undefined, count: 7 }), /"peer":"127.0.0.1:5","count":7\}\n$/);
});

/** Texts with everything that could end a line, an object or a terminal's patience. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...'\n\r\0\u001b\u007f\u0085\u009b\u2028\u2029\u202e\u2066\u200b\ufeff\ud800\udfff"\\{}'.split(""),
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});

test("writes hostile values as one line of visible characters that parses back", () => {
  const members = {
    requestId: hostile,
    tenant: hostile,
    subject: hostile,
    operation: hostile,
    outcome: hostile,
  };
  const records = fc.record({ ...members, peer: hostile, targets: fc.array(hostile, { maxLength: 5 }) });
  fc.assert(
    fc.property(records, (values) => {
      const line = lineOf({ ...RECORD, ...values });
      assert.match(line, /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+\n$/u);
      const { time: _, transport, durationMs, ...reported } = JSON.parse(line) as Record<string, unknown>;
      assert.deepEqual(reported, { ...values });
      assert.deepEqual([transport, durationMs], ["grpc", 3]);
    }),
  );
});

test("truncates a long value and stays one line", () => {
  const line = lineOf({ ...RECORD, tenant: "\u202e".repeat(100_000), targets: ["x".repeat(100_000)] });
  const reported = JSON.parse(line) as { readonly tenant: string; readonly targets: readonly string[] };
  assert.equal(reported.tenant, `${"\u202e".repeat(512)}…`);
  assert.equal(reported.targets[0], `${"x".repeat(512)}…`);
});

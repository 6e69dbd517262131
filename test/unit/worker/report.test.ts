/** Reports stay within the limits of messages for any result or failure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../../src/engine/contract/finding.ts";
import { FrameTable } from "../../../src/engine/frames/frame-table.ts";
import { fileInfo } from "../../../src/engine/media/track.ts";
import { Failure } from "../../../src/platform/failure.ts";
import { reportsOf } from "../../../src/worker/report.ts";
import { track } from "../engine/track-fixture.ts";

function scoredWith(findings: readonly Finding[]) {
  const table = new FrameTable(["vmaf"]);
  table.append(0, [90]);
  const scored = {
    table,
    durationMs: 1,
    plan: undefined,
    frameCount: undefined,
    findings,
    shots: undefined,
    scoredBy: undefined,
  };
  const [report] = reportsOf({ kind: "SCORED", scored });
  assert.ok(report?.case === "segment");
  return report.value.findings ?? [];
}

function failedWith(found: Readonly<Record<string, unknown>>): unknown {
  const failure = new Failure("PAIR_MISMATCH", "It is mirrored.", { found });
  const [report] = reportsOf({ kind: "FAILED", failure });
  assert.ok(report?.case === "failure");
  return JSON.parse(report.value.found ?? "");
}

const late: Finding = { code: "OFFSET", confidence: "certain", evidence: "It is late.", fix: { offset: 3 } };

test("reports at most 100 findings, the gravest first and each once", () => {
  const frozen = Array.from({ length: 150 }, (_, first): Finding => {
    const frames = { first, count: 1 };
    return { code: "FROZEN", confidence: "possible", evidence: "It is still.", frames };
  });
  const findings = scoredWith([...frozen, late, late]);
  assert.equal(findings.length, 100);
  assert.deepEqual(
    findings.slice(0, 3).map(({ code, frames }) => [code, frames?.first]),
    [
      ["OFFSET", undefined],
      ["FROZEN", 0],
      ["FROZEN", 1],
    ],
  );
});

test("reports a diagnosis with at most 100 findings and without their long fixes, but with the whole fix", () => {
  const runs = Array.from({ length: 101 }, (_, n) => ({ reference: 2 * n, distorted: n, count: 1 }));
  const findings = Array.from({ length: 150 }, () => ({ ...late, fix: { runs } }));
  const [reference, distorted] = [fileInfo(track("reference"), 1), fileInfo(track("distorted"), 1)];
  const checked = { reference: [], distorted: [] };
  const diagnosis = { findings, runs, checked, fix: { runs }, reference, distorted, durationMs: 1 };
  const [report] = reportsOf({ kind: "DIAGNOSED", diagnosis });
  assert.ok(report?.case === "diagnosis");
  const { value } = report;
  assert.deepEqual([value.findings?.length, value.findings?.[0]?.fix], [100, undefined]);
  assert.deepEqual([value.runs?.length, value.fix?.runs?.length], [101, 101]);
});

test("leaves out a fix of more than 100 runs", () => {
  const runs = Array.from({ length: 101 }, (_, n) => ({ reference: 2 * n, distorted: n, count: 1 }));
  const [short, long] = [{ runs: runs.slice(1) }, { runs }].map(
    (fix) => scoredWith([{ ...late, fix }])[0]?.fix,
  );
  assert.equal(short?.runs?.length, 100);
  assert.equal(long, undefined);
});

test("leaves out the largest facts of a failure if they are too long together", () => {
  const remedy = { option: "fix", value: true };
  const findings = [late];
  assert.deepEqual(failedWith({ findings, remedy }), { findings, remedy });
  const long = "x".repeat(9_000);
  assert.deepEqual(failedWith({ findings: long, fix: long, remedy }), { fix: long, remedy });
  assert.deepEqual(failedWith({ findings: long + long, fix: long + long, remedy }), { remedy });
});

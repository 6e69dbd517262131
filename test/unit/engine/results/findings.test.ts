/** Findings of parts, joined. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding } from "../../../../src/engine/contract/finding.ts";
import { UNCHECKED } from "../../../../src/engine/contract/unchecked.ts";
import { joinFindings } from "../../../../src/engine/results/findings.ts";

const late: Finding = { code: "OFFSET", confidence: "certain", evidence: "3 frames late." };
const first: Finding = { ...late, fix: { offset: 3 } };
const still: Finding = { code: "FROZEN", confidence: "likely", evidence: "It is still." };

function frozen(firstFrame: number): Finding {
  return { ...still, frames: { first: firstFrame, count: 9 } };
}

test("a finding of all parts is reported once, with its fix if one part has it", () => {
  assert.deepEqual(joinFindings(undefined, [[first, late], [{ ...late, evidence: "Still late." }]]), [first]);
  const other: Finding = { ...first, fix: { offset: 4 } };
  assert.deepEqual(joinFindings(undefined, [[first], [other, late]]), [first, other]);
});

test("events with frames stay apart, the gravest first", () => {
  const events = [frozen(20), frozen(40), frozen(20)];
  assert.deepEqual(joinFindings(undefined, [[...events, late]]), [late, frozen(20), frozen(40)]);
});

test("repaired findings come first, and are not reported again", () => {
  const repair = { fix: { offset: 3 }, findings: [late] };
  assert.deepEqual(joinFindings(repair, [[still, { ...late, confidence: "likely" }]]), [
    { ...late, fixed: true },
    still,
  ]);
});

test("a property that one part could not check is left out if another part checked it", () => {
  const { matrix, fields } = UNCHECKED;
  assert.deepEqual(joinFindings(undefined, [[matrix, fields], [fields]]), [fields]);
  assert.deepEqual(
    joinFindings(undefined, [
      [matrix, fields],
      [fields, matrix],
    ]),
    [matrix, fields],
  );
  assert.deepEqual(joinFindings(undefined, [[matrix], []]), []);
});

test("a part whose pictures cannot be compared checks no property of the samples", () => {
  const plain: Finding = { code: "NOT_CHECKED", confidence: "possible", evidence: "Only 9 % moves." };
  assert.deepEqual(joinFindings(undefined, [[UNCHECKED.fields], [plain]]), [UNCHECKED.fields, plain]);
  assert.deepEqual(joinFindings(undefined, [[], [plain]]), [plain]);
});

/** Findings of a job: reading untrusted facts, words, and the specs that score the pair otherwise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FINDING_CODES } from "../../../src/engine/contract/finding.ts";
import { comparedFrame } from "../../../web/src/job/findings/compared-frame.ts";
import {
  comparedTexts,
  findingTitle,
  placeText,
  policyTexts,
  sizeText,
} from "../../../web/src/job/findings/finding-texts.ts";
import { type Finding, readFindings, readFix } from "../../../web/src/job/findings/read-findings.ts";
import { asItIs, findingsOf, repairOf } from "../../../web/src/job/findings/repair.ts";
import type { Job, JobSpec } from "../../../web/src/jobs/job-facts.ts";

const PAIR: JobSpec = { reference: "/r.mov", distorted: "/d.mp4" };
const OFFSET = {
  ...{
    code: "OFFSET",
    side: "distorted",
    size: -7,
    confidence: "certain",
    evidence: "7 frames are missing.",
  },
  fix: { offset: -7 },
};
const CROP = { distorted: { x: 0, y: 20, width: 320, height: 140 } };

function refused(found: Readonly<Record<string, unknown>>, spec: JobSpec = PAIR): Job {
  const error = { code: "PAIR_MISMATCH", message: "No.", found };
  return { spec, state: "FAILED", error } as unknown as Job;
}

function scored(result: Readonly<Record<string, unknown>>, spec: JobSpec = PAIR): Job {
  const { frameCount = 100 } = result;
  const progress = { framesDone: frameCount, framesTotal: frameCount };
  return { spec, state: "SUCCEEDED", progress, result: { frameCount, ...result } } as unknown as Job;
}

function finding(parts: Partial<Finding>): Finding {
  const [read] = readFindings([OFFSET]);
  assert.ok(read);
  return { ...read, ...parts };
}

test("reads the findings of a result and of a refused pair alike", () => {
  const read = {
    ...OFFSET,
    ...{ side: "distorted", frames: undefined, area: undefined, isFixed: false },
  };
  assert.deepEqual(findingsOf(refused({ findings: [OFFSET] })), [read]);
  assert.deepEqual(findingsOf(scored({ findings: [{ ...OFFSET, side: "", fixed: true }] })), [
    { ...read, side: undefined, isFixed: true },
  ]);
  assert.deepEqual(findingsOf(scored({})), []);
  const other = { spec: PAIR, error: { code: "MEDIA_CORRUPT", message: "", found: { findings: [OFFSET] } } };
  assert.deepEqual(findingsOf(other as unknown as Job), []);
});

test("leaves out malformed findings and members", () => {
  for (const value of [undefined, null, "x", 3, {}, [null, 1, "x", {}, { ...OFFSET, code: 5 }]])
    assert.deepEqual(readFindings(value), []);
  for (const wrong of [{ confidence: "sure" }, { confidence: undefined }, { evidence: {} }, { code: "" }])
    assert.deepEqual(readFindings([{ ...OFFSET, ...wrong }]), []);
  const odd = {
    ...{ side: "both", frames: { first: -1, count: 2 }, size: "7", fixed: "yes", fix: { offset: "x" } },
    area: { x: 0, y: 0, width: 0, height: 5 },
  };
  const [read] = readFindings([{ ...OFFSET, ...odd }]);
  assert.deepEqual(read, {
    ...{ code: "OFFSET", confidence: "certain", evidence: OFFSET.evidence, isFixed: false },
    ...{ side: undefined, frames: undefined, size: undefined, fix: undefined, area: undefined },
  });
});

test("reads a whole fix or none", () => {
  const fix = {
    ...{ runs: [{ reference: 0, distorted: 2, count: 40 }], crop: CROP, mirror: { reference: "BOTH" } },
    ...{ rangeOf: { distorted: "FULL" }, matrixOf: { reference: "BT709", distorted: "BT601" } },
  };
  assert.deepEqual(readFix({ ...fix, priority: 100, reference: "/etc/passwd" }), fix);
  assert.deepEqual(readFix({ offset: 0 }), { offset: 0 });
  assert.deepEqual(readFix({ offset: -7, runs: [] }), { offset: -7 });
  const wrongMembers: readonly Readonly<Record<string, unknown>>[] = [
    ...[{ offset: 1.5 }, { runs: {} }, { runs: [{ reference: 0, distorted: 0, count: 0 }] }],
    ...[{ crop: {} }, { crop: { distorted: { width: "5", height: 5 } } }, { crop: { left: {} } }],
    ...[{ mirror: { distorted: "toString" } }, { rangeOf: { distorted: "TV" } }],
    ...[{ matrixOf: { reference: "BT709" } }],
  ];
  for (const wrong of wrongMembers) {
    assert.equal(readFix(wrong), undefined, JSON.stringify(wrong));
    assert.equal(readFix({ ...fix, ...wrong }), undefined, JSON.stringify(wrong));
  }
  for (const none of [undefined, null, "x", [], {}, { runs: [] }, { priority: 100 }])
    assert.equal(readFix(none), undefined);
});

test("every code has a title, and an unknown one is its own", () => {
  const titles = FINDING_CODES.map(findingTitle);
  for (const [index, code] of FINDING_CODES.entries()) assert.notEqual(titles[index], code);
  assert.equal(new Set(titles).size, FINDING_CODES.length);
  for (const code of ["SOMETHING_NEW", "constructor"]) assert.equal(findingTitle(code), code);
});

test("states sizes in the unit of the code, and places as frames", () => {
  assert.equal(sizeText({ code: "OFFSET", size: -7 }), "7 frames");
  assert.equal(sizeText({ code: "FROZEN", size: 1 }), "1 frame");
  assert.equal(sizeText({ code: "RANGE_DIFFERS", size: 7.834 }), "7.8 of 255 levels");
  assert.equal(sizeText({ code: "INTERLACED", size: 0.333_333 }), "0.33");
  assert.equal(sizeText({ code: "OFFSET", size: undefined }), undefined);
  assert.equal(placeText({ first: 40, count: 7 }), "frames 40–46");
  assert.equal(placeText({ first: 0, count: 1 }), "frame 0");
});

test("describes what is compared, and what is done about findings", () => {
  assert.deepEqual(comparedTexts({ offset: -7, start: 10, duration: 250 }), [
    "offset -7",
    "from frame 10",
    "250 frames",
  ]);
  assert.deepEqual(
    comparedTexts({
      ...{ runs: [{ reference: 0, distorted: 2, count: 40 }], crop: CROP, mirror: { reference: "BOTH" } },
      ...{ rangeOf: { distorted: "FULL" }, matrixOf: { reference: "BT709", distorted: "BT601" } },
    }),
    [
      "reference 0–39 = distorted 2–41",
      "distorted cropped to 320×140 at 0, 20",
      "reference turned by 180°",
      "distorted taken as full range",
      "reference taken as BT.709",
      "distorted taken as BT.601",
    ],
  );
  const findings = { action: "WARN", codes: { CROPPED: "IGNORE" } } as const;
  assert.deepEqual(policyTexts({ findings, fix: true }), [
    "repair the pair first",
    "warn",
    "Cropped: ignore",
  ]);
  assert.deepEqual(policyTexts({}), []);
});

test("repairs a refused pair with the fix that its failure names", () => {
  assert.deepEqual(repairOf(refused({ findings: [OFFSET], fix: { offset: -7 } })), { offset: -7 });
  assert.equal(repairOf(refused({ findings: [OFFSET] })), undefined);
  assert.equal(
    repairOf(refused({ findings: [OFFSET], fix: { offset: -7 } }, { ...PAIR, start: 5 })),
    undefined,
  );
  const fix = { offset: -7, crop: CROP };
  assert.deepEqual(repairOf(refused({ findings: [OFFSET], fix }, { ...PAIR, offset: 3 })), { crop: CROP });
});

test("repairs a scored pair with the fixes that were not applied and are more than possible", () => {
  const cropped = { ...OFFSET, code: "CROPPED", fix: { crop: CROP } };
  const area = { x: 2, y: 0, width: 300, height: 180 };
  const bars = { ...OFFSET, code: "BARS", confidence: "likely", fix: { crop: { reference: area } } };
  const dropped = { ...OFFSET, fix: { runs: [{ reference: 0, distorted: 0, count: 9 }] } };
  assert.deepEqual(repairOf(scored({ findings: [cropped, OFFSET, bars, dropped] })), {
    offset: -7,
    crop: { ...CROP, reference: area },
  });
  assert.deepEqual(repairOf(scored({ findings: [{ ...cropped, fixed: true }, bars] })), {
    crop: { reference: area },
  });
  assert.equal(repairOf(scored({ findings: [{ ...cropped, confidence: "possible" }] })), undefined);
  assert.equal(repairOf(scored({ findings: [cropped] }, { ...PAIR, crop: CROP })), undefined);
});

test("scores a pair as it is without repairing it, and keeps what it ignores", () => {
  assert.deepEqual(asItIs({ ...PAIR, fix: true, priority: 3 }), {
    ...PAIR,
    priority: 3,
    findings: { action: "WARN" },
  });
  const codes = { CROPPED: "IGNORE", OFFSET: "REFUSE" } as const;
  assert.deepEqual(asItIs({ ...PAIR, findings: { action: "REFUSE", codes } }).findings, {
    action: "WARN",
    codes: { CROPPED: "IGNORE" },
  });
});

test("finds the compared frame that shows the beginning of a finding", () => {
  const runs = [
    { reference: 0, distorted: 0, count: 40 },
    { reference: 47, distorted: 40, count: 53 },
  ];
  const at = (first: number, job: Job, side?: Finding["side"]) =>
    comparedFrame(job, finding({ frames: { first, count: 3 }, side }));
  assert.equal(at(12, scored({})), 12);
  assert.equal(at(200, scored({})), 99);
  assert.equal(at(12, scored({}, { ...PAIR, subsample: 5 })), 10);
  const aligned = scored({ alignment: { runs }, frameCount: 93 });
  assert.equal(at(12, aligned, "reference"), 12);
  assert.equal(at(42, aligned, "reference"), 40, "left out: the next frame");
  assert.equal(at(50, aligned, "reference"), 43);
  assert.equal(at(50, aligned, "distorted"), 50);
  assert.equal(at(500, aligned), 92, "after all runs: the last frame");
  const thinned = scored({
    alignment: { runs: [{ reference: 10, distorted: 0, count: 50 }], referenceStep: 2 },
  });
  assert.equal(at(15, thinned, "reference"), 3);
  assert.equal(comparedFrame(scored({}), finding({ frames: undefined })), undefined);
  assert.equal(comparedFrame(refused({}), finding({ frames: { first: 0, count: 1 } })), undefined);
});

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alignTime, type TimeRelation } from "../../../../src/engine/doctor/time/align.ts";
import { reliableRuns, timeFindings } from "../../../../src/engine/doctor/time-findings.ts";
import { picturesOf, span } from "./time/moving-texture.ts";

const SCENE = 5;
/** Moments of `count` frames that show the same. */
const still = (moment: number, count: number) => span(0, count).map(() => moment);

/** Returns the findings about two videos that show these moments of a scene, with different noise. */
function found(reference: readonly number[], distorted: readonly number[]) {
  const time = alignTime(picturesOf(SCENE, reference), picturesOf(SCENE, distorted, { seed: 2 }));
  const counts = { reference: reference.length, distorted: distorted.length };
  const seen = { first: 0, counts, totals: counts };
  const findings = timeFindings(time, seen).map(({ code, confidence, size, fix }) => ({
    ...{ code, confidence, size, fix },
  }));
  return { findings, sure: reliableRuns(time, seen) };
}

describe("offsets after a still beginning", () => {
  test("may be frames added in it; both faults have the same fix", () => {
    const { findings, sure } = found(
      [...still(40, 60), ...span(41, 60)],
      [...still(40, 76), ...span(41, 60)],
    );
    assert.deepEqual(findings, [
      { code: "TIME_UNCLEAR", confidence: "certain", size: 16, fix: { offset: 16 } },
    ]);
    const [{ reference, distorted, count } = assert.fail(), ...others] = sure;
    assert.ok(reference > 50 && reference <= 61);
    assert.deepEqual([distorted - reference, reference + count, others.length], [16, 120, 0]);
  });
  test("may be frames lost in it", () => {
    const { findings } = found([...still(40, 60), ...span(41, 60)], [...still(40, 50), ...span(41, 70)]);
    assert.deepEqual(findings, [
      { code: "TIME_UNCLEAR", confidence: "certain", size: -10, fix: { offset: -10 } },
    ]);
  });
  test("are reported as offsets if the beginning moves, or is still only for a moment", () => {
    for (const [reference, distorted] of [
      [span(40, 100), span(47, 100)],
      [
        [...still(40, 12), ...span(41, 80)],
        [...still(40, 20), ...span(41, 72)],
      ],
    ] as const)
      assert.deepEqual(
        found(reference, distorted).findings.map(({ code, confidence }) => [code, confidence]),
        [["OFFSET", "certain"]],
      );
  });
});

test("leaves open whether frames are missing in a still end or after it", () => {
  const reference = [...span(40, 60), ...still(99, 60)];
  const { findings, sure } = found(reference, reference.slice(0, 114));
  assert.deepEqual(
    findings.map(({ code, confidence, size }) => [code, confidence, size]),
    [["TIME_UNCLEAR", "certain", -6]],
  );
  assert.ok(sure.every(({ reference, count }) => reference + count < 70));
});

test("leaves open whether a late video loses frames in a still end, if the counts are equal", () => {
  const [reference, distorted] = [
    [...span(40, 60), ...still(99, 40)],
    [...span(37, 63), ...still(99, 37)],
  ];
  const { findings, sure } = found(reference, distorted);
  assert.deepEqual(
    findings.map(({ code, confidence, size }) => [code, confidence, size]),
    [
      ["OFFSET", "certain", 3],
      ["TIME_UNCLEAR", "certain", -3],
    ],
  );
  assert.ok(sure.every(({ reference, count }) => reference + count < 70));
});

test("reports frames that are missing after a moving end", () => {
  const { findings } = found(span(40, 100), span(40, 94));
  assert.deepEqual(
    findings.map(({ code, confidence }) => [code, confidence]),
    [["TRIMMED", "certain"]],
  );
});

test("gives no fix for an offset if the common end fits equally well", () => {
  const counts = { reference: 154, distorted: 119 };
  const seen = { first: 0, counts, totals: counts };
  const time = (tied: readonly number[]): TimeRelation => ({
    ...{ state: "shifted", confidence: "likely", match: 0.6, checked: 119, events: [], tied },
    ...{ runs: [{ reference: 33, distorted: 0, count: 119 }], open: { first: 0, last: 0 } },
  });
  const summary = (tied: readonly number[]) =>
    timeFindings(time(tied), seen).map(({ code, fix }) => [code, fix]);
  const fix = { offset: -33 };
  assert.deepEqual(summary([-34]), [
    ["OFFSET", fix],
    ["TRIMMED", fix],
    ["TRIMMED", fix],
  ]);
  assert.equal(reliableRuns(time([-34]), seen)[0]?.count, 119);
  assert.deepEqual(summary([-35, -34]), [
    ["OFFSET", undefined],
    ["TIME_UNCLEAR", undefined],
    ["TRIMMED", undefined],
  ]);
  assert.deepEqual(reliableRuns(time([-35, -34]), seen), []);
});

test("does not pair still frames if frames are missing among them", () => {
  const { findings, sure } = found(
    [...span(40, 40), ...still(79, 60), ...span(80, 40)],
    [...span(40, 40), ...still(79, 55), ...span(80, 40)],
  );
  assert.deepEqual(
    findings.map(({ code, confidence, size }) => [code, confidence, size]),
    [["FRAMES_DROPPED", "certain", 5]],
  );
  const [before, after, ...others] = sure;
  assert.ok(before && after && others.length === 0);
  assert.deepEqual([before.reference, after.reference - after.distorted], [0, 5]);
  assert.ok(before.count < 50 && after.reference > 90);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Truth } from "../../../bench/doctor/corpus/truth.ts";
import type { Finding, Found } from "../../../bench/doctor/found.ts";
import { judge } from "../../../bench/doctor/judge.ts";

const WHOLE = [{ reference: 0, distorted: 0, count: 100 }];

function truth(of: Partial<Truth>): Truth {
  return {
    ...{
      expected: [],
      allowed: [],
      frames: { reference: 100, distorted: 100 },
      runs: WHOLE,
      span: undefined,
    },
    ...{ repair: {}, ambiguous: false, parameters: {} },
    ...of,
  };
}

const finding = (code: string, of: Partial<Finding> = {}): Finding => ({
  code,
  confidence: "certain",
  ...of,
});
const found = (findings: readonly Finding[], runs: Found["runs"] = WHOLE): Found => ({ findings, runs });

const CLEAN = truth({});
const LATE = [{ reference: 0, distorted: 5, count: 95 }];
const OFFSET = truth({ expected: [["OFFSET"]], allowed: ["TRIMMED"], runs: LATE });
const AFTER_DROP = [
  { reference: 0, distorted: 0, count: 50 },
  { reference: 51, distorted: 50, count: 49 },
];
const DROP = truth({
  ...{ expected: [["FRAMES_DROPPED"]], runs: AFTER_DROP },
  frames: { reference: 100, distorted: 99 },
});

test("no finding about a clean pair is right, and an alarm is wrong", () => {
  assert.equal(judge(CLEAN, found([])).outcome, "right");
  const alarmed = judge(CLEAN, found([finding("CROPPED", { confidence: "likely" })]));
  assert.equal(alarmed.outcome, "wrong");
  assert.deepEqual(alarmed.reasons, ["likely CROPPED"]);
});

test("a clean pair may have possible, allowed and NOT_CHECKED findings", () => {
  assert.equal(judge(CLEAN, found([finding("SIDES_SWAPPED", { confidence: "possible" })])).outcome, "right");
  const unclear = (confidence: Finding["confidence"]) => finding("TIME_UNCLEAR", { confidence });
  assert.equal(judge(CLEAN, found([unclear("possible")], [])).outcome, "right");
  assert.equal(judge(CLEAN, found([unclear("certain")], [])).outcome, "wrong");
  assert.equal(judge(OFFSET, found([unclear("certain")], [])).outcome, "unclear");
  const shifted = truth({ allowed: ["LEVELS_DIFFER"] });
  assert.equal(judge(shifted, found([finding("LEVELS_DIFFER")])).outcome, "right");
});

test("an alignment that shifts frames of a clean pair is wrong even without a finding", () => {
  assert.equal(judge(CLEAN, found([], LATE)).outcome, "wrong");
});

test("an offset is right only with its alignment", () => {
  assert.equal(judge(OFFSET, found([finding("OFFSET")], LATE)).outcome, "right");
  const other = [{ reference: 0, distorted: 4, count: 96 }];
  assert.equal(judge(OFFSET, found([finding("OFFSET")], other)).outcome, "wrong");
  assert.equal(judge(OFFSET, found([finding("OFFSET")], [])).outcome, "wrong");
});

test("a fault that is not found is silent, or unclear if the diagnosis says so", () => {
  assert.equal(judge(OFFSET, found([], [])).outcome, "silent");
  assert.equal(judge(OFFSET, found([])).outcome, "silent");
  assert.equal(judge(OFFSET, found([finding("TIME_UNCLEAR")], [])).outcome, "unclear");
  assert.equal(judge(OFFSET, found([finding("OTHER_CONTENT")], [])).outcome, "wrong");
});

test("frames that a finding declares unclear need no counterpart", () => {
  const half = [{ reference: 50, distorted: 55, count: 45 }];
  assert.equal(judge(OFFSET, found([finding("OFFSET")], half)).outcome, "wrong");
  assert.equal(judge(OFFSET, found([finding("OFFSET"), finding("TIME_UNCLEAR")], half)).outcome, "right");
});

test("an unchecked property leaves only that property unclear", () => {
  const range = truth({ expected: [["RANGE_DIFFERS"]] });
  const unchecked = (evidence: string) => judge(range, found([finding("NOT_CHECKED", { evidence })])).outcome;
  assert.equal(
    unchecked("Whether the samples are of the same range, levels and matrix is not known."),
    "unclear",
  );
  assert.equal(unchecked("Whether both show the same is not known."), "unclear");
  assert.equal(unchecked("Whether a side is interlaced is not known."), "silent");
  const unclear = finding("TIME_UNCLEAR", { confidence: "possible" });
  assert.equal(judge(range, found([unclear])).outcome, "silent");
});

test("one finding of every expected group is needed", () => {
  const two = truth({ expected: [["OFFSET", "TRIMMED"], ["FRAMES_DROPPED"]], runs: LATE });
  assert.equal(judge(two, found([finding("TRIMMED"), finding("FRAMES_DROPPED")], LATE)).outcome, "right");
  assert.deepEqual(judge(two, found([finding("FRAMES_DROPPED")], LATE)).reasons, ["no OFFSET or TRIMMED"]);
});

test("a false alarm beside the true finding is listed, and the outcome stays right", () => {
  const { outcome, alarms } = judge(OFFSET, found([finding("OFFSET"), finding("CROPPED")], LATE));
  assert.equal(outcome, "right");
  assert.deepEqual(
    alarms.map(({ code }) => code),
    ["CROPPED"],
  );
});

test("measures the distance of a found drop from the true one", () => {
  const near = [
    { reference: 0, distorted: 0, count: 47 },
    { reference: 48, distorted: 47, count: 52 },
  ];
  const judged = judge(DROP, found([finding("FRAMES_DROPPED")], near));
  assert.equal(judged.outcome, "right");
  assert.deepEqual(judged.positions, [3]);
  const far = [
    { reference: 0, distorted: 0, count: 20 },
    { reference: 21, distorted: 20, count: 79 },
  ];
  assert.equal(judge(DROP, found([finding("FRAMES_DROPPED")], far)).outcome, "wrong");
  assert.deepEqual(judge(DROP, found([finding("FRAMES_DROPPED")])).positions, [Number.POSITIVE_INFINITY]);
});

test("a freeze is right near its place", () => {
  const freeze = truth({ expected: [["FROZEN"]], span: { side: "distorted", first: 40, count: 20 } });
  const at = (first: number, side: "reference" | "distorted" = "distorted") =>
    judge(freeze, found([finding("FROZEN", { side, frames: { first, count: 20 } })]));
  assert.equal(at(41).outcome, "right");
  assert.deepEqual(at(41).positions, [1]);
  assert.equal(at(60).outcome, "wrong");
  assert.equal(at(40, "reference").outcome, "wrong");
});

test("an area is right within two samples", () => {
  const area = { x: 10, y: 0, width: 300, height: 180 };
  const cropped = truth({ expected: [["CROPPED"]], repair: { crop: { reference: area } } });
  const cropAt = (x: number) =>
    judge(cropped, found([finding("CROPPED", { fix: { crop: { reference: { ...area, x } } } })]));
  assert.deepEqual([cropAt(10).outcome, cropAt(10).areaError], ["right", 0]);
  assert.deepEqual([cropAt(12).outcome, cropAt(12).areaError], ["right", 2]);
  assert.equal(cropAt(14).outcome, "wrong");
  assert.equal(judge(cropped, found([finding("CROPPED")])).outcome, "wrong");
  const evidence = "… Its borders are not known to the sample: measure them before you use --crop.";
  assert.equal(judge(cropped, found([finding("CROPPED", { evidence })])).outcome, "unclear");
  const between = { crop: { reference: { ...area, x: 10.5 } } };
  const scaled = truth({ expected: [["CROPPED"]], repair: between });
  assert.equal(judge(scaled, found([finding("CROPPED", { evidence })])).outcome, "right");
  const otherSide = finding("CROPPED", { fix: { crop: { distorted: area } } });
  assert.equal(judge(cropped, found([otherSide])).outcome, "wrong");
});

test("a fix for the other side or direction is wrong", () => {
  const mirrored = truth({
    ...{ expected: [["MIRRORED"]], repair: { mirror: { distorted: "HORIZONTAL" } } },
  });
  const fix = (direction: "HORIZONTAL" | "VERTICAL") =>
    finding("MIRRORED", { fix: { mirror: { distorted: direction } } });
  assert.equal(judge(mirrored, found([fix("HORIZONTAL")])).outcome, "right");
  assert.equal(judge(mirrored, found([fix("VERTICAL")])).outcome, "wrong");
});

test("a changed rate needs no alignment", () => {
  const runs = Array.from({ length: 50 }, (_, index) => ({
    reference: index,
    distorted: 2 * index,
    count: 1,
  }));
  const rate = truth({ expected: [["RATE_DIFFERS"]], runs, frames: { reference: 50, distorted: 100 } });
  const judged = judge(rate, found([finding("RATE_DIFFERS")], []));
  assert.equal(judged.outcome, "right");
  assert.deepEqual(judged.positions, []);
});

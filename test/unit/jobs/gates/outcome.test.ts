import assert from "node:assert/strict";
import { test } from "node:test";
import { GateFault, parseGate } from "../../../../src/jobs/gates/gate.ts";
import { isMissed, judgeGates } from "../../../../src/jobs/gates/outcome.ts";

const VALUES = { mean: 90, harmonicMean: 89, min: 70, p1: 72, p5: 80, p10: 85, p50: 91, max: 99, stdDev: 3 };
const SCORE = {
  models: [
    { model: "v1", metric: "vmaf", score: 90 },
    { model: "vmaf_v0.6.1neg", metric: "vmaf_v0.6.1neg", score: 88 },
  ],
  pooled: { vmaf: VALUES, "vmaf_v0.6.1neg": { ...VALUES, mean: 88 }, psnr_y: { ...VALUES, mean: 40 } },
};

function verdictsOf(texts: readonly string[], score = SCORE) {
  return judgeGates(texts.map(parseGate), score).map(({ gate, verdict, value }) => [
    gate.metric,
    verdict,
    value,
  ]);
}

test("a value at the limit passes, and one below it fails", () => {
  assert.deepEqual(verdictsOf(["vmaf.p5=80", "vmaf.p5=80.01", "v1.mean=90", "vmaf_v0.6.1neg.mean=88.5"]), [
    ["vmaf", "PASSED", 80],
    ["vmaf", "FAILED", 80],
    ["vmaf", "PASSED", 90],
    ["vmaf_v0.6.1neg", "FAILED", 88],
  ]);
});

test("a feature's name stands for its main metric; a metric that the result lacks does not pass", () => {
  assert.deepEqual(verdictsOf(["psnr.mean=40", "constructor.mean=-1", "integer_adm99.mean=0"]), [
    ["psnr_y", "PASSED", 40],
    ["constructor", "UNKNOWN_METRIC", undefined],
    ["integer_adm99", "UNKNOWN_METRIC", undefined],
  ]);
  const [unknown] = judgeGates([parseGate("constructor.mean=-1")], SCORE);
  assert.ok(unknown && isMissed(unknown));
});

test("an estimate decides a gate on the mean by its interval, and no other gate", () => {
  const interval = { low: 89, high: 91 };
  const [first] = SCORE.models;
  const estimated = {
    models: [{ ...first, model: "v1", metric: "vmaf", score: 90, interval }],
    pooled: {},
    estimate: {},
  };
  const gates = ["vmaf.mean=89", "vmaf.mean=90", "vmaf.mean=91.5", "vmaf.p5=1"].map(parseGate);
  assert.deepEqual(
    judgeGates(gates, estimated).map(({ verdict }) => verdict),
    ["PASSED", "UNDECIDED", "FAILED", "UNKNOWN_METRIC"],
  );
});

test("refuses what is too long, not finite, or has control characters", () => {
  for (const text of ["vmaf.mean=1e999", `${"m".repeat(200)}.mean=1`, "vm\naf.mean=1", "vmaf.mean=\ud800"])
    assert.throws(() => parseGate(text), GateFault, JSON.stringify(text));
});

/** What results say of their models and scorers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  hasSeveralLibvmafs,
  modelsApart,
  type ScoredBy,
  ScorerCounts,
  scorersApart,
} from "../../../src/jobs/scored-apart.ts";
import { maxScoreOf, modelFacts, type ScoredModel } from "../../../src/jobs/scored-models.ts";

const TV: ScoredModel = {
  model: "v1-tv",
  metric: "vmaf",
  name: "vmaf_v1.0.16_3d0h_2160",
  reason: "standard frame rate",
  maxScore: 110,
  bitDepth: 10,
  encode: { width: 1280, height: 720, bitDepth: 8 },
};

test("the largest score is the result's, else that of the model's name, else 100", () => {
  assert.equal(maxScoreOf(TV), 110);
  assert.equal(maxScoreOf({ model: "mine", maxScore: 105 }), 105);
  assert.equal(maxScoreOf({ model: "v1-tv", maxScore: 0 }), 110);
  assert.equal(maxScoreOf({ model: "vmaf_v1.0.16_hfr_3d0h_2160" }), 110);
  assert.equal(maxScoreOf({ model: "vmaf_v0.6.1" }), 100);
  assert.equal(maxScoreOf({ model: "mine" }), 100);
});

test("the facts of a model are those that its result has", () => {
  assert.deepEqual(modelFacts(TV), [
    "4K TV at 3 picture heights",
    "scores 0 to 110",
    "10 bits",
    "encode 1280x720, 8 bits",
  ]);
  const old = { model: "vmaf_v0.6.1", metric: "vmaf", name: "", reason: "", maxScore: 0, bitDepth: 0 };
  assert.deepEqual(modelFacts(old), ["HD TV at 3 picture heights"]);
  assert.deepEqual(modelFacts({ model: "mine", metric: "vmaf" }), []);
});

const OLD = { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" };
const scoredBy = (label: string, parts: Partial<ScoredBy> = {}): ScoredBy => ({
  label,
  scorer: OLD,
  models: [{ model: "v1", metric: "vmaf", name: "vmaf_v1.0.16_3d0h" }],
  ...parts,
});

test("names the scorers of results that have different ones", () => {
  const newer = { scorer: { ...OLD, version: "n9.0.2", libvmafVersion: "86da14d" } };
  assert.deepEqual(scorersApart([scoredBy("1"), scoredBy("2")]), []);
  const mixed = [scoredBy("1"), scoredBy("2", newer), scoredBy("3")];
  assert.deepEqual(scorersApart(mixed), [
    { text: "ffmpeg n7.0, libvmaf 3.0.0", labels: ["1", "3"] },
    { text: "ffmpeg n9.0.2, libvmaf 86da14d", labels: ["2"] },
  ]);
  assert.ok(hasSeveralLibvmafs(mixed));
  const program = [scoredBy("1"), scoredBy("2", { scorer: { ...OLD, version: "n7.1" } })];
  assert.equal(scorersApart(program).length, 2);
  assert.ok(!hasSeveralLibvmafs(program));
});

test("counts the results of a list by scorer, if their versions of libvmaf differ", () => {
  const counts = new ScorerCounts();
  for (const version of ["n7.0", "n7.1", "n7.0"]) counts.add({ ...OLD, version });
  assert.deepEqual(counts.apart, []);
  counts.add({ ...OLD, libvmafVersion: "86da14d" });
  assert.deepEqual(counts.apart, [
    { text: "ffmpeg n7.0, libvmaf 3.0.0", count: 2 },
    { text: "ffmpeg n7.1, libvmaf 3.0.0", count: 1 },
    { text: "ffmpeg n7.0, libvmaf 86da14d", count: 1 },
  ]);
});

test("names the metrics that hold scores of different models, under any requested names", () => {
  const models = (name: string): Partial<ScoredBy> => ({ models: [{ model: "v1", metric: "vmaf", name }] });
  const own = { models: [{ model: "vmaf_v1.0.16_3d0h", metric: "vmaf" }] };
  assert.deepEqual(modelsApart([scoredBy("1"), scoredBy("2", own)]), []);
  assert.deepEqual(modelsApart([scoredBy("1"), scoredBy("2", models("vmaf_v1.0.16_1d5h_2160"))]), [
    {
      metric: "vmaf",
      models: [
        { text: "vmaf_v1.0.16_3d0h", labels: ["1"] },
        { text: "vmaf_v1.0.16_1d5h_2160", labels: ["2"] },
      ],
    },
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { modelHint, offersOf } from "../../../web/src/jobs/submit/offers.ts";

const scorer = (version: string, libvmafVersion: string, ...names: string[]) => ({
  scorer: { program: "ffmpeg", version, libvmafVersion },
  models: names.map((name) => ({ name, digest: "" })),
});

test("offers short names first, then the models of the default scorers", () => {
  const node = {
    ...scorer("n9", "two", "vmaf_v0.6.1", "v1-tv", "mine"),
    moreScorers: [scorer("n7", "one", "old")],
  };
  assert.deepEqual(offersOf([node, scorer("n9", "two", "v1")], ""), {
    models: ["v1", "v1-tv", "mine", "vmaf_v0.6.1"],
    scorerVersions: ["n7", "n9", "one", "two"],
  });
  assert.deepEqual(offersOf([], ""), { models: [], scorerVersions: [] });
});

test("offers the models of the scorers with the requested version", () => {
  const node = { ...scorer("n9", "two", "v1"), moreScorers: [scorer("n7", "one", "old")] };
  for (const version of ["n7", " one "]) assert.deepEqual(offersOf([node], version).models, ["old"]);
  assert.deepEqual(offersOf([node], "n8").models, []);
});

test("says what a model is for, if that is known", () => {
  assert.match(modelHint("v1-tv") ?? "", /vmaf_v1\.0\.16_3d0h_2160, vmaf_v1\.0\.16_hfr_3d0h_2160$/);
  assert.equal(modelHint("vmaf_v1.0.16_5d0h"), "phone, at 5 picture heights");
  assert.equal(modelHint("mine"), undefined);
});

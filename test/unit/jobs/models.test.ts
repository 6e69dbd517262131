import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BUILT_IN_MODELS,
  builtInModel,
  chooseModel,
  modelForSize,
  modelsOf,
  SHORT_NAMES,
} from "../../../src/jobs/models.ts";

const HD = { width: 1920, height: 1080, rate: 25 };

test("v1 chooses by the reference's lines and frame rate", () => {
  for (const [shown, name] of [
    [HD, "vmaf_v1.0.16_3d0h"],
    [{ ...HD, rate: undefined }, "vmaf_v1.0.16_3d0h"],
    [{ ...HD, rate: 44.99 }, "vmaf_v1.0.16_3d0h"],
    [{ ...HD, rate: 45 }, "vmaf_v1.0.16_hfr_3d0h"],
    [{ width: 3200, height: 1799, rate: 25 }, "vmaf_v1.0.16_3d0h"],
    [{ width: 3200, height: 1800, rate: 25 }, "vmaf_v1.0.16_1d5h_2160"],
    [{ width: 3840, height: 2160, rate: 59.94 }, "vmaf_v1.0.16_hfr_1d5h_2160"],
    // A portrait video has as many lines as it has pixels across.
    [{ width: 1080, height: 1920, rate: 30 }, "vmaf_v1.0.16_3d0h"],
    [{ width: 2160, height: 3840, rate: 30 }, "vmaf_v1.0.16_1d5h_2160"],
  ] as const)
    assert.equal(chooseModel("v1", shown).model, name, JSON.stringify(shown));
});

test("v1-phone and v1-tv choose by the frame rate alone", () => {
  assert.equal(chooseModel("v1-phone", { ...HD, height: 2160 }).model, "vmaf_v1.0.16_5d0h");
  assert.equal(chooseModel("v1-phone", { ...HD, rate: 50 }).model, "vmaf_v1.0.16_hfr_5d0h");
  assert.equal(chooseModel("v1-tv", HD).model, "vmaf_v1.0.16_3d0h_2160");
  assert.equal(chooseModel("v1-tv", { ...HD, rate: 60 }).model, "vmaf_v1.0.16_hfr_3d0h_2160");
});

test("the reason states the rule and the facts", () => {
  const { reason } = chooseModel("v1", { width: 3840, height: 2160, rate: 50 });
  assert.match(reason, /4K.*2160 lines.*1800.*high frame rate.*50 frames per second.*45/);
  assert.match(chooseModel("v1", { ...HD, rate: undefined }).reason, /no file states one/);
});

test("every short name stands for built-in models that it can choose", () => {
  const names = BUILT_IN_MODELS.map(({ name }) => name);
  assert.equal(names.filter((name) => name.startsWith("vmaf_v1")).length, 8);
  for (const short of SHORT_NAMES) {
    for (const name of modelsOf(short)) assert.ok(names.includes(name), name);
    for (const rate of [25, 60])
      for (const height of [480, 2160])
        assert.ok(modelsOf(short).includes(chooseModel(short, { width: 4000, height, rate }).model));
  }
});

test("every model for HD or 4K names one for the other screen", () => {
  for (const { name, screen, forOtherScreen = "" } of BUILT_IN_MODELS) {
    const other = builtInModel(forOtherScreen)?.screen;
    assert.equal(other, screen === undefined ? undefined : screen === "HD" ? "4K" : "HD", name);
  }
});

test("advises a model for the size of the pictures", () => {
  const advised = (name: string, height: number) => modelForSize(name, { width: 2 * height, height });
  assert.equal(advised("vmaf_v0.6.1", 1800), "vmaf_4k_v0.6.1");
  assert.equal(advised("vmaf_v0.6.1", 1799), undefined);
  assert.equal(advised("vmaf_4k_v0.6.1", 1079), "vmaf_v0.6.1");
  assert.equal(advised("vmaf_4k_v0.6.1", 1080), undefined);
  assert.equal(advised("vmaf_v1.0.16_hfr_3d0h", 2160), "vmaf_v1.0.16_hfr_1d5h_2160");
  assert.equal(advised("vmaf_v1.0.16_3d0h_2160", 720), "vmaf_v1.0.16_3d0h");
  assert.equal(advised("own", 2160), undefined);
});

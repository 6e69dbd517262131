import assert from "node:assert/strict";
import { test } from "node:test";
import { chromaWarnings, encodeFor, refuseUnscorable } from "../../../../src/engine/planning/model-facts.ts";
import { model } from "../model-fixture.ts";

const HD = model("vmaf_v1.0.16_3d0h");
const PHONE = model("vmaf_v1.0.16_hfr_5d0h");
const TV = model("vmaf_v1.0.16_3d0h_2160");
const OLD = model("vmaf_v0.6.1");

function isScorable(one: typeof HD, width: number, height: number, format = "yuv420p"): boolean {
  try {
    refuseUnscorable([one], { width, height, format });
    return true;
  } catch (error) {
    assert.equal((error as { code?: string }).code, "FRAME_TOO_SMALL");
    return false;
  }
}

test("refuses by name the frames that a version 1 model cannot score", () => {
  for (const [one, least] of [
    [HD, 159],
    [PHONE, 265],
    [TV, 317],
  ] as const) {
    assert.ok(isScorable(one, 1000, least + 1) && isScorable(one, least + 1, 1000), one.name);
    assert.ok(!isScorable(one, 1000, least - 1) && !isScorable(one, least - 1, 1000), one.name);
    assert.ok(
      isScorable(one, 700, Math.ceil(least / 2) + 1, "yuv444p10le"),
      "4:4:4 has larger chroma planes",
    );
  }
  assert.throws(
    () => refuseUnscorable([OLD, TV], { width: 640, height: 300, format: "yuv420p" }),
    /3d0h_2160/,
  );
});

test("refuses frames that CAMBI cannot judge", () => {
  assert.ok(!isScorable(HD, 215, 215) && isScorable(HD, 216, 160) && isScorable(HD, 160, 216));
  assert.ok(!isScorable(HD, 3840, 383) && isScorable(HD, 3840, 384));
  assert.ok(isScorable(OLD, 3840, 40) && isScorable(OLD, 64, 64), "version 0.6.1 has no such limits");
});

test("warns where the chroma term is always 0", () => {
  const codes = (one: typeof HD, width: number, height: number, format = "yuv420p") =>
    chromaWarnings([OLD, one], { width, height, format }).map(({ code }) => code);
  assert.deepEqual(codes(HD, 480, 270), ["CHROMA_NOT_JUDGED"]);
  assert.deepEqual(codes(HD, 320, 320), []);
  assert.deepEqual(codes(HD, 960, 160), []);
  assert.deepEqual(codes(HD, 480, 270, "yuv444p"), []);
  assert.deepEqual(codes(PHONE, 854, 480), ["CHROMA_NOT_JUDGED"]);
  assert.deepEqual(codes(PHONE, 1280, 720), []);
  assert.deepEqual(codes(TV, 960, 540), ["CHROMA_NOT_JUDGED"]);
  assert.deepEqual(codes(OLD, 64, 64), []);
});

test("passes the encode's size if CAMBI can judge it, else the picture's", () => {
  const picture = { width: 1280, height: 720 };
  const encode = (width: number, height: number) => encodeFor(HD, picture, { width, height, bitDepth: 8 });
  assert.deepEqual(encode(640, 360), { width: 640, height: 360, bitDepth: 8 });
  for (const [width, height] of [
    [1920, 1080],
    [640, 1080],
    [178, 200],
    [300, 148],
    [200, 200],
  ] as const)
    assert.deepEqual(encode(width, height), { ...picture, bitDepth: 8 }, `${width}x${height}`);
  assert.equal(encodeFor(OLD, picture, { width: 640, height: 360, bitDepth: 8 }), undefined);
});

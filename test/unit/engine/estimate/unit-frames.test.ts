import assert from "node:assert/strict";
import { test } from "node:test";
import { unitFrames } from "../../../../src/engine/estimate/unit-frames.ts";

test("has 16 frames in a unit, or as many as keep a plan's list of units within its limit", () => {
  assert.equal(unitFrames(1), 16);
  assert.equal(unitFrames(80_000), 16);
  assert.equal(unitFrames(80_001), 17);
  assert.equal(unitFrames(648_000), 130);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { meanAtLeast } from "../../../../src/engine/estimate/gate.ts";

const estimate = { mean: 90, halfWidth: 0.5, units: 400, frames: 6400 };

test("decides a gate only if the whole interval agrees", () => {
  assert.equal(meanAtLeast(89.5, estimate), "PASSED");
  assert.equal(meanAtLeast(89.51, estimate), "UNDECIDED");
  assert.equal(meanAtLeast(90.5, estimate), "UNDECIDED");
  assert.equal(meanAtLeast(90.51, estimate), "FAILED");
});

test("decides every gate if all frames are scored", () => {
  assert.equal(meanAtLeast(90, { ...estimate, halfWidth: 0 }), "PASSED");
  assert.equal(meanAtLeast(90.000001, { ...estimate, halfWidth: 0 }), "FAILED");
});

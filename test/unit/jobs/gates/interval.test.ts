import assert from "node:assert/strict";
import { test } from "node:test";
import { meanAtLeast } from "../../../../src/jobs/gates/interval.ts";

const interval = { low: 89.5, high: 90.5 };

test("decides a gate only if the whole interval agrees", () => {
  assert.equal(meanAtLeast(89.5, interval), "PASSED");
  assert.equal(meanAtLeast(89.51, interval), "UNDECIDED");
  assert.equal(meanAtLeast(90.5, interval), "UNDECIDED");
  assert.equal(meanAtLeast(90.51, interval), "FAILED");
});

test("decides every gate if the interval is a point", () => {
  assert.equal(meanAtLeast(90, { low: 90, high: 90 }), "PASSED");
  assert.equal(meanAtLeast(90.000001, { low: 90, high: 90 }), "FAILED");
});

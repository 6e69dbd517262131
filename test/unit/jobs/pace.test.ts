import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { paceOf } from "../../../src/jobs/pace.ts";

test("computes frames per second and the remaining time", () => {
  assert.deepEqual(paceOf(50, 200, 2_000, false), { fps: 25, secondsLeft: 6 });
  assert.deepEqual(paceOf(0, 200, 2_000, false), { fps: 0, secondsLeft: undefined });
  assert.deepEqual(paceOf(200, 200, 8_000, true), { fps: 25, secondsLeft: 0 });
});

test("is a number of 0 or more for any clock and any counts", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer(), fc.boolean(), (done, total, elapsed, ended) => {
      const { fps, secondsLeft } = paceOf(done, total, elapsed, ended);
      assert.ok(Number.isFinite(fps) && fps >= 0);
      if (secondsLeft !== undefined) assert.ok(Number.isFinite(secondsLeft) && secondsLeft >= 0);
    }),
  );
});

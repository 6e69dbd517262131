import assert from "node:assert/strict";
import { test } from "node:test";
import { consecutive, repeating, runsOf, without } from "../../../bench/doctor/corpus/truth.ts";

const all = consecutive(0, 10);

test("sides that show the same frames are one run", () => {
  assert.deepEqual(runsOf(all, all), [{ reference: 0, distorted: 0, count: 10 }]);
});

test("an offset moves the run", () => {
  assert.deepEqual(runsOf(consecutive(3, 7), all), [{ reference: 0, distorted: 3, count: 7 }]);
  assert.deepEqual(runsOf(all, consecutive(3, 7)), [{ reference: 3, distorted: 0, count: 7 }]);
});

test("a dropped frame divides the run", () => {
  assert.deepEqual(runsOf(all, without(all, [4])), [
    { reference: 0, distorted: 0, count: 4 },
    { reference: 5, distorted: 4, count: 5 },
  ]);
});

test("a repeated frame belongs to its first occurrence", () => {
  assert.deepEqual(runsOf(all, repeating(all, [4])), [
    { reference: 0, distorted: 0, count: 5 },
    { reference: 5, distorted: 6, count: 5 },
  ]);
});

test("a repeated stretch has no counterpart", () => {
  assert.deepEqual(runsOf(all, [...consecutive(0, 6), ...consecutive(2, 8)]), [
    { reference: 0, distorted: 0, count: 6 },
    { reference: 6, distorted: 10, count: 4 },
  ]);
});

test("scenes without a frame in common have no run", () => {
  assert.deepEqual(runsOf(all, consecutive(10, 10)), []);
});

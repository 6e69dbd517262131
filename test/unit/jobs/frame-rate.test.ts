/** The frame rate that time codes and times count by. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rateOf, scoredRate } from "../../../src/jobs/frame-rate.ts";

const rated = (reference: string, distorted: string) =>
  scoredRate({ reference: { frameRate: reference }, distorted: { frameRate: distorted } });

test("a rate is a positive fraction or decimal, and nothing else", () => {
  assert.deepEqual(["25/1", "30000/1001", "29.97", "24"].map(rateOf), [25, 30_000 / 1001, 29.97, 24]);
  for (const text of ["", "0", "0/1", "25/0", "-25", "fast", "25/1/1", "1e3", undefined])
    assert.equal(rateOf(text), undefined, text);
});

test("is the reference's, or the slower side's where every n-th frame of the other was scored", () => {
  assert.equal(rated("25/1", "25/1"), 25);
  assert.equal(rated("24/1", "25/1"), 24, "the same frames at another pace");
  assert.equal(rated("25/1", "24/1"), 25);
  assert.equal(rated("50/1", "25/1"), 25);
  assert.equal(rated("25/1", "50/1"), 25);
});

test("is that of the one file that states it; unknown without any, and before the plan", () => {
  assert.equal(rated("", "30/1"), 30);
  assert.equal(rated("30/1", ""), 30);
  assert.equal(rated("", ""), undefined);
  assert.equal(scoredRate({}), undefined);
});

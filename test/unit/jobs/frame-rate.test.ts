/** The frame rate of time codes and times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rateOf, scoredRate } from "../../../src/jobs/frame-rate.ts";

const rated = (reference: string, distorted: string) =>
  scoredRate({ reference: { frameRate: reference }, distorted: { frameRate: distorted } });

test("parses only positive fractions and decimals as a rate", () => {
  assert.deepEqual(["25/1", "30000/1001", "29.97", "24"].map(rateOf), [25, 30_000 / 1001, 29.97, 24]);
  for (const text of ["", "0", "0/1", "25/0", "-25", "fast", "25/1/1", "1e3", undefined])
    assert.equal(rateOf(text), undefined, text);
});

test("is the reference's rate, or the slower side's if every n-th frame of the other was scored", () => {
  assert.equal(rated("25/1", "25/1"), 25);
  assert.equal(rated("24/1", "25/1"), 24, "the same frames at a different speed");
  assert.equal(rated("25/1", "24/1"), 25);
  assert.equal(rated("50/1", "25/1"), 25);
  assert.equal(rated("25/1", "50/1"), 25);
});

test("is the rate of the only file that states one; unknown if none does, and before the plan", () => {
  assert.equal(rated("", "30/1"), 30);
  assert.equal(rated("30/1", ""), 30);
  assert.equal(rated("", ""), undefined);
  assert.equal(scoredRate({}), undefined);
});

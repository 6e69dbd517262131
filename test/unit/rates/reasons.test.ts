import assert from "node:assert/strict";
import { test } from "node:test";
import { compareLadders } from "../../../src/rates/comparison.ts";
import { overlapText } from "../../../src/rates/overlap-text.ts";
import { qualityOf } from "../../../src/rates/quality.ts";
import { reasonText } from "../../../src/rates/reasons.ts";

test("a reason has rates of at most seven digits, and scores as given", () => {
  const rates = [41_992, 52_938.666666666664, 56_770.666666666664, 91_146.66666666667];
  const encodes = ["a", "b"].flatMap((ladder) =>
    [38.873044, 59.403919, 33.587435, 72.6].map((score, index) => ({
      ...{ ladder, clip: "", rate: rates[index] ?? 0 },
      scores: [score],
    })),
  );
  const [result] = compareLadders(encodes, [qualityOf("vmaf")], "a").results;
  assert.ok(result?.refused);
  assert.equal(
    reasonText(result, result.refused, "a"),
    "vmaf of a does not rise with the rate: 59.403919 at 52938.67, but 33.587435 at 56770.67",
  );
});

test("an overlap just below the limit does not read as the limit", () => {
  assert.deepEqual([0.7499, 0.75, 0.58, 1, 0].map(overlapText), ["74 %", "75 %", "58 %", "100 %", "0 %"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { rateRatio } from "../../../../src/engine/doctor/rates.ts";
import { track } from "../track-fixture.ts";
import { picturesOf, span } from "./time/moving-texture.ts";

/** Moments of `count` frames of slow content: neighbouring frames are much alike. */
const slow = (count: number) => span(0, count).map((frame) => 0.2 * frame);

/** The ratio of two videos with the same stated rate that show these moments. */
function ratioOf(reference: readonly number[], distorted: readonly number[]): number {
  const pictures = {
    reference: picturesOf(3, reference, { noise: 12 }),
    distorted: picturesOf(3, distorted, { noise: 12, seed: 2 }),
  };
  const tracks = {
    reference: track("reference", { frames: reference.length }),
    distorted: track("distorted", { frames: distorted.length }),
  };
  return rateRatio(pictures, tracks);
}

test("a long gap in slow content is no other frame rate", () => {
  const moments = slow(78);
  assert.equal(ratioOf(moments, [...moments.slice(0, 30), ...moments.slice(40)]), 1);
});

test("fewer frames throughout are another frame rate, even if the tags are equal", () => {
  const moments = span(0, 78);
  const kept = moments.filter((_, index) => index % 6 !== 5);
  assert.equal(ratioOf(moments, kept), 5 / 6);
});

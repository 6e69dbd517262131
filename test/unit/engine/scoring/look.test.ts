/** Which frames of a run are looked at. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { spansOf } from "../../../../src/engine/results/looked-spans.ts";
import { pictureChain } from "../../../../src/engine/scoring/look.ts";

const whole = (count: number) => ({ first: 0, before: 0, count, after: 0, cut: undefined });
const side = { seek: undefined, range: { start: undefined, end: undefined } };
const cut = (count: number) => ({
  ...{ first: 100, before: 1, count, after: 1 },
  cut: { reference: side, distorted: side },
});

test("all frames of a pair of up to 1,200 frames are looked at, at most 600 together", () => {
  assert.deepEqual(spansOf(whole(3)), [{ first: 0, count: 3 }]);
  assert.deepEqual(spansOf(whole(600)), [{ first: 0, count: 600 }]);
  assert.deepEqual(spansOf(whole(901)), [
    { first: 0, count: 450 },
    { first: 450, count: 451 },
  ]);
  assert.equal(
    spansOf(whole(1200)).reduce((sum, { count }) => sum + count, 0),
    1200,
  );
});

test("of a longer run, four spans from its first to its last frame are looked at", () => {
  assert.deepEqual(spansOf(whole(1201)), [
    { first: 0, count: 300 },
    { first: 300, count: 300 },
    { first: 600, count: 300 },
    { first: 901, count: 300 },
  ]);
  assert.deepEqual(spansOf(whole(172_800)).at(-1), { first: 172_500, count: 300 });
});

test("cut segments are looked at with their context, but not if they are very short", () => {
  assert.deepEqual(spansOf(cut(250)), [{ first: 0, count: 252 }]);
  assert.deepEqual(spansOf(cut(22)), [{ first: 0, count: 24 }]);
  assert.deepEqual(spansOf(cut(21)), []);
});

test("the filters pass exactly those frames", () => {
  assert.match(pictureChain([{ first: 0, count: 70 }]), /^trim=end_frame=70,scale=240:136:/);
  assert.match(
    pictureChain(spansOf(whole(1000))),
    /^select=between\(n\\,0\\,499\)\+between\(n\\,500\\,999\),scale=/,
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { alignTime, type TimeHints } from "../../../../../src/engine/doctor/time/align.ts";
import { keyFramesWithin } from "../../../../../src/engine/doctor/time/key-frames.ts";
import { picturesOf, span } from "./moving-texture.ts";

const SCENE = 5;
const REFERENCE = span(40, 100);
/** Moments that are so close that the pictures hardly change from frame to frame. */
const slow = (moments: readonly number[]) => moments.map((moment) => 0.4 * moment);
const KEYS = [0, 50];

/** Aligns a slow video with an encode that lacks its first frames and, except in key frames, lags. */
function lagging(missing: number, count: number, hints: TimeHints = {}) {
  const moments = span(40 + missing, count).map((moment, frame) =>
    KEYS.includes(frame) ? moment : moment - 0.6,
  );
  const noise = { noise: 3 };
  const pictures = [
    picturesOf(SCENE, slow(REFERENCE), noise),
    picturesOf(SCENE, slow(moments), { ...noise, seed: 2 }),
  ] as const;
  return alignTime(...pictures, hints);
}

const offsetsOf = ({ runs }: ReturnType<typeof lagging>) => runs.map((run) => run.distorted - run.reference);

test("key frames show the offset from which the other frames lag", () => {
  assert.notDeepEqual(offsetsOf(lagging(6, 100)), [-6]);
  const relation = lagging(6, 100, { keys: KEYS });
  assert.deepEqual([relation.state, relation.confidence], ["shifted", "likely"]);
  assert.deepEqual(offsetsOf(relation), [-6]);
  assert.ok(relation.tied.includes(-5));
});

test("a lag of the whole video is no offset", () => {
  const relation = lagging(0, 100, { keys: KEYS });
  assert.equal(relation.state, "aligned");
  assert.deepEqual(offsetsOf(relation), [0]);
});

test("finds the key frames of a part of a video by their times", () => {
  const times = {
    timeBase: { numerator: 1n, denominator: 25n },
    pts: Float64Array.of(10, 11, 12, 13, 14, 15),
    keys: Float64Array.of(10, 13),
    frameBytes: 1,
  } as unknown as Parameters<typeof keyFramesWithin>[0]["times"];
  assert.deepEqual(keyFramesWithin({ times }, { first: 0, count: 6 }), [0, 3]);
  assert.deepEqual(keyFramesWithin({ times }, { first: 2, count: 3 }), [1]);
  assert.deepEqual(keyFramesWithin({ times: undefined }, { first: 0, count: 6 }), []);
});

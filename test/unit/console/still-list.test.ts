/** Stills by their frames: one is there when both sides are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { framesOf, momentsOf, worstFirst } from "../../../web/src/stills/still-list.ts";

const still = (frame: number, side: "REFERENCE" | "DISTORTED", state: "PENDING" | "READY" | "FAILED") => ({
  frame,
  side,
  state,
  mediaType: state === "READY" ? "image/webp" : "",
  width: state === "READY" ? 640 : 0,
  height: state === "READY" ? 360 : 0,
  bytes: 0,
  ...(state === "FAILED" && { error: { code: "MEDIA_CHANGED", message: "It changed." } }),
});

test("a frame is ready with both sides, failed with one, and pending otherwise", () => {
  const frames = framesOf([
    still(9, "REFERENCE", "READY"),
    still(9, "DISTORTED", "READY"),
    still(2, "REFERENCE", "READY"),
    still(2, "DISTORTED", "PENDING"),
    still(5, "REFERENCE", "PENDING"),
    still(5, "DISTORTED", "FAILED"),
    still(7, "REFERENCE", "READY"),
  ]);
  assert.deepEqual(
    frames.map(({ frame, state, size, error }) => [frame, state, size?.width, error?.code]),
    [
      [2, "PENDING", undefined, undefined],
      [5, "FAILED", undefined, "MEDIA_CHANGED"],
      [7, "PENDING", undefined, undefined],
      [9, "READY", 640, undefined],
    ],
  );
});

test("no stills are no frames", () => {
  assert.deepEqual(framesOf([]), []);
});

test("the lowest score comes first, and what has none (yet) last, in the order of frames", () => {
  const frames = framesOf([1, 2, 3, 4].map((frame) => still(frame, "REFERENCE", "PENDING")));
  const order = (scores: Readonly<Record<number, number>>) =>
    worstFirst(momentsOf(frames, []), (frame) => scores[frame]).map(({ frame }) => frame);
  assert.deepEqual(order({ 2: 50, 4: 20 }), [4, 2, 1, 3]);
  assert.deepEqual(order({}), [1, 2, 3, 4]);
});

test("the worst moments are there with stills or without, and what was asked for beside them", () => {
  const frames = framesOf([still(7, "REFERENCE", "PENDING"), still(60, "REFERENCE", "PENDING")]);
  assert.deepEqual(
    momentsOf(frames, [60, 120])
      .map(({ frame, still: one }) => `${frame} ${one?.state}`)
      .sort(),
    ["120 undefined", "60 PENDING", "7 PENDING"],
  );
  assert.deepEqual(momentsOf([], []), []);
});

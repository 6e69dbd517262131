/** Stills grouped by frame. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { framesOf, momentsOf } from "../../../web/src/stills/still-list.ts";

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

test("a frame is ready if both sides are, failed if one is, else pending", () => {
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

test("without stills there are no frames", () => {
  assert.deepEqual(framesOf([]), []);
});

test("lists the worst moments with or without stills, worst first; other stills are pinned frames", () => {
  const frames = framesOf([7, 60, 33].map((frame) => still(frame, "REFERENCE", "PENDING")));
  const { worst, pinned } = momentsOf(frames, [60, 12]);
  const text = ({ frame, still: one }: (typeof worst)[number]) => `${frame} ${one?.state}`;
  assert.deepEqual(worst.map(text), ["60 PENDING", "12 undefined"]);
  assert.deepEqual(pinned.map(text), ["7 PENDING", "33 PENDING"]);
  assert.deepEqual(momentsOf([], []), { worst: [], pinned: [] });
});

test("lists no pinned frames until the worst moments are known", () => {
  const frames = framesOf([still(60, "REFERENCE", "READY")]);
  assert.deepEqual(momentsOf(frames, undefined), { worst: [], pinned: [] });
});

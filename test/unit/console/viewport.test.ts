/** The visible part of a still: zooming keeps the point under the pointer, and nothing beyond the edge is shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  fitOf,
  isAll,
  LARGEST_SCALE,
  panBy,
  pinched,
  pixelAt,
  transformOf,
  type View,
  within,
  zoomAt,
} from "../../../web/src/stills/viewport.ts";

const size = fc.record({
  width: fc.integer({ min: 1, max: 4096 }),
  height: fc.integer({ min: 1, max: 4096 }),
});
const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const view = fc.record({ scale: number(0.01, 40), x: number(-5000, 9000), y: number(-5000, 9000) });

const CLOSE = 1e-6;

/** How far the pane extends beyond the image on either side, in image pixels. */
function beyond({ scale, x }: View, width: number, pane: number): number {
  return Math.max(0, pane / scale / 2 - x, x + pane / scale / 2 - width);
}

test("the whole image fits, and touches the pane's edges in one direction", () => {
  fc.assert(
    fc.property(size, size, (picture, pane) => {
      const { scale } = fitOf(picture, pane);
      const [wide, high] = [picture.width * scale - pane.width, picture.height * scale - pane.height];
      assert.ok(wide <= CLOSE && high <= CLOSE && Math.max(wide, high) >= -CLOSE);
    }),
  );
});

test("shows nothing beyond an image that is larger than the pane, for any requested view", () => {
  fc.assert(
    fc.property(view, size, size, (asked, picture, pane) => {
      const shown = within(asked, picture, pane);
      const least = fitOf(picture, pane).scale;
      assert.ok(
        shown.scale >= Math.min(least, LARGEST_SCALE) - CLOSE &&
          shown.scale <= Math.max(least, LARGEST_SCALE) + CLOSE,
      );
      for (const [at, length, seen] of [
        [shown.x, picture.width, pane.width],
        [shown.y, picture.height, pane.height],
      ] as const) {
        if (seen / shown.scale >= length) assert.ok(Math.abs(at - length / 2) < CLOSE * length);
        else assert.ok(beyond({ ...shown, x: at }, length, seen) < CLOSE * length);
      }
    }),
  );
});

test("the pixel under the pointer stays under it at any zoom", () => {
  fc.assert(
    fc.property(view, size, number(0.1, 10), number(0, 4096), (before, pane, factor, left) => {
      const after = zoomAt(before, factor, { x: left, y: 0 }, pane);
      assert.ok(Math.abs(pixelAt(left, after, pane) - pixelAt(left, before, pane)) < 1e-3);
    }),
  );
});

test("the image follows the pointer pixel by pixel", () => {
  const before = { scale: 4, x: 100, y: 50 };
  assert.deepEqual(panBy(before, 8, -4), { scale: 4, x: 98, y: 51 });
});

test("two fingers keep their midpoint and zoom by the ratio of their distances", () => {
  const point = fc.record({ x: number(0, 400), y: number(0, 400) });
  const two = fc
    .tuple(point, point)
    .filter(([one, other]) => Math.hypot(one.x - other.x, one.y - other.y) > 2);
  fc.assert(
    fc.property(view, size, two, two, (before, pane, from, to) => {
      const after = pinched(before, from, to, pane);
      const apart = ([one, other]: typeof from) => Math.hypot(one.x - other.x, one.y - other.y);
      assert.ok(Math.abs(after.scale / before.scale - apart(to) / apart(from)) < CLOSE * apart(to));
      const middle = ([one, other]: typeof from) => (one.x + other.x) / 2;
      const [was, is] = [pixelAt(middle(from), before, pane), pixelAt(middle(to), after, pane)];
      assert.ok(Math.abs(was - is) < 1e-3 * Math.max(1, Math.abs(was)), `${was} is not ${is}`);
    }),
  );
});

test("the image's corner is on a whole device pixel at any device pixel ratio", () => {
  const pane = { width: 301, height: 201 };
  fc.assert(
    fc.property(view, fc.constantFrom(1, 1.25, 1.5, 2, 3), (shown, ratio) => {
      const [, left = "", top = ""] =
        /translate\((.*)px, (.*)px\)/.exec(transformOf(shown, pane, ratio)) ?? [];
      for (const at of [left, top].map((text) => Number(text) * ratio))
        assert.ok(Math.abs(at - Math.round(at)) < 1e-6 * Math.max(1, Math.abs(at)), `${at}`);
    }),
  );
});

test("the whole image is visible when it fits, and no longer after the first zoom step", () => {
  const [picture, pane] = [
    { width: 640, height: 360 },
    { width: 320, height: 200 },
  ];
  const fit = fitOf(picture, pane);
  assert.ok(isAll(fit, picture, pane));
  // The image's own size is allowed too, where it is smaller than the scale that fits.
  const large = { width: 2000, height: 2000 };
  assert.equal(within({ ...fit, scale: 1 }, picture, large, 1).scale, 1);
  assert.equal(within({ ...fit, scale: 0.1 }, picture, large, 1).scale, 1);
  assert.equal(within({ ...fit, scale: 0.1 }, picture, pane, 1).scale, 0.5);
  assert.ok(!isAll(zoomAt(fit, 1.05, { x: 0, y: 0 }, pane), picture, pane));
});

/** The heat map of stills: differences of blocks, their places and colours. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  blockAt,
  blockBeside,
  blockDifferences,
  boxOf,
  type Pixels,
} from "../../../web/src/stills/heat/blocks.ts";
import { CLIP, colourOf, INFERNO } from "../../../web/src/stills/heat/colours.ts";
import { pointAt } from "../../../web/src/stills/viewport.ts";

type Rgb = readonly [number, number, number];

function pixels(width: number, height: number, colour: (x: number, y: number) => Rgb): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < width * height; at++)
    data.set([...colour(at % width, Math.floor(at / width)), 255], at * 4);
  return { width, height, data };
}

const grey = (value: number): Rgb => [value, value, value];

test("one changed block has its difference, all others 0", () => {
  const one = pixels(40, 36, () => grey(100));
  const isChanged = (x: number, y: number) => x >= 16 && x < 32 && y >= 16 && y < 32;
  const other = pixels(40, 36, (x, y) => grey(isChanged(x, y) ? 70 : 100));
  const map = blockDifferences(one, other);
  assert.deepEqual([map.columns, map.rows, map.worst], [3, 3, 4]);
  for (const [index, value] of map.values.entries())
    assert.ok(Math.abs(value - (index === 4 ? 30 : 0)) < 1e-9, `${index}: ${value}`);
  assert.ok(Math.abs(map.mean - (30 * 256) / (40 * 36)) < 1e-9);
});

test("a block that the edge cuts is averaged over its own pixels", () => {
  const one = pixels(20, 18, () => grey(0));
  const other = pixels(20, 18, (x, y) => grey(x >= 16 && y >= 16 ? 255 : 0));
  const map = blockDifferences(one, other);
  assert.equal(map.worst, 3);
  assert.ok(Math.abs((map.values[3] ?? 0) - 255) < 1e-9);
  assert.deepEqual(boxOf(3, map.columns, one), { x: 16, y: 16, width: 4, height: 2 });
});

test("differences are absolute, and of luma with the weights of BT.709", () => {
  const flat = pixels(16, 16, () => grey(100));
  const checks = pixels(16, 16, (x) => grey(x % 2 === 0 ? 90 : 110));
  assert.ok(Math.abs(blockDifferences(flat, checks).mean - 10) < 1e-9);
  for (const [colour, expected] of [
    [[110, 100, 100], 2.126],
    [[100, 110, 100], 7.152],
    [[100, 100, 110], 0.722],
  ] as const)
    assert.ok(
      Math.abs(
        blockDifferences(
          flat,
          pixels(16, 16, () => colour),
        ).mean - expected,
      ) < 1e-9,
    );
});

test("pictures of different sizes are refused", () => {
  const one = pixels(16, 16, () => grey(0));
  assert.throws(
    () =>
      blockDifferences(
        one,
        pixels(16, 17, () => grey(0)),
      ),
    /16x16 and 16x17/,
  );
});

test("every pixel lies in the box of its block, and steps never leave the picture", () => {
  const side = fc.integer({ min: 1, max: 100 });
  fc.assert(
    fc.property(side, side, fc.nat(), fc.nat(), fc.constantFrom(-1, 0, 1), (width, height, a, b, by) => {
      const size = { width, height };
      const [x, y] = [a % width, b % height];
      const map = blockDifferences(
        pixels(width, height, () => grey(1)),
        pixels(width, height, () => grey(1)),
      );
      const block = blockAt({ x, y }, map.columns, size) ?? -1;
      const box = boxOf(block, map.columns, size);
      assert.ok(x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
      const next = boxOf(blockBeside(block, [by, -by], map), map.columns, size);
      assert.ok(next.width > 0 && next.height > 0 && next.x >= 0 && next.y >= 0);
    }),
  );
  for (const point of [
    { x: -0.1, y: 0 },
    { x: 0, y: 16 },
    { x: Number.NaN, y: 0 },
  ])
    assert.equal(blockAt(point, 1, { width: 16, height: 16 }), undefined);
});

test("the point under the pointer is that of the picture, panned and zoomed", () => {
  const view = { scale: 2, x: 30, y: 20 };
  assert.deepEqual(pointAt({ x: 50, y: 10 }, view, { width: 100, height: 60 }), { x: 30, y: 10 });
});

test("colours get lighter with the difference, and end at the clip", () => {
  const lightness = (value: number) => {
    const [red, green, blue] = colourOf(value);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  for (let value = 0.25; value <= CLIP; value += 0.25)
    assert.ok(lightness(value) > lightness(value - 0.25), `${value}`);
  assert.deepEqual(colourOf(0), INFERNO[0]);
  for (const value of [CLIP, CLIP + 1, 255]) assert.deepEqual(colourOf(value), INFERNO.at(-1));
});

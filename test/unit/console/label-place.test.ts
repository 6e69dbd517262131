/** Placing the numbers of points in a chart. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { labelPlaces, type Spot } from "../../../web/src/compare/rates/label-place.ts";

const [WIDTH, HEIGHT] = [16, 13];

/** Whether two numbers of two digits overlap. */
function cover(one: Spot | undefined, other: Spot | undefined): boolean {
  assert.ok(one && other);
  return Math.abs(one.x - other.x) < WIDTH && Math.abs(one.y - other.y) < HEIGHT;
}

test("a single point has its number at its upper right", () => {
  assert.deepEqual(labelPlaces([{ x: 100, y: 50 }], ["7"]), [{ x: 108, y: 42 }]);
});

test("the numbers of a few points never overlap, even if the points are close", () => {
  const spot = fc.record({
    x: fc.double({ min: 0, max: 30, noNaN: true }),
    y: fc.double({ min: 0, max: 30, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(spot, { minLength: 2, maxLength: 5 }), (points) => {
      const labels = labelPlaces(
        points,
        points.map(() => "12"),
      );
      for (const [index, one] of labels.entries())
        for (const other of labels.slice(index + 1)) assert.ok(!cover(one, other), JSON.stringify(labels));
      for (const [index, { x, y }] of points.entries())
        assert.ok(
          Math.hypot((labels[index]?.x ?? 0) - x, (labels[index]?.y ?? 0) - y) < 100,
          "the number is near its point",
        );
    }),
  );
});

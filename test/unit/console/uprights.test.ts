/** Reducing lines to strokes: every score is within a stroke, and strokes are joined where the line continues. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isInked, type Point, uprightsOf } from "../../../web/src/chart/uprights.ts";

test("a stroke covers its column's smallest to largest y, and the last y of the previous column", () => {
  const points = [
    { column: 3, y: 10 },
    { column: 3, y: 12 },
    { column: 4, y: 20 },
    { column: 4, y: 18 },
    { column: 5, y: 4 },
  ];
  assert.deepEqual(uprightsOf(points), [
    { column: 3, top: 10, bottom: 12 },
    { column: 4, top: 12, bottom: 20 },
    { column: 5, top: 4, bottom: 18 },
  ]);
});

test("a skipped column repeats the previous stroke", () => {
  const points = [
    { column: 0, y: 10 },
    { column: 0, y: 12 },
    { column: 2, y: 14 },
    { column: 2, y: Number.NaN },
    { column: 4, y: 1 },
  ];
  assert.deepEqual(uprightsOf(points), [
    { column: 0, top: 10, bottom: 12 },
    { column: 1, top: 10, bottom: 12 },
    { column: 2, top: 12, bottom: 14 },
    { column: 4, top: 1, bottom: 1 },
  ]);
});

test("a gap in the line leaves a gap in the strokes", () => {
  const points = [
    { column: 0, y: 10 },
    { column: 0, y: Number.NaN },
    { column: 1, y: 50 },
    { column: 2, y: Number.NaN },
    { column: 3, y: Number.NaN },
    { column: 3, y: 7 },
    { column: 4, y: 9 },
  ];
  assert.deepEqual(uprightsOf(points), [
    { column: 0, top: 10, bottom: 10 },
    { column: 1, top: 50, bottom: 50 },
    { column: 3, top: 7, bottom: 7 },
    { column: 4, top: 7, bottom: 9 },
  ]);
  assert.deepEqual(uprightsOf([]), []);
});

test("covers every y, draws no column twice, and makes no stroke longer than the line", () => {
  const steps = fc.array(fc.record({ step: fc.nat(2), y: fc.option(fc.integer(), { nil: Number.NaN }) }));
  fc.assert(
    fc.property(steps, (steps) => {
      const points: Point[] = [];
      for (const { step, y } of steps) points.push({ column: (points.at(-1)?.column ?? 0) + step, y });
      const uprights = uprightsOf(points);
      const byColumn = new Map(uprights.map((upright) => [upright.column, upright]));
      assert.equal(byColumn.size, uprights.length);
      for (const { column, y } of points) {
        if (Number.isNaN(y)) continue;
        const { top, bottom } = byColumn.get(column) ?? assert.fail(`column ${column} is empty`);
        assert.ok(top <= y && y <= bottom);
      }
      const values = points.flatMap(({ y }) => (Number.isNaN(y) ? [] : [y]));
      for (const { column, top, bottom } of uprights) {
        const own = points.filter((point) => point.column === column);
        assert.ok(own.length === 0 || own.some(({ y }) => !Number.isNaN(y)), `column ${column} has no value`);
        assert.ok(values.includes(top) && values.includes(bottom));
      }
    }),
  );
});

test("dashes and gaps alternate", () => {
  const drawn = (dash: readonly number[]) =>
    Array.from({ length: 12 }, (_, place) => (isInked(dash, place) ? "#" : " ")).join("");
  assert.equal(drawn([]), "############");
  assert.equal(drawn([2, 3]), "##   ##   ##");
  assert.equal(drawn([3, 1, 1, 1]), "### # ### # ");
});

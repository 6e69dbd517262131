/** Range queries over a column, and sampling for drawing: no minimum is ever lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Column } from "../../../web/src/chart/data/column.ts";
import { sample } from "../../../web/src/chart/data/sample.ts";

/** Scores of every kind, with few distinct integers to get ties, and rows without a score. */
const value = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.double({ min: -100, max: 100, noNaN: true }),
  fc.constant(Number.NaN),
);
const values = fc.array(value, { minLength: 1, maxLength: 700 });

/** Scores, and a range of their rows. */
const ranged = values.chain((all) =>
  fc
    .tuple(fc.nat(all.length), fc.nat(all.length))
    .map(([one, other]) => ({ all, from: Math.min(one, other), to: Math.max(one, other) })),
);

function columnOf(all: readonly number[], capacity = all.length): Column {
  const column = new Column(capacity);
  for (const [row, each] of all.entries()) column.set(row, each);
  column.commit(0, all.length);
  return column;
}

function present(all: readonly number[]): number[] {
  return all.filter((each) => !Number.isNaN(each));
}

test("extremes are the smallest and largest score of any range, the first among equals", () => {
  fc.assert(
    fc.property(ranged, ({ all, from, to }) => {
      const { low, high } = columnOf(all).extremes(from, to);
      const there = present(all.slice(from, to));
      if (there.length === 0) return assert.deepEqual([low, high], [-1, -1]);
      assert.equal(low, all.indexOf(Math.min(...there), from));
      assert.equal(high, all.indexOf(Math.max(...there), from));
    }),
  );
});

test("the mean of any range is the mean of its scores", () => {
  fc.assert(
    fc.property(ranged, ({ all, from, to }) => {
      const there = present(all.slice(from, to));
      const mean = columnOf(all).mean(from, to);
      if (there.length === 0) return assert.ok(Number.isNaN(mean));
      const expected = there.reduce((sum, each) => sum + each, 0) / there.length;
      assert.ok(Math.abs(mean - expected) < 1e-9, `${mean} is not ${expected}`);
    }),
  );
});

test("counts scores below and above a limit", () => {
  fc.assert(
    fc.property(ranged, fc.double({ min: -100, max: 100, noNaN: true }), ({ all, from, to }, limit) => {
      const there = present(all.slice(from, to));
      assert.deepEqual(columnOf(all).countBeyond("below", limit, from, to), {
        beyond: there.filter((each) => each < limit).length,
        of: there.length,
      });
      assert.deepEqual(columnOf(all).countBeyond("above", limit, from, to), {
        beyond: there.filter((each) => each > limit).length,
        of: there.length,
      });
    }),
  );
});

test("accepts scores later, in any order and beyond the capacity", () => {
  fc.assert(
    fc.property(values, fc.nat(300), fc.integer({ min: 1, max: 90 }), (all, capacity, length) => {
      const column = new Column(capacity);
      const starts = Array.from({ length: Math.ceil(all.length / length) }, (_, index) => index * length);
      for (const start of starts.toReversed()) {
        const part = all.slice(start, start + length);
        for (const [index, each] of part.entries()) column.set(start + index, each);
        column.commit(start, start + part.length);
      }
      assert.deepEqual(column.extremes(0, all.length), columnOf(all).extremes(0, all.length));
    }),
  );
});

test("draws the smallest and the largest score of a range at any number of pixels", () => {
  fc.assert(
    fc.property(ranged, fc.integer({ min: 1, max: 120 }), ({ all, from, to }, pixels) => {
      const { rows, values } = sample([columnOf(all)], from, to, pixels);
      const drawn = rows.flatMap((row, index) => {
        const each = values[0]?.[index] ?? null;
        return each !== null && row >= from && row < to ? [each] : [];
      });
      const there = present(all.slice(from, to));
      assert.equal(Math.min(...drawn), Math.min(...there));
      assert.equal(Math.max(...drawn), Math.max(...there));
    }),
  );
});

test("points are in frame order, equally many for every metric, and few", () => {
  fc.assert(
    fc.property(ranged, fc.integer({ min: 1, max: 120 }), ({ all, from, to }, pixels) => {
      const { rows, values } = sample([columnOf(all), columnOf(all)], from, to, pixels);
      assert.ok(rows.every((row, index) => index === 0 || row >= (rows[index - 1] ?? Number.NaN)));
      assert.ok(rows.every((row, index) => index < 2 || row > (rows[index - 2] ?? Number.NaN)));
      assert.deepEqual(
        values.map(({ length }) => length),
        [rows.length, rows.length],
      );
      assert.ok(rows.length <= 2 * pixels + 6, `${rows.length} points for ${pixels} pixels`);
    }),
  );
});

test("both points of a bin are in its middle, so that they fall into one pixel", () => {
  const { rows } = sample([columnOf(Array.from({ length: 25 }, (_, row) => row))], 0, 25, 3);
  assert.deepEqual(rows, [-1, 4, 4, 13, 13, 21, 21, 25]);
});

test("the line breaks at rows without a score", () => {
  const all = Array.from({ length: 1000 }, (_, row) => (row >= 400 && row < 600 ? Number.NaN : 90));
  const { rows, values } = sample([columnOf(all)], 0, 1000, 100);
  const broken = rows.filter((row, index) => row >= 0 && row < 1000 && values[0]?.[index] === null);
  assert.ok(broken.length > 0 && broken.every((row) => row >= 400 && row < 600), broken.join());
});

test("a minimum among 250,000 frames is drawn at every width", () => {
  const all = Array.from({ length: 250_000 }, (_, row) => 90 + Math.sin(row / 50));
  all[123_457] = 12.5;
  const column = columnOf(all);
  for (const pixels of [300, 640, 1280, 1920, 3840])
    assert.ok(sample([column], 0, all.length, pixels).values[0]?.includes(12.5), `${pixels} pixels`);
});

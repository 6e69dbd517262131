import assert from "node:assert/strict";
import { test } from "node:test";
import { Column } from "../../../web/src/chart/data/column.ts";
import { distributionOf } from "../../../web/src/chart/data/distribution.ts";

function columnOf(values: readonly number[]): Column {
  const column = new Column(values.length);
  for (const [row, value] of values.entries()) column.set(row, value);
  column.commit(0, values.length);
  return column;
}

const shape = (values: readonly number[], from = 0, to = values.length) =>
  distributionOf(columnOf(values), from, to).map((bin) => [bin.from, bin.to, bin.frames, bin.upTo]);

test("counts every score once, in bins of round numbers", () => {
  const values = Array.from({ length: 1_000 }, (_, row) => 60 + ((row * 37) % 400) / 10);
  const bins = distributionOf(columnOf(values), 0, values.length);
  assert.ok(bins.length >= 10 && bins.length <= 20, String(bins.length));
  assert.equal(bins.at(-1)?.upTo, 1_000);
  for (const { from, to, frames } of bins) {
    const isLast = to === bins.at(-1)?.to;
    assert.equal(
      values.filter((value) => value >= from && (value < to || (isLast && value === to))).length,
      frames,
    );
  }
});

test("has the edges of the range in the first and the last bin", () => {
  const bins = shape([0, 0, 16, 8]);
  assert.deepEqual(
    [bins[0], bins.at(-1)],
    [
      [0, 1, 2, 2],
      [15, 16, 1, 4],
    ],
  );
});

test("takes one value, missing values and a part of the rows", () => {
  assert.deepEqual(
    shape([97, 97, 97])
      .map(([, , frames]) => frames)
      .filter(Boolean),
    [3],
  );
  assert.deepEqual(shape([]), []);
  assert.deepEqual(shape([Number.NaN, Number.NaN]), []);
  const part = distributionOf(columnOf([10, 20, Number.NaN, 30, 99]), 1, 4);
  assert.deepEqual([part[0]?.from, part.at(-1)?.to, part.at(-1)?.upTo], [20, 30, 2]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameTable } from "../../../../src/engine/frames/frame-table.ts";

test("keeps every printed digit of any value, wide or narrow", () => {
  const sixDecimals = fc
    .integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 })
    .map((n) => Number((n / 1e6).toFixed(6)));
  fc.assert(
    fc.property(fc.array(sixDecimals, { minLength: 1, maxLength: 50 }), (values) => {
      const table = new FrameTable(["m"], 1);
      for (const [row, value] of values.entries()) table.append(row, [value]);
      assert.deepEqual(
        values.map((_, row) => table.value("m", row)),
        values,
      );
    }),
  );
});

test("treats a value that is not finite as missing, before and after a column widens", () => {
  const table = new FrameTable(["m"], 2);
  table.append(0, [Number.NaN]);
  table.append(1, [5000]);
  table.append(2, [Number.POSITIVE_INFINITY]);
  assert.deepEqual(
    [...table.rows()],
    [
      { frame: 0, metrics: {} },
      { frame: 1, metrics: { m: 5000 } },
      { frame: 2, metrics: {} },
    ],
  );
});

test("returns no value for an unknown metric or row", () => {
  const table = new FrameTable(["m"], 8);
  table.append(7, [1]);
  assert.equal(table.value("m", 1), undefined);
  assert.equal(table.value("n", 0), undefined);
  assert.equal(table.frame(0), 7);
});

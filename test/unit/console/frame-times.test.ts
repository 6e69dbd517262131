/** Frame numbers of times of a clip, and back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { indexAt, timeOf, within } from "../../../web/src/clips/frame-times.ts";

test("every frame is found at its beginning, in its middle, and at times that are rounded to microseconds", () => {
  for (const rate of [23.976_023_976, 25, 29.970_029_97, 59.940_059_94, 120]) {
    for (const count of [1, 7, 50, 120]) {
      const timing = { count, duration: count / rate };
      for (let index = 0; index < count; index++) {
        const begins = index / rate;
        for (const time of [begins, Math.floor(begins * 1e6) / 1e6, timeOf(index, timing)])
          assert.equal(indexAt(time, timing), index, `${rate} fps, frame ${index} of ${count} at ${time}`);
      }
    }
  }
});

test("times outside the video give its first or last frame, and so do indexes", () => {
  const timing = { count: 50, duration: 2 };
  assert.deepEqual(
    [-1, 0, 2, 9, Number.NaN].map((time) => indexAt(time, timing)),
    [0, 0, 49, 49, 0],
  );
  assert.equal(indexAt(1, { count: 50, duration: Number.NaN }), 0);
  assert.deepEqual([timeOf(-3, timing), timeOf(99, timing)], [0.02, 1.98]);
  assert.deepEqual(
    [-1, 0, 49, 50].map((index) => within(index, 50)),
    [0, 0, 49, 49],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { searchedIn } from "../../../../src/engine/coverage/search.ts";

const TIME_BASE = { num: 1, den: 90_000 };

/** A stream of 25 frames per second whose packets have these sizes. */
function streamOf(sizes: readonly number[]) {
  const places = new Float64Array(sizes.length);
  for (let packet = 1; packet < sizes.length; packet++)
    places[packet] = (places[packet - 1] ?? 0) + (sizes[packet - 1] ?? 0);
  const pts = Float64Array.from(sizes, (_, packet) => 3600 * packet);
  return { places, times: { timeBase: TIME_BASE, pts, keys: pts.slice(0, 1), frameBytes: 0 } };
}

test("in a stream of constant rate, the offset of the time and half of it are read", () => {
  const { places, times } = streamOf(Array.from({ length: 2500 }, () => 40_000));
  const ranges = searchedIn(places, times, 50.01);
  const isRead = (place: number) => ranges.some(({ first, last }) => first <= place && place <= last);
  assert.ok(isRead(50 * 25 * 40_000));
  assert.ok(isRead((50 * 25 * 40_000) / 2));
  assert.ok(!isRead(90 * 25 * 40_000));
});

test("the ranges that are read always contain the frame at the time", () => {
  const sizes = fc.array(fc.integer({ min: 188, max: 300_000 }), { minLength: 3, maxLength: 400 });
  fc.assert(
    fc.property(sizes, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (all, share) => {
      const { places, times } = streamOf(all);
      const frame = Math.max(1, Math.floor(share * (all.length - 2)));
      const ranges = searchedIn(places, times, frame / 25);
      const place = places[frame] ?? 0;
      assert.ok(ranges.some(({ first, last }) => first <= place && place <= last));
      for (const { first, last } of ranges) assert.ok(first >= 0 && last > first && Number.isInteger(first));
    }),
  );
});

test("a time before or behind the stream needs no search", () => {
  const { places, times } = streamOf([1000, 1000, 1000]);
  assert.deepEqual(searchedIn(places, times, -1), []);
  assert.deepEqual(searchedIn(places, times, 10), []);
  assert.deepEqual(searchedIn(places, times, Number.NEGATIVE_INFINITY), []);
});

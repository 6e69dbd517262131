import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import type { Segment } from "../../../../src/engine/planning/segment.ts";
import { joinShots, segmentShots } from "../../../../src/engine/results/shots.ts";

const WHOLE = { first: 0, count: 0, before: 0, after: 0, cut: undefined };

function wholeStarts(changes: readonly number[]): readonly number[] | undefined {
  return joinShots([{ first: 0, shots: segmentShots(WHOLE, Float64Array.from(changes)) }]);
}

/** What the filter sees of a segment: it does not know the frame before the first. */
function seen({ first, count, before, after }: Segment, changes: readonly number[]): Float64Array {
  const part = Float64Array.from(changes.slice(first - before, first + count + after));
  part[0] = 0;
  return part;
}

test("a shot begins where much changes that did not change before", () => {
  assert.deepEqual(wholeStarts([0, 1, 30, 2, 1, 25, 3]), [0, 2, 5]);
  assert.deepEqual(wholeStarts([0, 10]), [0, 1], "10 % is enough");
  assert.deepEqual(wholeStarts([0, 9.999]), [0]);
});

test("neither steady motion nor the end of a flash begins a shot", () => {
  assert.deepEqual(wholeStarts([0, 5, 9, 14, 18, 22, 21, 20, 19, 18]), [0]);
  assert.deepEqual(wholeStarts([0, 1, 40, 40, 1, 1]), [0, 2]);
});

test("segments show the same shots as the whole, wherever they are cut and with any context", () => {
  const video = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 2, maxLength: 60 });
  const cuts = fc.array(fc.tuple(fc.integer({ min: 1, max: 59 }), fc.integer({ min: 1, max: 5 })));
  fc.assert(
    fc.property(video, cuts, fc.integer({ min: 0, max: 1 }), (later, places, after) => {
      const changes = [0, ...later];
      const starts = new Map([[0, 0], ...places.filter(([first]) => first < changes.length)]);
      const firsts = [...starts.keys()].sort((one, other) => one - other);
      const parts = firsts.map((first, index) => {
        const end = firsts[index + 1] ?? changes.length;
        const segment = {
          ...{ first, count: end - first, before: Math.min(first, starts.get(first) ?? 0) },
          ...{ after: Math.min(after, changes.length - end), cut: { reference: {}, distorted: {} } },
        } as Segment;
        return { first, shots: segmentShots(segment, seen(segment, changes)) };
      });
      assert.deepEqual(joinShots(parts), wholeStarts(changes));
    }),
  );
});

test("no shots are returned if a segment has none, lacks context or has other frames", () => {
  const known = { starts: [], lastChange: 1 };
  assert.equal(
    joinShots([
      { first: 0, shots: known },
      { first: 9, shots: undefined },
    ]),
    undefined,
  );
  assert.equal(joinShots([]), undefined);
  assert.equal(segmentShots({ ...WHOLE, first: 9, count: 3 }, Float64Array.of(0, 1, 2)), undefined);
  assert.equal(segmentShots({ ...WHOLE, after: 1 }, Float64Array.of(0)), undefined);
});

test("a flickering video of more than 10,000 shots has no list", () => {
  const flicker = Array.from({ length: 40_000 }, (_, frame) => (frame % 3 === 1 ? 50 : 1));
  assert.equal(wholeStarts(flicker), undefined);
  assert.equal(wholeStarts(flicker.slice(0, 29_998))?.length, 10_000);
});

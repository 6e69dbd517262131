import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { cut } from "../../../../src/engine/planning/cut.ts";
import { merged } from "../../../../src/engine/planning/segment.ts";
import { times, track } from "../track-fixture.ts";

function segmentsOf(frames: number, gop: number, length: number) {
  const of = (side: "reference" | "distorted") => track(side, { frames, times: times(frames, 25, gop) });
  const tracks = { reference: of("reference"), distorted: of("distorted") };
  const pairing = pair(tracks.reference, tracks.distorted, pairRequest({ reference: "r", distorted: "d" }));
  return cut(tracks, pairing, { length, subsample: 1, lookBehind: 2 }).segments;
}

test("gives the segments that cutting at the same frames gives", () => {
  const long = segmentsOf(1000, 50, 100);
  assert.ok(long.length > 5);
  assert.deepEqual(merged(segmentsOf(1000, 50, 50), 102), long);
});

test("joins only neighbors, up to the longest, and keeps every frame", () => {
  const cases = fc.record({
    frames: fc.integer({ min: 100, max: 2000 }),
    gop: fc.integer({ min: 1, max: 100 }),
    length: fc.integer({ min: 4, max: 60 }),
    longest: fc.integer({ min: 1, max: 500 }),
    dropped: fc.array(fc.nat(500)),
  });
  fc.assert(
    fc.property(cases, ({ frames, gop, length, longest, dropped }) => {
      const units = segmentsOf(frames, gop, length).filter((_, index) => !dropped.includes(index));
      const framesIn = (segments: typeof units) =>
        segments.flatMap(({ first, count }) => Array.from({ length: count }, (_, index) => first + index));
      const joined = merged(units, longest);
      assert.deepEqual(framesIn(joined), framesIn(units));
      for (const { first, count } of joined) {
        assert.ok(count <= longest || units.some((unit) => unit.first === first && unit.count === count));
      }
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { cut } from "../../../../src/engine/planning/cut.ts";
import { times, track } from "../track-fixture.ts";

function cutPair(
  frames: number,
  gops: readonly [number, number],
  options: { length?: number; subsample?: number; lookBehind?: number },
) {
  const reference = track("reference", { frames, times: times(frames, 25, gops[0]) });
  const distorted = track("distorted", { frames, times: times(frames, 25, gops[1]) });
  const pairing = pair(reference, distorted, pairRequest({ reference: "r", distorted: "d" }));
  return cut({ reference, distorted }, pairing, {
    length: undefined,
    subsample: 1,
    lookBehind: 1,
    ...options,
  });
}

test("makes consecutive segments without gap or overlap for any length, GOPs and subsampling", () => {
  const cases = fc.record({
    frames: fc.integer({ min: 1, max: 2000 }),
    gops: fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 })),
    length: fc.integer({ min: 1, max: 500 }),
    subsample: fc.integer({ min: 1, max: 12 }),
    lookBehind: fc.constantFrom(1, 2, 4, 5),
  });
  fc.assert(
    fc.property(cases, ({ frames, gops, ...options }) => {
      const { segments } = cutPair(frames, gops, options);
      let next = 0;
      for (const { first, count, before, after } of segments) {
        assert.equal(first, next);
        assert.ok(count > 0 && first - before >= 0 && first + count + after <= frames);
        if (segments.length > 1) {
          // The first frames of a file take their motion from those after them.
          assert.ok(first > 0 || count >= options.lookBehind);
          assert.equal(first % options.subsample, 0);
          assert.equal(before % options.subsample, 0);
          assert.ok(first === 0 || before >= options.lookBehind);
          assert.equal(after, first + count === frames ? 0 : 1);
        }
        next = first + count;
      }
      assert.equal(next, frames);
    }),
  );
});

test("starts a range between its first frame and the one before, and seeks to the key frame", () => {
  const { segments } = cutPair(300, [50, 50], { length: 100 });
  assert.deepEqual(
    segments.map(({ first, count }) => [first, count]),
    [
      [0, 101],
      [101, 100],
      [201, 99],
    ],
  );
  const second = segments[1]?.cut?.reference;
  // Frame 100 at 4.00 s is a key frame and the context before frame 101; frames are 0.04 s apart.
  assert.deepEqual(second?.range, { start: 3.99, end: 8.07 });
  assert.equal(second?.seek, 4.135);
});

test("balances segments, so that those of a job end together", () => {
  const counts = (frames: number, gop: number) =>
    cutPair(frames, [gop, gop], { length: 250 }).segments.map(({ count }) => count);
  // 24 s are two segments of 12 s, not one of 10 s and one of 14 s.
  assert.deepEqual(counts(600, 50), [301, 299]);
  // 27 s are three segments of about 9 s.
  assert.deepEqual(counts(675, 25), [226, 225, 224]);
  // Cuts stay at key frames, however far apart these are.
  assert.deepEqual(counts(750, 250), [251, 250, 249]);
  // Up to one and a half times the length is not cut.
  assert.deepEqual(counts(374, 25), [374]);
});

test("cuts where the least is decoded only to be dropped, weighted by the cost of each side", () => {
  const firsts = (frameBytes: number, gops: readonly [number, number]) => {
    const reference = track("reference", { frames: 800, times: { ...times(800, 25, gops[0]), frameBytes } });
    const distorted = track("distorted", { frames: 800, times: times(800, 25, gops[1]) });
    const pairing = pair(reference, distorted, pairRequest({ reference: "r", distorted: "d" }));
    const options = { length: 250, subsample: 1, lookBehind: 1 };
    return cut({ reference, distorted }, pairing, options).segments.map(({ first }) => first);
  };
  // Key frames of both sides at 240 and 480: nothing is wasted there.
  assert.deepEqual(firsts(0, [80, 120]), [0, 241, 481]);
  // Key frames of the reference at 190, 380, 570, of the other at 240, 480, 720: few dropped frames near a third …
  assert.deepEqual(firsts(0, [190, 240]), [0, 241, 481]);
  // … or only frames of the encode, if a frame of the master costs as much as nine of them.
  assert.deepEqual(firsts(600_000, [190, 240]), [0, 191, 571]);
});

test("seeks in MPEG-TS to more than a GOP before", () => {
  const side = { container: "mpegts", codec: "hevc", frames: 500, times: times(500, 25, 50) };
  const [reference, distorted] = [track("reference", side), track("distorted", side)];
  const pairing = pair(reference, distorted, pairRequest({ reference: "r", distorted: "d" }));
  const { segments } = cut({ reference, distorted }, pairing, { length: 250, subsample: 1, lookBehind: 1 });
  assert.equal(segments[1]?.cut?.distorted.seek, 10 - 2 - 0.5);
});

test("scores a file that cannot be cut whole, and reports the reason", () => {
  const [reference, distorted] = [
    track("reference"),
    track("distorted", { uncuttable: "its frames have no times" }),
  ];
  const pairing = pair(reference, distorted, pairRequest({ reference: "r", distorted: "d" }));
  const cutting = cut({ reference, distorted }, pairing, { length: 10, subsample: 1, lookBehind: 1 });
  assert.equal(cutting.segments.length, 1);
  assert.equal(cutting.segments[0]?.cut, undefined);
  assert.match(cutting.whole ?? "", /distorted video cannot be cut: its frames have no times/);
});

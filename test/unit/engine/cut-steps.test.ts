/** Cutting matches its definition (plain-cut.ts), in time linear in the number of frames. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { pairRequest } from "../../../src/engine/contract/request.ts";
import type { FrameTimes, Track } from "../../../src/engine/media/track.ts";
import { evenTimes } from "../../../src/engine/media/y4m.ts";
import { pair } from "../../../src/engine/planning/compare.ts";
import { cut } from "../../../src/engine/planning/cut.ts";
import { plainSegments, type TimedTrack } from "./plain-cut.ts";
import { times, track } from "./track-fixture.ts";

const REQUEST = pairRequest({ reference: "r", distorted: "d" });

/** Frames of any duration. Any frame can be a key frame; the first one need not be. */
const frameTimes = fc
  .record({
    begin: fc.integer({ min: -5000, max: 5000 }),
    frames: fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.nat({ max: 9 })), {
      minLength: 1,
      maxLength: 300,
    }),
    // Key frames in ten frames, on average: 0 has none, 10 has only key frames.
    keys: fc.nat({ max: 10 }),
    frameBytes: fc.constantFrom(0, 700, 600_000),
    den: fc.constantFrom(25, 1000, 90_000),
  })
  .map(({ begin, frames, keys, frameBytes, den }): FrameTimes => {
    let now = begin;
    const pts = Float64Array.from(frames, ([ticks]) => {
      now += ticks;
      return now;
    });
    const isKey = (index: number) => (frames[index]?.[1] ?? 0) < keys;
    return { timeBase: { num: 1, den }, pts, keys: pts.filter((_, index) => isKey(index)), frameBytes };
  });

const side = fc.record({
  times: frameTimes,
  container: fc.constantFrom("mp4", "matroska", "mpegts", "mxf", "flv"),
  samples: fc.constantFrom(undefined, undefined, "raw" as const),
});

describe("cuts", () => {
  test("equal those of the definition, for key frames anywhere", () => {
    const options = fc.record({
      length: fc.integer({ min: 2, max: 100 }),
      subsample: fc.integer({ min: 1, max: 6 }),
      lookBehind: fc.constantFrom(1, 5),
    });
    fc.assert(
      fc.property(side, side, options, (one, other, cutting) => {
        const frameCount = Math.min(one.times.pts.length, other.times.pts.length);
        const timed = (of: typeof one, name: Track["side"]): TimedTrack => ({
          ...track(name, { ...of, frames: of.times.pts.length, rate: undefined }),
          times: of.times,
        });
        const tracks = { reference: timed(one, "reference"), distorted: timed(other, "distorted") };
        const pairing = { ...pair(tracks.reference, tracks.distorted, REQUEST), frameCount };
        const { segments } = cut(tracks, pairing, cutting);
        assert.deepEqual(segments, plainSegments(tracks, frameCount, cutting));
      }),
      { numRuns: 300 },
    );
  });

  const FRAMES = 20_000;
  /** One frame in twenty begins a segment: many cuts must not cost more than few. */
  const LENGTH = 20;
  /** Limit of reads of times per frame, both sides together; it would be thousands if each cut read all times. */
  const READS_PER_FRAME = 30;

  for (const [what, container, found] of [
    ["every frame a key frame", "mov", times(FRAMES, 25, 1)],
    ["every frame a key frame, searched by time", "mxf", times(FRAMES, 25, 1)],
    ["one key frame", "mov", times(FRAMES, 25, FRAMES)],
    ["y4m", "y4m", evenTimes({ num: 25, den: 1 }, FRAMES)],
  ] as const) {
    test(`read each frame's times only a few times: ${what}`, () => {
      assert.ok(found);
      let reads = 0;
      const onRead = () =>
        assert.ok(++reads <= READS_PER_FRAME * FRAMES, `${reads} reads for ${FRAMES} frames`);
      const over = { container, frames: FRAMES, times: watched(found, onRead) };
      const tracks = { reference: track("reference", over), distorted: track("distorted", over) };
      const pairing = pair(tracks.reference, tracks.distorted, REQUEST);
      const options = { length: LENGTH, subsample: 1, lookBehind: 1 };
      const { segments } = cut(tracks, pairing, options);
      assert.ok(segments.length > FRAMES / LENGTH / 2, `${segments.length} segments`);
      assert.ok(reads > FRAMES, "reads are counted");
    });
  }
});

/** Returns the same times; `onRead` is called for every value that is read, by any method. */
function watched(given: FrameTimes, onRead: () => void): FrameTimes {
  const watching = (values: Float64Array) =>
    new Proxy(values, {
      get(target, name, proxy) {
        if (typeof name === "string" && /^\d+$/.test(name)) onRead();
        // Methods of Array read by index; those of Float64Array would bypass the proxy.
        const method: unknown = Reflect.get(Array.prototype, name);
        return typeof method === "function" ? method.bind(proxy) : Reflect.get(target, name, target);
      },
    });
  return { ...given, pts: watching(given.pts), keys: watching(given.keys) };
}

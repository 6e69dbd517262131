import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alignTime } from "../../../../src/engine/doctor/time/align.ts";
import { timeFindings } from "../../../../src/engine/doctor/time-findings.ts";
import { runsByTimestamps } from "../../../../src/engine/doctor/timestamps.ts";
import type { Track } from "../../../../src/engine/media/track.ts";
import { times, track } from "../track-fixture.ts";
import { picturesOf, span } from "./time/moving-texture.ts";

const FRAME_MS = 40;

/** A track of these frames, each at its time. */
function having(side: Track["side"], frames: readonly number[], over: Partial<Track> = {}): Track {
  const pts = Float64Array.from(frames, (frame) => frame * FRAME_MS);
  return track(side, { frames: frames.length, times: { ...times(frames.length, 25, 25), pts }, ...over });
}

const runsOf = (reference: readonly number[], distorted: readonly number[], over: Partial<Track> = {}) =>
  runsByTimestamps({
    reference: having("reference", reference),
    distorted: having("distorted", distorted, over),
  });

describe("runs by timestamps", () => {
  test("pair the frames around the gaps of either side", () => {
    assert.deepEqual(runsOf(span(0, 100), [...span(0, 40), ...span(45, 55)]), [
      { reference: 0, distorted: 0, count: 40 },
      { reference: 45, distorted: 40, count: 55 },
    ]);
    assert.deepEqual(runsOf([...span(0, 20), ...span(22, 78)], [...span(0, 40), ...span(45, 55)]), [
      { reference: 0, distorted: 0, count: 20 },
      { reference: 20, distorted: 22, count: 18 },
      { reference: 43, distorted: 40, count: 55 },
    ]);
  });
  test("are unknown without gaps, for other counts, starts and clocks, and for a variable frame rate", () => {
    const lost = [...span(0, 40), ...span(45, 55)];
    assert.equal(runsOf(span(0, 100), span(0, 100)), undefined);
    assert.equal(runsOf(span(0, 100), span(0, 90)), undefined);
    assert.equal(runsOf(span(0, 104), lost), undefined);
    assert.equal(
      runsOf(
        span(0, 100),
        lost.map((frame) => frame + 3),
      ),
      undefined,
    );
    assert.equal(runsOf(span(0, 100), lost, { container: "mpegts" }), undefined);
    const uneven = span(0, 100).filter((frame) => frame % 5 !== 3);
    assert.equal(runsOf(span(0, 100), uneven), undefined);
  });
});

describe("frames that the pictures leave open", () => {
  const still = (count: number) => Array<number>(count).fill(40);
  /** The events and findings of 100 frames and 95 frames, of which the timestamps say that frames 40 to 44 are missing. */
  const found = (reference: readonly number[], distorted: readonly number[]) => {
    const byTimestamps = runsOf(span(0, 100), [...span(0, 40), ...span(45, 55)]);
    const relation = alignTime(picturesOf(5, reference), picturesOf(5, distorted, { seed: 2 }), {
      byTimestamps,
    });
    const counts = { reference: 100, distorted: 95 };
    return { relation, findings: timeFindings(relation, { first: 0, counts, totals: counts }) };
  };
  test("are decided by the timestamps", () => {
    const { relation, findings } = found(still(100), still(95));
    assert.deepEqual([relation.state, relation.confidence], ["shifted", "certain"]);
    assert.deepEqual(
      findings.map(({ code, frames, confidence, fix }) => ({ code, frames, confidence, fix })),
      [
        {
          code: "FRAMES_DROPPED",
          frames: { first: 40, count: 5 },
          confidence: "certain",
          fix: {
            runs: [
              { reference: 0, distorted: 0, count: 40 },
              { reference: 45, distorted: 40, count: 55 },
            ],
          },
        },
      ],
    );
    assert.match(findings[0]?.evidence ?? "", /The timestamps have a gap there\.$/);
  });
  test("stay as the pictures show them if these contradict the timestamps", () => {
    const reference = [...still(30), ...span(41, 70)];
    const { relation } = found(reference, [...reference.slice(0, 60), ...reference.slice(65)]);
    assert.deepEqual(
      relation.runs.map(({ reference: first, distorted }) => [first, distorted]),
      [
        [0, 0],
        [65, 60],
      ],
    );
    assert.notEqual(relation.isByTimestamps, true);
  });
});

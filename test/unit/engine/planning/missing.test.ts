/** The message about missing frames: derived from timestamps or the edit list, or stating that it is unknown. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import type { Track } from "../../../../src/engine/media/track.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { settleCounts } from "../../../../src/engine/planning/frame-counts.ts";
import { Failure } from "../../../../src/platform/failure.ts";
import { times, track } from "../track-fixture.ts";

const FRAMES = 100;
const FRAME_MS = 40;

/** A track with these frames of 100, 40 ms each, at their original times plus `start`. */
function having(frames: readonly number[], { start = 0, ...over }: Partial<Track> & { start?: number } = {}) {
  const pts = Float64Array.from(frames, (frame) => start + frame * FRAME_MS);
  return { frames: frames.length, times: { ...times(frames.length, 25, 25), pts }, ...over };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function settle(reference: Partial<Track>, distorted: Partial<Track>, policy: "REFUSE" | "COMMON") {
  const request = pairRequest({ reference: "r", distorted: "d", onFrameCountMismatch: policy });
  const tracks = { reference: track("reference", reference), distorted: track("distorted", distorted) };
  return settleCounts(pair(tracks.reference, tracks.distorted, request), tracks, request);
}

function refusal(reference: Partial<Track>, distorted: Partial<Track>): Failure {
  try {
    settle(reference, distorted, "REFUSE");
  } catch (thrown) {
    return Failure.from(thrown);
  }
  return assert.fail("the pair was accepted");
}

const WHOLE = having(range(0, FRAMES));
const COMMON = {
  option: "onFrameCountMismatch",
  value: "COMMON",
  onlyIf: "the missing frames are the last ones",
};

describe("does not suggest COMMON if frames are missing at the start or in the middle", () => {
  for (const [what, short, says, missing] of [
    [
      "the first 13",
      having(range(13, FRAMES)),
      /lacks the first frames: it starts 0\.52 s after .* ends with it/,
      13,
    ],
    [
      "the first 13, with times shifted by the B-frame delay",
      having(range(13, FRAMES), { start: -2 * FRAME_MS }),
      /starts 0\.44 s after the .* and ends 0\.08 s before it/,
      13,
    ],
    [
      "13 in the middle",
      having([...range(0, 30), ...range(43, FRAMES)]),
      /lacks 13 frames in the middle, the first after its frame 29\./,
      undefined,
    ],
    [
      "two single frames and the tail, with an offset of all times",
      having([...range(0, 30), ...range(31, 50), ...range(51, 90)], { start: 7000 }),
      /lacks 2 frames in the middle, the first after its frame 29\./,
      undefined,
    ],
    [
      "a start hidden by an edit list",
      having(range(0, 90), { hidden: 2 }),
      /hides 2 frames, as after a cut/,
      10,
    ],
    [
      "a start hidden by an edit list, without timestamps",
      { frames: 90, times: undefined, hidden: 2 },
      /hides 2 frames, as after a cut/,
      10,
    ],
  ] as const) {
    test(what, () => {
      for (const [name, failure, sign] of [
        ["distorted video", refusal(WHOLE, short), -1],
        ["reference", refusal(short, WHOLE), 1],
      ] as const) {
        assert.equal(failure.code, "FRAME_COUNT_MISMATCH");
        assert.match(failure.message, says);
        assert.match(failure.message, new RegExp(`the ${name} (?:lacks|hides)`));
        assert.doesNotMatch(failure.message, /onFrameCountMismatch/);
        const onlyIf = `the first ${missing} frames and no others are missing`;
        const remedy =
          missing === undefined ? undefined : { option: "offset", value: sign * missing, onlyIf };
        assert.deepEqual(failure.found?.["remedy"], remedy);
        assert.match(
          failure.message,
          remedy ? new RegExp(`set offset to ${remedy.value}\\.$`) : /Set runs, which list/,
        );
      }
      const [warning] = settle(WHOLE, short, "COMMON").warnings;
      assert.equal(warning?.code, "FRAME_COUNT_MISMATCH");
      assert.match(warning.message, says);
      assert.match(warning.message, /If so, the wrong frames were compared with each other\.$/);
    });
  }
});

describe("suggests COMMON with its condition if the timestamps do not show what is missing", () => {
  const uneven = having(range(0, FRAMES).filter((frame) => frame % 5 !== 3));
  for (const [what, long, short, says] of [
    [
      "the tail, or a cut that restarted the times",
      WHOLE,
      having(range(0, 87)),
      /the last frames are missing, unless/,
    ],
    ["no timestamps", WHOLE, { frames: 87, times: undefined }, /do not show which/],
    ["an offset of all times", WHOLE, having(range(0, 87), { start: 7000 }), /do not show which/],
    [
      "MPEG-TS and another container",
      WHOLE,
      having(range(0, 63), { start: 37 * FRAME_MS, container: "mpegts" }),
      /do not show which/,
    ],
    ["a late start that B-frames may explain", WHOLE, having(range(2, FRAMES)), /do not show which/],
    ["a variable frame rate", WHOLE, uneven, /do not show which/],
    [
      "gaps in both",
      having([...range(0, 20), ...range(30, 110)]),
      having([...range(0, 20), ...range(30, 90)]),
      /do not show which/,
    ],
    [
      "gaps of more frames than are missing",
      WHOLE,
      having([...range(0, 30), ...range(300, 357)]),
      /do not show which/,
    ],
    ["a single frame", WHOLE, having([0]), /do not show which/],
  ] as const) {
    test(what, () => {
      for (const failure of [refusal(long, short), refusal(short, long)]) {
        assert.match(failure.message, says);
        assert.match(failure.message, /If the last ones are missing, set onFrameCountMismatch to COMMON/);
        assert.match(failure.message, /compares frame N with frame N from the start/);
        assert.deepEqual(failure.found?.["remedy"], COMMON);
      }
      const { message = "" } = settle(long, short, "COMMON").warnings.at(-1) ?? {};
      assert.match(message, /That is right only if the missing frames are the last ones\.$/);
    });
  }
});

test("suggests ignoring an edit list that hides exactly the missing frames", () => {
  for (const failure of [
    refusal(WHOLE, having(range(13, FRAMES), { hidden: 13 })),
    refusal({ frames: 87, hidden: 13, times: undefined }, WHOLE),
    refusal({ ...WHOLE, frames: 99, hidden: 1 }, having(range(0, 98), { hidden: 2 })),
  ]) {
    assert.match(
      failure.message,
      /Counting the frames that an edit list hides, both have 100: set editLists to IGNORE/,
    );
    assert.deepEqual(failure.found?.["remedy"], { option: "editLists", value: "IGNORE" });
  }
});

/** Rates of short clips: distinguished if timestamps are exact, tolerated if they are rounded. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { parseRational } from "../../../../src/engine/media/rational.ts";
import type { Track } from "../../../../src/engine/media/track.ts";
import { evenTimes } from "../../../../src/engine/media/y4m.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { times, track } from "../track-fixture.ts";

function rational(text: string) {
  const rate = parseRational(text);
  assert.ok(rate, text);
  return rate;
}

/** Times as in y4m and AVI: each frame lasts one tick. */
function ticking(text: string, frames: number): Partial<Track> {
  const rate = rational(text);
  return { rate, frames, times: evenTimes(rate, frames) };
}

/** Times as in Matroska: rounded to milliseconds, with a stated rate guessed from them. */
function rounded(text: string, stated: string, frames: number): Partial<Track> {
  const { num, den } = rational(text);
  return { rate: rational(stated), frames, times: times(frames, num / den, 25) };
}

function weigh(reference: Partial<Track>, distorted: Partial<Track>) {
  const request = pairRequest({ reference: "r", distorted: "d" });
  return pair(track("reference", reference), track("distorted", distorted), request);
}

describe("distinguishes rates by exact timestamps in clips of any length", () => {
  for (const [one, other, frames] of [
    ["25", "24", 40],
    ["25", "50", 5],
    ["24", "24000/1001", 50],
    ["30", "30000/1001", 2],
  ] as const) {
    test(`${one} and ${other}, ${frames} frames`, () => {
      const expected = { code: "FRAME_RATE_MISMATCH" };
      assert.throws(() => weigh(ticking(one, frames), ticking(other, frames)), expected);
      assert.throws(() => weigh(ticking(other, frames), ticking(one, frames)), expected);
    });
  }
});

describe("tolerates timestamps rounded to milliseconds", () => {
  for (const [rate, stated, frames] of [
    ["24000/1001", "24", 6],
    ["30000/1001", "30", 10],
    ["60000/1001", "60", 20],
    ["24", "24000/1001", 12],
  ] as const) {
    test(`${rate}, stated as ${stated}, ${frames} frames`, () => {
      assert.deepEqual(weigh(ticking(rate, frames), rounded(rate, stated, frames)).warnings, []);
      assert.deepEqual(weigh(rounded(rate, stated, frames), ticking(rate, frames)).warnings, []);
      assert.deepEqual(weigh(rounded(rate, rate, frames), rounded(rate, stated, frames)).warnings, []);
    });
  }
  test("but refuses twice the rate", () => {
    assert.throws(() => weigh(ticking("25", 5), rounded("50", "50", 5)), { code: "FRAME_RATE_MISMATCH" });
  });
});

describe("tolerates a difference of one frame over the clip with uneven timestamps", () => {
  /** Each frame is up to 0.4 frames late, and the first one `late` more: typical after a capture or a remux. */
  const uneven = (rate: number, frames: number, late: number): Partial<Track> => {
    const even = times(frames, rate, 25);
    const pts = even.pts.map((_, frame) =>
      Math.round((1000 / rate) * (frame + 0.04 * ((frame * 7) % 10) + (frame === 0 ? late : 0))),
    );
    return { rate: rational("1000"), frames, times: { ...even, pts } };
  };
  for (const [rate, other, frames] of [
    ["25", 25, 30],
    ["25", 25.018, 75],
    ["30000/1001", 30, 30],
    ["24", 24, 4],
  ] as const) {
    test(`${rate} and ${other}, ${frames} frames`, () => {
      assert.deepEqual(weigh(ticking(rate, frames), uneven(other, frames, 0.3)).warnings, []);
      assert.deepEqual(weigh(uneven(other, frames, 0.3), ticking(rate, frames)).warnings, []);
      assert.deepEqual(weigh(uneven(other, frames, 0.3), uneven(other, frames, 0.1)).warnings, []);
      const timeless = { rate: rational(rate), frames, times: undefined };
      assert.deepEqual(weigh(timeless, uneven(other, frames, 0.3)).warnings, []);
    });
  }
  for (const [rate, other, frames] of [
    ["25", 24, 75],
    ["24", 24000 / 1001, 2880],
    ["25", 50, 5],
  ] as const) {
    test(`but refuses ${rate} with ${other} in ${frames} frames`, () => {
      assert.throws(() => weigh(ticking(rate, frames), uneven(other, frames, 0)), {
        code: "FRAME_RATE_MISMATCH",
      });
    });
  }
});

test("does not compare the rates of single frames", () => {
  assert.deepEqual(weigh(ticking("25", 1), ticking("50", 1)).warnings, []);
});

/** Shots of real videos: where the reference cuts, whole and in segments, and what they score. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, SCENE } from "../media/clips.ts";

const [FFMPEG, VMAF] = SCORERS;
/** First frames of shots. One of a single frame ends with a change of the same size, like a flash. */
const CUTS = [20, 41, 60];
/** Every other shot is inverted. */
const INVERTED = "negate=enable='between(n,20,40)+between(n,60,60)'";
const FILM = { ...SCENE, frames: 90, filters: INVERTED };

describe("shots", () => {
  let fixture: Fixture;
  let pair: { readonly reference: string; readonly distorted: string };

  before(async () => {
    fixture = await Fixture.open();
    pair = {
      reference: await encode(fixture.media, "reference.mp4", FILM, [...LOSSY.h264, "-crf", "12"]),
      distorted: await encode(fixture.media, "distorted.mp4", FILM, LOSSY.h264),
    };
  });
  after(() => fixture.close());

  test("begin where the reference cuts, and have the scores of their frames", async () => {
    const engine = await fixture.engine(FFMPEG);
    const { shots, frames } = await engine.score(pairRequest(pair));
    assert.deepEqual(
      shots.map(({ firstFrame }) => firstFrame),
      [0, ...CUTS],
    );
    for (const { firstFrame, frameCount, mean, min, worstFrame } of shots) {
      const scores = Array.from(
        { length: frameCount },
        (_, at) => frames.value("vmaf", firstFrame + at) ?? 0,
      );
      assert.equal(min, Math.min(...scores));
      assert.equal(worstFrame, firstFrame + scores.indexOf(min));
      assert.ok(Math.abs(mean - scores.reduce((sum, score) => sum + score, 0) / frameCount) < 1e-6);
    }
  });

  test("are the same in segments of any length and with any context", async () => {
    const engine = await fixture.engine(FFMPEG);
    for (const request of [{}, { features: ["xpsnr"] as const }, { subsample: 3 }]) {
      const asked = pairRequest({ ...pair, ...request });
      const { shots } = await engine.score(asked);
      assert.ok(shots.length > 3);
      for (const segmentFrames of [7, 21]) {
        const cut = await engine.score(asked, { segmentFrames });
        assert.ok(cut.cutting.segments > 1);
        assert.deepEqual(cut.shots, shots);
      }
    }
  });

  test("are those of the compared frames, and do not depend on the distorted video", async () => {
    const engine = await fixture.engine(FFMPEG);
    const steady = await encode(fixture.media, "steady.mp4", { ...FILM, filters: "" }, LOSSY.h264);
    const request = { ...pair, distorted: steady, start: 10, findings: { action: "IGNORE" } } as const;
    const { shots } = await engine.score(pairRequest(request));
    assert.deepEqual(
      shots.map(({ firstFrame }) => firstFrame),
      [0, 10, 31, 50],
    );
  });

  test("are found in samples of every kind", async () => {
    const engine = await fixture.engine(FFMPEG);
    for (const pixels of ["yuv410p", "yuv420p9le", "yuv422p10le", "yuv444p16le", "gbrp"]) {
      const film = { ...FILM, pixels };
      const reference = await encode(fixture.media, `${pixels}.mkv`, film, LOSSY.ffv1);
      const { shots } = await engine.score(pairRequest({ reference, distorted: reference }));
      assert.deepEqual(
        shots.map(({ firstFrame }) => firstFrame),
        [0, ...CUTS],
        pixels,
      );
    }
  });

  test("are not known with a scorer that does not decode", async () => {
    const engine = await fixture.engine(VMAF);
    assert.deepEqual((await engine.score(pairRequest(pair))).shots, []);
  });
});

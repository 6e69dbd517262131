/** Version 1 models judge 10 bits, converted once from the samples as decoded: of every depth, layout and size. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Fixture, type Pair, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE, type Scene } from "../media/clips.ts";
import { decode, type Planes, scale, truthOf } from "../media/truth.ts";
import { tenBits, v1Model } from "../media/v1.ts";

const CLIP = { ...SCENE, width: 352, height: 320, frames: 12 };
const MODEL = "vmaf_v1.0.16_3d0h";
const HFR = "vmaf_v1.0.16_hfr_3d0h";
const VFR = "select='not(eq(mod(n,7),3))'";

for (const scorer of SCORERS) {
  describe(`samples of version 1 models, with ${scorer.kind}`, () => {
    let fixture: Fixture;

    before(async () => {
      fixture = await Fixture.open();
    });
    after(() => fixture.close());

    /** Decodes a side to 10 bits; `to` is the size and chroma in which it is compared. */
    async function side(
      file: string,
      geometry: Pick<Planes, "width" | "height" | "pixels">,
      { to = geometry, input = [] }: { to?: typeof geometry; input?: readonly string[] } = {},
    ): Promise<Planes> {
      const coded = await decode(fixture.media, file, geometry, { input });
      const isPlain = to.width === coded.width && to.height === coded.height;
      return isPlain
        ? tenBits(coded)
        : scale(coded, { ...to, pixels: to.pixels.replace(/p(\d+le)?$/, "p10le") });
    }

    async function expectExact(pair: Pair, sides: readonly [Planes, Planes], encoded: Scene): Promise<void> {
      const bitDepth = Number(/p(\d+)/.exec(encoded.pixels)?.[1] ?? 8);
      const models = {
        vmaf: v1Model(MODEL, { ...encoded, bitDepth }),
        [HFR]: v1Model(HFR, { ...encoded, bitDepth }),
      };
      const truth = await truthOf(...sides, { models, oracle: scorer.oracle });
      await fixture.expectExact(scorer, { ...pair, models: [MODEL, HFR] }, truth);
    }

    for (const pixels of ["420", "422", "444"].flatMap((chroma) =>
      ["", "10le", "12le"].map((depth) => `yuv${chroma}p${depth}`),
    )) {
      test(`${pixels} on both sides`, async () => {
        const scene = { ...CLIP, pixels };
        const reference = await pristine(fixture.media, `${pixels}.y4m`, scene);
        const distorted = await encode(fixture.media, `${pixels}.mkv`, scene, LOSSY.hevc);
        const sides = [await side(reference, scene), await side(distorted, scene)] as const;
        await expectExact({ reference, distorted }, sides, scene);
      });
    }

    for (const [one, other] of [
      ["yuv420p10le", "yuv420p"],
      ["yuv420p", "yuv420p10le"],
      ["yuv420p12le", "yuv420p"],
      ["yuv420p12le", "yuv420p10le"],
      ["yuv420p", "yuv420p12le"],
    ] as const) {
      test(`${one} against ${other}`, async () => {
        const [ref, dis] = [
          { ...CLIP, pixels: one },
          { ...CLIP, pixels: other },
        ];
        const reference = await pristine(fixture.media, `ref-${one}-${other}.y4m`, ref);
        const distorted = await encode(fixture.media, `dis-${one}-${other}.mkv`, dis, LOSSY.hevc);
        const sides = [await side(reference, ref), await side(distorted, dis)] as const;
        await expectExact({ reference, distorted }, sides, dis);
      });
    }

    for (const [width, height] of [
      [353, 320],
      [352, 321],
      [355, 323],
    ] as const) {
      test(`odd size ${width}x${height}`, async () => {
        const scene = { ...CLIP, width, height };
        const reference = await pristine(fixture.media, `${width}x${height}.y4m`, scene);
        const distorted = await encode(fixture.media, `${width}x${height}.mkv`, scene, LOSSY.vp9);
        const sides = [await side(reference, scene), await side(distorted, scene)] as const;
        await expectExact({ reference, distorted }, sides, scene);
      });
    }

    for (const pixels of ["yuv420p", "yuv420p10le"]) {
      test(`an encode at two thirds of the size, ${pixels}`, async () => {
        const large = { ...CLIP, width: 960, height: 540, frames: 6, pixels };
        const coded = { ...large, width: 640, height: 360 };
        const reference = await pristine(fixture.media, `large-${pixels}.y4m`, large);
        const distorted = await encode(fixture.media, `coded-${pixels}.mp4`, coded, LOSSY.hevc);
        const sides = [await side(reference, large), await side(distorted, coded, { to: large })] as const;
        await expectExact({ reference, distorted }, sides, coded);
      });
    }

    for (const [name, options] of [
      ["b.mp4", LOSSY.h264],
      ["b.mkv", LOSSY.vp9],
      ["b.y4m", ["-f", "yuv4mpegpipe"]],
      ["b_352x320.yuv", ["-f", "rawvideo"]],
    ] as const) {
      test(`${name}, constant and variable rate`, async () => {
        for (const filters of ["gblur=0.6", `gblur=0.6,${VFR}`]) {
          const timed = ["-fps_mode", "passthrough"];
          const scene = { ...CLIP, filters };
          const same = { ...CLIP, filters: filters.replace("gblur=0.6", "null") };
          const reference = await encode(fixture.media, "a.mkv", same, [...LOSSY.ffv1, ...timed]);
          const distorted = await encode(fixture.media, name, scene, [...options, ...timed]);
          const raw = ["-f", "rawvideo", "-video_size", "352x320", "-pixel_format", "yuv420p"];
          const input = name.endsWith(".yuv") ? { input: raw } : {};
          const sides = [await side(reference, CLIP), await side(distorted, CLIP, input)] as const;
          await expectExact({ reference, distorted, onFrameRateMismatch: "COMMON" }, sides, CLIP);
        }
      });
    }

    test("headerless video of 10 bits on both sides", async () => {
      const scene = { ...CLIP, pixels: "yuv422p10le" };
      const raw = ["-f", "rawvideo", "-video_size", "352x320", "-pixel_format", scene.pixels];
      const reference = await encode(fixture.media, "a10.yuv", scene, ["-f", "rawvideo"]);
      const distorted = await encode(fixture.media, "b10.yuv", { ...scene, filters: "gblur=0.6" }, [
        ...["-f", "rawvideo"],
      ]);
      const sides = [
        await side(reference, scene, { input: raw }),
        await side(distorted, scene, { input: raw }),
      ] as const;
      const rawVideo = { width: 352, height: 320, pixelFormat: scene.pixels };
      await expectExact({ reference, distorted, rawVideo }, sides, scene);
      assert.equal(sides[0].frames, CLIP.frames);
    });
  });
}

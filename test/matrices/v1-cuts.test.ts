/** Version 1 models in segments: the models of high frame rates look four frames back, the others one. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { decode, type Planes, type Truth, truthOf } from "../media/truth.ts";
import { tenBits, v1Model } from "../media/v1.ts";

const SIZE = { width: 320, height: 180 };
const FILM = { ...SCENE, ...SIZE, frames: 60, rate: "50" };
const MODELS = ["vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h"];
const LENGTHS = [9, 16, 25];

function versions(...names: readonly string[]): Record<string, string> {
  const text = (name: string) => v1Model(name, { ...SIZE, bitDepth: 8 });
  return Object.fromEntries(names.map((name, index) => [index === 0 ? "vmaf" : name, text(name)]));
}

for (const scorer of SCORERS) {
  describe(`cuts with version 1 models, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    let distorted: string;
    let sides: readonly [Planes, Planes];
    const { oracle } = scorer;

    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media, "reference.y4m", FILM);
      distorted = await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264);
      sides = [await planes(reference), await planes(distorted)];
    });
    after(() => fixture.close());

    async function planes(file: string, input: readonly string[] = []): Promise<Planes> {
      return tenBits(await decode(fixture.media, file, FILM, { input }));
    }

    function truth(models: readonly string[], subsample = 1): Promise<Truth> {
      return truthOf(...sides, { models: versions(...models), subsample, oracle });
    }

    for (const model of MODELS) {
      test(`${model} in MP4 and Matroska`, async () => {
        const expected = await truth([model]);
        const mkv = await remux(fixture.media, distorted, "coded.mkv");
        for (const length of LENGTHS)
          for (const file of [distorted, mkv])
            await fixture.expectExactCut(
              scorer,
              { reference, distorted: file, models: [model] },
              expected,
              length,
            );
      });

      for (const subsample of [2, 3, 5]) {
        test(`${model}, every n-th frame for n = ${subsample}`, async () => {
          const expected = await truth([model], subsample);
          const pair = { reference, distorted, models: [model], subsample };
          for (const length of LENGTHS) await fixture.expectExactCut(scorer, pair, expected, length);
        });
      }

      test(`${model} in the shortest segments`, async () => {
        // The first segment has as many frames as the model looks back at.
        const [frames, lengths] = model.includes("hfr") ? [19, [5, 6, 7]] : [7, [1, 2, 3]];
        const short = { ...FILM, frames };
        const pair = {
          reference: await pristine(fixture.media, "short.y4m", short),
          distorted: await encode(fixture.media, "short.mp4", short, LOSSY.h264),
        };
        const shown = [await planes(pair.reference), await planes(pair.distorted)] as const;
        const expected = await truthOf(...shown, { models: versions(model), oracle });
        for (const length of lengths) {
          await fixture.expectExactCut(scorer, { ...pair, models: [model] }, expected, length);
        }
      });
    }

    test("several models of both generations", async () => {
      const models = [...MODELS, "vmaf_v0.6.1"];
      const old = [
        await decode(fixture.media, reference, FILM),
        await decode(fixture.media, distorted, FILM),
      ] as const;
      const one = await truth(MODELS);
      const other = await truthOf(...old, { models: { "vmaf_v0.6.1": "version=vmaf_v0.6.1" }, oracle });
      const rows = one.rows.map(({ frame, metrics }, row) => {
        const score = other.rows[row]?.metrics["vmaf_v0.6.1"] ?? null;
        return { frame, metrics: { ...metrics, "vmaf_v0.6.1": score } };
      });
      for (const length of LENGTHS)
        await fixture.expectExactCut(
          scorer,
          { reference, distorted, models },
          { frames: one.frames, rows },
          length,
        );
    });

    test("variable frame rate, y4m and headerless video", async () => {
      const varying = { ...FILM, filters: "select='not(eq(mod(n,7),3))'" };
      const timed = ["-fps_mode", "passthrough"];
      const raw = ["-f", "rawvideo", "-video_size", "320x180", "-pixel_format", "yuv420p"];
      const clips = [
        [
          await encode(fixture.media, "vfr.mkv", varying, [...LOSSY.ffv1, ...timed]),
          await encode(fixture.media, "vfr.mp4", varying, [...LOSSY.h264, ...timed]),
          [],
        ],
        [
          reference,
          await encode(fixture.media, "blurred.y4m", { ...FILM, filters: "gblur=0.6" }, [
            ...["-f", "yuv4mpegpipe"],
          ]),
          [],
        ],
        [
          reference,
          await encode(fixture.media, "b_320x180_50fps.yuv", { ...FILM, filters: "gblur=0.6" }, [
            ...["-f", "rawvideo"],
          ]),
          raw,
        ],
      ] as const;
      for (const [one, other, input] of clips) {
        const shown = [await planes(one), await planes(other, input)] as const;
        const expected = await truthOf(...shown, { models: versions(...MODELS), oracle });
        assert.equal(expected.frames, shown[0].frames);
        const pair = { reference: one, distorted: other, models: MODELS };
        for (const length of LENGTHS) await fixture.expectExactCut(scorer, pair, expected, length);
      }
    });
  });
}

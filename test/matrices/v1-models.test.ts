/** Version 1 models: every one alone and with others, chosen by short names, and with the encode of the request. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { pairRequest, type Side } from "../../src/engine/contract/request.ts";
import type { Warning } from "../../src/engine/contract/result.ts";
import type { FrameSize } from "../../src/jobs/models.ts";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { decode, type Planes, type Truth, truthOf } from "../media/truth.ts";
import { tenBits, V1_MODELS, v1Model } from "../media/v1.ts";

/** The smallest common size that every model scores. */
const SIZE = { width: 640, height: 360 };
const CLIP = { ...SIZE, frames: 12 };
const ENCODED = { ...SIZE, bitDepth: 8 };
const FORMAT = "yuv420p10le";

type Files = Readonly<Record<Side, string>>;
type Sides = readonly [reference: Planes, distorted: Planes];

/** Joins two of the oracle's runs of a pair. A metric that the first run has too gets a suffix, as in results. */
function merged(one: Truth, other: Truth): Truth {
  const rows = one.rows.map(({ frame, metrics }, row) => {
    const more = Object.entries(other.rows[row]?.metrics ?? {}).map(([name, value]) => [
      name in metrics ? `${name}_${FORMAT}` : name,
      value,
    ]);
    return { frame, metrics: { ...metrics, ...Object.fromEntries(more) } };
  });
  return { frames: one.frames, rows };
}

for (const scorer of SCORERS) {
  describe(`version 1 models, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let pair: Files;
    let coded: Sides;
    let deep: Sides;
    const { oracle } = scorer;

    before(async () => {
      fixture = await Fixture.open();
      pair = {
        reference: await pristine(fixture.media, "reference.y4m", CLIP),
        distorted: await encode(fixture.media, "coded.mp4", CLIP, LOSSY.h264),
      };
      coded = await sides(pair, SIZE);
      deep = await deepSides(pair, SIZE);
    });
    after(() => fixture.close());

    async function sides({ reference, distorted }: Files, size: FrameSize): Promise<Sides> {
      const scene = { ...SCENE, ...size };
      return [await decode(fixture.media, reference, scene), await decode(fixture.media, distorted, scene)];
    }

    /** Returns the planes of both sides at 10 bits, as the models see them. */
    async function deepSides(files: Files, size: FrameSize): Promise<Sides> {
      const [reference, distorted] = await sides(files, size);
      return [await tenBits(reference), await tenBits(distorted)];
    }

    for (const name of V1_MODELS) {
      test(`scores with ${name} alone at 10 bits`, async () => {
        const truth = await truthOf(...deep, { models: { vmaf: v1Model(name, ENCODED) }, oracle });
        const result = await fixture.expectExact(scorer, { ...pair, models: [name] }, truth);
        const [model] = result.models;
        const maxScore = name.endsWith("3d0h_2160") ? 110 : 100;
        assert.deepEqual(
          [model?.name, model?.bitDepth, model?.maxScore, model?.encode],
          [name, 10, maxScore, ENCODED],
        );
      });
    }

    test("scores all eight in one pass exactly as alone", async () => {
      const alone: Truth[] = [];
      for (const [index, name] of V1_MODELS.entries()) {
        const models = { [index === 0 ? "vmaf" : name]: v1Model(name, ENCODED) };
        alone.push(await truthOf(...deep, { models, oracle }));
      }
      const rows = alone[0]?.rows.map(({ frame }, row) => ({
        frame,
        metrics: Object.assign(
          {},
          ...alone.map((truth) => truth.rows[row]?.metrics),
        ) as Truth["rows"][0]["metrics"],
      }));
      const truth = { frames: CLIP.frames, rows: rows ?? [] };
      await fixture.expectExact(scorer, { ...pair, models: V1_MODELS }, truth);
    });

    test("scores both generations at once: neither changes the other's scores or the features", async () => {
      const features = ["psnr", "float_ssim", "cambi"];
      const models = { vmaf: "version=vmaf_v0.6.1" };
      const names = V1_MODELS.filter((name) => name.endsWith("_3d0h"));
      const v1 = Object.fromEntries(names.map((name) => [name, v1Model(name, ENCODED)]));
      const asked = {
        models: ["vmaf_v0.6.1", ...names],
        features: ["psnr", "ssim", "cambi"],
      } as const;
      const truth = merged(
        await truthOf(...coded, { models, features, oracle }),
        await truthOf(...deep, { models: v1, oracle }),
      );
      await fixture.expectExact(scorer, { ...pair, ...asked }, truth);
    });

    test("uses the request's properties of the encode in place of the file's", async () => {
      const given = { width: 480, height: 270 };
      const [name = ""] = V1_MODELS;
      const models = (encoded: typeof ENCODED) => ({ vmaf: v1Model(name, encoded) });
      const truth = await truthOf(...deep, { models: models({ ...ENCODED, ...given }), oracle });
      const result = await fixture.expectExact(scorer, { ...pair, models: [name], encode: given }, truth);
      assert.deepEqual(result.models[0]?.encode, { ...ENCODED, ...given });
      const { rows } = await truthOf(...deep, { models: models(ENCODED), oracle });
      assert.notDeepEqual(rows, truth.rows, "the encode changes the digits");
    });

    for (const [rate, asked, name] of [
      ["25", "v1", "3d0h"],
      ["50", "v1", "hfr_3d0h"],
      ["30000/1001", "v1-phone", "5d0h"],
      ["60", "v1-phone", "hfr_5d0h"],
      ["24", "v1-tv", "3d0h_2160"],
      ["60000/1001", "v1-tv", "hfr_3d0h_2160"],
    ] as const) {
      test(`${asked} stands for ${name} at ${rate} frames per second`, async () => {
        const scene = { ...CLIP, rate };
        const reference = await pristine(fixture.media, "rated.y4m", scene);
        const distorted = await encode(fixture.media, "rated.mkv", scene, LOSSY.h264);
        const planes = await deepSides({ reference, distorted }, SIZE);
        const model = `vmaf_v1.0.16_${name}`;
        const truth = await truthOf(...planes, { models: { vmaf: v1Model(model, ENCODED) }, oracle });
        const result = await fixture.expectExact(scorer, { reference, distorted, models: [asked] }, truth);
        assert.equal(result.models[0]?.name, model);
        assert.match(result.models[0]?.reason ?? "", /frames per second/);
      });
    }

    test("v1 stands for the 4K model at 1800 lines", async () => {
      const large = { width: 3200, height: 1800 };
      const scene = { ...large, frames: 2 };
      const reference = await pristine(fixture.media, "4k.y4m", scene);
      const distorted = await encode(fixture.media, "4k.mp4", scene, LOSSY.h264);
      const planes = await deepSides({ reference, distorted }, large);
      const model = v1Model("vmaf_v1.0.16_1d5h_2160", { ...large, bitDepth: 8 });
      const truth = await truthOf(...planes, { models: { vmaf: model }, oracle });
      await fixture.expectExact(scorer, { reference, distorted, models: ["v1"] }, truth);
    });

    test("scores flat chroma, of which libvmaf warns thousands of times", async () => {
      const size = { width: 320, height: 320 };
      const grey = { ...size, frames: 300, filters: "lutyuv=u=128:v=128" };
      const reference = await pristine(fixture.media, "grey.y4m", grey);
      const distorted = await encode(fixture.media, "grey.mp4", grey, LOSSY.h264);
      const planes = await deepSides({ reference, distorted }, size);
      const [name = ""] = V1_MODELS;
      const models = { vmaf: v1Model(name, { ...size, bitDepth: 8 }) };
      const truth = await truthOf(...planes, { models, oracle });
      assert.equal(truth.frames, 300);
      await fixture.expectExact(scorer, { reference, distorted, models: [name] }, truth);
    });

    test("refuses by name a model for which the frames are too small", async () => {
      const small = { width: 320, height: 180, frames: 2 };
      const reference = await pristine(fixture.media, "small.y4m", small);
      const [hd = "", phone = ""] = V1_MODELS;
      const failure = await fixture.expectFailure(
        { reference, distorted: reference, models: [hd, phone] },
        "FRAME_TOO_SMALL",
        { scorer },
      );
      assert.match(failure.message, /vmaf_v1\.0\.16_5d0h cannot score frames of 320x180/);
    });

    test("warns if the frames are too small to judge chroma", async () => {
      const size = { width: 480, height: 270 };
      const scene = { ...size, frames: 3 };
      const reference = await pristine(fixture.media, "blind.y4m", scene);
      const distorted = await encode(fixture.media, "blind.mp4", scene, LOSSY.h264);
      const planes = await deepSides({ reference, distorted }, size);
      const [name = ""] = V1_MODELS;
      const models = { vmaf: v1Model(name, { ...size, bitDepth: 8 }) };
      const truth = await truthOf(...planes, { models, oracle });
      const result = await fixture.expectExact(scorer, { reference, distorted, models: [name] }, truth);
      assert.deepEqual(warningCodes(result), ["CHROMA_NOT_JUDGED"]);
    });

    test("warns once if the frames had to be counted again", async () => {
      const size = { width: 480, height: 270 };
      const reference = await encode(fixture.media, "short.mp4", { ...size, frames: 3 }, LOSSY.h264);
      const distorted = await encode(fixture.media, "long.mp4", { ...size, frames: 5 }, LOSSY.h264);
      const request = pairRequest({ reference, distorted, models: ["v1"], onFrameCountMismatch: "COMMON" });
      const engine = await fixture.engine(scorer);
      const planned = JSON.parse((await engine.plan(request, { segments: { seconds: 10 } })).plan);
      // As if the container of the reference stated five frames, of which three decode.
      planned.tracks.reference.frames = 5;
      planned.pairing.frameCount = 5;
      planned.pairing.counts = { reference: 5, distorted: 5 };
      planned.pairing.warnings = planned.pairing.warnings.filter(
        ({ code }: Warning) => code !== "FRAME_COUNT_MISMATCH",
      );
      const work = { request, plan: JSON.stringify(planned), segment: undefined };
      const { frameCount, plan } = await engine.scoreSegment(work);
      assert.equal(frameCount, 3);
      const { models, pairing } = JSON.parse(plan ?? "");
      assert.deepEqual(warningCodes(pairing), ["CHROMA_NOT_JUDGED", "FRAME_COUNT_MISMATCH"]);
      assert.deepEqual(models, planned.models);
    });
  });
}

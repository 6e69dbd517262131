/** Models and extra metrics: by name or file, and several at once with the same digits as single runs. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { builtInModelTexts } from "../media/models.ts";
import { decode, type Planes, type Truth, truthOf, truthOfPair } from "../media/truth.ts";

const BUILT_IN = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"];

for (const scorer of SCORERS) {
  describe(`models, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let pair: { reference: string; distorted: string };
    let planes: readonly [Planes, Planes];
    const { oracle } = scorer;

    before(async () => {
      fixture = await Fixture.open();
      // Sharpened, so that models that ignore enhancement differ from models that do not.
      pair = {
        reference: await pristine(fixture.media),
        distorted: await encode(fixture.media, "sharp.mp4", { filters: "unsharp=5:5:1.2" }, [
          ...LOSSY.h264,
          "-crf",
          "24",
        ]),
      };
      planes = [
        await decode(fixture.media, pair.reference, SCENE),
        await decode(fixture.media, pair.distorted, SCENE),
      ];
    });
    after(() => fixture.close());

    for (const model of BUILT_IN) {
      test(`scores with ${model} alone`, async () => {
        const truth = await truthOf(...planes, { models: { vmaf: `version=${model}` }, oracle });
        const result = await fixture.expectExact(scorer, { ...pair, models: [model] }, truth);
        assert.equal(result.model, model);
        const { score } = result;
        const facts = { name: model, reason: "", maxScore: 100, bitDepth: 8 };
        assert.deepEqual(result.models, [{ model, metric: "vmaf", score, ...facts }]);
      });
    }

    test("scores several models in one pass exactly as single runs do", async () => {
      const models = ["vmaf_v0.6.1neg", "vmaf_v0.6.1", "vmaf_4k_v0.6.1"];
      const alone: Truth[] = [];
      for (const model of models) {
        const name: string = alone.length === 0 ? "vmaf" : model;
        alone.push(await truthOf(...planes, { models: { [name]: `version=${model}` }, oracle }));
      }
      const truth = {
        frames: SCENE.frames,
        rows: Array.from({ length: SCENE.frames }, (_, frame) => ({
          frame,
          metrics: Object.assign({}, ...alone.map(({ rows }) => rows[frame]?.metrics ?? {})) as Record<
            string,
            number
          >,
        })),
      };
      const result = await fixture.expectExact(scorer, { ...pair, models }, truth);
      assert.deepEqual(
        result.models.map(({ model, metric }) => [model, metric]),
        [
          ["vmaf_v0.6.1neg", "vmaf"],
          ["vmaf_v0.6.1", "vmaf_v0.6.1"],
          ["vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1"],
        ],
      );
      assert.equal(
        new Set(result.models.map(({ score }) => score)).size,
        3,
        "the three models differ on this pair",
      );
    });

    test("prefers a file of the model directory to a built-in model of the same name", async () => {
      const modelDir = fixture.media.file("models");
      await mkdir(modelDir);
      const text = (await builtInModelTexts()).find((json) => json.includes("score_transform"));
      assert.ok(text, "the bundled ffmpeg carries vmaf_v0.6.1");
      const altered = JSON.parse(text) as { model_dict: { slopes: number[] } };
      altered.model_dict.slopes[0] = (altered.model_dict.slopes[0] ?? 0) * 1.01;
      await writeFile(`${modelDir}/studio-1.json`, text);
      await writeFile(`${modelDir}/vmaf_4k_v0.6.1.json`, JSON.stringify(altered, undefined, 4));

      const engine = await fixture.engine(scorer, { modelDir });
      assert.ok((await engine.models()).includes("studio-1"));
      assert.ok((await engine.models()).includes("vmaf_v0.6.1neg"));
      const studio = await engine.score(
        pairRequest({ ...pair, models: ["studio-1", "vmaf_v0.6.1", "vmaf_4k_v0.6.1"] }),
      );
      const truth = await truthOf(...planes, {
        models: { vmaf: `path=${modelDir}/studio-1.json`, altered: `path=${modelDir}/vmaf_4k_v0.6.1.json` },
        oracle,
      });
      for (const [row, { metrics }] of truth.rows.entries()) {
        assert.equal(studio.frames.value("vmaf", row), metrics["vmaf"]);
        assert.equal(studio.frames.value("vmaf_v0.6.1", row), metrics["vmaf"], "the same model as built-in");
        assert.equal(
          studio.frames.value("vmaf_4k_v0.6.1", row),
          metrics["altered"],
          "the file, not the built-in",
        );
      }
      assert.deepEqual(await fixture.media.leftovers(), []);
    });

    test("fails with the model's name if its file is broken", async () => {
      const modelDir = fixture.media.file("broken");
      await mkdir(modelDir);
      await writeFile(`${modelDir}/text.json`, "no model at all");
      await writeFile(`${modelDir}/shell.json`, '{"param_dict": {}, "model_dict": {"model": "nonsense"}}');
      const engine = await fixture.engine(scorer, { modelDir });
      const failure = await fixture.expectFailure({ ...pair, models: ["text"] }, "UNKNOWN_MODEL", { engine });
      assert.match(failure.message, /\btext\b/, "the message names the model");
      // libvmaf itself crashes on an incomplete model.
      await fixture.expectFailure({ ...pair, models: ["shell"] }, ["UNKNOWN_MODEL", "SCORER_FAILED"], {
        engine,
      });
    });

    for (const name of [
      "vmaf_v9",
      "",
      "../../etc/passwd",
      "a:b=c|path=/etc/passwd",
      "x'y",
      "vmaf_v0.6.1\nq",
      "-m",
    ]) {
      test(`refuses the model ${JSON.stringify(name)}, and lists the available models`, async () => {
        const failure = await fixture.expectFailure(
          { ...pair, models: [name] },
          ["UNKNOWN_MODEL", "INVALID_REQUEST"],
          {
            scorer,
          },
        );
        if (failure.code === "UNKNOWN_MODEL")
          assert.match(failure.message, /vmaf_v0\.6\.1.*vmaf_v0\.6\.1neg/);
      });
    }

    test("computes all six extra metrics with a second model", async () => {
      // MS-SSIM halves the frame four times and needs at least 176 pixels in both dimensions.
      const large = { width: 320, height: 180, frames: 12 };
      const pair = {
        reference: await pristine(fixture.media, "large.y4m", large),
        distorted: await encode(fixture.media, "large.mp4", large, LOSSY.h264),
      };
      const truth = await truthOfPair(
        fixture.media,
        pair,
        { ...SCENE, ...large },
        {
          models: { vmaf: "version=vmaf_v0.6.1", "vmaf_v0.6.1neg": "version=vmaf_v0.6.1neg" },
          features: ["psnr", "float_ssim", "float_ms_ssim", "ciede", "cambi", "psnr_hvs"],
          oracle,
        },
      );
      const result = await fixture.expectExact(
        scorer,
        {
          ...pair,
          models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"],
          features: ["psnr", "ssim", "ms_ssim", "ciede", "cambi", "psnr_hvs"],
        },
        truth,
      );
      for (const [feature, mean] of Object.entries(result.features)) {
        assert.equal(mean, result.pooled[feature]?.mean, feature);
      }
      for (const name of ["psnr_y", "float_ssim", "float_ms_ssim", "ciede2000", "cambi", "psnr_hvs"]) {
        assert.ok(name in result.features, name);
      }
      assert.ok(!("vmaf" in result.features));
    });

    test("omits metrics without a finite value for identical sides", async () => {
      const { reference } = pair;
      const truth = await truthOf(planes[0], planes[0], { features: ["psnr_hvs", "ciede"], oracle });
      const same = { reference, distorted: reference, features: ["psnr_hvs", "ciede"] as const };
      const result = await fixture.expectExact(scorer, same, truth);
      assert.ok(result.score > 95);
    });

    for (const subsample of [2, 7, 100]) {
      test(`scores every n-th frame for n = ${subsample}`, async () => {
        const truth = await truthOf(...planes, { subsample, oracle });
        assert.equal(truth.frames, Math.ceil(SCENE.frames / subsample));
        await fixture.expectExact(scorer, { ...pair, subsample }, truth);
      });
    }
  });
}

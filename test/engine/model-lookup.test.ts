/** Model lookup: relative directories, recovery from temporary faults, and checks before scoring. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Failure } from "../../src/platform/failure.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { builtInModelTexts } from "../media/models.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const SCENE = { width: 64, height: 64, frames: 4 };

for (const scorer of SCORERS) {
  describe(`model lookup, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let pair: { reference: string; distorted: string };
    let modelDir: string;

    before(async () => {
      fixture = await Fixture.open();
      pair = {
        reference: await pristine(fixture.media, "reference.y4m", SCENE),
        distorted: await encode(fixture.media, "distorted.mp4", SCENE, LOSSY.h264),
      };
      const [text] = await builtInModelTexts();
      assert.ok(text, "the bundled ffmpeg carries models");
      modelDir = fixture.media.file("models");
      await mkdir(modelDir);
      for (const name of ["studio", "vmaf"]) await writeFile(`${modelDir}/${name}.json`, text);
    });
    after(() => fixture.close());

    test("resolves a model directory relative to the working directory", async () => {
      const engine = await fixture.engine(scorer, { modelDir: relative(process.cwd(), modelDir) });
      const absolute = await fixture.engine(scorer, { modelDir });
      const request = pairRequest({ ...pair, models: ["studio"] });
      assert.equal((await engine.score(request)).score, (await absolute.score(request)).score);
    });

    test("finds a built-in model after a temporary fault", async () => {
      const engine = await fixture.engine(scorer, { threads: 1 });
      const request = pairRequest({ ...pair, models: ["vmaf_v0.6.1neg"] });
      const { TMPDIR } = process.env;
      process.env["TMPDIR"] = fixture.media.file("missing");
      try {
        const thrown: unknown = await engine.score(request).catch((error: unknown) => error);
        assert.notEqual(Failure.from(thrown).code, "UNKNOWN_MODEL");
        assert.ok(thrown instanceof Error, "nothing can be scored without a temporary directory");
      } finally {
        process.env["TMPDIR"] = TMPDIR;
      }
      assert.equal((await engine.score(request)).model, "vmaf_v0.6.1neg");
      assert.ok((await engine.models()).includes("vmaf_v0.6.1neg"));
    });

    for (const [what, models] of [
      ["no model", []],
      ["the model vmaf after another", ["studio", "vmaf"]],
      ["a model twice", ["studio", "studio"]],
    ] as const) {
      test(`refuses ${what} before opening the media`, async () => {
        const engine = await fixture.engine(scorer, { modelDir });
        const missing = fixture.media.file("missing.mp4");
        const asked = { reference: missing, distorted: missing, models };
        const failure = await fixture.expectFailure(asked, "INVALID_REQUEST", { engine });
        assert.match(failure.message, /model/);
      });
    }

    test("accepts the model vmaf as the first of several", async () => {
      const engine = await fixture.engine(scorer, { modelDir });
      const result = await engine.score(pairRequest({ ...pair, models: ["vmaf", "studio"] }));
      assert.deepEqual(
        result.models.map(({ metric, score }) => [metric, score]),
        [
          ["vmaf", result.score],
          ["studio", result.score],
        ],
      );
    });
  });
}

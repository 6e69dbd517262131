/**
 * A pair scored in segments has the same digits as a whole run in every container that is cut; others state a reason.
 */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { openSource } from "../../src/engine/files/source.ts";
import { findModels } from "../../src/engine/planning/models.ts";
import { type Plan, plan } from "../../src/engine/planning/plan.ts";
import { findTools, type Tools } from "../../src/engine/scoring/find.ts";
import { scorePlan } from "../../src/engine/scoring/score.ts";
import { assertSameDigits } from "../engine/digits.ts";
import { Fixture, type Pair, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { builtInModelTexts } from "../media/models.ts";
import { decode, type Planes, type Truth, truthOf } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const FILM = { ...SCENE, frames: 60 };
const LENGTHS = [9, 16, 25];
const X265 = "log-level=none:pools=1:frame-threads=1";

/** Files that are cut: [file, codec options, containers of the same packets…]. */
const CUTTABLE: readonly (readonly [string, readonly string[], ...string[]])[] = [
  ["a.mp4", LOSSY.h264, "a.mkv", "a.mov", "a.flv"],
  ["b.mkv", [...LOSSY.hevc.slice(0, -1), `${X265}:keyint=12:open-gop=0`], "b.mp4"],
  ["c.mp4", [...LOSSY.hevc.slice(0, -1), `${X265}:keyint=12:open-gop=1:bframes=4`], "c.mkv"],
  ["d.ts", LOSSY.mpeg2, "d.mxf"],
  ["e.webm", [...LOSSY.vp9, "-g", "14"], "e.mp4"],
  ["f.mkv", [...LOSSY.av1, "-g", "14"], "f.mp4"],
  ["g.mp4", [...LOSSY.h264, "-x264-params", "keyint=20:bframes=7:b-pyramid=strict:b-adapt=0"]],
  ["h.mp4", [...LOSSY.h264, "-g", "300"]],
  ["i.y4m", ["-f", "yuv4mpegpipe"]],
  ["j_192x108.yuv", ["-f", "rawvideo"]],
];

/** Files that are scored whole, and a pattern of the reason. */
const WHOLE: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["a.avi", LOSSY.mpeg4, /avi/],
  ["b.ogg", LOSSY.theora, /ogg/],
  ["c.h264", LOSSY.h264, /h264/],
  ["d.ts", LOSSY.h264, /H\.264 in MPEG-TS/],
  ["f.ts", LOSSY.hevc, /HEVC in MPEG-TS/],
  ["e.mp4", [...LOSSY.h264, "-x264-params", "open-gop=1:keyint=12:bframes=3:scenecut=0"], /open GOP/],
];

describe("cuts", () => {
  let fixture: Fixture;
  let tools: Tools;
  let reference: string;
  let planes: Planes;
  let modelDir: string;

  before(async () => {
    fixture = await Fixture.open();
    tools = await findTools(undefined, {}, false);
    reference = await pristine(fixture.media, "reference.y4m", FILM);
    planes = await decode(fixture.media, reference, FILM);
    modelDir = fixture.media.file("models");
    await mkdir(modelDir);
    const [text = ""] = await builtInModelTexts();
    await writeFile(`${modelDir}/studio.json`, text);
  });
  after(() => fixture.close());

  /** Plans and scores in segments. Counts the runs, because a fallback to a whole run would hide a wrong cut. */
  async function scoreCut(pair: Pair, segmentFrames: number, truth: Truth, found = tools): Promise<Plan> {
    const request = pairRequest(pair);
    const signal = AbortSignal.timeout(WAIT_LIMIT_MS);
    const models = await findModels(request.models, modelDir, (names) => found.scorer.hasModels(names));
    const options = { ffmpeg: found.ffmpeg, isolation: found.isolation, signal, models };
    await using opened = await openSource("reference", request.reference, undefined);
    await using second = await openSource("distorted", request.distorted, undefined);
    const sources = { reference: opened, distorted: second };
    let runs = 0;
    const counting: Tools["scorer"] = {
      info: found.scorer.info,
      path: found.scorer.path,
      hasModels: (names) => found.scorer.hasModels(names),
      hasFeature: (feature) => found.scorer.hasFeature(feature),
      confirm: () => found.scorer.confirm(),
      score: (run) => {
        runs++;
        return found.scorer.score(run);
      },
    };
    try {
      const planned = await plan(sources, request, { ...options, segmentLength: { frames: segmentFrames } });
      const run = {
        ...options,
        scorer: counting,
        threads: 2,
        timeoutMs: WAIT_LIMIT_MS,
        onProgress: undefined,
        look: undefined,
      };
      const { table } = await scorePlan(planned, sources, run);
      assertSameDigits({ frameCount: table.length, frames: table }, truth);
      assert.equal(runs, planned.segments.length, "every segment was scored once, without a whole run");
      return planned;
    } finally {
      assert.deepEqual(await fixture.media.leftovers(), []);
    }
  }

  for (const [first, options, ...others] of CUTTABLE) {
    test(`score ${[first, ...others].join(", ")} in segments`, async () => {
      const coded = await encode(fixture.media, first, FILM, options);
      for (const name of [first, ...others]) {
        const distorted = name === first ? coded : await remux(fixture.media, coded, name);
        const truth = await truthOf(planes, await decode(fixture.media, distorted, FILM, rawInput(name)));
        for (const length of LENGTHS) {
          const { segments, whole } = await scoreCut({ reference, distorted }, length, truth);
          assert.equal(whole, undefined, name);
          assert.ok(segments.length > 1, `${name} in ${segments.length}`);
        }
      }
    });
  }

  for (const [name, options, reason] of WHOLE) {
    test(`score ${name} whole, with the reason in the plan`, async () => {
      const distorted = await encode(fixture.media, `whole-${name}`, FILM, options);
      const truth = await truthOf(planes, await decode(fixture.media, distorted, FILM));
      const { segments, whole } = await scoreCut({ reference, distorted }, 16, truth);
      assert.equal(segments.length, 1);
      assert.match(whole ?? "", reason);
    });
  }

  test("score two coded sides in different containers with start offsets", async () => {
    const better = await encode(fixture.media, "better.mp4", FILM, [...LOSSY.h264, "-crf", "18", "-g", "17"]);
    const worse = await encode(fixture.media, "worse.ts", FILM, LOSSY.mpeg2);
    const late = await remux(fixture.media, better, "late.mkv", ["-output_ts_offset", "5.21"]);
    const truth = await truthOf(
      await decode(fixture.media, better, FILM),
      await decode(fixture.media, worse, FILM),
    );
    for (const length of LENGTHS) {
      const { segments } = await scoreCut({ reference: late, distorted: worse }, length, truth);
      assert.ok(segments.length > 1);
    }
  });

  for (const rate of ["30000/1001", "24", "60"]) {
    test(`score ${rate} frames per second, with a tick per frame of no whole number of microseconds`, async () => {
      const scene = { ...FILM, rate };
      const name = `rate-${rate.replace("/", "-")}`;
      const ref = await pristine(fixture.media, `${name}.y4m`, scene);
      const coded = ["-video_track_timescale", rate.split("/")[0] ?? rate];
      const mp4 = await encode(fixture.media, `${name}.mp4`, scene, [...LOSSY.h264, ...coded]);
      const truth = await truthOf(
        await decode(fixture.media, ref, scene),
        await decode(fixture.media, mp4, scene),
      );
      const { segments, whole } = await scoreCut({ reference: ref, distorted: mp4 }, 16, truth);
      assert.equal(whole, undefined);
      assert.ok(segments.length > 1);
    });
  }

  test("score a variable frame rate", async () => {
    const varying = { ...FILM, filters: "select='not(eq(mod(n,7),3))'" };
    const passthrough = ["-fps_mode", "passthrough"];
    const ref = await encode(fixture.media, "vfr-ref.mkv", varying, [...LOSSY.ffv1, ...passthrough]);
    const distorted = await encode(fixture.media, "vfr.mp4", varying, [...LOSSY.h264, ...passthrough]);
    const truth = await truthOf(
      await decode(fixture.media, ref, FILM),
      await decode(fixture.media, distorted, FILM),
    );
    for (const length of LENGTHS) await scoreCut({ reference: ref, distorted }, length, truth);
  });

  test("score a file whose edit list hides frames whole", async () => {
    const whole = await encode(fixture.media, "uncut.mp4", FILM, LOSSY.h264);
    const distorted = await remux(fixture.media, whole, "edit.mp4", [], ["-ss", "0.2"]);
    const truth = await truthOf(
      planes,
      await decode(fixture.media, distorted, FILM, { input: ["-ignore_editlist", "1"] }),
    );
    const pair = { reference, distorted, editLists: "IGNORE" } as const;
    const { whole: reason } = await scoreCut(pair, 16, truth);
    assert.match(reason ?? "", /edit list/);
  });

  for (const scorer of SCORERS) {
    test(`score features, several models, a model from a file and subsampling, with ${scorer.kind}`, async () => {
      const found = scorer.scorerPath === undefined ? tools : await findTools(scorer.scorerPath, {}, false);
      const distorted = await encode(fixture.media, `${scorer.kind}.mp4`, FILM, LOSSY.h264);
      const coded = await decode(fixture.media, distorted, FILM);
      const { oracle } = scorer;
      const features = await truthOf(planes, coded, {
        models: { vmaf: "version=vmaf_v0.6.1neg", studio: `path=${modelDir}/studio.json` },
        features: ["psnr", "float_ssim", "ciede", "cambi", "psnr_hvs"],
        oracle,
      });
      const pair = { reference, distorted };
      const asked = {
        models: ["vmaf_v0.6.1neg", "studio"],
        features: ["psnr", "ssim", "ciede", "cambi", "psnr_hvs"],
      } as const;
      await scoreCut({ ...pair, ...asked }, 17, features, found);
      for (const subsample of [2, 3, 5]) {
        const truth = await truthOf(planes, coded, { subsample, oracle });
        await scoreCut({ ...pair, subsample }, 16, truth, found);
      }
    });
  }
});

/** The oracle also needs the geometry of headerless files. */
function rawInput(name: string): { input?: readonly string[] } {
  if (!name.endsWith(".yuv")) return {};
  return {
    input: ["-f", "rawvideo", "-video_size", `${FILM.width}x${FILM.height}`, "-pixel_format", FILM.pixels],
  };
}

/**
 * An aligned pair has every digit of the clean pair, from which the same frames were cut out before, for each kind of
 * media, model and metric, whole and in segments of every length.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AlignmentRequest, Run } from "../../src/engine/contract/alignment.ts";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import type { Engine, ScoreOptions } from "../../src/engine/engine.ts";
import { Fixture } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE, type Scene } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { decode, pickFrames } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const FILM = { ...SCENE, frames: 48 };
const LENGTHS = [5, 9, 14];
const X265 = "log-level=none:pools=1:frame-threads=1";
const HEVC = ["-c:v", "libx265", "-preset", "ultrafast", "-crf", "36", "-x265-params"];

/** The distorted video lacks frames 0–2, 12 and 30–33 of the reference, and shows frame 19 twice. */
const RUNS: readonly Run[] = [
  { reference: 3, distorted: 0, count: 9 },
  { reference: 13, distorted: 9, count: 7 },
  { reference: 20, distorted: 17, count: 10 },
  { reference: 34, distorted: 27, count: 14 },
];
const LOST =
  "select='gt(n,2)*not(eq(n,12))*not(between(n,30,33))',loop=loop=1:size=1:start=16,setpts=N/25/TB";
const ALIGNMENTS: readonly (readonly [string, AlignmentRequest])[] = [
  ["runs", { runs: RUNS }],
  ["an offset", { offset: -3 }],
  ["a start and a duration", { offset: 2, start: 6, duration: 30 }],
];

/** Media of the distorted video: [file, codec options]. */
const MEDIA: readonly (readonly [string, readonly string[]])[] = [
  ["h264.mp4", [...LOSSY.h264, "-g", "12"]],
  ["pyramid.mkv", [...LOSSY.h264, "-x264-params", "keyint=20:bframes=7:b-pyramid=strict:b-adapt=0"]],
  ["closed.mp4", [...HEVC, `${X265}:keyint=12:open-gop=0`]],
  ["open.mkv", [...HEVC, `${X265}:keyint=12:open-gop=1:bframes=4`]],
  ["mpeg2.ts", LOSSY.mpeg2],
  ["av1.mp4", [...LOSSY.av1, "-g", "14"]],
  ["plain.y4m", ["-f", "yuv4mpegpipe"]],
  ["whole.ts", LOSSY.h264],
];
/** Containers that are scored whole. */
const UNCUT = new Set(["whole.ts"]);

describe("an aligned pair", () => {
  let fixture: Fixture;
  let engine: Engine;
  let reference: string;

  before(async () => {
    fixture = await Fixture.open();
    engine = await fixture.engine();
    reference = await pristine(fixture.media, "reference.y4m", FILM);
  });
  after(() => fixture.close());

  async function score(pair: Partial<PairRequest>, options: ScoreOptions = {}): Promise<ScoreResult> {
    // These alignments are not the true ones, which would be findings themselves.
    const findings = { action: "IGNORE" } as const;
    const request = pairRequest({ reference, distorted: reference, findings, ...pair });
    return engine.score(request, { timeoutMs: WAIT_LIMIT_MS, ...options });
  }

  /** Returns every digit of a result. */
  function digits({ pooled, frames }: ScoreResult): unknown {
    return { pooled, rows: [...frames.rows()] };
  }

  /** Scores the frames that a result says it compared, cut out of both sides into headerless files. */
  async function clean(
    { alignment }: ScoreResult,
    files: Readonly<Record<"reference" | "distorted", string>>,
    request: Partial<PairRequest>,
    scene: Scene,
  ): Promise<ScoreResult> {
    const { runs } = alignment ?? assert.fail("the result has no alignment");
    const picked = async (side: "reference" | "distorted"): Promise<string> => {
      const frames = runs.flatMap((run) =>
        Array.from({ length: run.count }, (_, index) => run[side] + index),
      );
      return (await pickFrames(await decode(fixture.media, files[side], scene), frames)).path;
    };
    const { width, height, pixels: pixelFormat, rate: frameRate } = scene;
    return score({
      ...request,
      reference: await picked("reference"),
      distorted: await picked("distorted"),
      rawVideo: { width, height, pixelFormat, frameRate },
      // The encode's size and depth are not known from planes.
      encode: { width, height, bitDepth: 8 },
    });
  }

  async function expectClean(
    pair: Readonly<Record<"reference" | "distorted", string>>,
    alignment: AlignmentRequest,
    request: Partial<PairRequest> = {},
    { scene = FILM, cut = true } = {},
  ): Promise<void> {
    const asked = { ...pair, ...alignment, ...request };
    const whole = await score(asked);
    const expected = digits(await clean(whole, pair, request, scene));
    assert.deepEqual(digits(whole), expected);
    for (const segmentFrames of cut ? LENGTHS : []) {
      const parts = await score(asked, { segmentFrames });
      assert.equal(parts.cutting.whole, undefined);
      assert.ok(parts.cutting.segments > 1);
      assert.deepEqual(digits(parts), expected, `in segments of ${segmentFrames}`);
    }
    assert.deepEqual(await fixture.media.leftovers(), []);
  }

  for (const [name, codec] of MEDIA) {
    test(`of ${name}, by ${ALIGNMENTS.map(([how]) => how).join(", ")}`, async () => {
      const distorted = await encode(fixture.media, name, { ...FILM, filters: LOST }, codec);
      for (const [, alignment] of ALIGNMENTS)
        await expectClean({ reference, distorted }, alignment, {}, { cut: !UNCUT.has(name) });
    });
  }

  test("of two coded sides, the frames of which are the same once they are aligned", async () => {
    const scene = { ...FILM, filters: LOST };
    const lossless = ["-c:v", "ffv1", "-threads", "1"];
    const distorted = await encode(fixture.media, "lossless.mkv", scene, lossless);
    const source = await encode(fixture.media, "source.mp4", FILM, ["-c:v", "libx264", "-qp", "0"]);
    const { pooled } = await score({ reference: source, distorted, runs: RUNS, features: ["psnr"] });
    // libvmaf's PSNR of equal frames.
    assert.equal(pooled["psnr_y"]?.min, 60);
  });

  test("of a variable frame rate", async () => {
    const varying = { ...FILM, frames: 60, filters: "select='not(eq(mod(n,7),3))'" };
    const passthrough = ["-fps_mode", "passthrough"];
    const pair = {
      reference: await encode(fixture.media, "vfr.mkv", varying, [...LOSSY.ffv1, ...passthrough]),
      distorted: await encode(fixture.media, "vfr.mp4", varying, [...LOSSY.h264, ...passthrough]),
    };
    for (const [, alignment] of ALIGNMENTS) await expectClean(pair, alignment);
  });

  for (const subsample of [2, 3, 5]) {
    test(`of every n-th frame, for n = ${subsample}`, async () => {
      const distorted = await encode(fixture.media, "coded.mp4", { ...FILM, filters: LOST }, LOSSY.h264);
      for (const [, alignment] of ALIGNMENTS)
        await expectClean({ reference, distorted }, alignment, { subsample });
    });
  }

  test("with every generation of models, and all features", async () => {
    const scene = { ...FILM, width: 320, height: 180, rate: "50" };
    const pair = {
      reference: await pristine(fixture.media, "larger.y4m", scene),
      distorted: await encode(fixture.media, "larger.mp4", { ...scene, filters: LOST }, LOSSY.h264),
    };
    const models = ["vmaf_v0.6.1", "vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_hfr_3d0h"];
    const features = ["psnr", "ssim", "ciede", "xpsnr"] as const;
    for (const [, alignment] of ALIGNMENTS)
      await expectClean(pair, alignment, { models, features, encode: undefined }, { scene });
  });

  test("of a file whose first frames do not decode: cut or whole, its numbers are those of decoded frames", async () => {
    const options = [...HEVC, `${X265}:keyint=12:open-gop=1:bframes=4:b-adapt=0`];
    const closed = await encode(fixture.media, "from-start.mkv", { ...FILM, frames: 60 }, options);
    const late = fixture.media.file("late.mkv");
    await ffmpeg(["-ss", "0.5", "-i", closed, "-map", "0:v", "-c", "copy", "-copyinkf", late]);
    const decoded = await decode(fixture.media, late, FILM);
    const film = await pristine(fixture.media, "as-long.y4m", { ...FILM, frames: decoded.frames });
    const asked = { reference: film, distorted: late, offset: 4 };
    const whole = await score(asked);
    assert.equal(whole.frameCount, decoded.frames - 4);
    assert.deepEqual(digits(whole), digits(await clean(whole, asked, {}, FILM)));
    const cut = await score(asked, { segmentFrames: 9 });
    assert.deepEqual(digits(cut), digits(whole));
  });

  test("of 10,000 runs", async () => {
    const scene = { ...SCENE, width: 64, height: 64, frames: 30_000, filters: "" };
    const file = await pristine(fixture.media, "long.y4m", scene);
    const runs = Array.from({ length: 10_000 }, (_, run) => ({
      reference: 3 * run,
      distorted: 3 * run + (run % 2),
      count: 2,
    }));
    const asked = { reference: file, distorted: file, runs };
    const whole = await score(asked);
    assert.equal(whole.frameCount, 20_000);
    assert.deepEqual(digits(whole), digits(await clean(whole, asked, {}, scene)));
    const cut = await score(asked, { segmentFrames: 4000 });
    assert.equal(cut.cutting.whole, undefined);
    assert.deepEqual(digits(cut), digits(whole));
  });
});

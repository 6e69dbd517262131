/** A clip has exactly the frames that were scored under their numbers, verified against separate decodes of both sides. */
import assert from "node:assert/strict";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { Clip, ClipWork, PlannedPair, StillsPart } from "../../src/engine/contract/work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Fixture, type Pair, SCORERS } from "../engine/fixture.ts";
import { partsOf } from "../engine/parts.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { FFMPEG, ffmpeg } from "../media/ffmpeg.ts";
import type { Colours } from "../media/picture.ts";
import { decode, type Planes, pick, scale } from "../media/truth.ts";
import { halvesOf, psnrOf, videoFacts } from "../media/video-halves.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

/** At 25 frames per second this makes three segments of about a second. */
const FILM = { ...SCENE, frames: 70 };
/** Decibels: what the encoding loses. Another frame of the film is below 30 dB. */
const LEAST_PSNR = 38;

describe("clips", () => {
  let fixture: Fixture;
  let engine: Engine;
  let reference: string;
  let referencePlanes: Planes;

  before(async () => {
    fixture = await Fixture.open();
    engine = await fixture.engine(SCORERS[0]);
    reference = await pristine(fixture.media, "reference.y4m", FILM);
    referencePlanes = await decode(fixture.media, reference, FILM);
  });
  after(() => fixture.close());

  async function planned(pair: Pair): Promise<{ request: PairRequest; plan: PlannedPair }> {
    const request = pairRequest(pair);
    const options = { segments: { seconds: 1 }, timeoutMs: WAIT_LIMIT_MS };
    return { request, plan: await engine.plan(request, options) };
  }

  async function clipOf(pair: Pair, frame: number, frames: readonly number[]): Promise<Clip> {
    const { request, plan } = await planned(pair);
    const work = { request, plan: plan.plan, frame, parts: partsOf(plan, frames) };
    const clip = await engine.clip(work, { timeoutMs: WAIT_LIMIT_MS });
    assert.deepEqual(await fixture.media.leftovers(), []);
    return clip;
  }

  interface Truth {
    readonly reference: Planes;
    readonly distorted: Planes;
    readonly colours?: Colours;
  }

  /** Checks every frame of both halves against the same frame of its side, and against the next one. */
  async function exact(clip: Clip, { colours, ...planes }: Truth): Promise<void> {
    const halves = await halvesOf(fixture.media, clip);
    for (const side of ["reference", "distorted"] as const) {
      const { firstFrame, frameCount, width, height } = clip;
      const own = await pick(planes[side], { first: firstFrame, count: frameCount });
      const expected = await asVideo(own, { width, height }, colours);
      for (let index = 0; index < frameCount; index++) {
        const same = psnrOf(halves[side], expected, index);
        assert.ok(same > LEAST_PSNR, `frame ${firstFrame + index} of the ${side} side has ${same} dB`);
      }
      const next = psnrOf(halves[side], expected, 0, Math.min(1, frameCount - 1));
      assert.ok(frameCount === 1 || next < 35, `the next frame of the ${side} side has ${next} dB`);
    }
  }

  for (const [name, codec] of [
    ["b-frames.mp4", LOSSY.h264],
    ["hevc.mkv", LOSSY.hevc],
    ["mpeg2.mpg", LOSSY.mpeg2],
  ] as const) {
    test(`of ${name}, across its segments`, async () => {
      const distorted = await encode(fixture.media, name, FILM, codec);
      const truth = {
        reference: referencePlanes,
        distorted: await decode(fixture.media, distorted, FILM),
      };
      const clip = await clipOf({ reference, distorted }, 30, range(10, 50));
      assert.deepEqual([clip.frame, clip.firstFrame, clip.frameCount], [30, 10, 50]);
      await exact(clip, truth);
    });
  }

  test("are H.264 High of 8 bits that browsers play while it loads, at the rate of the videos", async () => {
    const distorted = await encode(fixture.media, "plays.mp4", FILM, LOSSY.h264);
    const { video } = await clipOf({ reference, distorted }, 0, range(0, 50));
    const facts = await videoFacts(fixture.media, video);
    assert.match(facts, /Video: h264 \(High\)[^,]*, yuv420p\(tv, bt709/);
    assert.match(facts, /, 384x108 \[SAR 1:1/);
    assert.match(facts, / 25 fps,/);
    assert.match(facts, /Duration: 00:00:02\.00, start: 0\.000000/);
    assert.doesNotMatch(facts, /Audio:/);
    const bytes = Buffer.from(video);
    assert.ok(bytes.indexOf("moov") < bytes.indexOf("mdat"));
  });

  test("of a smaller and deeper distorted video: as in the comparison", async () => {
    const small = { ...FILM, width: 96, height: 54 };
    const distorted = await encode(fixture.media, "small.mp4", small, LOSSY.h264);
    const planes = await scale(await decode(fixture.media, distorted, small), FILM);
    await exact(await clipOf({ reference, distorted }, 40, range(35, 20)), {
      reference: referencePlanes,
      distorted: planes,
    });
    const deep = await encode(fixture.media, "deep.mkv", { ...FILM, pixels: "yuv420p10le" }, LOSSY.ffv1);
    const deepPlanes = await decode(fixture.media, deep, { ...FILM, pixels: "yuv420p10le" });
    await exact(await clipOf({ reference, distorted: deep }, 3, range(0, 6)), {
      reference: referencePlanes,
      distorted: deepPlanes,
    });
  });

  test("of a cropped and a mirrored side: as in the comparison", async () => {
    const mirrored = await altered("mirrored.mkv", "crop=102:78:20:10,hflip");
    const clip = await clipOf(
      {
        ...{ reference, distorted: mirrored },
        ...{ crop: { reference: { width: 102, height: 78, x: 20, y: 10 } } },
        ...{ mirror: { distorted: "HORIZONTAL" } },
      },
      12,
      range(10, 5),
    );
    assert.deepEqual([clip.width, clip.height], [102, 78]);
    await equalHalves(clip);
  });

  test("of frames of an odd size: each half is padded to an even size", async () => {
    const odd = await altered("odd.mkv", "format=yuv444p,crop=101:77:20:10:exact=1");
    const clip = await clipOf({ reference: odd, distorted: odd }, 12, range(10, 5));
    assert.deepEqual([clip.width, clip.height], [101, 77]);
    assert.match(await videoFacts(fixture.media, clip.video), /, 204x78 \[SAR 1:1/);
    await equalHalves(clip);
  });

  /** Changes the pictures of the reference without loss. */
  async function altered(name: string, filter: string): Promise<string> {
    const file = fixture.media.file(name);
    await ffmpeg(["-i", reference, "-vf", filter, "-c:v", "ffv1", file]);
    return file;
  }

  async function equalHalves(clip: Clip): Promise<void> {
    const halves = await halvesOf(fixture.media, clip);
    for (let index = 0; index < clip.frameCount; index++) {
      const psnr = psnrOf(halves.reference, halves.distorted, index);
      // Both lost something.
      assert.ok(psnr > LEAST_PSNR - 6, `frame ${index}: ${psnr} dB`);
    }
  }

  test("show the colours that the files state", async () => {
    const tags = ["-colorspace", "bt709", "-color_range", "pc"];
    const full = await encode(fixture.media, "full.mp4", { filters: "setparams=range=pc" }, [
      ...LOSSY.h264,
      ...tags,
    ]);
    const planes = await decode(fixture.media, full, SCENE);
    const colours = { range: "pc", matrix: "bt709" } as const;
    const clip = await clipOf({ reference: full, distorted: full }, 11, range(8, 6));
    await exact(clip, { reference: planes, distorted: planes, colours });
  });

  test("of large frames are scaled down until browsers can play both sides", async () => {
    const large = await encode(
      fixture.media,
      "large.mkv",
      { width: 3840, height: 2160, frames: 2 },
      LOSSY.mjpeg,
    );
    const clip = await clipOf({ reference: large, distorted: large }, 1, [0, 1]);
    assert.deepEqual([clip.width, clip.height, clip.frameCount], [1920, 1080, 2]);
  });

  test("have fewer frames if noise would exceed the size limit", async () => {
    const noise = fixture.media.file("noise.mkv");
    await ffmpeg([
      ...["-f", "lavfi", "-i", "color=gray:s=1920x1080:r=25,noise=alls=100:allf=t,format=yuv420p"],
      ...["-frames:v", "8", "-c:v", "mjpeg", "-q:v", "2", noise],
    ]);
    const clip = await clipOf({ reference: noise, distorted: noise }, 6, range(0, 8));
    assert.ok(clip.video.length <= 24 * 2 ** 20, `${clip.video.length} bytes`);
    assert.ok(clip.frameCount < 8 && clip.frameCount > 0);
    assert.ok(clip.firstFrame <= 6 && clip.firstFrame + clip.frameCount > 6);
  });

  test("are refused for invalid requests and changed files, and leave nothing behind", async () => {
    const distorted = await encode(fixture.media, "refused.mp4", FILM, LOSSY.h264);
    const { request, plan } = await planned({ reference, distorted });
    const segment = plan.segments[1]?.segment;
    const refused = async (frame: number, parts: readonly StillsPart[]) => {
      const work: ClipWork = { request, plan: plan.plan, frame, parts };
      return engine.clip(work, { timeoutMs: WAIT_LIMIT_MS }).then(
        () => assert.fail("made"),
        (thrown: unknown) => Failure.from(thrown).code,
      );
    };
    for (const [frame, frames] of [
      [30, [29, 31]],
      [30, [31, 32]],
      [0, [0]],
      [-1, [-1]],
      [30.5, [30.5]],
      [30, range(0, 121)],
      [30, []],
    ] as const) {
      assert.equal(
        await refused(frame, [{ segment, frames }]),
        "INVALID_REQUEST",
        `${frame}: ${frames.join()}`,
      );
    }
    assert.equal(await refused(0, []), "INVALID_REQUEST");
    await writeFile(distorted, (await readFile(distorted)).subarray(0, 20_000));
    assert.equal(await refused(30, [{ segment, frames: [30] }]), "MEDIA_CHANGED");
    assert.deepEqual(await fixture.media.leftovers(), []);
  });

  test("of a damaged side fail with its fault", async () => {
    const distorted = await encode(fixture.media, "damaged.mp4", FILM, LOSSY.h264);
    const modified = new Date("2026-01-01T00:00:00Z");
    await utimes(distorted, modified, modified);
    const { request, plan } = await planned({ reference, distorted });
    const bytes = await readFile(distorted);
    bytes.fill(0, Math.floor(bytes.length / 3), Math.floor(bytes.length / 2));
    await writeFile(distorted, bytes);
    await utimes(distorted, modified, modified);
    const parts = partsOf(plan, range(10, 50));
    await assert.rejects(engine.clip({ request, plan: plan.plan, frame: 30, parts }), (thrown) => {
      const failure = Failure.from(thrown);
      return failure.code === "MEDIA_CORRUPT" && failure.message.includes("distorted");
    });
  });

  test("are not offered by an ffmpeg without the encoder", async () => {
    const script = fixture.media.file("ffmpeg-without-x264");
    await writeFile(script, `#!/bin/sh\ncase "$*" in *libx264*) exit 1;; esac\nexec ${FFMPEG} "$@"\n`, {
      mode: 0o755,
    });
    const without = await fixture.engine({ scorerPath: script });
    assert.equal(await without.makesClips(), false);
    assert.equal(await engine.makesClips(), true);
  });
});

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Converts planes to those of a video without loss. Small video without tags is limited range and BT.601's matrix. */
async function asVideo(
  planes: Planes,
  { width, height }: { readonly width: number; readonly height: number },
  { range: from, matrix }: Colours = { range: "tv", matrix: "smpte170m" },
): Promise<Planes> {
  const path = `${planes.path}.video`;
  const exactly = "flags=bicubic+accurate_rnd+full_chroma_int:sws_dither=none";
  const colours = `in_range=${from}:in_color_matrix=${matrix}:out_range=tv:out_color_matrix=bt709`;
  await ffmpeg([
    ...["-f", "rawvideo", "-video_size", `${planes.width}x${planes.height}`],
    ...["-pixel_format", planes.pixels, "-i", planes.path],
    ...["-vf", `scale=${width}:${height}:${exactly}:${colours},format=yuv420p`, "-f", "rawvideo", path],
  ]);
  return { ...planes, path, width, height, pixels: "yuv420p" };
}

/** A still is exactly the frame that was scored under its number, verified against a separate decode of its side. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { Still, StillsPart } from "../../src/engine/contract/work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Fixture, type Pair, SCORERS } from "../engine/fixture.ts";
import { partsOf } from "../engine/parts.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { FFMPEG, ffmpeg } from "../media/ffmpeg.ts";
import { type Colours, picture } from "../media/picture.ts";
import { decode, deepen, type Planes, pick, scale, turn } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

/** At 25 frames per second this makes three segments of about a second. */
const FILM = { ...SCENE, frames: 70 };
const WANTED = [0, 1, 24, 25, 26, 49, 69];

describe("stills", () => {
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

  async function stillsOf(pair: Pair, frames: readonly number[], segmentSeconds = 1) {
    const request: PairRequest = pairRequest(pair);
    const planned = await engine.plan(request, {
      segments: { seconds: segmentSeconds },
      timeoutMs: WAIT_LIMIT_MS,
    });
    const parts = partsOf(planned, frames);
    const stills = await engine.stills({ request, plan: planned.plan, parts }, { timeoutMs: WAIT_LIMIT_MS });
    assert.deepEqual(await fixture.media.leftovers(), []);
    return { stills, planned };
  }

  interface Truth {
    readonly reference: Planes;
    readonly distorted: Planes;
    readonly colours?: Colours;
  }

  async function exact(pair: Pair, truth: Truth, wanted: readonly number[], segments: number): Promise<void> {
    const { stills, planned } = await stillsOf(pair, wanted);
    assert.equal(planned.segments.length, segments);
    assert.deepEqual(
      stills.map(({ frame, side }) => [frame, side]),
      wanted.flatMap((frame) => [
        [frame, "reference"],
        [frame, "distorted"],
      ]),
    );
    for (const { frame, side, width, height, mediaType, image } of stills) {
      const planes = truth[side];
      assert.deepEqual([mediaType, width, height], ["image/webp", planes.width, planes.height]);
      const expected = await picture(planes, frame, truth.colours);
      assert.ok(expected.equals(image), `frame ${frame} of the ${side} video differs`);
    }
  }

  for (const [name, codec, segments] of [
    ["b-frames.mp4", LOSSY.h264, 3],
    ["b-frames.mkv", LOSSY.h264, 3],
    ["hevc.mkv", LOSSY.hevc, 3],
    ["mpeg2.ts", LOSSY.mpeg2, 3],
    ["whole.ts", LOSSY.h264, 1],
    ["mpeg2.mpg", LOSSY.mpeg2, 1],
  ] as const) {
    test(`of ${name}, in ${segments} segments`, async () => {
      const distorted = await encode(fixture.media, name, FILM, codec);
      const planes = await decode(fixture.media, distorted, FILM);
      const truth = { reference: referencePlanes, distorted: planes };
      await exact({ reference, distorted }, truth, WANTED, segments);
    });
  }

  test("of a smaller distorted video: scaled as in the comparison", async () => {
    const small = { ...FILM, width: 96, height: 54 };
    const distorted = await encode(fixture.media, "small.mp4", small, LOSSY.h264);
    const planes = await scale(await decode(fixture.media, distorted, small), FILM);
    await exact({ reference, distorted }, { reference: referencePlanes, distorted: planes }, [0, 30, 69], 3);
  });

  test("of a video with half the rate: each frame with its partner", async () => {
    const half = { ...FILM, rate: "25", frames: 35, filters: "" };
    const fast = await pristine(fixture.media, "fast.y4m", { ...FILM, rate: "50" });
    const distorted = await encode(fixture.media, "half.mp4", half, LOSSY.h264);
    const truth = {
      reference: await pick(await decode(fixture.media, fast, FILM), { step: 2 }),
      distorted: await decode(fixture.media, distorted, FILM),
    };
    await exact({ reference: fast, distorted, onFrameRateMismatch: "COMMON" }, truth, [0, 1, 17, 34], 1);
  });

  test("of a longer video: the frames that both have", async () => {
    const longer = await encode(fixture.media, "longer.mp4", { ...FILM, frames: 80 }, LOSSY.h264);
    const planes = await decode(fixture.media, longer, FILM);
    const { stills } = await stillsOf({ reference, distorted: longer, onFrameCountMismatch: "COMMON" }, [69]);
    assert.ok((await picture(planes, 69)).equals(stills[1]?.image ?? Buffer.alloc(0)));
  });

  test("of a file with an edit list: numbered by playing frames, or by all on request", async () => {
    const whole = await encode(fixture.media, "whole.mp4", {}, LOSSY.h264);
    const distorted = await remux(fixture.media, whole, "edit.mp4", [], ["-ss", "0.2"]);
    const original = await pristine(fixture.media, "original.y4m");
    const planes = await decode(fixture.media, original, SCENE);
    const tail = await encode(fixture.media, "tail.mkv", { filters: "trim=start_frame=5" }, [
      ...LOSSY.ffv1,
      ...["-fps_mode", "passthrough"],
    ]);
    const plays = await decode(fixture.media, distorted, SCENE);
    const tailPlanes = await pick(planes, { first: 5 });
    await exact({ reference: tail, distorted }, { reference: tailPlanes, distorted: plays }, [0, 7, 24], 1);
    const all = await decode(fixture.media, distorted, SCENE, { input: ["-ignore_editlist", "1"] });
    const pair = { reference: original, distorted, editLists: "IGNORE" } as const;
    await exact(pair, { reference: planes, distorted: all }, [0, 7, 29], 1);
  });

  test("of a file that is rotated for the comparison, and of a 10-bit file", async () => {
    const upright = await encode(fixture.media, "upright.mp4", { width: 108, height: 192 }, LOSSY.h264);
    const turned = await remux(fixture.media, upright, "turned.mp4", [], ["-display_rotation", "90"]);
    const wide = await pristine(fixture.media, "wide.y4m");
    const planes = await decode(fixture.media, turned, { ...SCENE, width: 108, height: 192 });
    const truth = {
      reference: await decode(fixture.media, wide, SCENE),
      distorted: await turn(planes, "transpose=cclock", SCENE),
    };
    await exact({ reference: wide, distorted: turned }, truth, [3, 29], 1);

    const deep = await encode(fixture.media, "deep.mkv", { ...SCENE, pixels: "yuv420p10le" }, LOSSY.ffv1);
    const deepPlanes = await decode(fixture.media, deep, { ...SCENE, pixels: "yuv420p10le" });
    const tens = { reference: await deepen(truth.reference, 10), distorted: deepPlanes };
    await exact({ reference: wide, distorted: deep }, tens, [3, 29], 1);
  });

  test("of headerless video; also with Netflix's vmaf as the scorer", async () => {
    const raw = fixture.media.file("raw_192x108.yuv");
    await writeFile(raw, await readFile(referencePlanes.path));
    const truth = { reference: referencePlanes, distorted: referencePlanes };
    await exact({ reference, distorted: raw }, truth, [0, 44], 3);
    const other = await fixture.engine(SCORERS[1]);
    assert.equal(await other.makesStills(), true, "the bundled ffmpeg makes stills");
  });

  test("convert colours by the file's matrix and range, or by its size if it has no tags", async () => {
    for (const [name, tags, range, matrix] of [
      ["bt709.mp4", ["-colorspace", "bt709"], "tv", "bt709"],
      ["bt2020.mp4", ["-colorspace", "bt2020nc"], "tv", "bt2020"],
      ["full.mp4", ["-colorspace", "bt709", "-color_range", "pc"], "pc", "bt709"],
      ["untagged.mp4", [], "tv", "smpte170m"],
    ] as const) {
      const tagged = await encode(fixture.media, name, { filters: tagging(tags) }, [...LOSSY.h264, ...tags]);
      const planes = await decode(fixture.media, tagged, SCENE);
      const truth = { reference: planes, distorted: planes, colours: { range, matrix } } as const;
      await exact({ reference: tagged, distorted: tagged }, truth, [11], 1);
    }
  });

  test("show red as red", async () => {
    for (const [size, matrix] of [
      ["1280x720", "bt709"],
      ["320x180", "smpte170m"],
    ] as const) {
      const red = fixture.media.file(`red-${size}.mp4`);
      await ffmpeg([
        ...["-f", "lavfi", "-i", `color=red:s=${size}:r=25,format=gbrp`, "-frames:v", "3"],
        ...[
          "-vf",
          `scale=out_color_matrix=${matrix}:out_range=tv,format=yuv420p,setparams=colorspace=unknown`,
        ],
        ...["-c:v", "libx264", "-qp", "1", red],
      ]);
      const { stills } = await stillsOf({ reference: red, distorted: red }, [2]);
      for (const still of stills) {
        const [r = 0, g = 0, b = 0] = await middle(still);
        assert.ok(r >= 250 && g <= 5 && b <= 5, `${size}: ${r}, ${g}, ${b}`);
      }
    }
  });

  /** Returns red, green and blue of the pixel in the middle of a still. */
  async function middle({ image, width, height }: Still): Promise<Uint8Array> {
    const [file, planes] = [fixture.media.file("middle.webp"), fixture.media.file("middle.rgb")];
    await writeFile(file, image);
    await ffmpeg(["-i", file, "-pix_fmt", "rgb24", "-f", "rawvideo", planes]);
    const at = 3 * (Math.floor(height / 2) * width + Math.floor(width / 2));
    return (await readFile(planes)).subarray(at, at + 3);
  }

  test("are scaled down if the frame is larger than the limit", async () => {
    const large = await encode(
      fixture.media,
      "large.mkv",
      { width: 5120, height: 1080, frames: 2 },
      LOSSY.mjpeg,
    );
    const { stills } = await stillsOf({ reference: large, distorted: large }, [1]);
    assert.deepEqual(
      stills.map(({ width, height }) => [width, height]),
      [
        [4096, 864],
        [4096, 864],
      ],
    );
  });

  test("are encoded smaller if noise would exceed the size limit", async () => {
    const noise = fixture.media.file("noise.mkv");
    await ffmpeg([
      ...["-f", "lavfi", "-i", "color=gray:s=3840x2160:r=25,noise=alls=100:allf=t,format=yuv420p"],
      ...["-frames:v", "1", "-c:v", "mjpeg", "-q:v", "2", noise],
    ]);
    const { stills } = await stillsOf({ reference: noise, distorted: noise }, [0]);
    for (const { image, width, height } of stills) {
      assert.ok(image.length <= 3 * 2 ** 20, `${image.length} bytes`);
      assert.deepEqual([width, height], [1920, 1080]);
    }
  });

  test("are refused for invalid requests and changed files, and leave nothing behind", async () => {
    const distorted = await encode(fixture.media, "refused.mp4", FILM, LOSSY.h264);
    const request = pairRequest({ reference, distorted });
    const planned = await engine.plan(request, { segments: { seconds: 1 }, timeoutMs: WAIT_LIMIT_MS });
    const { plan } = planned;
    const segment = planned.segments[1]?.segment;
    const refused = async (parts: readonly StillsPart[], of = request) =>
      engine.stills({ request: of, plan, parts }, { timeoutMs: WAIT_LIMIT_MS }).then(
        () => assert.fail("made"),
        (thrown: unknown) => Failure.from(thrown).code,
      );
    for (const frame of [0, 70, -1, 30.5]) {
      assert.equal(await refused([{ segment, frames: [frame] }]), "INVALID_REQUEST", String(frame));
    }
    assert.equal(await refused([{ segment: undefined, frames: [70] }]), "INVALID_REQUEST");
    assert.equal(await refused([{ segment: '{"first":-1}', frames: [0] }]), "INVALID_REQUEST");
    const other = pairRequest({ reference, distorted, subsample: 2 });
    assert.equal(await refused([{ segment, frames: [30] }], other), "INVALID_REQUEST");
    const gone = new AbortController();
    const working = engine.stills(
      { request, plan, parts: [{ segment, frames: [30] }] },
      { signal: gone.signal },
    );
    gone.abort();
    await assert.rejects(working, { code: "SCORE_CANCELLED" });
    await writeFile(distorted, (await readFile(distorted)).subarray(0, 20_000));
    assert.equal(await refused([{ segment, frames: [30] }]), "MEDIA_CHANGED");
    assert.deepEqual(await fixture.media.leftovers(), []);
  });

  test("are not offered by an ffmpeg that cannot write WebP", async () => {
    const script = fixture.media.file("ffmpeg-without-webp");
    await writeFile(script, `#!/bin/sh\ncase "$*" in *libwebp*) exit 1;; esac\nexec ${FFMPEG} "$@"\n`, {
      mode: 0o755,
    });
    const without = await fixture.engine({ scorerPath: script });
    assert.equal(await without.makesStills(), false);
    assert.equal(await engine.makesStills(), true);
  });
});

/** Returns a filter that only tags the range and keeps the samples. */
function tagging(tags: readonly string[]): string {
  return tags.includes("pc") ? "setparams=range=pc" : "";
}

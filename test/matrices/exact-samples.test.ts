/** Samples are compared as coded: differences in depth, chroma, size, range and tags never convert them silently. */
import assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { decode, deepen, type Planes, scale, truthOf, truthOfPair } from "../media/truth.ts";

const NO_CONVERSION = { ...SCENE, frames: 24 };
const LOSSLESS = ["-c:v", "libx264", "-preset", "ultrafast", "-qp", "0"];

for (const scorer of SCORERS) {
  describe(`samples, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    const scoring = { oracle: scorer.oracle };

    before(async () => {
      fixture = await Fixture.open();
    });
    after(() => fixture.close());

    for (const pixels of [
      ...["yuv420p", "yuv422p", "yuv444p", "yuv420p10le", "yuv422p10le", "yuv444p10le"],
      ...["yuv420p12le", "yuv422p12le", "yuv444p12le"],
    ]) {
      test(`${pixels} on both sides`, async () => {
        const layout = { ...NO_CONVERSION, pixels };
        const reference = await pristine(fixture.media, `ref-${pixels}.y4m`, layout);
        const distorted = await encode(fixture.media, `dis-${pixels}.mp4`, layout, LOSSY.hevc);
        const truth = await truthOfPair(fixture.media, { reference, distorted }, layout, {
          ...scoring,
          features: ["psnr"],
        });
        const result = await fixture.expectExact(scorer, { reference, distorted, features: ["psnr"] }, truth);
        assert.equal(result.distorted.pixelFormat, pixels);
        assert.equal(result.distorted.bitDepth, Number(/p(\d+)/.exec(pixels)?.[1] ?? 8));
      });
    }

    for (const [pixels, tag, other] of [
      ["yuv420p", "", ""],
      ["yuv420p", "C420jpeg", "C420mpeg2"],
      ["yuv420p", "C420jpeg", "C420paldv"],
      ["yuv420p", " Ip ", " It "],
      ["yuv420p", " Ip ", " I? "],
      ["yuv422p", "", ""],
      ["yuv444p", "", ""],
      ["yuv420p10le", "", ""],
      ["yuv422p12le", "", ""],
    ] as const) {
      test(`y4m on both sides, ${pixels}${tag && ` with${other} for${tag}`}`, async () => {
        const layout = { ...NO_CONVERSION, pixels };
        const y4m = ["-f", "yuv4mpegpipe", "-strict", "-1"];
        const reference = await encode(fixture.media, "both-ref.y4m", layout, y4m);
        const blurred = { ...layout, filters: "gblur=0.6" };
        const distorted = await encode(fixture.media, "both-dis.y4m", blurred, y4m);
        const features = ["psnr"] as const;
        const truth = await truthOfPair(fixture.media, { reference, distorted }, layout, {
          ...scoring,
          features,
        });
        for (const file of [reference, distorted]) await retag(file, tag, other);
        await fixture.expectExact(scorer, { reference, distorted, features }, truth);
      });
    }

    for (const [ref, dis, depth] of [
      ["yuv420p10le", "yuv420p", 10],
      ["yuv420p", "yuv420p10le", 10],
      ["yuv422p12le", "yuv422p10le", 12],
    ] as const) {
      test(`compares ${ref} with ${dis} in the larger depth`, async () => {
        const reference = await pristine(fixture.media, `r-${ref}-${dis}.y4m`, {
          ...NO_CONVERSION,
          pixels: ref,
        });
        const distorted = await encode(
          fixture.media,
          `d-${ref}-${dis}.mkv`,
          { ...NO_CONVERSION, pixels: dis },
          LOSSY.hevc,
        );
        const sides = [
          await decode(fixture.media, reference, { ...SCENE, pixels: ref }),
          await decode(fixture.media, distorted, { ...SCENE, pixels: dis }),
        ] as const;
        const lift = (planes: Planes): Promise<Planes> | Planes =>
          planes.pixels.endsWith(`${depth}le`) ? planes : deepen(planes, depth);
        const truth = await truthOf(await lift(sides[0]), await lift(sides[1]), scoring);
        await fixture.expectExact(scorer, { reference, distorted }, truth);
      });
    }

    test("compares different chroma layouts in the reference's", async () => {
      const reference = await pristine(fixture.media, "r-444.y4m", { ...NO_CONVERSION, pixels: "yuv444p" });
      const distorted = await encode(fixture.media, "d-420.mp4", NO_CONVERSION, LOSSY.h264);
      const ref = await decode(fixture.media, reference, { ...SCENE, pixels: "yuv444p" });
      const dis = await scale(await decode(fixture.media, distorted, SCENE), ref);
      await fixture.expectExact(scorer, { reference, distorted }, await truthOf(ref, dis, scoring));
    });

    for (const [width, height] of [
      [175, 99],
      [177, 100],
      [176, 101],
    ] as const) {
      test(`odd size ${width}x${height}`, async () => {
        const odd = { ...NO_CONVERSION, width, height };
        const reference = await pristine(fixture.media, `odd-${width}.y4m`, odd);
        const distorted = await encode(fixture.media, `odd-${width}.mkv`, odd, LOSSY.vp9);
        const truth = await truthOfPair(fixture.media, { reference, distorted }, odd, scoring);
        await fixture.expectExact(scorer, { reference, distorted }, truth);
      });
    }

    test("scales a smaller distorted video to the reference's size, with a warning", async () => {
      const reference = await pristine(fixture.media, "full.y4m", NO_CONVERSION);
      const small = { ...NO_CONVERSION, filters: "scale=128:72" };
      const distorted = await encode(fixture.media, "small.mp4", small, LOSSY.h264);
      const coded = await decode(fixture.media, distorted, { ...SCENE, width: 128, height: 72 });
      const truth = await truthOf(
        await decode(fixture.media, reference, SCENE),
        await scale(coded, SCENE),
        scoring,
      );
      const result = await fixture.expectExact(scorer, { reference, distorted }, truth);
      assert.deepEqual(result.scaling, {
        fromWidth: 128,
        fromHeight: 72,
        toWidth: SCENE.width,
        toHeight: SCENE.height,
        algorithm: "bicubic",
      });
      assert.ok(warningCodes(result).includes("SCALED"));
      const failure = await fixture.expectFailure(
        { reference, distorted, scaling: "REFUSE" },
        "FRAME_SIZE_MISMATCH",
        { scorer },
      );
      assert.match(failure.message, /128.?x.?72|128.?×.?72/);
      assert.match(failure.message, /192.?x.?108|192.?×.?108/);
    });

    test("scales anamorphic encodes of the same shape without a warning of stretching", async () => {
      const pal = { width: 192, height: 144, frames: 12, filters: "setsar=16/15" };
      const reference = await pristine(fixture.media, "pal.y4m", pal);
      const planes = await decode(fixture.media, reference, { ...SCENE, ...pal });
      for (const [name, width, sar] of [
        ["svcd.mp4", 128, "8/5"],
        ["half.mkv", 96, "32/15"],
        ["half.ts", 96, "32/15"],
        ["half.y4m", 96, "32/15"],
      ] as const) {
        const narrow = { ...pal, filters: `scale=${width}:144,setsar=${sar}` };
        const codec = name.endsWith("y4m") ? ["-f", "yuv4mpegpipe"] : LOSSY.h264;
        const distorted = await encode(fixture.media, name, narrow, codec);
        const coded = await decode(fixture.media, distorted, { ...SCENE, width, height: 144 });
        const truth = await truthOf(planes, await scale(coded, planes), scoring);
        const result = await fixture.expectExact(scorer, { reference, distorted }, truth);
        assert.deepEqual(warningCodes(result), ["SCALED"], name);
        assert.doesNotMatch(result.warnings[0]?.message ?? "", /stretched/, name);
        assert.equal(result.reference.sampleAspectRatio, "16:15");
        assert.equal(result.distorted.sampleAspectRatio, sar.replace("/", ":"));
      }
    });

    test("scales down a larger, deeper distorted video", async () => {
      const reference = await pristine(fixture.media, "base.y4m", NO_CONVERSION);
      const large = { ...NO_CONVERSION, width: 256, height: 144, pixels: "yuv420p10le" };
      const distorted = await encode(fixture.media, "large.mp4", large, LOSSY.hevc);
      const coded = await decode(fixture.media, distorted, large);
      const truth = await truthOf(
        await deepen(await decode(fixture.media, reference, SCENE), 10),
        await scale(coded, { ...SCENE, pixels: "yuv420p10le" }),
        scoring,
      );
      await fixture.expectExact(scorer, { reference, distorted }, truth);
    });

    test("ignores different colour and HDR tags", async () => {
      const reference = await pristine(fixture.media, "sdr.y4m", NO_CONVERSION);
      const plain = await encode(fixture.media, "plain.mp4", NO_CONVERSION, LOSSY.h264);
      const hdr = "h264_metadata=colour_primaries=9:transfer_characteristics=16:matrix_coefficients=9";
      const distorted = await remux(fixture.media, plain, "hdr.mp4", ["-bsf:v", hdr]);
      const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, scoring);
      await fixture.expectExact(scorer, { reference, distorted }, truth);
    });

    test("ignores the chroma location tag and does not shift chroma", async () => {
      const reference = await pristine(fixture.media, "sited.y4m", NO_CONVERSION);
      const plain = await encode(fixture.media, "sited.mp4", NO_CONVERSION, LOSSY.h264);
      const distorted = await remux(fixture.media, plain, "topleft.mp4", [
        ...["-bsf:v", "h264_metadata=chroma_sample_loc_type=2"],
      ]);
      const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, {
        ...scoring,
        features: ["psnr", "ciede"],
      });
      await fixture.expectExact(scorer, { reference, distorted, features: ["psnr", "ciede"] }, truth);
      const paldv = fixture.media.file("paldv.y4m");
      await copyFile(reference, paldv);
      await retag(paldv, "C420jpeg", "C420paldv");
      const features = ["psnr", "ciede"] as const;
      await fixture.expectExact(scorer, { reference: paldv, distorted, features }, truth);
    });

    test("compares full-range pairs in full range", async () => {
      const full = { ...NO_CONVERSION, filters: "scale=in_range=tv:out_range=pc,format=yuvj420p" };
      const reference = await encode(fixture.media, "full.mkv", full, LOSSLESS);
      const distorted = await encode(fixture.media, "full.mp4", full, LOSSY.h264);
      const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, scoring);
      const result = await fixture.expectExact(scorer, { reference, distorted }, truth);
      assert.equal(result.reference.colorRange, "full");
      assert.equal(result.distorted.colorRange, "full");
    });

    test("does not convert samples because of a range tag on one side", async () => {
      const reference = await pristine(fixture.media, "limited.y4m", NO_CONVERSION);
      const plain = await encode(fixture.media, "untagged.mp4", NO_CONVERSION, LOSSY.h264);
      const distorted = await remux(fixture.media, plain, "tagged.mp4", [
        "-bsf:v",
        "h264_metadata=video_full_range_flag=1",
      ]);
      const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, scoring);
      const pair = { reference, distorted, findings: { action: "REFUSE" } } as const;
      const result = await fixture.expectExact(scorer, pair, truth);
      assert.equal(result.distorted.colorRange, "full");
      assert.deepEqual(warningCodes(result), ["COLOR_RANGE_DIFFERS", "RANGE_DIFFERS"]);
    });

    test("warns of full range against a source without a stated range, in every container", async () => {
      const source = { ...NO_CONVERSION, filters: "setparams=range=unknown" };
      const reference = await pristine(fixture.media, "untagged.y4m", source);
      const full = { ...NO_CONVERSION, filters: "scale=in_range=tv:out_range=pc,setparams=range=pc" };
      for (const name of ["pc.mp4", "pc.mov", "pc.ts", "pc.flv", "pc.mkv"]) {
        const distorted = await encode(fixture.media, name, full, LOSSY.h264);
        const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, scoring);
        const asIs = { reference, distorted, findings: { action: "WARN" } } as const;
        const result = await fixture.expectExact(scorer, asIs, truth);
        assert.deepEqual([result.reference.colorRange, result.distorted.colorRange], ["", "full"], name);
        assert.deepEqual(warningCodes(result), ["COLOR_RANGE_DIFFERS", "RANGE_DIFFERS"], name);
        const limited = await encode(fixture.media, `tv-${name}`, NO_CONVERSION, LOSSY.h264);
        const pair = { reference, distorted: limited };
        const alike = await truthOfPair(fixture.media, pair, SCENE, scoring);
        assert.deepEqual(warningCodes(await fixture.expectExact(scorer, pair, alike)), [], name);
      }
    });

    test("converts RGB to limited range, without a range warning for a limited encode", async () => {
      const rgb = { ...NO_CONVERSION, pixels: "gbrp" };
      const reference = await encode(fixture.media, "rgb.mkv", rgb, LOSSY.ffv1);
      const as = (range: string) => ({
        ...NO_CONVERSION,
        pixels: "gbrp",
        filters: `scale=out_range=${range}:out_color_matrix=bt709,format=yuv444p`,
      });
      for (const [range, codes] of [
        ["tv", ["PIXEL_FORMAT_CONVERTED"]],
        ["pc", ["COLOR_RANGE_DIFFERS", "PIXEL_FORMAT_CONVERTED", "RANGE_DIFFERS"]],
      ] as const) {
        const distorted = await encode(fixture.media, `rgb-${range}.mp4`, as(range), LOSSY.h264);
        const engine = await fixture.engine(scorer);
        const request = pairRequest({ reference, distorted, findings: { action: "WARN" } });
        const result = await engine.score(request, { timeoutMs: 300_000 });
        assert.deepEqual(warningCodes(result), codes);
      }
    });

    test("compares interlaced flags and real interlaced coding frame by frame", async () => {
      const reference = await pristine(fixture.media, "fields.y4m", NO_CONVERSION);
      const topFirst = { ...NO_CONVERSION, filters: "setfield=tff" };
      for (const [name, scene, options] of [
        ["flag.mp4", NO_CONVERSION, [...LOSSY.h264, "-x264-params", "fake-interlaced=1"]],
        ["mbaff.mp4", NO_CONVERSION, [...LOSSY.h264, "-x264-params", "interlaced=1:tff=1"]],
        ["fields.ts", topFirst, [...LOSSY.mpeg2, "-flags", "+ilme+ildct"]],
      ] as const) {
        const distorted = await encode(fixture.media, name, scene, options);
        const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE, scoring);
        await fixture.expectExact(scorer, { reference, distorted }, truth);
      }
    });
  });
}

/** Replaces a tag in a y4m header. */
async function retag(file: string, tag: string, other: string): Promise<void> {
  const bytes = await readFile(file);
  const end = bytes.indexOf(0x0a);
  const header = bytes.toString("latin1", 0, end);
  assert.ok(header.includes(tag), header);
  await writeFile(
    file,
    Buffer.concat([Buffer.from(header.replace(tag, other), "latin1"), bytes.subarray(end)]),
  );
}

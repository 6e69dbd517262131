/** Headerless .yuv: the geometry is given or read from the name, and always verified against the size. */
import assert from "node:assert/strict";
import { appendFile, copyFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { encode, LOSSY, SCENE } from "../media/clips.ts";
import { decode, type Truth, truthOfPair } from "../media/truth.ts";
import { Fixture, SCORERS, warningCodes } from "./fixture.ts";

const GEOMETRY = { width: SCENE.width, height: SCENE.height };

for (const scorer of SCORERS) {
  describe(`raw video, with ${scorer.kind}`, () => {
    let fixture: Fixture;

    before(async () => {
      fixture = await Fixture.open();
    });
    after(() => fixture.close());

    async function rawPair(pixels: string, names: readonly [string, string]): Promise<Truth> {
      const [reference, distorted] = names.map((name) => fixture.media.file(name)) as [string, string];
      await encode(fixture.media, names[0], { pixels }, ["-f", "rawvideo"]);
      const coded = await encode(fixture.media, `${names[1]}.mp4`, { pixels }, LOSSY.hevc);
      await copyFile((await decode(fixture.media, coded, { ...SCENE, pixels })).path, distorted);
      const sides = { reference: `${reference}.y4m`, distorted: coded };
      await encode(fixture.media, `${names[0]}.y4m`, { pixels }, ["-f", "yuv4mpegpipe", "-strict", "-1"]);
      return truthOfPair(fixture.media, sides, { ...SCENE, pixels }, { oracle: scorer.oracle });
    }

    for (const pixels of ["yuv420p", "yuv422p10le", "yuv444p12le"]) {
      test(`scores ${pixels} with the geometry in the request`, async () => {
        const names = [`ref.${pixels}.yuv`, `dis.${pixels}.yuv`] as const;
        const truth = await rawPair(pixels, names);
        const [reference, distorted] = names.map((name) => fixture.media.file(name)) as [string, string];
        const rawVideo = { ...GEOMETRY, pixelFormat: pixels, frameRate: "25" };
        const result = await fixture.expectExact(scorer, { reference, distorted, rawVideo }, truth);
        assert.deepEqual(warningCodes(result), []);
        assert.equal(result.reference.container, "yuv");
        assert.equal(result.reference.frameRate, "25/1");
      });
    }

    for (const [pixels, ref, dis] of [
      ["yuv420p", "clip_192x108.yuv", "low_192x108.yuv"],
      ["yuv420p10le", "clip_192x108_10bit.yuv", "low_192x108_10bit_25fps.yuv"],
      ["yuv422p", "clip_192x108_yuv422p.yuv", "low_192x108_422.yuv"],
      ["yuv444p10le", "clip_192x108_yuv444p10le.yuv", "low_192x108_444_10b.yuv"],
    ] as const) {
      test(`reads the geometry from the names ${ref} and ${dis}, with a warning`, async () => {
        const truth = await rawPair(pixels, [ref, dis]);
        const [reference, distorted] = [fixture.media.file(ref), fixture.media.file(dis)];
        const result = await fixture.expectExact(scorer, { reference, distorted }, truth);
        assert.deepEqual(warningCodes(result), ["RAW_GEOMETRY_FROM_NAME", "RAW_GEOMETRY_FROM_NAME"]);
        assert.equal(result.reference.pixelFormat, pixels);
      });
    }

    test("scores raw video against a container", async () => {
      const reference = await encode(fixture.media, "mixed_192x108.yuv", {}, ["-f", "rawvideo"]);
      const distorted = await encode(fixture.media, "mixed.mp4", {}, LOSSY.h264);
      const y4m = await encode(fixture.media, "mixed.y4m", {}, ["-f", "yuv4mpegpipe"]);
      const truth = await truthOfPair(fixture.media, { reference: y4m, distorted }, SCENE, {
        oracle: scorer.oracle,
      });
      await fixture.expectExact(scorer, { reference, distorted }, truth);
    });

    test("refuses a missing geometry, and one that contradicts the size", async () => {
      const reference = await encode(fixture.media, "right_192x108.yuv", {}, ["-f", "rawvideo"]);
      const nameless = fixture.media.file("nameless.yuv");
      await copyFile(reference, nameless);
      await fixture.expectFailure({ reference, distorted: nameless }, "RAW_GEOMETRY_MISSING", { scorer });
      const wrong = fixture.media.file("wrong_190x107.yuv");
      await copyFile(reference, wrong);
      const failure = await fixture.expectFailure({ reference, distorted: wrong }, "RAW_GEOMETRY_MISMATCH", {
        scorer,
      });
      assert.match(failure.message, /190x107/);
      const longer = fixture.media.file("longer_192x108.yuv");
      await copyFile(reference, longer);
      await appendFile(longer, "x");
      await fixture.expectFailure({ reference, distorted: longer }, "RAW_GEOMETRY_MISMATCH", { scorer });
      for (const [rawVideo, code] of [
        [{ width: 191, height: 108, pixelFormat: "yuv420p" }, "RAW_GEOMETRY_MISMATCH"],
        [{ ...GEOMETRY, pixelFormat: "yuv422p12le" }, "RAW_GEOMETRY_MISMATCH"],
        [{ ...GEOMETRY, pixelFormat: "yuv420p,movie=/etc/passwd" }, "PIXEL_FORMAT_UNSUPPORTED"],
        [{ width: 16384, height: 16384, pixelFormat: "yuv420p" }, "MEDIA_TOO_LARGE"],
      ] as const) {
        await fixture.expectFailure({ reference, distorted: nameless, rawVideo }, code, { scorer });
      }
    });
  });
}

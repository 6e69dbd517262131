/** The video is found among other streams. Rotated videos are compared as coded, rotated or refused. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { decode, truthOf, truthOfPair, turn as turnPlanes } from "../media/truth.ts";

const [SCORER] = SCORERS;
const TONE = ["-f", "lavfi", "-i", "sine=frequency=440:duration=1.2"];

describe("streams", () => {
  let fixture: Fixture;
  let reference: string;
  let plain: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media);
    plain = await encode(fixture.media, "plain.mp4", {}, LOSSY.h264);
  });
  after(() => fixture.close());

  async function combine(
    name: string,
    inputs: readonly string[],
    options: readonly string[],
  ): Promise<string> {
    const path = fixture.media.file(name);
    await ffmpeg([...inputs, ...options, path]);
    return path;
  }

  async function exact(distorted: string, stream: string): Promise<void> {
    const planes = await decode(fixture.media, distorted, SCENE, { stream });
    const truth = await truthOf(await decode(fixture.media, reference, SCENE), planes);
    await fixture.expectExact(SCORER, { reference, distorted }, truth);
  }

  test("skips cover art before or after the video", async () => {
    const cover = await combine(
      "cover.png",
      ["-f", "lavfi", "-i", "color=red:size=64x64"],
      ["-frames:v", "1"],
    );
    const both = ["-i", cover, "-i", plain];
    const attached = ["-c", "copy", "-disposition:v:0", "attached_pic"];
    await exact(await combine("before.mp4", both, ["-map", "0", "-map", "1", ...attached]), "0:V:0");
    await exact(
      await combine("after.mp4", both, [
        "-map",
        "1",
        "-map",
        "0",
        "-c",
        "copy",
        "-disposition:v:1",
        "attached_pic",
      ]),
      "0:v:0",
    );
    const image = ["-attach", cover, "-metadata:s:t", "mimetype=image/png"];
    await exact(await combine("cover.mkv", ["-i", plain], ["-c", "copy", ...image]), "0:V:0");
  });

  test("refuses sound with cover art as a file without video", async () => {
    const cover = await combine(
      "front.png",
      ["-f", "lavfi", "-i", "color=red:size=64x64"],
      ["-frames:v", "1"],
    );
    const song = await combine(
      "song.m4a",
      [...TONE, "-i", cover],
      ["-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v:0", "attached_pic", "-c:a", "aac"],
    );
    const attached = ["-attach", cover, "-metadata:s:t", "mimetype=image/png"];
    const other = await combine("song.mka", TONE, ["-c:a", "flac", ...attached]);
    for (const distorted of [song, other]) {
      await fixture.expectFailure({ reference, distorted }, "MEDIA_NO_VIDEO");
    }
  });

  test("ignores audio and data tracks", async () => {
    await exact(
      await combine(
        "sound.mp4",
        [...TONE, "-i", plain],
        ["-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "aac"],
      ),
      "0:v:0",
    );
    await exact(
      await combine(
        "sound.ts",
        [...TONE, "-i", plain],
        ["-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "mp2"],
      ),
      "0:v:0",
    );
    await exact(
      await combine(
        "long.mkv",
        ["-f", "lavfi", "-i", "sine=duration=5", "-i", plain],
        [...["-map", "0", "-map", "1", "-c:v", "copy", "-c:a", "flac"]],
      ),
      "0:v:0",
    );
    await exact(
      await combine("timecode.mov", ["-i", plain], ["-c", "copy", "-timecode", "01:00:00:00"]),
      "0:v:0",
    );
  });

  test("scores the first of two video streams", async () => {
    const other = await encode(fixture.media, "other.mp4", { seed: 9, frames: 20 }, LOSSY.h264);
    await exact(
      await combine("two.mkv", ["-i", plain, "-i", other], ["-map", "0", "-map", "1", "-c", "copy"]),
      "0:v:0",
    );
  });

  test("compares as coded with the same rotation metadata on both sides", async () => {
    const turned = ["-display_rotation", "90"];
    const lossless = await encode(fixture.media, "whole.mp4", {}, [...LOSSY.h264, "-qp", "0"]);
    const ref = await remux(fixture.media, lossless, "turned-ref.mp4", [], turned);
    const distorted = await remux(fixture.media, plain, "turned.mp4", [], turned);
    const truth = await truthOfPair(fixture.media, { reference: ref, distorted }, SCENE);
    const result = await fixture.expectExact(SCORER, { reference: ref, distorted }, truth);
    assert.equal(result.reference.rotation, result.distorted.rotation);
    assert.ok([90, 270].includes(result.reference.rotation), `${result.reference.rotation}`);
  });

  for (const turn of [90, 180, 270]) {
    test(`does not apply a display rotation of ${turn}° on one side only, with a warning`, async () => {
      const distorted = await remux(
        fixture.media,
        plain,
        `one-${turn}.mp4`,
        [],
        ["-display_rotation", `${turn}`],
      );
      const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE);
      const result = await fixture.expectExact(SCORERS[0], { reference, distorted }, truth);
      assert.deepEqual(warningCodes(result), ["ROTATION_DIFFERS"]);
      assert.equal(result.distorted.rotation, (360 - turn) % 360, "clockwise");
    });
  }

  for (const scorer of SCORERS) {
    for (const [turn, transpose] of [
      [90, "transpose=cclock"],
      [-90, "transpose=clock"],
    ] as const) {
      test(`applies a display rotation of ${turn}° against frames rotated before coding, with ${scorer.kind}`, async () => {
        const upright = { ...SCENE, width: SCENE.height, height: SCENE.width };
        const name = `${scorer.kind}${turn}`;
        const ref = await pristine(fixture.media, `upright-${name}.y4m`, { filters: transpose });
        const distorted = await remux(
          fixture.media,
          plain,
          `turn-${name}.mp4`,
          [],
          ["-display_rotation", `${turn}`],
        );
        const coded = await decode(fixture.media, distorted, SCENE);
        const turned = await turnPlanes(coded, transpose, upright);
        const truth = await truthOf(await decode(fixture.media, ref, upright), turned, {
          oracle: scorer.oracle,
        });
        const result = await fixture.expectExact(scorer, { reference: ref, distorted }, truth);
        assert.deepEqual(warningCodes(result), ["ROTATED"]);
        assert.equal(result.scaling, undefined);
      });
    }
  }

  test("refuses portrait with landscape without rotation metadata", async () => {
    const distorted = await encode(fixture.media, "upright.mp4", { filters: "transpose=clock" }, LOSSY.h264);
    const failure = await fixture.expectFailure({ reference, distorted }, "ORIENTATION_MISMATCH");
    assert.match(failure.message, /192x108/);
    assert.match(failure.message, /108x192/);
  });
});

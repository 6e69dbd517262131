/** Frames are never paired by time: edit lists, variable rates, offsets and open GOPs. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { decode, pick, truthOf, truthOfPair } from "../media/truth.ts";

const [SCORER] = SCORERS;

describe("time", () => {
  let fixture: Fixture;
  let reference: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media);
  });
  after(() => fixture.close());

  async function exact(distorted: string): ReturnType<Fixture["expectExact"]> {
    const truth = await truthOfPair(fixture.media, { reference, distorted }, SCENE);
    assert.equal(truth.frames, SCENE.frames);
    return fixture.expectExact(SCORER, { reference, distorted }, truth);
  }

  test("ignores start offsets: positive, negative, and MPEG-TS's own 1.48 s", async () => {
    const plain = await encode(fixture.media, "plain.mp4", {}, LOSSY.h264);
    for (const [name, options] of [
      ["late.mp4", ["-output_ts_offset", "7.3"]],
      ["late.mkv", ["-output_ts_offset", "3.21"]],
      ["start.ts", []],
      ["copied.ts", ["-copyts", "-muxdelay", "0", "-muxpreload", "0"]],
      ["wrap.ts", ["-output_ts_offset", "95443.0"]],
    ] as const) {
      await exact(await remux(fixture.media, plain, name, options));
    }
    await exact(
      await remux(fixture.media, plain, "negative.mp4", [
        ...["-output_ts_offset", "-0.5", "-avoid_negative_ts", "disabled", "-use_editlist", "0"],
      ]),
    );
  });

  for (const [name, options] of [
    ["og264.mp4", [...LOSSY.h264, "-x264-params", "open-gop=1:keyint=8:bframes=3:scenecut=0"]],
    ["og264.ts", [...LOSSY.h264, "-x264-params", "open-gop=1:keyint=8:bframes=3:scenecut=0"]],
    [
      "og265.mp4",
      [...LOSSY.hevc.slice(0, -1), "log-level=none:pools=1:frame-threads=1:open-gop=1:keyint=8:bframes=3"],
    ],
    [
      "og265.mkv",
      [...LOSSY.hevc.slice(0, -1), "log-level=none:pools=1:frame-threads=1:open-gop=1:keyint=8:bframes=3"],
    ],
    ["og2.ts", [...LOSSY.mpeg2, "-g", "6"]],
    ["pyramid.mkv", [...LOSSY.h264, "-x264-params", "b-pyramid=strict:bframes=7:b-adapt=0:keyint=30"]],
  ] as const) {
    test(`scores open GOPs and deep reordering exactly: ${name}`, async () => {
      await exact(await encode(fixture.media, name, {}, options));
    });
  }

  test("does not count frames that cannot be decoded because the file starts after their references", async () => {
    const x265 =
      "log-level=none:pools=1:frame-threads=1:open-gop=1:keyint=8:min-keyint=8:bframes=4:scenecut=0";
    const whole = await encode(fixture.media, "open.mkv", {}, [...LOSSY.hevc.slice(0, -1), x265]);
    const late = await remux(fixture.media, whole, "late.mkv", [], ["-ss", "0.7"]);
    const packets = (await ffmpeg(["-i", late, "-map", "0:v", "-c", "copy", "-f", "framecrc", "-"])).match(
      /^0,/gm,
    );
    const coded = await decode(fixture.media, late, SCENE);
    assert.ok(coded.frames < (packets?.length ?? 0), `${coded.frames} frames of ${packets?.length} packets`);
    const equal = await pristine(fixture.media, "equal.y4m", { frames: coded.frames });
    const truth = await truthOf(await decode(fixture.media, equal, SCENE), coded);
    await fixture.expectExact(SCORER, { reference: equal, distorted: late }, truth);
    const longer = await pristine(fixture.media, "longer.y4m", { frames: packets?.length ?? 0 });
    const failure = await fixture.expectFailure(
      { reference: longer, distorted: late },
      "FRAME_COUNT_MISMATCH",
    );
    assert.match(failure.message, new RegExp(`\\b${coded.frames}\\b`));
    await fixture.expectFailure({ reference: late, distorted: longer }, "FRAME_COUNT_MISMATCH");
  });

  test("scores the playing frames of a file with an edit list, or all on request", async () => {
    const whole = await encode(fixture.media, "whole.mp4", {}, LOSSY.h264);
    const distorted = await remux(fixture.media, whole, "edit.mp4", [], ["-ss", "0.2"]);
    const planes = await decode(fixture.media, reference, SCENE);
    const plays = await decode(fixture.media, distorted, SCENE);
    const all = await decode(fixture.media, distorted, SCENE, { input: ["-ignore_editlist", "1"] });
    assert.equal(all.frames, SCENE.frames, "every coded frame is in the file");
    assert.equal(plays.frames, SCENE.frames - 5, "the edit list hides 0.2 s");

    const tail = await encode(fixture.media, "tail.mkv", { filters: "trim=start_frame=5" }, [
      ...LOSSY.ffv1,
      ...["-fps_mode", "passthrough"],
    ]);
    const applied = await truthOf(await pick(planes, { first: 5 }), plays);
    const result = await fixture.expectExact(SCORER, { reference: tail, distorted }, applied);
    assert.ok(
      warningCodes(result).some((code) => code.startsWith("EDIT_LIST")),
      warningCodes(result).join(),
    );

    const ignored = await fixture.expectExact(
      SCORER,
      { reference, distorted, editLists: "IGNORE" },
      await truthOf(planes, all),
    );
    assert.ok(
      warningCodes(ignored).some((code) => code.startsWith("EDIT_LIST")),
      warningCodes(ignored).join(),
    );
    await fixture.expectFailure({ reference, distorted }, "FRAME_COUNT_MISMATCH");
  });

  test("does not take jittering timestamps for another frame rate", async () => {
    const late = "settb=1/90000,setpts=(N+0.04*mod(N*7\\,10)+0.3*lt(N\\,1))*3600";
    const timing = ["-fps_mode", "passthrough", "-enc_time_base", "1/90000", "-bf", "0"];
    for (const name of ["jitter.mp4", "jitter.mkv", "jitter.ts", "jitter.flv"]) {
      const result = await exact(
        await encode(fixture.media, name, { filters: late }, [...LOSSY.h264, ...timing]),
      );
      assert.deepEqual(warningCodes(result), [], name);
    }
  });

  test("does not compare the rates of single frames", async () => {
    const still = await pristine(fixture.media, "still.y4m", { frames: 1 });
    for (const [name, codec] of [
      ["one.ts", LOSSY.h264],
      ["one-mpeg2.ts", LOSSY.mpeg2],
      ["one.mpg", LOSSY.h264],
      ["one-mpeg2.mpg", LOSSY.mpeg2],
      ["one.mp4", LOSSY.h264],
    ] as const) {
      const distorted = await encode(fixture.media, name, { frames: 1 }, codec);
      const truth = await truthOfPair(fixture.media, { reference: still, distorted }, SCENE);
      const result = await fixture.expectExact(SCORER, { reference: still, distorted }, truth);
      assert.deepEqual(warningCodes(result), [], name);
      assert.equal(result.distorted.frameRate, name.endsWith("mp4") ? "25/1" : "", name);
    }
  });

  test("scores a variable frame rate in containers that round it differently", async () => {
    const varying = { filters: "select='not(eq(mod(n,7),3))+eq(n,0)'" };
    const passthrough = ["-fps_mode", "passthrough"];
    const ref = await encode(fixture.media, "vfr-ref.mkv", varying, [...LOSSY.ffv1, ...passthrough]);
    const mp4 = await encode(fixture.media, "vfr.mp4", varying, [...LOSSY.h264, ...passthrough]);
    for (const distorted of [
      mp4,
      await remux(fixture.media, mp4, "vfr.mkv"),
      await remux(fixture.media, mp4, "vfr.ts"),
    ]) {
      const truth = await truthOfPair(fixture.media, { reference: ref, distorted }, SCENE);
      assert.ok(truth.frames < SCENE.frames);
      await fixture.expectExact(SCORER, { reference: ref, distorted }, truth);
    }
  });
});

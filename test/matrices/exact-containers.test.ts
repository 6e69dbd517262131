/** Frames are paired by index: container, codec and timestamps never change a digit. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Fixture, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { decode, type Planes, truthOf } from "../media/truth.ts";

/** Each codec in the containers that carry it: [codec, first file, files with the same packets…]. */
const CODED: readonly (readonly [keyof typeof LOSSY, string, ...string[]])[] = [
  ["h264", "a.mp4", "a.mkv", "a.ts", "a.mov", "a.flv", "a.avi", "a.h264"],
  ["hevc", "b.mp4", "b.mkv", "b.ts", "b.hevc"],
  ["mpeg2", "c.mkv", "c.mpg", "c.ts", "c.mxf", "c.m2v"],
  ["mpeg4", "d.avi", "d.mp4"],
  ["vp9", "e.webm", "e.ivf", "e.mp4"],
  ["av1", "f.mp4", "f.webm", "f.ivf", "f.obu"],
  ["theora", "g.ogg", "g.mkv"],
  ["ffv1", "h.mkv", "h.avi"],
];

/** ProRes changes the samples' layout, so it needs its own reference. */
const OTHER_LAYOUTS = [
  ["prores", "i.mov", "yuv422p10le"],
  ["prores", "i.mxf", "yuv422p10le"],
] as const;

describe("containers and codecs", () => {
  let fixture: Fixture;
  let reference: string;
  let planes: Planes;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media);
    planes = await decode(fixture.media, reference, SCENE);
  });
  after(() => fixture.close());

  for (const [codec, first, ...others] of CODED) {
    test(`score ${codec} in ${[first, ...others].join(", ")} exactly`, async () => {
      const coded = await encode(
        fixture.media,
        first,
        { filters: codec === "ffv1" ? "gblur=1" : "" },
        LOSSY[codec],
      );
      for (const name of [first, ...others]) {
        const file = name === first ? coded : await remux(fixture.media, coded, name);
        const truth = await truthOf(planes, await decode(fixture.media, file, SCENE));
        assert.equal(truth.frames, SCENE.frames);
        const result = await fixture.expectExact(SCORERS[0], { reference, distorted: file }, truth);
        assert.equal(result.distorted.frames, SCENE.frames, name);
      }
    });
  }

  for (const [codec, name, pixels] of OTHER_LAYOUTS) {
    test(`score ${codec} in ${name} exactly against y4m of its layout`, async () => {
      const deep = await pristine(fixture.media, `deep-${name}.y4m`, { pixels });
      const file = await encode(fixture.media, name, { pixels }, LOSSY[codec]);
      const layout = { ...SCENE, pixels };
      const truth = await truthOf(
        await decode(fixture.media, deep, layout),
        await decode(fixture.media, file, layout),
      );
      await fixture.expectExact(SCORERS[0], { reference: deep, distorted: file }, truth);
    });
  }

  for (const scorer of SCORERS) {
    test(`score two containers with different timestamps exactly, with ${scorer.kind}`, async () => {
      // Matroska rounds 1001/30000 s to whole milliseconds and MPEG-TS to 1/90000 s; MP4 keeps it.
      const ntsc = { rate: "30000/1001" };
      const better = await encode(fixture.media, `ref-${scorer.kind}.mp4`, ntsc, [
        ...LOSSY.h264,
        "-crf",
        "20",
      ]);
      const worse = await encode(fixture.media, `dis-${scorer.kind}.mp4`, ntsc, LOSSY.h264);
      const asTs = await remux(fixture.media, better, `ref-${scorer.kind}.ts`);
      const asMkv = await remux(fixture.media, worse, `dis-${scorer.kind}.mkv`);
      const truth = await truthOf(
        await decode(fixture.media, better, SCENE),
        await decode(fixture.media, worse, SCENE),
        { oracle: scorer.oracle },
      );
      for (const pair of [
        { reference: asTs, distorted: worse },
        { reference: better, distorted: asMkv },
        { reference: asTs, distorted: asMkv },
      ]) {
        await fixture.expectExact(scorer, pair, truth);
      }
    });
  }

  test("are tested by an oracle that distinguishes adjacent frames", async () => {
    const distorted = await encode(fixture.media, "z.mp4", {}, LOSSY.h264);
    const late = await encode(fixture.media, "late.y4m", { frames: SCENE.frames + 1 }, [
      ...["-vf", "trim=start_frame=1", "-fps_mode", "passthrough", "-f", "yuv4mpegpipe"],
    ]);
    const coded = await decode(fixture.media, distorted, SCENE);
    const right = await truthOf(planes, coded);
    const wrong = await truthOf(await decode(fixture.media, late, SCENE), coded);
    const same = right.rows.filter(
      (row, index) => row.metrics["vmaf"] === wrong.rows[index]?.metrics["vmaf"],
    );
    assert.deepEqual(same, []);
  });
});

/** Segments of videos that are fetched in part have the digits of whole files, and holes in them are noticed. */
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { PlannedPair, WorkEngine } from "../../src/engine/contract/work.ts";
import { readSegment } from "../../src/engine/planning/segment-json.ts";
import { Fixture } from "../engine/fixture.ts";
import { encode, LOSSY, RICH, remux, SCENE } from "../media/clips.ts";
import { SparseCopy } from "../media/sparse.ts";
import { random } from "../unit/random.ts";

/** Noise that takes 15 MB and more in every codec. */
const FILM = { ...SCENE, width: 320, height: 180, frames: 500, filters: "noise=alls=40:allf=t" };
/** Of a segment; those of fetched videos are 1.6 times as long. */
const SECONDS = 3;

const CODING = {
  ...RICH,
  hevc: ["-c:v", "libx265", "-preset", "ultrafast", "-crf", "22", "-x265-params", "log-level=none:keyint=50"],
  mpeg2: ["-c:v", "mpeg2video", "-q:v", "4", "-bf", "2", "-g", "25"],
  prores: LOSSY.prores,
} as const;

/** Each codec in its containers: [codec, largest part of the file that a segment in its middle needs, files…]. */
const FILES: readonly (readonly [keyof typeof CODING, number, string, ...string[]])[] = [
  ["h264", 0.6, "a.mp4", "a.mov", "a.mkv"],
  ["hevc", 0.6, "b.mp4", "b.mkv"],
  ["vp9", 0.6, "c.webm", "c.mp4"],
  ["av1", 0.6, "d.mp4", "d.mkv"],
  ["prores", 0.6, "e.mov"],
  ["mpeg2", 0.8, "f.ts"],
];

/** Bytes of a hole, and how many are tried in a file. */
const HOLE = 4096;
const HOLES = 8;

/** [what it is, options of its encoder]: bit rates that ffmpeg's search for a time takes steps in. */
const STREAMS = [
  [
    "a steady rate",
    ["-c:v", "mpeg2video", "-g", "25", "-bf", "2", "-b:v", "8M", "-maxrate", "20M", "-bufsize", "4M"],
  ],
  ["a varying rate", ["-c:v", "mpeg2video", "-g", "25", "-bf", "0", "-q:v", "6"]],
  ["a varying rate and short groups", ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "3"]],
] as const;
const STREAM = {
  ...{ ...SCENE, width: 320, height: 180, frames: 1500 },
  filters: "noise=alls=60:allf=t:enable='lt(mod(t,20),7)'",
};

describe("videos that are fetched in part", () => {
  let fixture: Fixture;
  let engine: WorkEngine;

  before(async () => {
    fixture = await Fixture.open();
    engine = await fixture.engine();
  });
  after(() => fixture.close());

  /** A file compared with itself, so that every damage changes the scores; and the plan for sparse copies of it. */
  async function planned(file: string) {
    const request = pairRequest({ reference: file, distorted: file, findings: { action: "IGNORE" } });
    const copies = { reference: new SparseCopy(file), distorted: new SparseCopy(file) };
    const remote = { reference: copies.reference.open, distorted: copies.distorted.open };
    const plan = await engine.plan(request, { segments: { seconds: SECONDS }, remote });
    const score = async (segment: string, from?: typeof remote) => {
      const work = { request, plan: plan.plan, segment };
      const { table } = await engine.scoreSegment(work, from && { remote: from });
      return [...table.rows()];
    };
    const still = async (segment: string, frame: number, from?: typeof remote) => {
      const work = { request, plan: plan.plan, parts: [{ segment, frames: [frame] }] };
      return engine.stills(work, from && { remote: from });
    };
    return { plan, copies, score, still, remote };
  }

  for (const [codec, most, first, ...others] of FILES)
    test(`${codec} in ${[first, ...others].join(", ")}: exactly the scores of the whole file`, async () => {
      // A part of MPEG-TS has more around its frames.
      const film = codec === "mpeg2" ? { ...FILM, frames: 2 * FILM.frames } : FILM;
      const coded = await encode(fixture.media, first, film, CODING[codec]);
      for (const name of [first, ...others]) {
        const file = name === first ? coded : await remux(fixture.media, coded, name);
        const { size } = await stat(file);
        const { plan, copies, score, still, remote } = await planned(file);
        const { segment: middle = "", first: frame = 0 } = plan.segments[plan.segments.length >> 1] ?? {};
        const ends = name === first ? [plan.segments[0], plan.segments.at(-1)] : [];
        for (const segment of [...ends.flatMap((end) => end?.segment ?? []), middle])
          assert.deepEqual(await score(segment, remote), await score(segment), name);
        assert.deepEqual(await still(middle, frame, remote), await still(middle, frame), name);
        const part = copies.distorted.bytes / size;
        assert.ok(part < most, `${name}: ${(100 * part).toFixed(0)} % of the file`);
      }
    });

  for (const [what, options] of STREAMS)
    test(`MPEG-TS of ${what}: each segment is found in the parts that were fetched`, async () => {
      const file = await encode(fixture.media, "stream.ts", STREAM, options);
      const { plan, copies, score, remote } = await planned(file);
      assert.ok(plan.segments.length > 8);
      for (const [index, { segment }] of plan.segments.entries()) {
        assert.deepEqual(await score(segment, remote), await score(segment));
        assert.ok(!copies.reference.whole && !copies.distorted.whole, `segment ${index} was fetched whole`);
      }
    });

  for (const name of ["a.mp4", "b.mkv", "c.webm", "f.ts"])
    test(`a gap in ${name} changes no score`, async () => {
      const { plan, copies, score, remote } = await planned(fixture.media.file(name));
      const middle: PlannedPair["segments"][number] | undefined = plan.segments[plan.segments.length >> 1];
      const segment = middle?.segment ?? "";
      const right = await score(segment);
      const ranges = readSegment(segment).coverages?.distorted?.ranges ?? [];
      const [needed = { first: 0, last: 0 }] = ranges.toSorted(
        (a, b) => b.last - b.first - (a.last - a.first),
      );
      const draw = random(11);
      let noticed = 0;
      for (let hole = 0; hole < HOLES; hole++) {
        const at = Math.floor(needed.first + draw() * (needed.last - needed.first - HOLE));
        copies.distorted.hole = { first: at, last: at + HOLE - 1 };
        assert.deepEqual(await score(segment, remote), right, `a hole at byte ${at}`);
        if (copies.distorted.fetched.length > ranges.length) noticed++;
      }
      // Behind the last frame, a hole may change nothing.
      assert.ok(noticed >= HOLES / 2, `${noticed} of ${HOLES} holes were noticed`);
    });
});

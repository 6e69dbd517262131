/** Large videos that are planned by their index: the plan and the digits of whole files, and an index that lies. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { SegmentMismatch } from "../../src/engine/contract/segment-mismatch.ts";
import type { OpenRemote, PlannedPair, WorkEngine } from "../../src/engine/contract/work.ts";
import { readSegment, writeSegment } from "../../src/engine/planning/segment-json.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Fixture } from "../engine/fixture.ts";
import { encode, LOSSY, RICH, remux, SCENE } from "../media/clips.ts";
import { enlarge } from "../media/enlarge.ts";
import { SparseCopy } from "../media/sparse.ts";
import { random } from "../unit/random.ts";

const FILM = { ...SCENE, width: 160, height: 90, frames: 500, filters: "noise=alls=40:allf=t" };
const SECONDS = 5;
/** Segments of fetched videos are so much longer. */
const LONGER = 1.6;
/** Files from 256 MiB on are planned by their index. */
const LARGE = 300 * 2 ** 20;
/** Bytes that a plan by an index fetches of a file at most: the index, and what the first frame is decoded from. */
const PLANNED = 8 * 2 ** 20;

const HEVC = ["-c:v", "libx265", "-preset", "ultrafast", "-crf", "22"];
const VFR = [
  ...["-vf", "settb=1/1000,setpts=N*40+9*mod(N\\,3)", "-fps_mode", "passthrough"],
  ...["-enc_time_base", "1/1000", "-video_track_timescale", "1000", "-use_editlist", "0"],
];

/** [what it is, file, options of the encoder]; all of them are cut. */
const INDEXED: readonly (readonly [string, string, readonly string[]])[] = [
  ["H.264 with frames out of order", "a.mp4", RICH.h264],
  ["H.264 with the index first", "b.mp4", [...RICH.h264, "-movflags", "+faststart"]],
  ["H.264 in MOV", "c.mov", RICH.h264],
  ["H.264 of varying rate", "d.mp4", [...RICH.h264, ...VFR]],
  ["HEVC with open groups of pictures", "e.mp4", [...HEVC, "-x265-params", "log-level=none:keyint=50"]],
  ["HEVC with closed ones", "f.mp4", [...HEVC, "-x265-params", "log-level=none:keyint=50:open-gop=0"]],
  ["AV1", "g.mp4", RICH.av1],
  ["VP9", "h.mp4", RICH.vp9],
  ["ProRes", "i.mov", LOSSY.prores],
];

const HOLE = 4096;
const HOLES = 6;

describe("large videos that are planned by their index", () => {
  let fixture: Fixture;
  let engine: WorkEngine;

  before(async () => {
    fixture = await Fixture.open();
    engine = await fixture.engine();
  });
  after(() => fixture.close());

  /** A file compared with itself, and how it is planned and scored here, and from sparse copies. */
  function compared(file: string) {
    const request = pairRequest({ reference: file, distorted: file, findings: { action: "IGNORE" } });
    const copies = { reference: new SparseCopy(file), distorted: new SparseCopy(file) };
    const remote = { reference: copies.reference.open, distorted: copies.distorted.open };
    const options = { segments: { seconds: SECONDS } };
    return {
      copies,
      local: () => engine.plan(request, { segments: { seconds: LONGER * SECONDS } }),
      planned: () => engine.plan(request, { ...options, remote }),
      score: async (plan: string, segment: string | undefined, isRemote: boolean) => {
        const { table } = await engine.scoreSegment({ request, plan, segment }, isRemote ? { remote } : {});
        return [...table.rows()];
      },
    };
  }

  for (const [what, name, options] of INDEXED)
    test(`${what}: the plan and exactly the scores of the whole file`, async () => {
      const file = await enlarge(await encode(fixture.media, name, FILM, options), LARGE);
      const { copies, local, planned, score } = compared(file);
      const [here, there] = [await local(), await planned()];
      assert.ok(copies.reference.bytes < PLANNED, `planned from ${copies.reference.bytes} bytes`);
      assert.equal(there.frameCount, here.frameCount);
      assert.equal(withoutTimes(there.plan), withoutTimes(here.plan));
      assert.deepEqual(there.segments.map(cutOf), here.segments.map(cutOf));
      assert.ok(there.segments.length > 2);
      const middle = there.segments.length >> 1;
      for (const index of [0, middle, there.segments.length - 1]) {
        const [one, other] = [there.segments[index]?.segment, here.segments[index]?.segment];
        assert.deepEqual(
          await score(there.plan, one, true),
          await score(here.plan, other, false),
          `${index}`,
        );
        assert.equal(copies.distorted.whole, false, `segment ${index} fetched the whole file`);
      }
    });

  test("gaps in the fetched bytes change no score", async () => {
    const { copies, planned, score } = compared(fixture.media.file("a.mp4"));
    const plan = await planned();
    const segment = plan.segments[plan.segments.length >> 1]?.segment ?? "";
    const right = await score(plan.plan, segment, true);
    const { ranges = [], proof } = readSegment(segment).coverages?.distorted ?? {};
    assert.equal(proof?.byPlace, true);
    const needed = ranges.toSorted((a, b) => b.last - b.first - (a.last - a.first))[0] ?? {
      first: 0,
      last: 0,
    };
    const draw = random(12);
    for (let hole = 0; hole < HOLES; hole++) {
      const at = Math.floor(needed.first + draw() * (needed.last - needed.first - HOLE));
      copies.distorted.hole = { first: at, last: at + HOLE - 1 };
      assert.deepEqual(await score(plan.plan, segment, true), right, `a hole at byte ${at}`);
      assert.ok(copies.distorted.fetched.length > ranges.length, `the hole at byte ${at} was noticed`);
      assert.equal(copies.distorted.whole, false, "only the segment was fetched again");
    }
    copies.distorted.hole = undefined;
  });

  test("a segment whose ranges omit a part of its bytes is fetched whole", async () => {
    const { copies, planned, score } = compared(fixture.media.file("a.mp4"));
    const plan = await planned();
    const segment = readSegment(plan.segments[plan.segments.length >> 1]?.segment ?? "");
    const right = await score(plan.plan, writeSegment(segment), true);
    const { distorted } = segment.coverages ?? {};
    assert.ok(distorted);
    const ranges = distorted.ranges.map(({ first, last }) =>
      last - first > 2 ** 19 ? { first, last: (first + last) >> 1 } : { first, last },
    );
    const less = writeSegment({
      ...segment,
      coverages: { ...segment.coverages, distorted: { ...distorted, ranges } },
    });
    assert.deepEqual(await score(plan.plan, less, true), right);
    assert.equal(copies.distorted.whole, true);
  });

  /** Changes the index of a copy of a.mp4. `bytes`: from the name of a box on. */
  async function lying(name: string, type: string, change: (bytes: Buffer) => void): Promise<string> {
    const film = await readFile(fixture.media.file("b.mp4"));
    const moov = film.indexOf("moov");
    change(film.subarray(film.indexOf(type, moov)));
    const path = fixture.media.file(name);
    await writeFile(
      path,
      film.subarray(0, film.indexOf("mdat") - 4 + film.readUInt32BE(film.indexOf("mdat") - 4)),
    );
    return enlarge(path, LARGE);
  }

  test("frames wrongly marked as key frames: the pair is scored whole", async () => {
    const file = await lying("keys.mp4", "stss", (box) => {
      for (let key = 0; key < box.readUInt32BE(8); key++) {
        const at = 12 + 4 * key;
        if (key > 0) box.writeUInt32BE(box.readUInt32BE(at) - 7, at);
      }
    });
    const { planned, score, local } = compared(file);
    const plan = await planned();
    assert.ok(plan.segments.length > 1);
    const segment = plan.segments[1]?.segment;
    await assert.rejects(score(plan.plan, segment, true), SegmentMismatch);
    const here = await local();
    assert.deepEqual(await score(plan.plan, undefined, true), await score(here.plan, undefined, false));
  });

  test("wrong sizes in the index: the same errors as with the file on disk", async () => {
    const file = await lying("sizes.mp4", "stsz", (box) => {
      // Of two packets in the middle, one gets what the other loses.
      for (const [packet, more] of [
        [260, -999],
        [261, 999],
      ] as const) {
        const at = 16 + 4 * packet;
        box.writeUInt32BE(box.readUInt32BE(at) + more, at);
      }
    });
    const { planned, score, local } = compared(file);
    const [there, here] = [await planned(), await local()];
    for (const [index, { segment }] of there.segments.entries()) {
      const one = await outcome(score(there.plan, segment, true));
      const other = await outcome(score(here.plan, here.segments[index]?.segment, false));
      assert.deepEqual(one, other);
    }
    const whole = await outcome(score(there.plan, undefined, true));
    assert.equal(whole, "MEDIA_CORRUPT");
  });

  /** [what it is, file, type of a box, what is changed behind its name]: refused as an index. */
  const REFUSED: readonly (readonly [string, string, string, (box: Buffer) => void])[] = [
    ["packets behind the end", "behind.mp4", "stco", (box) => box.writeUInt32BE(0xfffffff0, 12)],
    ["a packet of 4 GiB", "packet.mp4", "stsz", (box) => box.writeUInt32BE(0xfffffff0, 16)],
    ["a packet without bytes", "empty.mp4", "stsz", (box) => box.writeUInt32BE(0, 16 + 4 * 77)],
    ["more packets than its table has", "count.mp4", "stsz", (box) => box.writeUInt32BE(0x7fffffff, 12)],
    ["more chunks than its table has", "chunks.mp4", "stco", (box) => box.writeUInt32BE(0x7fffffff, 8)],
    ["more times than its table has", "times.mp4", "stts", (box) => box.writeUInt32BE(0xffffff, 8)],
    ["an encrypted track", "encrypted.mp4", "avc1", (box) => box.write("encv")],
    ["a second description", "described.mp4", "stsd", (box) => box.writeUInt32BE(2, 8)],
    ["a track of an unknown kind", "kind.mp4", "vide", (box) => box.write("pict")],
    ["a fragment", "fragment.mp4", "udta", (box) => box.write("mvex")],
  ];
  for (const [what, name, type, change] of REFUSED)
    test(`${what}: read as a whole, with the same outcome`, async () => {
      const file = await lying(name, type, change);
      const { copies, planned, local } = compared(file);
      const there = await outcome(planned().then(summary));
      assert.deepEqual(there, await outcome(local().then(summary)));
      assert.equal(copies.reference.whole, true, "the file was fetched whole");
    });

  test("frames hidden by an edit list, open H.264, fragments: read as a whole", async () => {
    const film = fixture.media.file("a.mp4");
    const open = [...RICH.h264, "-x264-params", "open-gop=1:keyint=12:bframes=3:scenecut=0"];
    const files = [
      await remux(fixture.media, film, "edited.mp4", [], ["-ss", "3.1"]),
      await encode(fixture.media, "open.mp4", FILM, open),
      await remux(fixture.media, film, "fragments.mp4", ["-movflags", "frag_keyframe+empty_moov"]),
      await truncatedOf(fixture.media.file("b.mp4"), fixture.media.file("truncated.mp4")),
    ];
    for (const file of files) {
      const { copies, planned, local } = compared(await enlarge(file, LARGE));
      assert.deepEqual(await outcome(planned().then(summary)), await outcome(local().then(summary)), file);
      assert.equal(copies.reference.whole, true, file);
    }
  });

  test("frames that are ignored as requested, repairs and samples: read as a whole", async () => {
    const { copies } = compared(fixture.media.file("a.mp4"));
    const remote = { reference: copies.reference.open, distorted: copies.distorted.open };
    const file = fixture.media.file("a.mp4");
    const pair = { reference: file, distorted: file };
    for (const more of [{ editLists: "IGNORE" as const }, { fix: true }]) {
      const request = pairRequest({ ...pair, ...more });
      const plan = await engine.plan(request, { segments: { seconds: SECONDS }, remote });
      assert.ok(plan.segments.every(({ key }) => key !== undefined));
      assert.equal(copies.reference.whole, true);
    }
    await engine.plan(pairRequest(pair), { segments: "units", remote });
    assert.equal(copies.reference.whole, true);
  });

  test("a storage that fails during planning gives the same error as for the whole file", async () => {
    const { copies } = compared(fixture.media.file("a.mp4"));
    const file = fixture.media.file("a.mp4");
    const broken: OpenRemote = async (signal) => {
      const video = await copies.reference.open(signal);
      return {
        ...video,
        fetch: () =>
          Promise.reject(new Failure("MEDIA_CHANGED", "It is not the version that was submitted.")),
        [Symbol.asyncDispose]: () => video[Symbol.asyncDispose](),
      };
    };
    const request = pairRequest({ reference: file, distorted: file });
    const remote = { reference: broken, distorted: copies.distorted.open };
    await assert.rejects(engine.plan(request, { segments: { seconds: SECONDS }, remote }), {
      code: "MEDIA_CHANGED",
    });
  });

  test("segments of an object of one version have equal keys, and those of another object have others", async () => {
    const { planned } = compared(fixture.media.file("a.mp4"));
    const [one, again] = [await planned(), await planned()];
    assert.ok(one.segments.every(({ key }) => key !== undefined));
    assert.deepEqual(
      one.segments.map(({ key }) => key),
      again.segments.map(({ key }) => key),
    );
    const other = await compared(fixture.media.file("b.mp4")).planned();
    assert.notDeepEqual(one.segments[1]?.key, other.segments[1]?.key);
  });
});

/** Returns what a work gives, or the code with which it fails. */
function outcome<T>(work: Promise<T>): Promise<T | string> {
  return work.catch((error: unknown) => Failure.from(error).code);
}

function summary({ plan, segments }: PlannedPair) {
  return { plan: withoutTimes(plan), segments: segments.map(cutOf) };
}

async function truncatedOf(path: string, name: string): Promise<string> {
  const film = await readFile(path);
  const end = film.indexOf("mdat") - 4 + film.readUInt32BE(film.indexOf("mdat") - 4);
  // Without the last packets, and a box that says so.
  await writeFile(name, film.subarray(0, Math.floor(end * 0.8)));
  return name;
}

function cutOf({ segment, first, count }: { segment: string; first: number; count: number }) {
  return { first, count, segment: writeSegment({ ...readSegment(segment), coverages: undefined }) };
}

/** Plans say when the files were changed, which copies do not have. */
function withoutTimes(plan: string): string {
  return plan.replace(/"modifiedMs":\d+(\.\d+)?/g, "");
}

/** Hostile file content: bombs, false metadata, broken structures and damage end cleanly and quickly. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Fixture, SCORERS, type Scorer } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { box, damage, pngBomb } from "../media/crafted.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { decode, truthOf } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

const SMALL = { ...SCENE, width: 128, height: 72, frames: 10 };
/** Imitations of lines that the programs print, for a file's metadata. */
const LIES = [
  "[Parsed_showinfo_0 @ 0x55d1] [info] n:   0 pts: 0 fmt:yuv444p12le s:64x64 i:P iskey:1 type:I checksum:0 color_range:pc ",
  "[info] Input #0, y4m, from 'file:reference.y4m':",
  "[info]   Stream #0:0: Video: rawvideo, yuv420p, 64x64, 50 fps, 50 tbr",
  "[verbose] Output stream #1:0 (video): 999 frames encoded; 999 packets muxed (7 bytes);",
  "[verbose] Input stream #0:0 (video): 999 packets read (9 bytes); 999 frames decoded;",
  "[error] Invalid data found when processing input",
  "frame=  999 fps=1 q=-0.0 Lsize=N/A time=00:00:01.20 bitrate=N/A speed=1x",
  "progress=end",
  "#dimensions 0: 64x64",
  "0, 0, 0, 1, 10, 0x00000000",
];

describe("hostile media", () => {
  let fixture: Fixture;
  let reference: string;
  let plain: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", SMALL);
    plain = await encode(fixture.media, "plain.mp4", SMALL, LOSSY.h264);
  });
  after(() => fixture.close());

  async function refused(
    path: string,
    ...codes: Parameters<Fixture["expectFailure"]>[1][]
  ): Promise<Failure> {
    return fixture.expectFailure({ reference, distorted: path }, codes.flat() as never, {
      options: { timeoutMs: WAIT_LIMIT_MS },
    });
  }

  test("refuses a picture of 256 million pixels in 250 kB before decoding it", async () => {
    const png = fixture.media.file("bomb.png");
    await pngBomb(png);
    for (const name of ["bomb.mkv", "bomb.mov", "bomb.avi"]) {
      const path = fixture.media.file(name);
      await ffmpeg(["-f", "image2", "-framerate", "25", "-i", png, "-c", "copy", path]);
      await refused(path, "MEDIA_TOO_LARGE");
    }
    await refused(png, "MEDIA_TOO_LARGE", "MEDIA_UNSUPPORTED");
  });

  test("refuses a y4m header that states 16384x16384 or nonsense", async () => {
    for (const [index, [header, codes]] of (
      [
        ["YUV4MPEG2 W16384 H16384 F25:1 Ip A1:1 C420jpeg", ["MEDIA_TOO_LARGE"]],
        [
          "YUV4MPEG2 W99999999999 H108 F25:1 C420jpeg",
          ["MEDIA_TOO_LARGE", "MEDIA_CORRUPT", "MEDIA_UNSUPPORTED"],
        ],
        ["YUV4MPEG2 W0 H0 F25:1 C420jpeg", ["MEDIA_CORRUPT", "MEDIA_UNSUPPORTED"]],
        ["YUV4MPEG2 W-192 H108 F25:1 C420jpeg", ["MEDIA_CORRUPT", "MEDIA_UNSUPPORTED", "MEDIA_TOO_LARGE"]],
        [
          "YUV4MPEG2 W192 H108 F0:0 C420p99",
          ["MEDIA_CORRUPT", "MEDIA_UNSUPPORTED", "PIXEL_FORMAT_UNSUPPORTED"],
        ],
        [
          `YUV4MPEG2 W192 H108 X${"x".repeat(100_000)}`,
          ["MEDIA_CORRUPT", "MEDIA_UNSUPPORTED", "MEDIA_TRUNCATED"],
        ],
        ["YUV4MPEG2", ["MEDIA_CORRUPT", "MEDIA_UNSUPPORTED", "MEDIA_NO_FRAMES"]],
      ] as const
    ).entries()) {
      const path = fixture.media.file(`header-${index}.y4m`);
      await writeFile(path, `${header}\nFRAME\n${"\0".repeat(5000)}`);
      await refused(path, codes);
    }
  });

  test("ignores metadata that imitates the programs' own lines", async () => {
    const truth = await truthOf(
      await decode(fixture.media, reference, SMALL),
      await decode(fixture.media, plain, SMALL),
    );
    const all = `x\n${LIES.join("\n")}\r${LIES.join("\r")}`;
    for (const name of ["lies.mkv", "lies.mp4", "lies.avi", "lies.mov", "lies.ts"]) {
      // MPEG-TS has room for 255 bytes.
      const lies = name.endsWith(".ts") ? `x\n${LIES[0]}\n${LIES[1]}` : all;
      const tags = ["title", "comment", "artist", "encoder", "service_name"].flatMap((key) => [
        "-metadata",
        `${key}=${lies}`,
      ]);
      const streamTags = ["title", "handler_name"].flatMap((key) => ["-metadata:s:v:0", `${key}=${lies}`]);
      const distorted = await remux(fixture.media, plain, name, [...tags, ...streamTags]);
      for (const scorer of SCORERS) {
        if (scorer.oracle === undefined) await fixture.expectExact(scorer, { reference, distorted }, truth);
      }
    }
  });

  test("refuses boxes nested ten thousand deep, and sizes that overflow", async () => {
    const brand = box("ftyp", Buffer.from("isom\0\0\0\0isom"));
    let nested: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 10_000; depth++) nested = box("moov", nested);
    const huge = box(
      "moov",
      box("trak", box("mdia", box("minf", box("stbl", counted("stsz"), counted("stts"), counted("ctts"))))),
    );
    const giant = Buffer.from([0xff, 0xff, 0xff, 0xff, ...Buffer.from("moov")]);
    const wide = Buffer.from([0, 0, 0, 1, ...Buffer.from("moov"), 0x7f, ...Buffer.alloc(7, 0xff)]);
    for (const [name, content] of Object.entries({ nested, huge, giant, wide })) {
      const path = fixture.media.file(`${name}.mp4`);
      await writeFile(path, Buffer.concat([brand, content]));
      await refused(
        path,
        "MEDIA_UNSUPPORTED",
        "MEDIA_CORRUPT",
        "MEDIA_NO_VIDEO",
        "MEDIA_TRUNCATED",
        "MEDIA_NO_FRAMES",
      );
    }
  });

  test("handles an edit list with a false entry count, and one that points nowhere", async () => {
    const bytes = await readFile(plain);
    const at = bytes.indexOf("elst");
    assert.ok(at > 0, "the clip has an edit list");
    for (const time of [0x7fffffff, 0xfffffffe]) {
      const edited = Buffer.from(bytes);
      edited.writeUInt32BE(time, at + 16);
      const path = fixture.media.file(`edit-${time}.mp4`);
      await writeFile(path, edited);
      await cleanly(path);
    }
    const counts = Buffer.from(bytes);
    counts.writeUInt32BE(0x00ffffff, at + 8);
    const path = fixture.media.file("edits.mp4");
    await writeFile(path, counts);
    await cleanly(path);
  });

  for (const scorer of SCORERS) {
    for (const extension of ["mp4", "mkv", "ts", "webm", "avi", "y4m", "mxf", "ogg"] as const) {
      test(`handles damage of many kinds: ${extension}, with ${scorer.kind}`, async () => {
        const others = { webm: LOSSY.vp9, mxf: LOSSY.mpeg2, ogg: LOSSY.theora, y4m: ["-f", "yuv4mpegpipe"] };
        const options = { mp4: LOSSY.h264, mkv: LOSSY.h264, ts: LOSSY.h264, avi: LOSSY.h264, ...others }[
          extension
        ];
        const original = await readFile(await encode(fixture.media, `whole.${extension}`, SMALL, options));
        // Seeds 9 and 19 damage Matroska's document type, which a lenient probe accepts.
        const seeds = scorer.kind === "ffmpeg" ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19] : [1, 2, 9, 10];
        for (const seed of seeds) {
          const path = fixture.media.file(`${seed}.${extension}`);
          await writeFile(path, damage(original, seed));
          await cleanly(path, `seed ${seed}`, scorer);
        }
      });
    }
  }

  /**
   * Expects a result over all frames or a failure that blames the media, no internal error or timeout, and nothing
   * left.
   */
  async function cleanly(path: string, what = path, scorer: Scorer = SCORERS[0]): Promise<void> {
    const engine = await fixture.engine(scorer);
    const outcome = await engine
      .score(pairRequest({ reference, distorted: path }), { timeoutMs: WAIT_LIMIT_MS })
      .catch((thrown: unknown) => thrown);
    if (outcome instanceof Failure)
      assert.equal(outcome.kind, "media", `${what}: ${outcome.code} ${outcome.message}`);
    else
      assert.equal(
        (outcome as { frameCount?: number }).frameCount,
        SMALL.frames,
        `${what}: ${String(outcome)}`,
      );
    assert.deepEqual(await fixture.media.leftovers(), [], what);
  }
});

/** Makes a sample table that states two billion entries and contains none. */
function counted(type: string): Buffer {
  const body = Buffer.alloc(12);
  body.writeUInt32BE(0x7fffffff, type === "stsz" ? 8 : 4);
  return box(type, body);
}

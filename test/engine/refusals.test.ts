/** Pairs that cannot be compared are refused with the facts of each side. */
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import type { MediaDirectory } from "../media/directory.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { decode, pick, truthOf } from "../media/truth.ts";
import { Fixture, SCORERS, warningCodes } from "./fixture.ts";

/** Possible codes for an incomplete or damaged video. */
const BROKEN = ["MEDIA_CORRUPT", "MEDIA_TRUNCATED", "FRAME_COUNT_MISMATCH", "MEDIA_UNSUPPORTED"] as const;

for (const scorer of SCORERS) {
  describe(`refusals, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    let plain: string;

    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media);
      plain = await encode(fixture.media, "plain.mp4", {}, LOSSY.h264);
    });
    after(() => fixture.close());

    const refuse = (distorted: string, ...codes: Parameters<Fixture["expectFailure"]>[1][]) =>
      fixture.expectFailure({ reference, distorted }, codes.flat() as never, { scorer });

    for (const frames of [29, 31, 12]) {
      test(`${frames} frames against 30, unless COMMON is requested`, async () => {
        const distorted = await encode(fixture.media, `n${frames}.mp4`, { frames }, LOSSY.h264);
        const failure = await refuse(distorted, "FRAME_COUNT_MISMATCH");
        assert.match(failure.message, /\b30\b/);
        assert.match(failure.message, new RegExp(`\\b${frames}\\b`));
        const found = JSON.stringify(failure.found);
        assert.match(found, /"reference":\{[^}]*\b30\b/);
        assert.match(found, new RegExp(`"distorted":\\{[^}]*\\b${frames}\\b`));

        const count = Math.min(frames, SCENE.frames);
        const truth = await truthOf(
          await pick(await decode(fixture.media, reference, SCENE), { count }),
          await pick(await decode(fixture.media, distorted, SCENE), { count }),
          { oracle: scorer.oracle },
        );
        const pair = { reference, distorted, onFrameCountMismatch: "COMMON" } as const;
        const result = await fixture.expectExact(scorer, pair, truth);
        assert.deepEqual(warningCodes(result), ["FRAME_COUNT_MISMATCH"]);
        assert.match(result.warnings[0]?.message ?? "", new RegExp(`\\b${frames}\\b`));
      });
    }

    test("twice the frame rate, unless COMMON is requested", async () => {
      const distorted = plain;
      const fast = await pristine(fixture.media, "fast.y4m", { rate: "50", frames: 60 });
      const failure = await fixture.expectFailure({ reference: fast, distorted }, "FRAME_RATE_MISMATCH", {
        scorer,
      });
      assert.match(failure.message, /\b50\b/);
      assert.match(failure.message, /\b25\b/);
      const truth = await truthOf(
        await pick(await decode(fixture.media, fast, SCENE), { step: 2 }),
        await decode(fixture.media, distorted, SCENE),
        { oracle: scorer.oracle },
      );
      const pair = { reference: fast, distorted, onFrameRateMismatch: "COMMON" } as const;
      const result = await fixture.expectExact(scorer, pair, truth);
      assert.ok(warningCodes(result).includes("FRAME_RATE_MISMATCH"));

      const quick = await encode(fixture.media, "quick.mp4", { rate: "50", frames: 60 }, LOSSY.h264);
      const turned = await truthOf(
        await decode(fixture.media, reference, SCENE),
        await pick(await decode(fixture.media, quick, SCENE), { step: 2 }),
        { oracle: scorer.oracle },
      );
      await fixture.expectExact(
        scorer,
        { reference, distorted: quick, onFrameRateMismatch: "COMMON" },
        turned,
      );
    });

    test("the same frames at another speed, unless COMMON is requested; unrelated rates always", async () => {
      const pal = await encode(fixture.media, "film.mp4", { rate: "24000/1001" }, LOSSY.h264);
      await refuse(pal, "FRAME_RATE_MISMATCH");
      const truth = await truthOf(
        await decode(fixture.media, reference, SCENE),
        await decode(fixture.media, pal, SCENE),
        { oracle: scorer.oracle },
      );
      await fixture.expectExact(scorer, { reference, distorted: pal, onFrameRateMismatch: "COMMON" }, truth);
      const thirty = await encode(fixture.media, "thirty.mp4", { rate: "30" }, LOSSY.h264);
      await fixture.expectFailure(
        { reference, distorted: thirty, onFrameRateMismatch: "COMMON" },
        "FRAME_RATE_MISMATCH",
        { scorer },
      );
    });

    test("no video: only audio, text, an empty file", async () => {
      const sound = fixture.media.file("sound.mp4");
      await ffmpeg(["-f", "lavfi", "-i", "sine=duration=0.5", "-c:a", "aac", sound]);
      await refuse(sound, "MEDIA_NO_VIDEO");
      const text = fixture.media.file("text.mp4");
      await writeFile(text, "not a video\n".repeat(300));
      await refuse(text, "MEDIA_UNSUPPORTED", "MEDIA_CORRUPT", "MEDIA_NO_VIDEO");
      const empty = fixture.media.file("empty.mp4");
      await writeFile(empty, "");
      await refuse(empty, "MEDIA_NO_FRAMES");
    });

    test("zero frames", async () => {
      const header = fixture.media.file("header.y4m");
      await writeFile(header, "YUV4MPEG2 W192 H108 F25:1 Ip A1:1 C420jpeg\n");
      await refuse(header, "MEDIA_NO_FRAMES");
      await fixture.expectFailure({ reference: header, distorted: header }, "MEDIA_NO_FRAMES", { scorer });
      await fixture.expectFailure(
        { reference: header, distorted: plain, onFrameCountMismatch: "COMMON" },
        "MEDIA_NO_FRAMES",
        { scorer },
      );
    });

    for (const name of ["cut.mp4", "cut.mkv", "cut.ts", "cut.avi", "cut.y4m", "cut-front.mp4"]) {
      test(`a truncated file: ${name}`, async () => {
        const file = name.endsWith(".y4m")
          ? await pristine(fixture.media, name)
          : await remux(fixture.media, plain, name, name.includes("front") ? ["-movflags", "faststart"] : []);
        const { size } = await stat(file);
        await truncate(file, Math.floor(size * 0.61));
        await refuse(file, ...BROKEN);
      });
    }

    for (const name of ["flip.mp4", "flip.mkv", "flip.ts"]) {
      test(`a damaged file: ${name}`, async () => {
        const file = await remux(fixture.media, plain, name);
        const bytes = await readFile(file);
        for (let at = Math.floor(bytes.length * 0.3); at < bytes.length * 0.6; at += 97)
          bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
        await writeFile(file, bytes);
        await refuse(file, ...BROKEN);
      });
    }

    test("a frame size that changes mid-stream", async () => {
      const small = { width: 128, height: 72, frames: 15 };
      for (const [extension, codec] of [
        ["h264", LOSSY.h264],
        ["m2v", LOSSY.mpeg2],
      ] as const) {
        const parts = [
          await encode(fixture.media, `small.${extension}`, small, codec),
          await encode(fixture.media, `large.${extension}`, { frames: 15 }, codec),
        ] as const;
        for (const [name, order] of [
          [`grows.${extension}`, parts],
          [`shrinks.${extension}`, parts.toReversed()],
        ] as const) {
          const file = fixture.media.file(name);
          await writeFile(file, Buffer.concat(await Promise.all(order.map((part) => readFile(part)))));
          await refuse(file, "FRAME_SIZE_CHANGES");
        }
      }
    });

    test("a missing file, a directory, and a file without read permission", async () => {
      const failure = await refuse(fixture.media.file("nowhere.mp4"), "MEDIA_NOT_FOUND");
      assert.match(failure.message, /distorted/);
      assert.match(failure.message, /nowhere\.mp4/);
      await mkdir(fixture.media.file("folder.mp4"), { recursive: true });
      await refuse(fixture.media.file("folder.mp4"), "MEDIA_NOT_A_FILE");
      const locked = await remux(fixture.media, plain, "locked.mp4");
      await chmod(locked, 0o000);
      await asNobody(fixture.media, () => refuse(locked, "MEDIA_NOT_READABLE"));
    });
  });
}

/** Works as the user nobody if the tests run as root, who can read everything. Keeps the temporary directory usable. */
async function asNobody(media: MediaDirectory, work: () => Promise<unknown>): Promise<void> {
  if (process.getuid?.() !== 0) {
    await work();
    return;
  }
  const modes = await openTheWay(media.path);
  await chmod(media.scratch, 0o777);
  process.seteuid?.(65534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
    for (const [directory, mode] of modes) await chmod(directory, mode);
  }
}

/** Makes a directory and its parents accessible to all users; returns their previous modes. */
async function openTheWay(path: string): Promise<ReadonlyMap<string, number>> {
  const modes = new Map<string, number>();
  for (let directory = path; directory !== dirname(directory); directory = dirname(directory)) {
    const { mode } = await stat(directory);
    if ((mode & 0o055) === 0o055) continue;
    modes.set(directory, mode & 0o7777);
    await chmod(directory, (mode & 0o7777) | 0o055);
  }
  return modes;
}

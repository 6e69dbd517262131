/** Absurd frame counts, sizes in headers and time limits: each ends at once with a specific failure. */
import assert from "node:assert/strict";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { Failure } from "../../src/platform/failure.ts";
import { encode, LOSSY, pristine } from "../media/clips.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";
import { Fixture } from "./fixture.ts";

const SMALL = { width: 64, height: 64, frames: 3 };
/** A y4m frame of one pixel: the frame line and three samples. */
const TINY_FRAME = Buffer.from("FRAME\n\x80\x80\x80", "latin1");
const TINY_HEADER = "YUV4MPEG2 W1 H1 F25:1 Ip A1:1 C420jpeg\n";

/** A generous limit: these scores end long before it. */
const LIMIT = { timeoutMs: WAIT_LIMIT_MS };

let fixture: Fixture;
let reference: string;
let distorted: string;
before(async () => {
  fixture = await Fixture.open();
  reference = await pristine(fixture.media, "reference.y4m", SMALL);
  distorted = await encode(fixture.media, "distorted.mp4", SMALL, LOSSY.h264);
});
after(() => fixture.close());

async function tinyFrames(name: string, frames: number): Promise<string> {
  const path = fixture.media.file(name);
  await writeFile(path, [TINY_HEADER, Buffer.alloc(frames * TINY_FRAME.length, TINY_FRAME)]);
  return path;
}

describe("frame counts", () => {
  test("refuses a raw file of 10¹² frames", async () => {
    const path = fixture.media.file("sparse.yuv");
    await writeFile(path, "");
    await truncate(path, 6e12);
    const rawVideo = { width: 2, height: 2, pixelFormat: "yuv420p" };
    for (const pair of [
      { reference: path, distorted: path },
      { reference, distorted: path },
    ]) {
      await fixture.expectFailure({ ...pair, rawVideo }, "MEDIA_TOO_LARGE", { options: LIMIT });
    }
  });

  test("refuses a y4m file with a header and 10¹² zero bytes", async () => {
    const path = fixture.media.file("sparse.y4m");
    await writeFile(path, TINY_HEADER);
    await truncate(path, 1e12);
    await fixture.expectFailure({ reference: path, distorted: path }, "MEDIA_CORRUPT", { options: LIMIT });
  });

  test("stops counting y4m frames at the time limit and on cancellation", async () => {
    const path = await tinyFrames("many.y4m", 3_000_000);
    const pair = { reference: path, distorted: path };
    await fixture.expectFailure(pair, "SCORE_TIMEOUT", { options: { timeoutMs: 30 } });
    await fixture.expectFailure(pair, "SCORE_CANCELLED", { options: { signal: AbortSignal.timeout(30) } });
  });

  test("counts many small y4m frames per read", async () => {
    const frames = 200_000;
    const path = await tinyFrames("several.y4m", frames);
    const engine = await fixture.engine();
    const before = await reads();
    const failure = await engine.score(pairRequest({ reference: path, distorted: path })).then(
      () => assert.fail("scored"),
      (thrown: unknown) => Failure.from(thrown),
    );
    const took = (await reads()) - before;
    assert.equal(failure.code, "FRAME_TOO_SMALL");
    assert.match(JSON.stringify(failure.found), new RegExp(`"frames":${frames}\\b`), "all were counted");
    assert.ok(took > 10, `${took} reads: the system must count them`);
    assert.ok(took < frames / 20, `${took} reads for ${frames} frames`);
  });
});

/** Returns the number of read calls of this process so far. */
async function reads(): Promise<number> {
  return Number(/^syscr: (\d+)$/m.exec(await readFile("/proc/self/io", "utf8"))?.[1]);
}

describe("y4m headers", () => {
  for (const size of [
    "W1e1 H64",
    "W64 H0x40",
    "W64.0 H64",
    "W-64 H64",
    "W+64 H64",
    "W H64",
    "W64",
    "W0 H64",
  ]) {
    test(`with ${size} are refused as damaged`, async () => {
      const path = fixture.media.file("header.y4m");
      const header = `YUV4MPEG2 ${size} F25:1 Ip A1:1 C420jpeg\n`;
      const frame = Buffer.concat([Buffer.from("FRAME\n"), Buffer.alloc((64 * 64 * 3) / 2, 128)]);
      await writeFile(path, [header, frame, frame, frame]);
      const failure = await fixture.expectFailure({ reference, distorted: path }, "MEDIA_CORRUPT");
      assert.match(failure.message, /damaged y4m header/);
    });
  }
});

describe("time limits", () => {
  for (const timeoutMs of [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
    test(`of ${timeoutMs} ms, longer than any timer, do not expire at once`, async () => {
      const engine = await fixture.engine();
      const result = await engine.score(pairRequest({ reference, distorted }), { timeoutMs });
      assert.equal(result.frameCount, SMALL.frames);
    });
  }
});

/** Encodes of one reference are scored by one process that decodes the reference once, with the digits of each alone. */
import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { after, before, beforeEach, describe, test } from "node:test";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { Failure } from "../../src/platform/failure.ts";
import { Fixture, type Pair, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, SCENE } from "../media/clips.ts";
import { FFMPEG } from "../media/ffmpeg.ts";

describe("encodes of one reference", () => {
  let fixture: Fixture;
  /** The bundled ffmpeg; it writes a line for each process that scores. */
  let engine: Engine;
  let processes: string;
  let reference: string;
  const encodes: string[] = [];

  before(async () => {
    fixture = await Fixture.open();
    processes = fixture.media.file("processes.txt");
    const scorerPath = fixture.media.file("ffmpeg");
    const count = `case "$*" in *log.csv*) echo "$*" >> '${processes}' ;; esac`;
    await writeFile(scorerPath, `#!/bin/sh\n${count}\nexec '${FFMPEG}' "$@"\n`);
    await chmod(scorerPath, 0o755);
    engine = await fixture.engine({ scorerPath });
    reference = await encode(fixture.media, "reference.mp4", SCENE, LOSSY.h264);
    for (const [name, scene, codec] of [
      ["same-size.mp4", {}, LOSSY.hevc],
      ["half.mkv", { width: 96, height: 54 }, LOSSY.h264],
      ["deep.mkv", { pixels: "yuv420p10le" }, LOSSY.ffv1],
      ["mpeg2.ts", {}, LOSSY.mpeg2],
    ] as const)
      encodes.push(await encode(fixture.media, name, { ...SCENE, ...scene }, codec));
  });
  beforeEach(() => writeFile(processes, ""));
  after(() => fixture.close());

  /** Returns the numbers of the distorted videos that processes have scored. */
  async function scored(): Promise<number[]> {
    const lines = (await readFile(processes, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => line.match(/-i file:distorted/g)?.length ?? 0);
  }

  function together(pairs: readonly Pair[]): Promise<readonly (ScoreResult | Failure)[]> {
    return engine.scoreTogether(pairs.map(pairRequest), { timeoutMs: 300_000 });
  }

  /** Returns what each pair alone gives. */
  async function alone(pairs: readonly Pair[]): Promise<(ScoreResult | Failure)[]> {
    const results: (ScoreResult | Failure)[] = [];
    for (const pair of pairs)
      results.push(
        await engine
          .score(pairRequest(pair), { timeoutMs: 300_000 })
          .catch((error: unknown) => Failure.from(error)),
      );
    return results;
  }

  async function assertSame(pairs: readonly Pair[]): Promise<readonly (ScoreResult | Failure)[]> {
    const results = await together(pairs);
    const groups = await scored();
    assert.deepEqual(results.map(comparable), (await alone(pairs)).map(comparable));
    assert.deepEqual(await fixture.media.leftovers(), []);
    await writeFile(processes, groups.join(","));
    return results;
  }

  async function assertGroups(...groups: readonly number[]): Promise<void> {
    assert.equal(await readFile(processes, "utf8"), groups.join(","));
  }

  test("have exactly the scores of each alone, from one process", async () => {
    const results = await assertSame(encodes.map((distorted) => ({ reference, distorted })));
    assert.ok(results.every((result) => !(result instanceof Failure)));
    await assertGroups(4);
  });

  test("have the same scores from one process also if they are many", async () => {
    const many = [...encodes, ...encodes, ...encodes];
    const results = await together(many.map((distorted) => ({ reference, distorted })));
    const scores = results.map((result) => (result instanceof Failure ? result.code : result.score));
    assert.deepEqual(scores, [...scores.slice(0, 4), ...scores.slice(0, 4), ...scores.slice(0, 4)]);
    assert.deepEqual(await scored(), [12]);
  });

  test("have the same scores with extra metrics and for a part of the frames", async () => {
    const settings = {
      models: ["vmaf_v0.6.1", "vmaf_v0.6.1neg"],
      features: ["xpsnr", "ciede", "psnr"],
      subsample: 3,
    } as const;
    await assertSame(encodes.map((distorted) => ({ reference, distorted, ...settings })));
    await assertGroups(4);
  });

  test("have the same scores by version 1, which judges the size of the encode", async () => {
    const scene = { ...SCENE, width: 640, height: 360, frames: 8 };
    const source = await encode(fixture.media, "source.mkv", scene, LOSSY.ffv1);
    const small = await encode(fixture.media, "small.mp4", { ...scene, width: 320, height: 180 }, LOSSY.h264);
    const large = await encode(fixture.media, "large.mp4", scene, LOSSY.h264);
    const pairs = [small, large].map((distorted) => ({
      reference: source,
      distorted,
      models: ["v1", "vmaf_v0.6.1"],
    }));
    const results = await assertSame(pairs);
    assert.ok(results.every((result) => !(result instanceof Failure)));
    await assertGroups(2);
  });

  test("have the same scores, in separate processes, if they compare other frames of the reference", async () => {
    const shorter = await encode(fixture.media, "shorter.mp4", { ...SCENE, frames: 20 }, LOSSY.h264);
    const [first = "", second = ""] = encodes;
    const pairs = [first, shorter, second].map((distorted) => ({
      ...{ reference, distorted },
      onFrameCountMismatch: "COMMON" as const,
    }));
    await assertSame(pairs);
    await assertGroups(2, 1);
  });

  test("are scored although others of them cannot be", async () => {
    const broken = await encode(fixture.media, "broken.mp4", SCENE, LOSSY.h264);
    const bytes = await readFile(broken);
    await writeFile(broken, bytes.fill(0xa5, 6000, 6400));
    const [first = "", second = ""] = encodes;
    const missing = fixture.media.file("missing.mp4");
    const results = await assertSame(
      [first, broken, missing, second].map((distorted) => ({ reference, distorted })),
    );
    assert.deepEqual(
      results.map((result) => (result instanceof Failure ? result.code : "scored")),
      ["scored", "MEDIA_CORRUPT", "MEDIA_NOT_FOUND", "scored"],
    );
    await assertGroups(3, 1, 1, 1);
  });

  test("are refused alone if their pictures show another video", async () => {
    const late = await encode(
      fixture.media,
      "late.mkv",
      { ...SCENE, filters: "tpad=start=2:start_mode=add,trim=end_frame=30" },
      LOSSY.ffv1,
    );
    const [first = "", second = ""] = encodes;
    const results = await assertSame([first, late, second].map((distorted) => ({ reference, distorted })));
    assert.deepEqual(
      results.map((result) => (result instanceof Failure ? result.code : "scored")),
      ["scored", "PAIR_MISMATCH", "scored"],
    );
    await assertGroups(3);
  });

  test("are scored one by one by Netflix's vmaf, which compares two files", async () => {
    const other = await fixture.engine(SCORERS[1]);
    const pairs = encodes.slice(0, 2).map((distorted) => pairRequest({ reference, distorted }));
    const results = await other.scoreTogether(pairs, { timeoutMs: 300_000 });
    assert.ok(results.every((result) => !(result instanceof Failure)));
  });

  test("end when the caller cancels", async () => {
    const cancel = new AbortController();
    const requests = encodes.map((distorted) => pairRequest({ reference, distorted }));
    const scoring = engine.scoreTogether(requests, {
      signal: cancel.signal,
      onProgress: () => cancel.abort(),
    });
    await assert.rejects(scoring, (error) => error instanceof Failure && error.code === "SCORE_CANCELLED");
    assert.deepEqual(await fixture.media.leftovers(), []);
  });
});

/** What does not differ from run to run. */
function comparable(result: ScoreResult | Failure): unknown {
  if (result instanceof Failure) return { code: result.code, message: result.message, found: result.found };
  const { durationMs: _, ...rest } = result;
  return rest;
}

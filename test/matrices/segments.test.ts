/** A pair that is planned, scored in segments, stored and joined has the same digits as a whole run. */
import assert from "node:assert/strict";
import { appendFile, copyFile, mkdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { type PairRequest, pairRequest } from "../../src/engine/contract/request.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import { SegmentMismatch } from "../../src/engine/contract/segment-mismatch.ts";
import type { PlannedPair, SegmentScored, StoredPart } from "../../src/engine/contract/work.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { encodeRows } from "../../src/engine/frames/codec.ts";
import { joinParts, metricsOf, ownRows } from "../../src/engine/results/parts.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { Fixture, type Pair, SCORERS } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { builtInModelTexts } from "../media/models.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

/** At 25 frames per second this makes three segments of about a second. */
const FILM = { ...SCENE, frames: 70 };
const PLANNING = { segments: { seconds: 1 }, timeoutMs: WAIT_LIMIT_MS };

describe("a score in segments", () => {
  let fixture: Fixture;
  let engine: Engine;
  let reference: string;
  let distorted: string;
  let modelDir: string;

  before(async () => {
    fixture = await Fixture.open();
    reference = await pristine(fixture.media, "reference.y4m", FILM);
    distorted = await encode(fixture.media, "b-frames.mp4", FILM, LOSSY.h264);
    modelDir = fixture.media.file("models");
    await mkdir(modelDir);
    const [text = ""] = await builtInModelTexts();
    await writeFile(`${modelDir}/studio.json`, text);
    engine = await fixture.engine(SCORERS[0], { modelDir });
  });
  after(() => fixture.close());

  function stored(
    { table, shots }: Pick<SegmentScored, "table" | "shots">,
    segment: string | undefined,
    maxBytes = 2000,
  ): StoredPart {
    return { segment, shots, chunks: [...encodeRows(table, maxBytes)].map(({ rows }) => rows) };
  }

  /** Scores and stores each segment separately, in reverse order. */
  async function scoreParts(by: Engine, request: PairRequest, planned: PlannedPair): Promise<StoredPart[]> {
    const parts = new Map<string, StoredPart>();
    for (const { segment, count } of planned.segments.toReversed()) {
      const frames: number[] = [];
      const onFrames = (done: number) => frames.push(done);
      const work = { request, plan: planned.plan, segment };
      const scored = await by.scoreSegment(work, { timeoutMs: WAIT_LIMIT_MS, onFrames });
      assert.ok(scored.durationMs > 0);
      assert.equal(frames.at(-1), count, "progress reaches all of its own frames");
      assert.deepEqual(
        frames,
        frames.toSorted((a, b) => a - b),
      );
      parts.set(segment, stored(scored, segment));
    }
    assert.deepEqual(await fixture.media.leftovers(), []);
    return planned.segments.map(
      ({ segment }) => parts.get(segment) ?? assert.fail("a segment has no unique text"),
    );
  }

  /** Returns a result without the cutting and the duration, which differ between segments and a whole run. */
  function facts({ frames, ...result }: ScoreResult): unknown {
    return { ...result, durationMs: 0, cutting: undefined, frames: [...frames.rows()] };
  }

  async function expectSame(pair: Pair, segments: number, by = engine): Promise<ScoreResult> {
    const request = pairRequest(pair);
    const whole = await by.score(request, { timeoutMs: WAIT_LIMIT_MS });
    const planned = await by.plan(request, PLANNING);
    assert.equal(planned.segments.length, segments);
    assert.equal(
      planned.frameCount,
      planned.segments.reduce((sum, { count }) => sum + count, 0),
    );
    assert.equal(planned.pixels, whole.reference.width * whole.reference.height);
    assert.deepEqual(
      planned.models.map(({ name }) => name),
      request.models,
    );
    const parts = await scoreParts(by, request, planned);
    const joined = await joinParts(planned.plan, parts, 1234.567);
    assert.deepEqual(facts(joined), facts(whole));
    assert.equal(joined.durationMs, 1234.57);
    assert.equal(joined.cutting.segments, segments);
    assert.deepEqual(
      parts.flatMap((part) => [...ownRows(part)]),
      [...whole.frames.rows()],
    );
    for (const part of parts) assert.deepEqual(metricsOf(part), whole.frames.metrics);
    return joined;
  }

  for (const scorer of SCORERS) {
    test(`MP4 with B-frames against y4m, with ${scorer.kind}`, async () => {
      await expectSame({ reference, distorted }, 3, await fixture.engine(scorer));
    });

    test(`y4m on both sides, two models, one from a file, and features, with ${scorer.kind}`, async () => {
      const other = await encode(fixture.media, `${scorer.kind}.y4m`, { ...FILM, seed: 2 }, [
        "-strict",
        "-1",
      ]);
      const models = ["vmaf_v0.6.1neg", "studio"];
      const features = ["psnr", "ssim", "ciede"] as const;
      const by = await fixture.engine(scorer, { modelDir });
      const { models: scored } = await expectSame({ reference, distorted: other, models, features }, 3, by);
      assert.deepEqual(
        scored.map(({ model }) => model),
        models,
      );
    });

    test(`headerless files, every second frame, with ${scorer.kind}`, async () => {
      const [a, b] = [`${scorer.kind}-a.yuv`, `${scorer.kind}-b.yuv`];
      const raw = { rawVideo: { width: 192, height: 108, pixelFormat: "yuv420p", frameRate: "30000/1001" } };
      const pair = {
        reference: await encode(fixture.media, a, FILM, ["-f", "rawvideo"]),
        distorted: await encode(fixture.media, b, { ...FILM, seed: 3 }, ["-f", "rawvideo"]),
      };
      await expectSame({ ...pair, ...raw, subsample: 2 }, 2, await fixture.engine(scorer));
    });
  }

  test("XPSNR of a high frame rate, with models of both generations", async () => {
    const film = { ...FILM, width: 320, height: 180, rate: "50", frames: 120 };
    const pair = {
      reference: await pristine(fixture.media, "fast.y4m", film),
      distorted: await encode(fixture.media, "fast.mp4", film, LOSSY.h264),
    };
    const models = ["vmaf_v0.6.1", "vmaf_v1.0.16_hfr_3d0h"];
    await expectSame({ ...pair, models, features: ["xpsnr", "psnr"] }, 2);
  });

  test("has one segment for a file that cannot be cut, and the result has the reason", async () => {
    const stream = await encode(fixture.media, "whole.ts", FILM, LOSSY.h264);
    const { cutting } = await expectSame({ reference, distorted: stream }, 1);
    assert.match(cutting.whole ?? "", /H\.264 in MPEG-TS/);
  });

  test("works with scaling, an ignored edit list and only the common frames", async () => {
    const small = await encode(
      fixture.media,
      "small.mp4",
      { ...FILM, width: 96, height: 54, frames: 66 },
      LOSSY.h264,
    );
    const pair = {
      reference,
      distorted: small,
      editLists: "IGNORE",
      onFrameCountMismatch: "COMMON",
      // The scene is drawn otherwise in another size.
      findings: { action: "IGNORE" },
    } as const;
    const { warnings } = await expectSame(pair, 3);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ["SCALED", "FRAME_COUNT_MISMATCH"],
    );
  });

  test("scores the pair whole without a segment, and returns a plan with the reason", async () => {
    const request = pairRequest({ reference, distorted });
    const planned = await engine.plan(request, PLANNING);
    const whole = await engine.scoreSegment({ request, plan: planned.plan, segment: undefined });
    assert.equal(whole.frameCount, 70);
    const joined = await joinParts(whole.plan ?? "", [stored(whole, undefined)], 1);
    assert.deepEqual(facts(joined), facts(await engine.score(request)));
    assert.match(joined.cutting.whole ?? "", /segments/);
    assert.equal([...ownRows(stored(whole, undefined))].length, 70);
  });

  test("corrects a container's wrong frame count in a whole run, according to the policy", async () => {
    const request = pairRequest({ reference, distorted, onFrameCountMismatch: "COMMON" });
    const { plan } = await engine.plan(request, PLANNING);
    const wrong = JSON.parse(plan);
    for (const side of ["reference", "distorted"]) wrong.tracks[side].frames = 75;
    wrong.pairing.frameCount = 75;
    wrong.pairing.counts = { reference: 75, distorted: 75 };
    const work = { request, plan: JSON.stringify(wrong), segment: undefined };
    const whole = await engine.scoreSegment(work);
    assert.equal(whole.frameCount, 70);
    const joined = await joinParts(whole.plan ?? "", [stored(whole, undefined)], 1);
    assert.equal(joined.frameCount, 70);
  });

  test("throws SegmentMismatch for a segment whose frames differ from its plan", async () => {
    const request = pairRequest({ reference, distorted });
    const planned = await engine.plan(request, PLANNING);
    const segment = JSON.parse(planned.segments[1]?.segment ?? "");
    segment.count++;
    const work = { request, plan: planned.plan, segment: JSON.stringify(segment) };
    await assert.rejects(engine.scoreSegment(work), SegmentMismatch);
    assert.deepEqual(await fixture.media.leftovers(), []);
  });

  test("throws SegmentMismatch for parts that do not fit together", async () => {
    const request = pairRequest({ reference, distorted });
    const planned = await engine.plan(request, PLANNING);
    const parts = await scoreParts(engine, request, planned);
    const [first, second, third] = parts as [StoredPart, StoredPart, StoredPart];
    const faults: readonly (readonly StoredPart[])[] = [
      [first, third],
      [first, second],
      [second, third],
      [second, first, third],
      [first, first, second, third],
      [{ ...first, chunks: first.chunks.slice(0, -1) }, second, third],
      [{ ...first, chunks: [...first.chunks, ...first.chunks] }, second, third],
      // The second part has the right number of rows, but of other frames.
      [first, { ...second, chunks: (await shifted(request, planned)).chunks }, third],
    ];
    for (const [index, fault] of faults.entries())
      await assert.rejects(joinParts(planned.plan, fault, 1), SegmentMismatch, `fault ${index}`);
    const one = { segment: undefined, chunks: first.chunks };
    await assert.rejects(joinParts(planned.plan, [one], 1), (error) => !(error instanceof SegmentMismatch));
    await joinParts(planned.plan, parts, 1);
  });

  /** Scores the second segment one frame too late: the same number of rows of other frames. */
  async function shifted(request: PairRequest, planned: PlannedPair): Promise<StoredPart> {
    const segment = JSON.parse(planned.segments[1]?.segment ?? "");
    for (const side of ["reference", "distorted"])
      for (const edge of ["start", "end"]) segment.cut[side][edge] += 0.04;
    const text = JSON.stringify(segment);
    const { table } = await engine.scoreSegment({ request, plan: planned.plan, segment: text });
    return stored({ table, shots: undefined }, text);
  }

  async function refused(promise: Promise<unknown>, code: FailureCode, message: RegExp): Promise<void> {
    await assert.rejects(promise, (error) => {
      assert.ok(error instanceof Failure && !(error instanceof SegmentMismatch), String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(await fixture.media.leftovers(), []);
  }

  test("refuses a file that was modified or replaced since planning", async () => {
    const mine = fixture.media.file("mine.mp4");
    await copyFile(distorted, mine);
    const request = pairRequest({ reference, distorted: mine });
    const { plan, segments } = await engine.plan(request, PLANNING);
    const work = { request, plan, segment: segments[0]?.segment };
    await engine.scoreSegment(work);
    const { mtime } = await stat(mine);
    await utimes(mine, mtime, new Date(mtime.getTime() + 2000));
    await refused(engine.scoreSegment(work), "MEDIA_CHANGED", /distorted file .*mine\.mp4/);
    await appendFile(mine, "more");
    await utimes(mine, mtime, mtime);
    await refused(engine.scoreSegment(work), "MEDIA_CHANGED", /distorted file/);
    await rm(mine);
    await refused(engine.scoreSegment(work), "MEDIA_NOT_FOUND", /mine\.mp4/);
  });

  test("refuses a plan made for another scorer, model, request or file", async () => {
    const request = pairRequest({ reference, distorted, models: ["studio"] });
    const { plan, segments } = await engine.plan(request, PLANNING);
    const segment = segments[0]?.segment;
    const other = JSON.parse(plan);
    other.scorer.libvmafVersion = "9.9.9";
    const work = { request, plan, segment };
    await refused(
      engine.scoreSegment({ ...work, plan: JSON.stringify(other) }),
      "SCORER_FAILED",
      /made for .*9\.9\.9/,
    );
    const vmaf = await fixture.engine(SCORERS[1], { modelDir });
    await refused(vmaf.scoreSegment(work), "SCORER_FAILED", /scores with vmaf/);
    await refused(
      (await fixture.engine()).scoreSegment(work),
      "SCORER_FAILED",
      /does not have the models .*studio/,
    );
    const otherDir = fixture.media.file("other-models");
    await mkdir(otherDir);
    await writeFile(`${otherDir}/studio.json`, `${(await builtInModelTexts())[0]}\n`);
    const changed = await fixture.engine(SCORERS[0], { modelDir: otherDir });
    await refused(changed.scoreSegment(work), "SCORER_FAILED", /file of the model studio differs/);
    const unreadableDir = fixture.media.file("unreadable-models");
    await mkdir(`${unreadableDir}/studio.json`, { recursive: true });
    const unreadable = await fixture.engine(SCORERS[0], { modelDir: unreadableDir });
    await refused(
      unreadable.scoreSegment(work),
      "SCORER_FAILED",
      /does not have the models .*file of the model "studio" cannot be read/,
    );
    const subsampled = { ...work, request: { ...request, subsample: 2 } };
    await refused(engine.scoreSegment(subsampled), "INVALID_REQUEST", /other models, features or frames/);
    const swapped = { ...work, request: { ...request, distorted: reference } };
    await refused(engine.scoreSegment(swapped), "MEDIA_CHANGED", /distorted file/);
    const newer = plan.replace('"version":6', '"version":7');
    await refused(engine.scoreSegment({ ...work, plan: newer }), "SCORER_FAILED", /same version of svc/);
  });

  test("refuses a plan that contradicts the header of a y4m file", async () => {
    const pair = pairRequest({ reference, distorted: reference });
    const { plan, segments } = await engine.plan(pair, PLANNING);
    const narrow = JSON.parse(plan);
    narrow.tracks.distorted.width = 96;
    const work = { request: pair, plan: JSON.stringify(narrow), segment: segments[0]?.segment };
    await refused(engine.scoreSegment(work), "MEDIA_CHANGED", /does not match its plan/);
    const raw = JSON.parse(plan);
    raw.tracks.distorted.samples = "raw";
    const asRaw = { ...work, plan: JSON.stringify(raw) };
    await refused(engine.scoreSegment(asRaw), "MEDIA_CHANGED", /does not match its plan/);
  });

  test("stops on abort and at the time limit, and leaves nothing behind", async () => {
    const request = pairRequest({ reference, distorted });
    const { plan, segments } = await engine.plan(request, PLANNING);
    const work = { request, plan, segment: segments[0]?.segment };
    const signal = AbortSignal.abort();
    await refused(engine.scoreSegment(work, { signal }), "SCORE_CANCELLED", /cancelled/);
    await refused(engine.scoreSegment(work, { timeoutMs: 1 }), "SCORE_TIMEOUT", /time limit/);
    await refused(engine.plan(request, { ...PLANNING, timeoutMs: 1 }), "SCORE_TIMEOUT", /time limit/);
  });

  test("lists the engine's models with the digests of those from files", async () => {
    const ids = (await engine.scorers())[0]?.models ?? [];
    assert.match(ids.find(({ name }) => name === "studio")?.digest ?? "", /^[0-9a-f]{64}$/);
    assert.equal(ids.find(({ name }) => name === "vmaf_v0.6.1")?.digest, "");
    assert.deepEqual(
      ids.map(({ name }) => name),
      await engine.models(),
    );
  });
});

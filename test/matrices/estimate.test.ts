/** An estimate scores a part of the frames, exactly as a full score does, and says how sure it is of the mean. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SampleRequest } from "../../src/engine/contract/estimate.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { Progress, ScoreResult } from "../../src/engine/contract/result.ts";
import { Fixture, type Pair } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";

/** About 170 units: the smallest sample that may end has 40. */
const FILM = { ...SCENE, width: 96, height: 54, frames: 2000 };
const TOLERANCE = 10;
const MODELS = ["vmaf_v0.6.1", "vmaf_v0.6.1neg"];

describe("an estimate", () => {
  let fixture: Fixture;
  let pair: Pair;
  let full: ScoreResult;
  let estimated: ScoreResult;
  const progress: Progress[] = [];

  async function estimate(sample: SampleRequest, of: Pair = pair, onProgress?: (progress: Progress) => void) {
    const engine = await fixture.engine();
    const options = { timeoutMs: WAIT_LIMIT_MS, sample, onProgress };
    const result = await engine.score(pairRequest(of), options);
    assert.deepEqual(await fixture.media.leftovers(), []);
    return result;
  }

  /** Returns a result without the duration and the cutting, and without what only a full score after all says. */
  function facts({ frames, ...result }: ScoreResult): unknown {
    return { ...result, durationMs: 0, cutting: undefined, warnings: [], frames: [...frames.rows()] };
  }

  before(async () => {
    fixture = await Fixture.open();
    pair = {
      reference: await encode(fixture.media, "reference.mp4", FILM, [
        "-c:v",
        "libx264",
        "-crf",
        "8",
        "-g",
        "12",
      ]),
      distorted: await encode(fixture.media, "distorted.mp4", FILM, LOSSY.h264),
      models: MODELS,
      features: ["psnr"],
    };
    full = await (await fixture.engine()).score(pairRequest(pair), { timeoutMs: WAIT_LIMIT_MS });
    estimated = await estimate({ tolerance: TOLERANCE, seed: 1 }, pair, (one) => progress.push(one));
  });
  after(() => fixture.close());

  test("gives the frames that it scores exactly their scores of a full run", () => {
    const all = [...full.frames.rows()];
    const rows = [...estimated.frames.rows()];
    assert.equal(rows.length, estimated.frameCount);
    assert.ok(rows.length < FILM.frames / 2);
    for (const row of rows) assert.deepEqual(row, all[row.frame]);
    const numbers = rows.map(({ frame }) => frame);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
  });

  test("states the interval of each model, which contains the mean of all frames", () => {
    assert.deepEqual(
      estimated.models.map(({ model }) => model),
      MODELS,
    );
    for (const [index, { score, interval }] of estimated.models.entries()) {
      const { low = 100, high = 0 } = interval ?? {};
      const truth = full.models[index]?.score ?? Number.NaN;
      assert.ok(low <= truth && truth <= high && low < score && score < high);
    }
    assert.equal(estimated.score, estimated.models[0]?.score);
    assert.ok(Math.abs((estimated.features["psnr_y"] ?? 0) - (full.features["psnr_y"] ?? 0)) < 1);
    for (const { interval } of full.models) assert.equal(interval, undefined);
  });

  test("states the share, the seed and the tolerance, no statistic but means, and no shots", () => {
    assert.deepEqual(estimated.shots, []);
    const { low, high, scoredShare, units, totalUnits, ...asked } = estimated.estimate ?? assert.fail();
    assert.deepEqual(asked, { tolerance: TOLERANCE, seed: 1, confidence: 0.95, totalFrames: FILM.frames });
    assert.deepEqual({ low, high }, estimated.models[0]?.interval);
    assert.ok(high - low <= 2 * TOLERANCE);
    assert.equal(scoredShare, estimated.frameCount / FILM.frames);
    assert.ok(units >= 40 && units <= totalUnits / 3);
    assert.deepEqual(estimated.pooled, {});
    assert.equal(full.estimate, undefined);
  });

  test("is shown while it is made, from the first units on", () => {
    const shown = progress.map((one) => one.estimate).filter((one) => one !== undefined);
    assert.ok((shown[0]?.scoredShare ?? 1) < estimated.frameCount / FILM.frames / 2);
    assert.equal(shown.at(-1)?.scoredShare.toFixed(6), estimated.estimate?.scoredShare.toFixed(6));
    assert.equal(progress.at(-1)?.framesDone, estimated.frameCount);
  });

  test("is the same for the same seed, and of other frames for another", async () => {
    assert.deepEqual(facts(await estimate({ tolerance: TOLERANCE, seed: 1 })), facts(estimated));
    const other = await estimate({ tolerance: TOLERANCE, seed: 2 });
    assert.notDeepEqual([...other.frames.rows()], [...estimated.frames.rows()]);
  });

  /** Checks that an estimate became a full score with the digits of one, and says why. */
  async function expectFull(sample: SampleRequest, of: Pair, why: RegExp): Promise<void> {
    const result = await estimate(sample, of);
    const whole = await (await fixture.engine()).score(pairRequest(of), { timeoutMs: WAIT_LIMIT_MS });
    // Before the frames, whose differences would fill the memory.
    assert.equal(result.estimate, undefined);
    assert.deepEqual(facts(result), facts(whole));
    const [warning] = result.warnings.filter(({ code }) => code === "ALL_FRAMES_SCORED");
    assert.match(warning?.message ?? "", why);
  }

  test("of a short video is a full score", async () => {
    const short = { ...SCENE, frames: 40 };
    const reference = await pristine(fixture.media, "short.y4m", short);
    const distorted = await encode(fixture.media, "short.mp4", short, LOSSY.h264);
    await expectFull(
      { tolerance: 10, seed: 1 },
      { reference, distorted },
      /too short: .* ±10 takes more time/,
    );
  });

  test("of a video that cannot be cut is a full score", async () => {
    const distorted = await encode(fixture.media, "whole.ts", FILM, LOSSY.h264);
    await expectFull({ tolerance: 10, seed: 1 }, { ...pair, distorted }, /H\.264 in MPEG-TS/);
  });

  test("of a video with very different scenes is a full score", async () => {
    const flashing = { ...FILM, filters: "negate=enable='lt(mod(n\\,24)\\,12)'" };
    const distorted = await encode(fixture.media, "flashing.mp4", flashing, LOSSY.h264);
    const request = { ...pair, distorted, findings: { action: "IGNORE" } } as const;
    await expectFull({ tolerance: 4.5, seed: 1 }, request, /No sample of up to a third/);
  });

  test("is refused for a tolerance or seed out of range, and with subsampling", async () => {
    const refused = (sample: SampleRequest, request: Partial<Pair> = {}) =>
      fixture.expectFailure({ ...pair, ...request }, "INVALID_REQUEST", { options: { sample } });
    for (const tolerance of [0, 0.04, 10.01, -1, Number.NaN]) await refused({ tolerance, seed: 1 });
    for (const seed of [-1, 0.5, 2 ** 32]) await refused({ tolerance: 1, seed });
    assert.match((await refused({ tolerance: 1, seed: 1 }, { subsample: 2 })).message, /^subsample is 2/);
  });
});

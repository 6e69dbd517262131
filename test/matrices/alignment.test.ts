/**
 * A pair whose frames are aligned by its request has the digits of the pair from which the same frames were cut out
 * before, whole and in segments.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AlignmentRequest, Run } from "../../src/engine/contract/alignment.ts";
import type { ScoreResult } from "../../src/engine/contract/result.ts";
import { Fixture, SCORERS, warningCodes } from "../engine/fixture.ts";
import { encode, LOSSY, pristine, remux, SCENE } from "../media/clips.ts";
import { decode, type Planes, pickFrames, type Truth, truthOf } from "../media/truth.ts";

const FILM = { ...SCENE, frames: 60 };
const LENGTHS = [9, 16];
const RAW = { width: FILM.width, height: FILM.height, pixelFormat: FILM.pixels, frameRate: "25" };
const RUNS: readonly Run[] = [
  { reference: 2, distorted: 0, count: 11 },
  { reference: 14, distorted: 11, count: 9 },
  { reference: 23, distorted: 22, count: 1 },
  { reference: 40, distorted: 23, count: 19 },
];

/** Numbers of a side's frames in runs. */
function numbers(runs: readonly Run[], side: "reference" | "distorted"): number[] {
  return runs.flatMap((run) => Array.from({ length: run.count }, (_, index) => run[side] + index));
}

function one(reference: number, distorted: number, count: number): readonly Run[] {
  return [{ reference, distorted, count }];
}

for (const scorer of SCORERS) {
  describe(`an aligned pair, with ${scorer.kind}`, () => {
    let fixture: Fixture;
    let reference: string;
    let distorted: string;
    let planes: Readonly<Record<"reference" | "distorted", Planes>>;

    before(async () => {
      fixture = await Fixture.open();
      reference = await pristine(fixture.media, "reference.y4m", FILM);
      distorted = await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264);
      planes = {
        reference: await decode(fixture.media, reference, FILM),
        distorted: await decode(fixture.media, distorted, FILM),
      };
    });
    after(() => fixture.close());

    async function truth(runs: readonly Run[], sides = planes): Promise<Truth> {
      const picked = [
        await pickFrames(sides.reference, numbers(runs, "reference")),
        await pickFrames(sides.distorted, numbers(runs, "distorted")),
      ] as const;
      return truthOf(...picked, { oracle: scorer.oracle });
    }

    async function expectRuns(request: AlignmentRequest, runs: readonly Run[]): Promise<ScoreResult> {
      const expected = await truth(runs);
      // The videos are in step, so that these alignments are findings themselves.
      const pair = { reference, distorted, ...request, findings: { action: "IGNORE" } } as const;
      const whole = await fixture.expectExact(scorer, pair, expected);
      for (const length of LENGTHS) {
        const cut = await fixture.expectExactCut(scorer, pair, expected, length);
        assert.deepEqual(cut.alignment, whole.alignment);
      }
      const left = 60 - expected.frames;
      const steps = { referenceStep: 1, distortedStep: 1 };
      assert.deepEqual(whole.alignment, { runs, ...steps, referenceLeftOut: left, distortedLeftOut: left });
      assert.deepEqual(warningCodes(whole), ["ALIGNED"]);
      return whole;
    }

    test("by a positive offset", async () => {
      const { warnings } = await expectRuns({ offset: 7 }, one(0, 7, 53));
      assert.equal(
        warnings[0]?.message,
        "As requested, frames 0 to 52 of the reference were compared with frames 7 to 59 of the distorted video; 7 frames of the reference and 7 of the distorted video were left out.",
      );
    });

    test("by a negative offset", () => expectRuns({ offset: -5 }, one(5, 0, 55)).then(() => undefined));

    test("by a start and a duration", async () => {
      await expectRuns({ start: 13, duration: 31 }, one(13, 13, 31));
      await expectRuns({ offset: 3, start: { seconds: 0.4 }, duration: { seconds: 1.2 } }, one(10, 13, 30));
    });

    test("by runs", async () => {
      const { warnings } = await expectRuns({ runs: RUNS }, RUNS);
      assert.match(warnings[0]?.message ?? "", /40 pairs of frames in 4 runs .* 20 frames .* and 20 of/);
    });

    test("by runs within a start and a duration", () =>
      expectRuns({ runs: RUNS, start: 5, duration: 48 }, [
        { reference: 5, distorted: 3, count: 8 },
        { reference: 14, distorted: 11, count: 9 },
        { reference: 23, distorted: 22, count: 1 },
        { reference: 40, distorted: 23, count: 13 },
      ]).then(() => undefined));

    test("headerless on both sides, read by the scorer itself where that is possible", async () => {
      const [a, b] = [planes.reference.path, planes.distorted.path];
      for (const [request, runs] of [
        [{ offset: 4 }, one(0, 4, 56)],
        [{ start: 0, duration: 20 }, one(0, 0, 20)],
        [{ runs: RUNS }, RUNS],
      ] as const) {
        const pair = { reference: a, distorted: b, rawVideo: RAW, ...request };
        await fixture.expectExact(scorer, pair, await truth(runs));
        await fixture.expectExactCut(scorer, pair, await truth(runs), 9);
      }
    });

    test("in a container that is scored whole", async () => {
      const file = await remux(fixture.media, distorted, "coded.ts");
      await fixture.expectExact(scorer, { reference, distorted: file, runs: RUNS }, await truth(RUNS));
    });

    test("of different frame counts, without COMMON", async () => {
      const short = await encode(fixture.media, "short.mp4", { ...FILM, frames: 50 }, LOSSY.h264);
      const sides = { ...planes, distorted: await decode(fixture.media, short, FILM) };
      const runs = one(0, 2, 48);
      const result = await fixture.expectExact(
        scorer,
        { reference, distorted: short, offset: 2 },
        await truth(runs, sides),
      );
      const { referenceLeftOut, distortedLeftOut } = result.alignment ?? {};
      assert.deepEqual([referenceLeftOut, distortedLeftOut], [12, 2]);
    });

    test("with half the frame rate on one side", async () => {
      const half = await encode(fixture.media, "half.mp4", { ...FILM, rate: "25", frames: 30 }, LOSSY.h264);
      const fast = await pristine(fixture.media, "fast.y4m", { ...FILM, rate: "50" });
      const slow = await decode(fixture.media, half, FILM);
      const full = await decode(fixture.media, fast, FILM);
      const rates = { onFrameRateMismatch: "COMMON", offset: 3 } as const;
      const expected = await truthOf(
        await pickFrames(
          full,
          Array.from({ length: 27 }, (_, index) => 2 * index),
        ),
        await pickFrames(
          slow,
          Array.from({ length: 27 }, (_, index) => 3 + index),
        ),
        { oracle: scorer.oracle },
      );
      const result = await fixture.expectExact(
        scorer,
        { reference: fast, distorted: half, ...rates },
        expected,
      );
      assert.deepEqual([result.alignment?.referenceStep, result.alignment?.distortedStep], [2, 1]);
      const swapped = await truthOf(
        await pickFrames(
          slow,
          Array.from({ length: 29 }, (_, index) => index),
        ),
        await pickFrames(
          full,
          Array.from({ length: 29 }, (_, index) => 3 + 2 * index),
        ),
        { oracle: scorer.oracle },
      );
      await fixture.expectExact(scorer, { reference: half, distorted: fast, ...rates }, swapped);
    });
  });
}

/** Aligned pairs: the digits and stills are those of the frames that the request names; what no file has is refused. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AlignmentRequest } from "../../src/engine/contract/alignment.ts";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { FailureCode } from "../../src/platform/failure.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { picture } from "../media/picture.ts";
import { decode, type Planes, pickFrames, truthOf } from "../media/truth.ts";
import { WAIT_LIMIT_MS } from "../waiting.ts";
import { Fixture, SCORERS } from "./fixture.ts";

const [SCORER] = SCORERS;
const FILM = { ...SCENE, frames: 60 };
const RUNS = [
  { reference: 2, distorted: 0, count: 22 },
  { reference: 24, distorted: 23, count: 4 },
  { reference: 40, distorted: 27, count: 20 },
];

describe("an aligned pair", () => {
  let fixture: Fixture;
  let pair: Readonly<Record<"reference" | "distorted", string>>;
  let planes: Readonly<Record<"reference" | "distorted", Planes>>;

  before(async () => {
    fixture = await Fixture.open();
    const reference = await pristine(fixture.media, "reference.y4m", FILM);
    const distorted = await encode(fixture.media, "coded.mp4", FILM, LOSSY.h264);
    pair = { reference, distorted };
    planes = {
      reference: await decode(fixture.media, reference, FILM),
      distorted: await decode(fixture.media, distorted, FILM),
    };
  });
  after(() => fixture.close());

  for (const [how, request, runs] of [
    ["an offset", { offset: 7 }, [{ reference: 0, distorted: 7, count: 53 }]],
    ["runs", { runs: RUNS }, RUNS],
  ] as const) {
    test(`by ${how} has exactly the scores of its frames, whole and in segments`, async () => {
      const side = (name: "reference" | "distorted"): Promise<Planes> =>
        pickFrames(
          planes[name],
          runs.flatMap((run) => Array.from({ length: run.count }, (_, index) => run[name] + index)),
        );
      const truth = await truthOf(await side("reference"), await side("distorted"));
      const whole = await fixture.expectExact(SCORER, { ...pair, ...request }, truth);
      assert.deepEqual(whole.alignment?.runs, runs);
      await fixture.expectExactCut(SCORER, { ...pair, ...request }, truth, 16);
    });
  }

  test("has stills of the frames that were compared, on both sides", async () => {
    const engine = await fixture.engine();
    const request = pairRequest({ ...pair, runs: RUNS });
    for (const seconds of [1, 3600]) {
      const planned = await engine.plan(request, { segments: { seconds }, timeoutMs: WAIT_LIMIT_MS });
      const parts = planned.segments.flatMap(({ first, count, segment }) => {
        const frames = [0, 21, 22, 25, 26, 45].filter((frame) => frame >= first && frame < first + count);
        return frames.length === 0 ? [] : [{ segment, frames }];
      });
      const stills = await engine.stills({ request, plan: planned.plan, parts });
      const sources = { 0: [2, 0], 21: [23, 21], 22: [24, 23], 25: [27, 26], 26: [40, 27], 45: [59, 46] };
      assert.equal(stills.length, 12);
      for (const { frame, side, image } of stills) {
        const [reference, distorted] = sources[frame as keyof typeof sources];
        const source = (side === "reference" ? reference : distorted) ?? assert.fail();
        const expected = await picture(planes[side], source);
        assert.ok(expected.equals(image), `frame ${frame} is frame ${source} of the ${side} video`);
      }
    }
  });

  const long = [{ reference: 0, distorted: 30, count: 31 }];
  const overlapping = [
    { reference: 0, distorted: 0, count: 10 },
    { reference: 10, distorted: 9, count: 10 },
  ];
  for (const [what, request, code, message] of [
    ["an offset beyond the video", { offset: 60 }, "INVALID_REQUEST", /offset 60 no frame .* has a partner/],
    ["an offset that is no number", { offset: Number.NaN }, "INVALID_REQUEST", /^offset is NaN\. Use/],
    ["half a frame", { offset: 0.5 }, "INVALID_REQUEST", /^offset is 0\.5\. Use/],
    ["an offset of 2^31", { offset: 2 ** 31 }, "INVALID_REQUEST", /^offset is 2147483648\./],
    ["a negative start", { start: -1 }, "INVALID_REQUEST", /^start is -1\. Use/],
    ["a start after the end", { start: 60 }, "INVALID_REQUEST", /^start is frame 60, but .* 60 frames/],
    ["no duration", { duration: 0 }, "INVALID_REQUEST", /^duration is 0\. Use/],
    ["seconds that are no number", { start: { seconds: Number.NaN } }, "INVALID_REQUEST", /^start is NaN s/],
    ["infinite seconds", { duration: { seconds: 1 / 0 } }, "INVALID_REQUEST", /^duration is Infinity s/],
    ["a duration past the end", { start: 50, duration: 11 }, "INVALID_REQUEST", /Ask for 10 at most/],
    ["no run", { runs: [] }, "INVALID_REQUEST", /^runs has 0 entries/],
    [
      "a run past the end",
      { runs: long },
      "INVALID_REQUEST",
      /^runs\[0\] ends with frame 60 of the distorted/,
    ],
    [
      "overlapping runs",
      { runs: overlapping },
      "INVALID_REQUEST",
      /^runs\[1\] begins at frame 9 .* frame 9\./,
    ],
    [
      "unsorted runs",
      { runs: RUNS.toReversed() },
      "INVALID_REQUEST",
      /^runs\[1\] begins at .* Sort the runs/,
    ],
    ["runs and an offset", { runs: RUNS, offset: 1 }, "INVALID_REQUEST", /^offset and runs cannot be used/],
    ["runs before the start", { runs: overlapping.slice(0, 1), start: 20 }, "INVALID_REQUEST", /no frame/],
  ] as const satisfies readonly (readonly [string, AlignmentRequest, FailureCode, RegExp])[]) {
    test(`refuses ${what}`, async () => {
      const failure = await fixture.expectFailure({ ...pair, ...request }, code);
      assert.match(failure.message, message);
    });
  }

  test("refuses frames that only one side has, unless the request leaves them out", async () => {
    const short = await encode(fixture.media, "short.mp4", { ...FILM, frames: 50 }, LOSSY.h264);
    const shorter = { ...pair, distorted: short };
    for (const request of [{ start: 5 }, { start: 45, duration: 10 }]) {
      await fixture.expectFailure({ ...shorter, ...request }, "FRAME_COUNT_MISMATCH");
      const engine = await fixture.engine();
      const scored = await engine.score(
        pairRequest({ ...shorter, ...request, onFrameCountMismatch: "COMMON" }),
      );
      assert.deepEqual(
        scored.warnings.map(({ code }) => code),
        ["ALIGNED", "FRAME_COUNT_MISMATCH"],
      );
      assert.equal(scored.frameCount, 50 - request.start);
    }
    const engine = await fixture.engine();
    const { frameCount } = await engine.score(pairRequest({ ...shorter, start: 40, duration: 10 }));
    assert.equal(frameCount, 10);
  });
});

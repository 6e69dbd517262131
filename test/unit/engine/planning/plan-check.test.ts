/** Plans made by the engine pass the check for every combination of rotation, scaling, thinning and counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { wholeSegment } from "../../../../src/engine/planning/cut.ts";
import { settleCounts } from "../../../../src/engine/planning/frame-counts.ts";
import { pixelReader, refuseContradiction } from "../../../../src/engine/planning/plan-check.ts";
import { readPlan, writePlan } from "../../../../src/engine/planning/plan-json.ts";
import { Failure } from "../../../../src/platform/failure.ts";
import { model } from "../model-fixture.ts";
import { track } from "../track-fixture.ts";

const REQUEST = pairRequest({
  reference: "r",
  distorted: "d",
  scaling: "AUTO",
  onFrameRateMismatch: "COMMON",
  onFrameCountMismatch: "COMMON",
});
const SCORER = { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" } as const;
const MODEL = model("vmaf_v0.6.1");
const FILE = { size: 1, modifiedMs: 0 };
const ROTATIONS = [0, 90, 180, 270] as const;
const SIZES = [
  { width: 1280, height: 720 },
  { width: 720, height: 1280 },
  { width: 640, height: 360 },
  { width: 720, height: 576, sampleAspect: { num: 16, den: 15 } },
  { width: 480, height: 576, sampleAspect: { num: 8, den: 5 } },
];
const PACES = [
  { frames: 100, rate: { num: 25, den: 1 } },
  { frames: 201, rate: { num: 50, den: 1 } },
  { frames: 90, rate: undefined },
];

function planOf(
  reference: Parameters<typeof track>[1],
  distorted: Parameters<typeof track>[1],
  request = REQUEST,
) {
  const tracks = { reference: track("reference", reference), distorted: track("distorted", distorted) };
  const paired = pair(tracks.reference, tracks.distorted, request);
  const pairing = settleCounts(paired, tracks, request);
  const plan = { request, tracks, pairing, models: [MODEL], segments: [], whole: undefined };
  return readPlan(writePlan(plan, { reference: FILE, distorted: FILE }, SCORER));
}

test("accepts every planned pair, and counts no fewer pixels than are compared", () => {
  let passed = 0;
  const kinds = SIZES.flatMap((size) =>
    ROTATIONS.flatMap((rotation) => PACES.map((pace) => ({ ...size, rotation, ...pace, times: undefined }))),
  );
  for (const reference of kinds) {
    for (const distorted of kinds) {
      let plan: ReturnType<typeof planOf>;
      try {
        plan = planOf(reference, distorted);
      } catch (thrown) {
        assert.equal(Failure.from(thrown).code, "ORIENTATION_MISMATCH");
        continue;
      }
      refuseContradiction(plan);
      assert.equal(plan.tracks.distorted.sampleAspect?.num, distorted.sampleAspect?.num);
      const { width, height, frameCount } = plan.pairing;
      assert.ok(pixelReader(plan)(wholeSegment(plan.pairing)) >= width * height * frameCount);
      passed++;
    }
  }
  assert.ok(passed > kinds.length ** 2 / 3, `${passed} of ${kinds.length ** 2}`);
});

test("accepts aligned pairs, and counts the pixels that are read up to their last frame", () => {
  const [fast, slow] = [{ frames: 201, rate: { num: 50, den: 1 }, times: undefined }, { frames: 100 }];
  const gap = [
    { reference: 10, distorted: 0, count: 5 },
    { reference: 90, distorted: 5, count: 5 },
  ];
  for (const [reference, distorted, aligned, frames] of [
    [{}, {}, { offset: 7 }, 100],
    [{}, {}, { start: 10, duration: 50 }, 60],
    [{}, {}, { runs: gap }, 95],
    [fast, slow, { offset: -3 }, 201],
    [slow, fast, { offset: 3 }, 201],
  ] as const) {
    const plan = planOf(reference, distorted, { ...REQUEST, ...aligned });
    refuseContradiction(plan);
    const { width, height } = plan.pairing;
    assert.equal(pixelReader(plan)(wholeSegment(plan.pairing)), width * height * frames);
  }
});

test("accepts cropped pairs, and refuses areas outside of a picture and wrong sizes", () => {
  const crop = {
    reference: { x: 0, y: 60, width: 1280, height: 600 },
    distorted: { x: 2, y: 90, width: 640, height: 300 },
  };
  const plan = planOf({}, {}, { ...REQUEST, crop, mirror: { distorted: "BOTH" } });
  refuseContradiction(plan);
  assert.deepEqual([plan.pairing.width, plan.pairing.height], [1280, 600]);
  const withCrop = (reference: typeof crop.reference) => ({
    ...plan,
    pairing: { ...plan.pairing, crop: { ...crop, reference } },
  });
  for (const wrong of [
    withCrop({ ...crop.reference, y: 122 }),
    withCrop({ ...crop.reference, height: 598 }),
    withCrop({ ...crop.reference, y: 61 }),
  ])
    assert.throws(() => refuseContradiction(wrong), { code: "INVALID_REQUEST" });
});

test("refuses runs that overlap, that end after their video, or that give another number of frames", () => {
  const plan = planOf({}, {}, { ...REQUEST, runs: [{ reference: 10, distorted: 0, count: 5 }] });
  const withRuns = (runs: typeof plan.pairing.runs, frameCount = 10) => ({
    ...plan,
    pairing: { ...plan.pairing, runs, frameCount },
  });
  const run = (reference: number, distorted: number) => ({ reference, distorted, count: 5 });
  refuseContradiction(withRuns([run(10, 0), run(15, 5)]));
  for (const wrong of [
    withRuns([run(10, 0), run(14, 5)]),
    withRuns([run(10, 5), run(15, 0)]),
    withRuns([run(0, 0), run(96, 5)]),
    withRuns([run(0, 0), run(5, 96)]),
    withRuns([run(0, 0), run(5, 5)], 11),
  ])
    assert.throws(() => refuseContradiction(wrong), { code: "INVALID_REQUEST" });
});

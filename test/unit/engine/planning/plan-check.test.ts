/** Plans made by the engine pass the check for every combination of rotation, scaling, thinning and counts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { settleCounts } from "../../../../src/engine/planning/frame-counts.ts";
import { pixelsRead, refuseContradiction } from "../../../../src/engine/planning/plan-check.ts";
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

function planOf(reference: Parameters<typeof track>[1], distorted: Parameters<typeof track>[1]) {
  const tracks = { reference: track("reference", reference), distorted: track("distorted", distorted) };
  const paired = pair(tracks.reference, tracks.distorted, REQUEST);
  const pairing = settleCounts(paired, tracks, REQUEST);
  const plan = { request: REQUEST, tracks, pairing, models: [MODEL], segments: [], whole: undefined };
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
      assert.ok(pixelsRead(plan, frameCount) >= width * height * frameCount);
      passed++;
    }
  }
  assert.ok(passed > kinds.length ** 2 / 3, `${passed} of ${kinds.length ** 2}`);
});

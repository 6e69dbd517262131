import assert from "node:assert/strict";
import { test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import { FrameTable } from "../../../../src/engine/frames/frame-table.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { joinPasses, passesOf } from "../../../../src/engine/scoring/passes.ts";
import { model } from "../model-fixture.ts";
import { track } from "../track-fixture.ts";

const OLD = model("vmaf_v0.6.1");
const V1 = model("vmaf_v1.0.16_3d0h", { metric: "v1" });
const REQUEST = pairRequest({ reference: "r", distorted: "d" });

function passes(pixelFormat: string, models: readonly (typeof OLD)[], features: readonly "psnr"[] = []) {
  const side = { pixelFormat };
  const pairing = pair(track("reference", side), track("distorted", side), REQUEST);
  return passesOf({ models, features, pairing }).map(({ format, models: own, features: extra }) => [
    format,
    ...own.map(({ index }) => index),
    ...extra,
  ]);
}

test("models share a pass if they take the same format", () => {
  assert.deepEqual(passes("yuv420p", [OLD]), [["yuv420p", 0]]);
  assert.deepEqual(passes("yuv420p", [V1]), [["yuv420p10le", 0]]);
  assert.deepEqual(passes("yuv422p10le", [OLD, V1]), [["yuv422p10le", 0, 1]]);
  assert.deepEqual(passes("yuv420p", [V1, OLD]), [
    ["yuv420p10le", 0],
    ["yuv420p", 1],
  ]);
  assert.deepEqual(passes("yuv420p12le", [OLD, V1]), [
    ["yuv420p12le", 0],
    ["yuv420p10le", 1],
  ]);
});

test("features are computed in the format of the pair, whichever models are requested", () => {
  assert.deepEqual(passes("yuv420p", [V1], ["psnr"]), [
    ["yuv420p", "psnr"],
    ["yuv420p10le", 0],
  ]);
  assert.deepEqual(passes("yuv420p10le", [V1], ["psnr"]), [["yuv420p10le", 0, "psnr"]]);
});

test("joins the columns of passes: models in the order of the request, then the others by name", () => {
  const table = (metrics: readonly string[], ...rows: readonly (readonly number[])[]) => {
    const made = new FrameTable(metrics);
    for (const [frame, values] of rows.entries()) made.append(frame * 2, values);
    return made;
  };
  const side = { pixelFormat: "yuv420p" };
  const pairing = pair(track("reference", side), track("distorted", side), REQUEST);
  const run = {
    models: [
      { ...V1, metric: "vmaf" },
      { ...OLD, metric: "vmaf_v0.6.1" },
    ],
    features: [],
    pairing,
  };
  const joined = joinPasses(
    [
      table(["vmaf", "zeta", "same"], [90, 1, 2], [91, 3, 4]),
      table(["vmaf_v0.6.1", "alpha", "same"], [80, 5, 6], [81, 7, 8]),
    ],
    passesOf(run),
    run.models,
  );
  assert.deepEqual(joined.metrics, ["vmaf", "vmaf_v0.6.1", "alpha", "same", "same_yuv420p", "zeta"]);
  assert.deepEqual(
    [...joined.rows()].map(({ frame, metrics }) => [frame, ...Object.values(metrics)]),
    [
      [0, 90, 80, 5, 2, 6, 1],
      [2, 91, 81, 7, 4, 8, 3],
    ],
  );
});

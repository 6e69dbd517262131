/** The message of a plan: the facts of both files as in results, or nothing if the plan cannot be read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planMessage } from "../../../../src/controller/messages/plan.ts";
import { planReport } from "../../../controller/scored.ts";

const { plan } = planReport(60);

test("contains both files, the scaling of the distorted one, and the warnings", () => {
  const parsed = JSON.parse(plan);
  assert.deepEqual([planMessage(plan)?.scaling, planMessage(plan)?.warnings], [undefined, []]);
  const scaling = { fromWidth: 640, fromHeight: 360, toWidth: 1280, toHeight: 720, algorithm: "bicubic" };
  const warnings = [{ code: "SCALED", message: "It is scaled." }];
  parsed.pairing = { ...parsed.pairing, scaling, warnings };
  parsed.files.distorted.size = 30_000;
  parsed.tracks.distorted.videoBytes = 24_000;
  const found = planMessage(JSON.stringify(parsed));
  assert.equal(found?.scaling?.fromHeight, 360);
  assert.deepEqual(
    found.warnings.map(({ code, message }) => ({ code, message })),
    warnings,
  );
  assert.deepEqual([found.reference?.bytes, found.distorted?.bytes], [1000, 30_000]);
  assert.equal(found.distorted?.bitRate, (8 * 30_000) / (60 / 25));
  assert.deepEqual([found.distorted?.videoBytes, found.distorted?.videoBitRate], [24_000, 80_000]);
});

test("a plan of another version of svc is left out, and the job is still returned", () => {
  assert.equal(planMessage(plan.replace('{"version":6,', '{"version":7,')), undefined);
  assert.equal(planMessage("the plan"), undefined);
});

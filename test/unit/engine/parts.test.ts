import assert from "node:assert/strict";
import { test } from "node:test";
import { pair } from "../../../src/engine/compare.ts";
import { wholeSegment } from "../../../src/engine/cut.ts";
import { encodeRows } from "../../../src/engine/frame-code.ts";
import { FrameTable } from "../../../src/engine/frames.ts";
import { joinParts } from "../../../src/engine/parts.ts";
import { writePlan } from "../../../src/engine/plan-json.ts";
import { pairRequest } from "../../../src/engine/request.ts";
import type { StoredPart } from "../../../src/engine/work.ts";
import { track } from "./track-fixture.ts";

const SCORER = { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" } as const;
const FILE = { size: 1000, modifiedMs: 0 };
const METRICS = Array.from({ length: 12 }, (_, index) => (index === 0 ? "vmaf" : `metric_${index}`));
/** What is held in memory at most, over 12 metrics: a day at 120 frames per second. */
const MOST_FRAMES = 24 * 3600 * 120;

function planText(frames: number): string {
  const request = pairRequest({ reference: "r", distorted: "d" });
  const tracks = { reference: track("reference"), distorted: track("distorted") };
  const pairing = { ...pair(tracks.reference, tracks.distorted, request), frameCount: frames };
  const models = [{ name: "vmaf_v0.6.1", metric: "vmaf", file: undefined, digest: "" }];
  const plan = { request, tracks, pairing, models, segments: [wholeSegment(pairing)], whole: undefined };
  return writePlan(plan, { reference: FILE, distorted: FILE }, SCORER);
}

function part(frames: number, metrics: readonly string[]): StoredPart {
  const table = new FrameTable(metrics, frames);
  for (let frame = 0; frame < frames; frame++)
    table.append(
      frame,
      metrics.map((_, index) => index + (frame % 7)),
    );
  return { segment: undefined, pieces: [...encodeRows(table, 4096)].map(({ rows }) => rows) };
}

test("other work of the process goes on while parts are joined: between the pieces and between the metrics", async () => {
  const whole = part(2000, METRICS);
  assert.ok(whole.pieces.length > 20);
  let turns = 0;
  let done = false;
  const turn = (): void => {
    turns++;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const { score, frameCount } = await joinParts(planText(2000), [whole], 1);
  done = true;
  assert.ok(turns >= whole.pieces.length + METRICS.length, `${turns} turns of ${whole.pieces.length} pieces`);
  assert.equal(frameCount, 2000);
  assert.equal(score, 2.9975);
});

test("more values than are held in memory are refused at the first piece", async () => {
  await assert.rejects(joinParts(planText(MOST_FRAMES), [part(10, [...METRICS, "more"])], 1), {
    code: "MEDIA_TOO_LARGE",
  });
  await assert.rejects(joinParts(planText(MOST_FRAMES), [part(10, METRICS)], 1), { code: "SCORER_FAILED" });
});

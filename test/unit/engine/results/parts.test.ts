import assert from "node:assert/strict";
import { test } from "node:test";
import { pairRequest } from "../../../../src/engine/contract/request.ts";
import type { StoredPart } from "../../../../src/engine/contract/work.ts";
import { encodeRows } from "../../../../src/engine/frames/codec.ts";
import { FrameTable } from "../../../../src/engine/frames/frame-table.ts";
import { pair } from "../../../../src/engine/planning/compare.ts";
import { wholeSegment } from "../../../../src/engine/planning/cut.ts";
import { writePlan } from "../../../../src/engine/planning/plan-json.ts";
import { joinParts } from "../../../../src/engine/results/parts.ts";
import { model } from "../model-fixture.ts";
import { track } from "../track-fixture.ts";

const SCORER = { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" } as const;
const FILE = { size: 1000, modifiedMs: 0 };
const METRICS = Array.from({ length: 12 }, (_, index) => (index === 0 ? "vmaf" : `metric_${index}`));
/** A day at 25 frames per second. */
const DAY = 24 * 3600 * 25;

function planText(frames: number): string {
  const request = pairRequest({ reference: "r", distorted: "d" });
  const tracks = { reference: track("reference"), distorted: track("distorted") };
  const pairing = { ...pair(tracks.reference, tracks.distorted, request), frameCount: frames };
  const models = [model("vmaf_v0.6.1")];
  const plan = { request, tracks, pairing, models, segments: [wholeSegment(pairing)], whole: undefined };
  return writePlan(plan, { reference: FILE, distorted: FILE }, SCORER);
}

function part(frames: number, metrics: readonly string[], segment?: string, least = 0): StoredPart {
  const table = new FrameTable(metrics, frames);
  for (let frame = 0; frame < frames; frame++)
    table.append(
      frame,
      metrics.map((_, index) => least + index + (frame % 7)),
    );
  return { segment, chunks: [...encodeRows(table, 4096)].map(({ rows }) => rows) };
}

test("yields to the event loop after each chunk and each metric while joining parts", async () => {
  const whole = part(2000, METRICS);
  assert.ok(whole.chunks.length > 20);
  let turns = 0;
  let done = false;
  const turn = (): void => {
    turns++;
    if (!done) setImmediate(turn);
  };
  setImmediate(turn);
  const { score, frameCount } = await joinParts(planText(2000), [whole], 1);
  done = true;
  assert.ok(
    turns >= whole.chunks.length + METRICS.length,
    `${turns} turns for ${whole.chunks.length} chunks`,
  );
  assert.equal(frameCount, 2000);
  assert.equal(score, 2.9975);
});

test("refuses values over the memory limit of a pair at the first chunk", async () => {
  const joined = (...parts: Parameters<typeof part>) => joinParts(planText(DAY), [part(...parts)], 1);
  const most = [...METRICS, "a", "b", "c", "d"];
  await assert.rejects(joined(10, [...most, "more"]), { code: "MEDIA_TOO_LARGE" });
  await assert.rejects(joined(10, most), { code: "SCORER_FAILED" }, "only rows are missing");
  // Values beyond ±2147 take twice as much.
  await assert.rejects(joined(10, METRICS, undefined, 1e9), { code: "MEDIA_TOO_LARGE" });
});

test("refuses more metrics than the models and features can have at the first chunk", async () => {
  const metrics = Array.from({ length: 41 }, (_, index) => (index === 0 ? "vmaf" : `metric_${index}`));
  await assert.rejects(joinParts(planText(10), [part(10, metrics)], 1), {
    code: "SCORER_FAILED",
    message: /41 metrics/,
  });
  await joinParts(planText(10), [part(10, metrics.slice(0, 40))], 1);
});

test("refuses a segment with more context than the metrics look at", async () => {
  const segment = (before: number, after: number) =>
    JSON.stringify({ first: 40, count: 10, before, after, cut: { reference: {}, distorted: {} } });
  const first = JSON.stringify({
    first: 0,
    count: 40,
    before: 0,
    after: 0,
    cut: { reference: {}, distorted: {} },
  });
  const joined = (before: number, after: number) =>
    joinParts(
      planText(51),
      [part(40, METRICS, first), part(before + 10 + after, METRICS, segment(before, after))],
      1,
    );
  for (const [before, after] of [
    [6, 1],
    [5, 2],
    [32, 1],
  ] as const)
    await assert.rejects(joined(before, after), { code: "INVALID_REQUEST" }, `${before} and ${after}`);
});

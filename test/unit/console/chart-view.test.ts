/** Views of a chart, its keys, thresholds, units and times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { rateOf } from "../../../src/jobs/frame-rate.ts";
import { actionOf } from "../../../web/src/chart/chart-keys.ts";
import { FrameTable } from "../../../web/src/chart/data/frame-table.ts";
import {
  axisRange,
  badSide,
  scoreText,
  unitOf,
  unitsOf,
  worstOf,
} from "../../../web/src/chart/data/metrics.ts";
import { segmentAt, segmentsOf } from "../../../web/src/chart/data/segments.ts";
import { countBeyond, thresholdParam, thresholdsOf } from "../../../web/src/chart/data/thresholds.ts";
import { clock, clockDecimals, timecode } from "../../../web/src/chart/data/timecode.ts";
import { isWhole, panned, viewOf, viewParams, wholeView, zoomed } from "../../../web/src/chart/view.ts";
import { frameRateOf } from "../../../web/src/job/frames/frame-rate.ts";
import { modelRanges } from "../../../web/src/job/metric-order.ts";
import type { Job } from "../../../web/src/jobs/job-facts.ts";
import { placeOf } from "../../../web/src/rates/rate-place.ts";
import { job } from "./jobs.ts";

const total = fc.integer({ min: 1, max: 300_000 });

test("zooming and panning never leave the video, and keep from < to", () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        factor: fc.double({ min: 0.01, max: 100, noNaN: true }),
        at: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      fc.record({ frames: fc.integer({ min: -400_000, max: 400_000 }) }),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(total, steps, (total, steps) => {
      let view = wholeView(total);
      for (const step of steps) {
        view =
          "frames" in step
            ? panned(view, step.frames, total)
            : zoomed(view, step.factor, view.from + step.at * (view.to - view.from), total);
        assert.ok(view.from >= 0 && view.to <= Math.max(1, total - 1) + 1e-6, JSON.stringify(view));
        assert.ok(view.to > view.from, JSON.stringify(view));
      }
    }),
  );
});

test("the frame under the pointer stays in place while zooming", () => {
  const view = zoomed({ from: 1000, to: 2000 }, 0.5, 1250, 10_000);
  assert.deepEqual(view, { from: 1125, to: 1625 });
});

test("a range in the URL is shown, and an invalid one shows all frames", () => {
  assert.deepEqual(viewOf("100", "200", 1000), { from: 100, to: 200 });
  assert.deepEqual(viewOf("100", null, 1000), { from: 100, to: 999 });
  for (const [from, to] of [
    ["200", "100"],
    ["-1", "x"],
    [null, null],
    ["1e3", "NaN"],
  ] as const)
    assert.deepEqual(viewOf(from, to, 1000), wholeView(1000), `${from} ${to}`);
  const beyond = viewOf("900", "5000000", 1000);
  assert.ok(beyond.to <= 999 && beyond.from < beyond.to);
  assert.deepEqual(viewParams({ from: 99.6, to: 200.2 }, 1000), { from: "100", to: "200" });
  assert.deepEqual(viewParams(wholeView(1000), 1000), {});
  assert.ok(isWhole(wholeView(1), 1));
});

test("keys zoom, pan, show all, step and select", () => {
  const state = { view: { from: 100, to: 300 }, total: 1000, step: 5, marked: undefined };
  assert.deepEqual(actionOf("+", state), { view: { from: 150, to: 250 } });
  assert.deepEqual(actionOf("-", state), { view: { from: 0, to: 400 } });
  assert.deepEqual(actionOf("ArrowRight", state), { view: { from: 140, to: 340 } });
  assert.deepEqual(actionOf("ArrowLeft", state), { view: { from: 60, to: 260 } });
  assert.deepEqual(actionOf("0", state), { view: wholeView(1000) });
  assert.deepEqual(actionOf("End", state), { view: { from: 799, to: 999 } });
  assert.deepEqual(actionOf(".", state), { mark: 200 });
  assert.deepEqual(actionOf(".", { ...state, marked: 200 }), { mark: 205 });
  assert.deepEqual(actionOf(",", { ...state, marked: 200 }), { mark: 195 });
  assert.deepEqual(actionOf("Enter", { ...state, marked: 205 }), { pick: 205 });
  assert.equal(actionOf("Enter", state), undefined);
  assert.equal(actionOf("Tab", state), undefined);
});

test("thresholds are parsed from the URL and written to it", () => {
  const metrics = ["vmaf", "psnr_y", "model:b"];
  const texts = ["80", "psnr_y:35.5", "model:b:70", "80", "nothing:3", "psnr_y:", "x"];
  const thresholds = thresholdsOf(texts, metrics);
  assert.deepEqual(thresholds, [
    { metric: "vmaf", limit: 80 },
    { metric: "psnr_y", limit: 35.5 },
    { metric: "model:b", limit: 70 },
  ]);
  assert.deepEqual(
    thresholds.map((each) => thresholdParam(each, metrics)),
    ["80", "psnr_y:35.5", "model:b:70"],
  );
  assert.deepEqual(thresholdsOf(["80"], []), []);
});

test("counts frames below or above a threshold within a range", () => {
  const table = new FrameTable(10, 2);
  const writer = table.writer();
  writer.header(["vmaf"]);
  for (const [frame, value] of [
    [0, 70],
    [2, 80],
    [4, 79.9],
    [6, Number.NaN],
    [8, 10],
  ] as const)
    writer.row(frame, Float64Array.of(value));
  writer.commit();
  const threshold = { metric: "vmaf", limit: 80 };
  assert.deepEqual(countBeyond(table, threshold, "below", { from: 0, to: 10 }), { beyond: 3, of: 4 });
  assert.deepEqual(countBeyond(table, threshold, "below", { from: 1, to: 7 }), { beyond: 1, of: 2 });
  assert.deepEqual(countBeyond(table, { metric: "vmaf", limit: 70 }, "above", { from: 0, to: 10 }), {
    beyond: 2,
    of: 4,
  });
  const none = { metric: "none", limit: 1 };
  assert.deepEqual(countBeyond(table, none, "below", { from: 0, to: 9 }), { beyond: 0, of: 0 });
});

test("parses frame rates; time codes count whole frames per second", () => {
  assert.equal(rateOf("25/1"), 25);
  assert.equal(rateOf("23.976"), 23.976);
  assert.equal(rateOf("30000/1001"), 30_000 / 1001);
  for (const none of ["", undefined, "0/1", "1/0", "fast"]) assert.equal(rateOf(none), undefined);
  assert.equal(timecode(0, 25), "00:00:00:00");
  assert.equal(timecode(3 * 90_000 + 26, 25), "03:00:01:01");
  assert.equal(timecode(30, 30_000 / 1001), "00:00:01:00");
  assert.equal(clock(65.99), "1:05");
  assert.equal(clock(3661), "1:01:01");
  assert.equal(clock(3661.25, 2), "1:01:01.25");
  assert.equal(timecode(1799, 30_000 / 1001), "00:00:59:29");
  assert.equal(timecode(1800, 30_000 / 1001), "00:01:00:00", "no number is skipped at the start of a minute");
});

test("times on an axis are distinct for any rate and step", () => {
  const rate = fc.constantFrom(23.976, 24, 25, 30_000 / 1001, 50, 60, 120);
  fc.assert(
    fc.property(
      rate,
      fc.constantFrom(1, 2, 5, 10, 20, 50, 100, 1000),
      fc.nat(9000),
      (rate, frames, first) => {
        const decimals = clockDecimals(frames / rate);
        const times = [0, 1, 2, 3].map((index) => clock(((first + index) * frames) / rate, decimals));
        assert.equal(new Set(times).size, times.length, times.join());
      },
    ),
  );
  assert.equal(clockDecimals(2), 0);
  assert.deepEqual(
    [0, 5, 10].map((frame) => clock(frame / 25, clockDecimals(0.2))),
    ["0:00.0", "0:00.2", "0:00.4"],
  );
});

/** A plan of files with these frame rates. */
function planOf(reference: string, distorted: string): NonNullable<Job["plan"]> {
  const media = {
    ...{ container: "mp4", codec: "h264", width: 640, height: 360, pixelFormat: "yuv420p", bitDepth: 8 },
    ...{ frames: 10, colorRange: "", sampleAspectRatio: "", rotation: 0 },
  };
  const side = (frameRate: string) => ({ ...media, frameRate });
  return { reference: side(reference), distorted: side(distorted), warnings: [] };
}

test("a job's frame rate comes from its plan until it has a result", () => {
  assert.equal(frameRateOf(job("1")), undefined);
  const plan = planOf("50/1", "25/1");
  assert.equal(frameRateOf(job("1", { plan })), 25, "frame numbers count the slower side");
  assert.equal(frameRateOf(job("1", { plan: planOf("", "30000/1001") })), 30_000 / 1001);
  assert.equal(frameRateOf(job("1", { plan: planOf("", "") })), undefined);
});

const NO_MODELS = new Map<string, number>();
const MODELS = new Map([
  ["vmaf", 100],
  ["mine", 100],
]);

test("an axis of model scores ends at the largest score of any of its models", () => {
  const models = new Map([
    ["vmaf", 100],
    ["v1-tv", 110],
  ]);
  assert.deepEqual(unitOf("vmaf", models).bounds, [0, 100]);
  assert.deepEqual(unitOf("v1-tv@2", models).bounds, [0, 110]);
  assert.deepEqual(unitsOf(["v1-tv", "vmaf", "psnr_y"], models).get("vmaf")?.bounds, [0, 110]);
  assert.deepEqual(axisRange(50, 110, unitOf("v1-tv", models)), [46.4, 111.1]);
  const full = modelRanges(job("1", { spec: { reference: "r", distorted: "d", models: ["v1", "v1-tv"] } }));
  assert.deepEqual(
    [...full],
    [
      ["vmaf", 100],
      ["v1-tv", 110],
    ],
  );
});

test("the axis of score and bit rate ends at the metric's largest score", () => {
  const points = [30, 70, 109].map((score, index) => ({ score, rate: index + 1 }));
  assert.equal(placeOf(points, 800, false, 110).scores.at(-1), 110);
  assert.equal(placeOf(points, 800, false, Number.POSITIVE_INFINITY).scores.at(-1), 120);
  assert.equal(placeOf(points, 800, false, 100).scores.at(-1), 109, "a score beyond it is not cut off");
});

test("metrics with the same unit share an axis, which covers all scores within the unit's bounds", () => {
  assert.equal(unitOf("vmaf", MODELS).key, unitOf("mine", MODELS).key);
  assert.equal(unitOf("psnr_y", NO_MODELS).key, unitOf("psnr_hvs", NO_MODELS).key);
  assert.equal(unitOf("float_ssim", NO_MODELS).key, unitOf("integer_adm2", NO_MODELS).key);
  assert.notEqual(unitOf("cambi", NO_MODELS).key, unitOf("ciede2000", NO_MODELS).key);
  const value = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const [least, most] = axisRange(low, high, unitOf("vmaf", NO_MODELS));
      assert.ok(least < low + 1e-9 && most > high - 1e-9 && least < most && least >= -2 && most <= 102);
    }),
  );
  assert.equal(scoreText(Number.NaN, unitOf("vmaf", NO_MODELS)), "–");
});

test("each of libvmaf's metrics has a name and a direction; motion has no direction", () => {
  const described = (metric: string) => {
    const { name, better } = unitOf(metric, MODELS);
    return `${name} ${better}`;
  };
  const metrics = [
    "vmaf",
    "mine@3",
    "psnr_y",
    "xpsnr_y",
    "psnr_hvs_cb",
    "float_ssim",
    "float_ms_ssim",
    "ciede2000",
  ];
  assert.deepEqual(
    metrics.map(described),
    ["VMAF", "VMAF", "PSNR", "XPSNR", "PSNR-HVS", "SSIM", "MS-SSIM", "CIEDE2000"].map(
      (name) => `${name} higher`,
    ),
  );
  assert.deepEqual(["cambi", "integer_aim", "integer_motion2"].map(described), [
    "CAMBI lower",
    "AIM lower",
    "motion 2 undefined",
  ]);
  const extremes = { low: 3, high: 8 };
  assert.deepEqual(
    ["vmaf", "cambi"].map((metric) => [
      worstOf(extremes, unitOf(metric, NO_MODELS)),
      badSide(unitOf(metric, NO_MODELS)),
    ]),
    [
      [3, "below"],
      [8, "above"],
    ],
  );
});

test("finds the segment of a frame", () => {
  const work = (
    firstFrame: number,
    state: "DONE" | "LEASED" | "PENDING",
    kind: "SEGMENT" | "PLAN" = "SEGMENT",
  ) => ({
    ...{ kind, state, firstFrame, frameCount: kind === "PLAN" ? 0 : 10, attempt: 1, node: "one" },
    startTime: "2026-01-01T00:00:00Z",
    ...(state === "DONE" && { endTime: "2026-01-01T00:00:02.5Z" }),
  });
  const now = Date.parse("2026-01-01T00:00:04Z");
  const all = [work(0, "DONE", "PLAN"), work(10, "LEASED"), work(0, "DONE"), work(30, "PENDING")];
  const segments = segmentsOf(all, now);
  assert.equal(segments.length, 3);
  assert.equal(segmentAt(segments, 0)?.elapsedMs, 2500);
  assert.deepEqual(
    [segmentAt(segments, 19)?.progress, segmentAt(segments, 19)?.elapsedMs],
    ["running", 4000],
  );
  assert.equal(segmentAt(segments, 25), undefined);
  assert.equal(segmentAt(segments, 39)?.progress, "waiting");
  assert.equal(segmentAt(segments, 40), undefined);
});

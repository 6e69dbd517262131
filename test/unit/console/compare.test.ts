/** The Compare page: parsing its URL, selecting comparable jobs, and ordering its table. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { components } from "../../../src/gen/rest/controller.ts";
import { bitRateText, signedText, sizeText } from "../../../src/jobs/quantities.ts";
import { ratios, ticks } from "../../../src/rates/ticks.ts";
import { unitOf } from "../../../web/src/chart/data/metrics.ts";
import { metricsInAll, partitionComparable } from "../../../web/src/compare/comparable.ts";
import {
  bestOf,
  columnsOf,
  inOrder,
  rowOf,
  sortedBy,
  sortingOf,
  sortText,
} from "../../../web/src/compare/compare-order.ts";
import {
  chosenOf,
  differenceOf,
  drawnOf,
  limitOf,
  MAX_COMPARED,
  MAX_DRAWN,
  onLadder,
  typedRates,
  withChosen,
  withDrawn,
  withRate,
} from "../../../web/src/compare/compare-query.ts";
import { comparedOf, dashOf } from "../../../web/src/compare/compared.ts";
import { basisOf } from "../../../web/src/compare/rates/rate-basis.ts";

type Job = components["schemas"]["Job"];
type Pooled = components["schemas"]["Pooled"];

const MEDIA = {
  container: "mp4",
  codec: "h264",
  width: 640,
  height: 360,
  pixelFormat: "yuv420p",
  bitDepth: 8,
  frameRate: "25/1",
  frames: 100,
  colorRange: "limited",
  sampleAspectRatio: "1:1",
  rotation: 0,
};

interface Parts {
  readonly spec?: Partial<Job["spec"]>;
  readonly state?: Job["state"];
  readonly frames?: number;
  readonly score?: number;
  readonly bitRate?: number;
  readonly videoBitRate?: number;
  readonly referenceBytes?: number;
  readonly metrics?: readonly string[];
  /** The model that was used; absent: the one requested. */
  readonly used?: string;
}

function pooled(mean: number): Pooled {
  return {
    mean,
    harmonicMean: mean,
    min: mean,
    max: mean,
    stdDev: 0,
    p1: mean,
    p5: mean,
    p10: mean,
    p50: mean,
  };
}

function modelScore(model: string, metric: string, score: number) {
  return { model, metric, score, name: model, reason: "", maxScore: 100, bitDepth: 8 };
}

function job(id: string, parts: Parts = {}): Job {
  const { spec = {}, state = "SUCCEEDED", frames = 100, score = 90, metrics = ["vmaf"] } = parts;
  const { referenceBytes } = parts;
  const { model = "vmaf_v0.6.1" } = spec;
  const { used = model } = parts;
  return {
    id,
    tenantId: "dev",
    spec: { reference: "/r.mov", distorted: `/${id}.mp4`, ...spec },
    state,
    progress: { framesDone: frames, framesTotal: frames, fps: 0 },
    segmentsTotal: 1,
    segmentsDone: 1,
    retries: 0,
    createTime: "2026-01-01T00:00:00Z",
    submittedBy: "",
    revision: 1,
    ...(state === "SUCCEEDED" && {
      result: {
        score,
        model,
        models: [{ ...modelScore(model, "vmaf", score), name: used }],
        features: {},
        pooled: Object.fromEntries(metrics.map((metric) => [metric, pooled(score)])),
        frameCount: frames,
        frames: [],
        reference: { ...MEDIA, ...(referenceBytes !== undefined && { bytes: referenceBytes }) },
        distorted: { ...MEDIA, bytes: 1000, ...ratesOf(parts) },
        warnings: [],
        scorer: { program: "vmaf", version: "3", libvmafVersion: "3" },
        durationMs: 1,
      },
    }),
  };
}

function ratesOf({ bitRate, videoBitRate }: Parts) {
  return { ...(bitRate !== undefined && { bitRate }), ...(videoBitRate !== undefined && { videoBitRate }) };
}

function params(text: string): URLSearchParams {
  return new URLSearchParams(text);
}

test("the URL lists jobs and ladders in the order of their numbers, each once, up to the limit", () => {
  assert.deepEqual(chosenOf(params("job=1&a=2&x=9&b=3&job=&a=1")).chosen, [
    { id: "1", ladder: "a" },
    { id: "2", ladder: "a" },
    { id: "3", ladder: "b" },
  ]);
  const many = Array.from({ length: MAX_COMPARED + 3 }, (_, id) => `job=${id}`).join("&");
  const { chosen, left } = chosenOf(params(many));
  assert.equal(chosen.length, MAX_COMPARED);
  assert.equal(left, 3);
});

test("selected jobs survive a round trip through the URL; parameters of other jobs are removed", () => {
  const chosen = [
    { id: "x", ladder: "b" },
    { id: "y", ladder: undefined },
  ] as const;
  const before = params("job=z&rate=z:5&rate=x:7&hide=z&hide=y&diff=z,x&metric=psnr_y");
  const after = withChosen(before, chosen);
  assert.deepEqual(chosenOf(after).chosen, chosen);
  assert.equal(after.toString(), "b=x&job=y&rate=x%3A7&hide=y&metric=psnr_y");
  assert.deepEqual(onLadder(chosen, "y", "a")[1], { id: "y", ladder: "a" });
});

test("draws the first eight jobs unless hidden, and the others only if shown", () => {
  const ids = Array.from({ length: 12 }, (_, id) => `${id}`);
  assert.deepEqual(drawnOf(params(""), ids), ids.slice(0, MAX_DRAWN));
  const changed = withDrawn(withDrawn(params("metric=x"), ids, "0"), ids, "10");
  assert.equal(changed.toString(), "metric=x&hide=0&show=10");
  assert.deepEqual(drawnOf(changed, ids), [...ids.slice(1, MAX_DRAWN), "10"]);
  assert.equal(withDrawn(withDrawn(changed, ids, "0"), ids, "10").toString(), "metric=x");
});

test("all comparable lines look different", () => {
  const colours = 6;
  const looks = Array.from(
    { length: MAX_COMPARED },
    (_, index) => `${index % colours} ${dashOf(index + 1).join()}`,
  );
  assert.equal(new Set(looks).size, MAX_COMPARED);
});

test("accepts valid rates, differences and limits, and ignores invalid ones", () => {
  const typed = withRate(withRate(params(""), "x", " 1250,5 "), "y", "300");
  assert.deepEqual(
    [...typedRates(typed)],
    [
      ["x", 1_250_500],
      ["y", 300_000],
    ],
  );
  for (const text of ["", "0", "-1", "many", "1e999", "NaN"])
    assert.deepEqual([...typedRates(withRate(typed, "x", text))], [["y", 300_000]], text);
  assert.deepEqual([...typedRates(params("rate=x&rate=:5&rate=x:"))], []);
  assert.deepEqual(differenceOf(params("diff=x,y")), ["x", "y"]);
  for (const text of ["", "x", "x,", "x,x", "x,y,z"])
    assert.equal(differenceOf(params(`diff=${text}`)), undefined, text);
  assert.deepEqual(["80", "80,5", "", " ", "x", "Infinity", null].map(limitOf), [
    80,
    80.5,
    ...Array.from({ length: 5 }, () => undefined),
  ]);
});

test("compares the largest compatible set of jobs, and gives a reason for the others", () => {
  const jobs = [
    job("odd", { spec: { reference: "/other.mov" } }),
    job("one"),
    job("two"),
    job("long", { frames: 101 }),
    job("model", { spec: { model: "vmaf_4k_v0.6.1" } }),
    job("sampled", { spec: { subsample: 5 } }),
    job("failed", { state: "FAILED" }),
    job("cancelled", { state: "CANCELLED" }),
    job("queued", { state: "QUEUED", frames: 0 }),
  ];
  const { comparable, others } = partitionComparable(jobs);
  assert.deepEqual(
    comparable.map(({ id }) => id),
    ["one", "two", "queued"],
  );
  assert.deepEqual(
    others.map(({ reason }) => reason),
    [
      "its reference is a different file, other.mov",
      "it has 101 frames, not 100",
      "it is scored by vmaf_4k_v0.6.1, not by vmaf_v0.6.1",
      "it scores every n-th frame with a different n",
      "it failed",
      "it was cancelled",
    ],
  );
  const changed = partitionComparable([
    job("old", { referenceBytes: 5 }),
    job("new", { referenceBytes: 6 }),
    job("unknown"),
  ]);
  assert.deepEqual(
    changed.others.map(({ reason }) => reason),
    ["its reference has changed between the two jobs"],
  );
  assert.deepEqual(partitionComparable([]), { comparable: [], others: [] });
  const alone = partitionComparable([job("failed", { state: "FAILED" })]);
  assert.deepEqual([alone.comparable, alone.others[0]?.reason], [[], "it failed"]);
});

test("offers the metrics that all jobs have", () => {
  const [one, other] = [
    job("1", { metrics: ["vmaf", "psnr_y"] }),
    job("2", { metrics: ["psnr_y", "vmaf", "x"] }),
  ];
  assert.deepEqual(metricsInAll([one, other, job("3", { state: "RUNNING" })]), ["vmaf", "psnr_y"]);
  assert.deepEqual(metricsInAll([job("3", { state: "RUNNING" })]), []);
});

test("sorts unknown values last, and marks the best only if another is worse", () => {
  const said = { ladder: undefined, metric: "vmaf", basis: "video", typedRate: undefined } as const;
  const rows = [
    rowOf(comparedOf(job("b", { score: 70, bitRate: 600, videoBitRate: 500 }), { ...said, number: 1 }), 3),
    rowOf(comparedOf(job("c", { state: "RUNNING" }), { ...said, number: 2 }), undefined),
    rowOf(comparedOf(job("a", { score: 95 }), { ...said, number: 3, typedRate: 900 }), 3),
  ];
  const order = (text: string | null) => inOrder(rows, sortingOf(text)).map(({ of }) => of.number);
  assert.deepEqual(order(null), [1, 2, 3]);
  assert.deepEqual(order("-score"), [3, 1, 2]);
  assert.deepEqual(order("score"), [1, 3, 2]);
  assert.deepEqual(order("rate"), [1, 3, 2]);
  assert.deepEqual(order("name"), [3, 1, 2]);
  assert.deepEqual(order("what"), [1, 2, 3]);
  assert.equal(bestOf(rows, "score", "higher"), 95);
  assert.equal(bestOf(rows, "rate", "higher"), 500);
  assert.equal(bestOf(rows, "beyond", "higher"), undefined);
  assert.deepEqual([rows[0]?.of.isTyped, rows[2]?.of.isTyped], [false, true]);
  const once = sortedBy(sortingOf(null), "score", "higher");
  const twice = sortedBy(once, "score", "higher");
  assert.deepEqual([once, twice, sortedBy(twice, "score", "higher")].map(sortText), [
    "-score",
    "score",
    undefined,
  ]);
  assert.equal(sortText(sortedBy(once, "size", "higher")), "size");
});

test("uses video bit rates unless one encode has only its file's; then uses file rates for all", () => {
  const fresh = job("new", { bitRate: 1_100, videoBitRate: 1_000 });
  const earlier = job("old", { bitRate: 2_100 });
  const unknown = job("raw");
  assert.deepEqual([[fresh, unknown], [fresh, earlier], [earlier], [unknown], []].map(basisOf), [
    "video",
    "file",
    "file",
    "video",
    "video",
  ]);
  const said = { number: 1, ladder: undefined, metric: "vmaf", typedRate: 900 };
  const rates = (basis: "video" | "file") =>
    [fresh, earlier, unknown].map((one) => {
      const { rate, fileRate, isTyped } = comparedOf(one, { ...said, basis });
      return [rate, fileRate, isTyped];
    });
  assert.deepEqual(rates("file"), [
    [1_100, 1_100, false],
    [2_100, 2_100, false],
    [900, undefined, true],
  ]);
  assert.deepEqual(rates("video")[0], [1_000, 1_100, false]);
});

test("compares jobs that used the same model, or name the same model", () => {
  const asked = (id: string, model: string, parts: Parts = {}) => job(id, { spec: { model }, ...parts });
  const [hd, uhd] = ["vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_1d5h_2160"];
  const idsOf = (jobs: readonly Job[]) => partitionComparable(jobs).comparable.map(({ id }) => id);
  assert.deepEqual(idsOf([asked("short", "v1", { used: hd }), asked("own", hd)]), ["short", "own"]);
  assert.deepEqual(idsOf([asked("hd", "v1", { used: hd }), asked("4k", "v1", { used: uhd })]), ["hd", "4k"]);
  assert.deepEqual(idsOf([asked("short", "v1", { used: uhd }), asked("own", hd)]), ["short"]);
  assert.deepEqual(idsOf([asked("queued", "v1", { state: "QUEUED" }), asked("own", hd)]), ["queued"]);
});

test("for metrics where lower is better, the lowest is best and first, and Max is the worst", () => {
  const said = { ladder: undefined, metric: "cambi", basis: "video", typedRate: undefined } as const;
  const rows = [0.5, 3].map((score, index) =>
    rowOf(comparedOf(job(`${index}`, { score, metrics: ["cambi"] }), { ...said, number: index + 1 }), index),
  );
  const { better } = unitOf("cambi", new Map());
  assert.equal(bestOf(rows, "score", better), 0.5);
  assert.equal(bestOf(rows, "max", better), 0.5);
  assert.equal(bestOf(rows, "beyond", better), 0);
  assert.equal(sortText(sortedBy(sortingOf(null), "score", better)), "score");
  const keys = (metric: string) => columnsOf(unitOf(metric, new Map()).better).map(({ key }) => key);
  assert.ok(keys("cambi").includes("max") && !keys("cambi").includes("min"));
  assert.ok(keys("vmaf").includes("min") && !keys("vmaf").includes("max"));
  assert.equal(bestOf(rows, "score", unitOf("integer_motion2", new Map()).better), undefined);
});

test("formats sizes and rates with three digits, and differences with a sign", () => {
  assert.deepEqual([0, 999, 1000, 1234, 99_960, 999_499, 999_500, 2.5e9].map(bitRateText), [
    "0 bit/s",
    "999 bit/s",
    "1.00 kbit/s",
    "1.23 kbit/s",
    "100 kbit/s",
    "999 kbit/s",
    "1.00 Mbit/s",
    "2.50 Gbit/s",
  ]);
  assert.equal(sizeText(51_668), "51.7 kB");
  assert.deepEqual(
    [-1.234, 1.234, -0.001, 0].map((value) => signedText(value, 2)),
    ["−1.23", "+1.23", "0.00", "0.00"],
  );
});

test("an axis starts at or below the lowest value and ends at or above the highest", () => {
  const positive = fc.double({ min: 1, max: 1e11, noNaN: true });
  fc.assert(
    fc.property(positive, positive, fc.integer({ min: 2, max: 10 }), (one, other, count) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      for (const make of [ticks, ratios]) {
        const marks = make(low, high, count);
        assert.ok(marks.length >= 2 && marks.length <= 2 * count + 3, `${marks.length} marks`);
        assert.ok(
          (marks[0] ?? Number.NaN) <= low * (1 + 1e-8) && (marks.at(-1) ?? Number.NaN) >= high * (1 - 1e-8),
        );
        for (const [index, mark] of marks.entries())
          assert.ok(index === 0 || mark > (marks[index - 1] ?? mark));
      }
    }),
  );
});

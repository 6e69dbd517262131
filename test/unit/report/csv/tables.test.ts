import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRows } from "../../../../src/cli/input/csv-rows.ts";
import { COMPARISON_TABLES, type ComparisonTable, tableCsv } from "../../../../src/report/csv/comparison.ts";
import { scoresCsv } from "../../../../src/report/csv/scores.ts";
import { spansCsv } from "../../../../src/report/csv/spans.ts";
import { trendCsv } from "../../../../src/report/csv/trends.ts";
import { workCsv } from "../../../../src/report/csv/work.ts";

type Comparison = Parameters<typeof tableCsv>[1];
type Cell = NonNullable<Comparison["cells"]>[number];

const STATS = { harmonicMean: 59, min: 1, max: 99, stdDev: 2.5, p1: 3, p5: 5, p10: 10, p50: 50 };

function cell(number: number, videoBitRate: number, mean: number): Cell {
  return {
    ...{ number, reference: "/a.mov", distorted: `/a-${number}.mp4`, ladder: "=x264", clip: "a, b" },
    ...{ jobId: `job-${number}`, state: "SUCCEEDED" as const, pooled: { vmaf: { mean, ...STATS } } },
    media: { codec: "h264", width: 320, height: 180, videoBitRate },
    segments: [{ firstFrame: 0, frameCount: 50, mean, min: 1, worstFrame: 7 }],
  };
}

const FAILED: Cell = {
  ...{ number: 4, reference: "/a.mov", distorted: "/gone.mp4", ladder: "", clip: "a, b", jobId: "job-4" },
  ...{ state: "FAILED", pooled: {}, error: { code: "MEDIA_NOT_FOUND", message: "It is gone." } },
};

const SUBJECT = { ladder: "x265", metric: "vmaf", method: "pchip", scale: "linear" };
const COMPARISON: Comparison = {
  ...{ id: "1", tenantId: "dev", name: "n", anchor: "=x264", createTime: "", submittedBy: "", settings: {} },
  ladders: [{ name: "=x264", cells: 4, scored: 3 }],
  metrics: [{ name: "vmaf", lowerIsBetter: false, max: 100 }],
  cells: [cell(1, 400_000, 60), cell(2, 800_000, 75), cell(3, 1_600_000, 74), FAILED],
  deltas: [
    {
      ...SUBJECT,
      ...{ bdRate: -12.5, bdQuality: 1.25, clips: 1, refused: 1 },
      byClip: [
        {
          ...{ clip: "a, b", bdRate: -12.5, bdQuality: 1.25, overlap: 0.9, rateOverlap: 0.8 },
          ...{ lowOverlap: false, dropped: 2, offHull: 1 },
          crossings: [61.5, 70.25].map((score) => ({ score, rate: 1 })),
        },
        {
          ...{ clip: "c", lowOverlap: false, dropped: 0, offHull: 0, crossings: [] },
          refusal: { code: "NO_OVERLAP", message: "none" },
        },
      ],
    },
  ],
  progress: {
    ...{ cells: 4, queued: 0, running: 0, succeeded: 3, failed: 1, cancelled: 0, deleted: 0 },
    ...{ framesDone: 1, framesTotal: 1 },
  },
};

function rowsOf(lines: Iterable<string>): readonly (readonly string[])[] {
  return [...csvRows([...lines].join(""))].map(({ cells }) => cells);
}

const tableOf = (name: ComparisonTable) => rowsOf(tableCsv(name, COMPARISON));

test("BD-rates have a row for each clip, also for refused ones, and averages a row for each ladder", () => {
  assert.deepEqual(tableOf("bd-rates"), [
    [
      ...["ladder", "clip", "anchor", "metric", "method", "scale", "bd_rate", "bd_quality"],
      ...["overlap", "rate_overlap", "dropped", "off_hull", "crossings", "refusal", "reason"],
    ],
    [
      "x265",
      "a, b",
      "=x264",
      "vmaf",
      "pchip",
      "linear",
      "-12.5",
      "1.25",
      "0.9",
      "0.8",
      "2",
      "1",
      "61.5 70.25",
      "",
      "",
    ],
    ["x265", "c", "=x264", "vmaf", "pchip", "linear", "", "", "", "", "0", "0", "", "NO_OVERLAP", "none"],
  ]);
  assert.deepEqual(tableOf("averages"), [
    ["ladder", "anchor", "metric", "method", "scale", "bd_rate", "bd_quality", "clips", "refused"],
    ["x265", "=x264", "vmaf", "pchip", "linear", "-12.5", "1.25", "1", "1"],
  ]);
});

test("scores have all statistics, and the cells without a score their reasons", () => {
  const [heading, first, , , failed] = tableOf("scores");
  assert.deepEqual(heading?.slice(9), [
    ...["metric", "mean", "harmonic_mean", "min", "p1", "p5", "p10", "p50", "max", "std_dev"],
  ]);
  assert.deepEqual(first, [
    ...["1", "=x264", "a, b", "/a.mov", "/a-1.mp4", "job-1", "SUCCEEDED", "", "", "vmaf"],
    ...["60", "59", "1", "3", "5", "10", "50", "99", "2.5"],
  ]);
  assert.deepEqual(failed?.slice(0, 10), [
    ...["4", "", "a, b", "/a.mov", "/gone.mp4", "job-4", "FAILED", "MEDIA_NOT_FOUND", "It is gone.", ""],
  ]);
});

test("rungs, proposals and segments name ladder, clip and encode", () => {
  const [rungs, wasted] = [tableOf("rungs"), tableOf("rungs").find((row) => row[3] === "DOMINATED")];
  assert.equal(
    rungs[0]?.join(),
    "ladder,clip,metric,fault,rate,score,other_rate,other_score,points,missing_rate,text",
  );
  assert.deepEqual(wasted?.slice(0, 10), [
    ...["=x264", "a, b", "vmaf", "DOMINATED", "1600000", "74", "800000", "75", "1", ""],
  ]);
  const proposed = rowsOf(tableCsv("proposals", COMPARISON, { step: 10, maxRate: undefined }));
  assert.deepEqual(proposed[0], ["ladder", "clip", "rate", "vmaf", "like", "reason"]);
  assert.deepEqual(proposed[1]?.slice(0, 4), ["=x264", "a, b", "800000", "75.00"]);
  assert.deepEqual(tableOf("proposals").length, 1);
  assert.deepEqual(tableOf("segments").slice(0, 2), [
    ["ladder", "clip", "distorted", "number", "first_frame", "frame_count", "mean", "min", "worst_frame"],
    ["=x264", "a, b", "/a-1.mp4", "1", "0", "50", "60", "1", "7"],
  ]);
});

test("every table of an empty comparison is a heading", () => {
  const empty = { ...COMPARISON, cells: [], deltas: [], metrics: [], ladders: [] };
  for (const name of COMPARISON_TABLES) {
    const rows = rowsOf(tableCsv(name, empty));
    assert.equal(rows.length, 1, name);
    assert.ok(!rows[0]?.includes(""), name);
  }
});

test("spans have the times of their first frames, if a rate is known", () => {
  const spans = [
    { firstFrame: 0, frameCount: 50, mean: 90.5, min: 80, worstFrame: 7 },
    { firstFrame: 50, frameCount: 25, mean: 70, min: 60, worstFrame: 51 },
  ];
  assert.deepEqual(rowsOf(spansCsv(spans, 25)), [
    ["number", "first_frame", "frame_count", "time", "mean", "min", "worst_frame"],
    ["1", "0", "50", "0.000000", "90.5", "80", "7"],
    ["2", "50", "25", "2.000000", "70", "60", "51"],
  ]);
  assert.equal(rowsOf(spansCsv(spans, undefined))[2]?.[3], "");
});

test("scores of a video name the models that were used; an estimate has means and intervals", () => {
  const models = [
    { model: "v1", name: "vmaf_v1.0.0", metric: "vmaf", score: 90 },
    { model: "vmaf_4k_v0.6.1", metric: "vmaf_4k_v0.6.1", score: 80, interval: { low: 79, high: 81 } },
  ];
  const full = scoresCsv({ models, features: { psnr_y: 40 }, pooled: { psnr_y: { mean: 40, ...STATS } } });
  assert.deepEqual(rowsOf(full), [
    [
      ...["metric", "model", "mean", "low", "high", "harmonic_mean"],
      ...["min", "p1", "p5", "p10", "p50", "max", "std_dev"],
    ],
    ["vmaf", "vmaf_v1.0.0", "90", ...Array(10).fill("")],
    ["vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1", "80", "79", "81", ...Array(8).fill("")],
    ["psnr_y", "", "40", "", "", "59", "1", "3", "5", "10", "50", "99", "2.5"],
  ]);
});

const TREND: Parameters<typeof trendCsv>[1] = {
  ...{ by: "release", metric: "vmaf", lowerIsBetter: false, statistic: "mean", threshold: 0.5, leftOut: 0 },
  metrics: ["vmaf"],
  releases: [
    { name: "6", clips: 2, scorers: ["a", "b"] },
    {
      ...{ name: "7", clips: 3, scorers: [] },
      delta: { clips: 2, mean: -1.5, halfWidth: 0.5, lowerChance: 0.01, higherChance: 0.99 },
      change: { clips: 2, mean: -1.25 },
    },
  ],
  clips: [
    { name: "new", scores: [{ release: "7", jobId: "j4", score: 70 }] },
    {
      name: "same",
      scores: [
        { release: "6", jobId: "j0", score: 90 },
        { release: "7", jobId: "j1", score: 90 },
      ],
    },
    {
      name: "@worse",
      scores: [
        { release: "6", jobId: "j2", score: 90 },
        { release: "7", jobId: "j3", score: 87 },
      ],
    },
  ],
  delta: {
    ...{ baseline: "6", candidate: "7", worse: 1, better: 0, verdict: "UNCHANGED" },
    statistics: {},
  },
};

test("a trend has its releases in order, and its clips with the worst first", () => {
  assert.deepEqual(rowsOf(trendCsv("releases", TREND)), [
    [
      ...[
        "release",
        "metric",
        "statistic",
        "clips",
        "baseline",
        "compared_clips",
        "difference",
        "half_width",
      ],
      ...["lower_chance", "higher_chance", "change", "change_half_width", "change_clips", "scorers"],
    ],
    ["6", "vmaf", "mean", "2", "6", ...Array(8).fill(""), "a; b"],
    ["7", "vmaf", "mean", "3", "6", "2", "-1.5", "0.5", "0.01", "0.99", "-1.25", "", "2", ""],
  ]);
  assert.deepEqual(rowsOf(trendCsv("clips", TREND)), [
    [
      ...["clip", "metric", "statistic", "baseline", "candidate", "baseline_score", "candidate_score"],
      ...["difference", "baseline_job", "candidate_job"],
    ],
    ["@worse", "vmaf", "mean", "6", "7", "90", "87", "-3", "j2", "j3"],
    ["same", "vmaf", "mean", "6", "7", "90", "90", "0", "j0", "j1"],
    ["new", "vmaf", "mean", "6", "7", "", "70", "", "", "j4"],
  ]);
});

test("tasks have their frames and nodes", () => {
  const work = [
    { kind: "PLAN", state: "DONE", firstFrame: 0, frameCount: 0, attempt: 1, node: "n1" },
    { kind: "STILLS", state: "PENDING", firstFrame: 3, frameCount: 2, attempt: 0, node: "", frames: [3, 9] },
  ] as const;
  const rows = rowsOf(
    workCsv(work.map((task) => ({ ...task, frames: [...("frames" in task ? task.frames : [])] }))),
  );
  assert.deepEqual(rows.slice(1), [
    ["PLAN", "DONE", "", "0", "", "", "n1", "1", "", "", ""],
    ["STILLS", "PENDING", "3", "2", "3 9", "", "", "0", "", "", ""],
  ]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { reportPage } from "../../../src/report/page.ts";

type Comparison = Parameters<typeof reportPage>[0];
type Cell = NonNullable<Comparison["cells"]>[number];

function cell(number: number, clip: string, ladder: string, videoBitRate: number): Cell {
  const mean = 50 + Math.log2(videoBitRate);
  const pooled = { mean, harmonicMean: mean, min: 1, max: 99, stdDev: 1, p1: 1, p5: 1, p10: 1, p50: 1 };
  return {
    ...{ number, reference: `/${clip}`, distorted: `/${clip}-${ladder}-${videoBitRate}.mp4`, ladder, clip },
    ...{ jobId: "1", state: "SUCCEEDED" as const, pooled: { vmaf: pooled } },
    media: { codec: "h264", width: 320, height: 180, videoBitRate },
  };
}

function pageOf(over: Partial<Comparison>): string {
  const counts = {
    queued: 0,
    running: 0,
    failed: 0,
    cancelled: 0,
    deleted: 0,
    framesDone: 1,
    framesTotal: 1,
  };
  const comparison: Comparison = {
    ...{ id: "1", tenantId: "dev", name: "n", anchor: "x264", createTime: "", submittedBy: "" },
    ...{ settings: {}, ladders: [], deltas: [], metrics: [], cells: [] },
    progress: { cells: 0, succeeded: 0, ...counts },
    ...over,
  };
  return [...reportPage(comparison, "1.0.0")].join("");
}

test("encodes are listed by clip, ladder and rate, regardless of the order of submission", () => {
  const cells = [
    cell(1, "a", "x265", 400),
    cell(2, "b", "x264", 800),
    cell(3, "a", "x264", 800),
    cell(4, "a", "x265", 200),
    cell(5, "b", "x264", 100),
  ];
  const [list = ""] = pageOf({ cells }).split("<h2>How to reproduce").slice(0, 1);
  assert.deepEqual(
    [...list.matchAll(/<td>([ab]-x26\d-\d+)\.mp4/g)].map(([, name]) => name),
    ["a-x265-200", "a-x265-400", "a-x264-800", "b-x264-100", "b-x264-800"],
  );
});

test("a comparison without models names the default one, in words and in the command that repeats it", () => {
  const page = pageOf({ settings: {} });
  assert.ok(page.includes("<p>Model: vmaf_v0.6.1, the default.</p>"));
  assert.ok(page.includes("<code>svc compare --from encodes.csv --model vmaf_v0.6.1 --anchor"));
  assert.ok(pageOf({ settings: { models: ["v1", "v1-phone"] } }).includes("<p>Models: v1, v1-phone.</p>"));
});

test("the command that repeats a comparison has its models and metrics, and says what else it needs", () => {
  const settings = { models: ["v1", "v1-phone"], features: ["psnr", "ssim"], subsample: 5, offset: 2 };
  const page = pageOf({ settings: { ...settings, labels: { release: "7" } } });
  assert.ok(
    page.includes(
      "<code>svc compare --from encodes.csv --model v1 --model v1-phone --metric psnr,ssim --subsample 5 " +
        "--anchor &quot;x264&quot;</code>, with options for offset, and",
    ),
  );
});

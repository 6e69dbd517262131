import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { report } from "../../src/cli/score/report.ts";
import type { MediaView, ScoreView } from "../../src/cli/score/view.ts";
import type { Terminal } from "../../src/cli/terminal/terminal.ts";
import { poolTable } from "../engine/pool-table.ts";
import { vmafSeries } from "./series.ts";

const WIDE: Terminal = { columns: 80, color: false, unicode: true, live: false };
const NAMES = { reference: "source.y4m", distorted: "my \x1b[31mencode.mp4" };
const MEDIA: MediaView = {
  container: "mp4",
  codec: "h264",
  width: 320,
  height: 180,
  pixelFormat: "yuv420p",
  frameRate: "30000/1001",
  frames: 3,
  colorRange: "full",
  sampleAspectRatio: "16:15",
  rotation: 90,
};

function view(over: Partial<ScoreView> = {}): ScoreView {
  const frames = vmafSeries([90, 60, 96]);
  return {
    score: 82,
    models: [{ model: "vmaf_v0.6.1", metric: "vmaf", score: 82 }],
    features: {},
    pooled: poolTable(frames),
    frameCount: 3,
    reference: {
      ...MEDIA,
      container: "y4m",
      codec: "rawvideo",
      colorRange: "",
      sampleAspectRatio: "1:1",
      rotation: 0,
    },
    distorted: MEDIA,
    warnings: [{ code: "SCALED", message: "The distorted video was scaled." }],
    findings: [],
    shots: [],
    streamSegments: [],
    scorer: { program: "ffmpeg", version: "n7.0", libvmafVersion: "3.0.0" },
    durationMs: 100,
    frames,
    ...over,
  };
}

function page(over: Partial<ScoreView> = {}, terminal: Partial<Terminal> = {}): string[] {
  const options = { features: [], allMetrics: false, fix: false, chartHeight: 4, names: NAMES };
  return report(view(over), { ...options, terminal: { ...WIDE, ...terminal } });
}

test("a file's line has the video's bit rate, the file's if it differs, and says whole file if only that is known", () => {
  const line = (rates: Partial<MediaView>) =>
    page({ distorted: { ...MEDIA, ...rates } }, { columns: 200 }).find((text) =>
      text.startsWith("Distorted"),
    );
  const video = { videoBitRate: 1_200_000 };
  assert.match(
    line({ ...video, bitRate: 1_330_000 }) ?? "",
    / · 29\.97 fps · 1\.20 Mbit\/s video, 1\.33 Mbit\/s overall · 3 frames/,
  );
  assert.match(line({ ...video, bitRate: 1_200_001 }) ?? "", / · 29\.97 fps · 1\.20 Mbit\/s · 3 frames/);
  assert.match(line({ bitRate: 1_330_000 }) ?? "", / · 29\.97 fps · 1\.33 Mbit\/s whole file · 3 frames/);
});

test("of an aligned pair names the worst frames by their numbers in both files", () => {
  const scores = [90, 60, 96, 95, 94].flatMap((score) => Array.from({ length: 60 }, () => score));
  scores[70] = 10;
  scores[250] = 20;
  const runs = [
    { reference: 0, distorted: 5, count: 100 },
    { reference: 102, distorted: 105, count: 200 },
  ];
  const lines = page({
    frames: vmafSeries(scores),
    alignment: { runs, referenceStep: 2, distortedStep: 1 },
  });
  const worst = lines.filter((line) => /^ {2}[12] {2}frame/.test(line));
  assert.match(worst[0] ?? "", /frame +70 .* \(reference 140, distorted 75\)$/);
  assert.match(worst[1] ?? "", /frame +250 .* \(reference 402, distorted 255\)$/);
});

test("shows score, files, warnings, pooled scores, chart, worst frames and scorer", () => {
  const lines = page();
  assert.deepEqual(lines.slice(0, 4), ["┏━┓ ╺━┓   ┏━┓ ┏━┓", "┣━┫ ┏━┛   ┃ ┃ ┃ ┃", "┗━┛ ┗━╸ ▪ ┗━┛ ┗━┛", ""]);
  assert.deepEqual(lines.slice(4, 16), [
    "VMAF 82.000000  vmaf_v0.6.1",
    "",
    'Reference  "source.y4m"  y4m · rawvideo · 320x180 · yuv420p · 29.97 fps · 3',
    "           frames",
    'Distorted  "my \\u{1b}[31mencode.mp4"  mp4 · h264 · 320x180 · sample aspect ratio',
    "           16:15 · yuv420p · 29.97 fps · 3 frames · full range · rotated 90°",
    "Model      vmaf_v0.6.1 · HD TV at 3 picture heights",
    "",
    "Warning: The distorted video was scaled. (SCALED)",
    "",
    "        mean  harmonic     min      p1      p5     p10     p50     max  stdDev",
    "vmaf  82.000    78.593  60.000  60.600  63.000  66.000  90.000  96.000  15.748",
  ]);
  assert.deepEqual(lines.slice(-5), [
    "Worst frames, at least 2 s apart",
    "  1  frame 1  00:00:00.033  60.000000",
    "",
    "Scored 3 frames in 0.1 s (30.0 fps) with ffmpeg n7.0, libvmaf 3.0.0.",
    "",
  ]);
});

test("names each model: the one used, its range, bits and encode, and why it was chosen", () => {
  const tv = {
    ...{
      model: "v1-tv",
      metric: "vmaf",
      score: 82,
      name: "vmaf_v1.0.16_3d0h_2160",
      maxScore: 110,
      bitDepth: 10,
    },
    reason: "standard frame rate, because it has 29.97 frames per second (high from 45)",
    encode: { width: 320, height: 180, bitDepth: 8 },
  };
  const lines = page({ models: [tv] });
  assert.ok(lines.includes("VMAF 82.000000 of 110  v1-tv"));
  const first = lines.findIndex((line) => line.startsWith("Model "));
  assert.deepEqual(lines.slice(first, first + 5), [
    "Model      v1-tv: vmaf_v1.0.16_3d0h_2160 · 4K TV at 3 picture heights · scores 0",
    "           to 110 · 10 bits · encode 320x180, 8 bits",
    "           standard frame rate, because it has 29.97 frames per second (high",
    "           from 45)",
    "",
  ]);
  const old = {
    model: "vmaf_v0.6.1",
    metric: "vmaf",
    score: 82,
    name: "",
    reason: "",
    maxScore: 0,
    bitDepth: 0,
  };
  assert.ok(page({ models: [old] }).includes("Model      vmaf_v0.6.1 · HD TV at 3 picture heights"));
});

describe("terminals", () => {
  test("prints escape sequences only with colour", () => {
    assert.ok(!page().join("\n").includes("\x1b"));
    assert.ok(page({}, { color: true }).join("\n").includes("\x1b[1m"));
  });

  test("prints only ASCII without Unicode", () => {
    const text = page({ distorted: { ...MEDIA, rotation: 0 } }, { unicode: false }).join("\n");
    assert.match(text, /^[\n -~]*$/);
    assert.match(text, /^VMAF 82\.000000/);
  });

  test("fits every line into 40 columns without losing a value", () => {
    const lines = page({}, { columns: 40 });
    for (const line of lines) assert.ok(line.length <= 40, line);
    for (const value of ["82.000", "78.593", "60.600", "15.748"])
      assert.ok(lines.join("\n").includes(value), value);
  });
});

describe("metrics", () => {
  const [vmaf] = Object.values(poolTable(vmafSeries([1])));
  const pooled = Object.fromEntries(
    ["vmaf", "neg", "integer_adm2", "psnr_cb", "psnr_y", "psnr_hvs"].map((name) => [
      name,
      vmaf ?? assert.fail(),
    ]),
  );
  const models = [
    { model: "vmaf_v0.6.1", metric: "vmaf", score: 1 },
    { model: "neg", metric: "neg", score: 1 },
  ];
  const shown = (features: string[], allMetrics: boolean) =>
    report(view({ pooled, models }), {
      terminal: { ...WIDE, columns: 120 },
      names: NAMES,
      features,
      allMetrics,
      fix: false,
    })
      .map((line) => /^([a-z_0-9 ]+?) +1\.00000/.exec(line)?.[1])
      .filter((name) => name !== undefined);

  test("says what short names of features stand for", () => {
    const options = { terminal: WIDE, names: NAMES, features: [], fix: false };
    const [wide, narrow] = [true, false].map((allMetrics) =>
      report(view({ pooled, models }), { ...options, allMetrics }).join(" "),
    );
    assert.match(wide ?? "", /detail: share of the reference's detail .* Metric: +integer_adm2/);
    assert.doesNotMatch(narrow ?? "", /detail/);
  });

  test("lists models and requested metrics first, and the models' own features only on request", () => {
    assert.deepEqual(shown([], false), ["vmaf", "neg"]);
    assert.deepEqual(shown(["psnr"], false), ["vmaf", "neg", "psnr_y", "psnr_cb"]);
    assert.deepEqual(shown(["psnr"], true), ["vmaf", "neg", "psnr_y", "psnr_cb", "detail", "psnr_hvs"]);
  });
});

describe("time", () => {
  const second = (frameRate: string, other = frameRate) =>
    page({ reference: { ...MEDIA, frameRate }, distorted: { ...MEDIA, frameRate: other } }).find((line) =>
      line.startsWith("  1  frame"),
    );

  test("shows only frame numbers if the rate is unknown", () => {
    assert.equal(second(""), "  1  frame 1  60.000000");
    assert.ok(
      page({ reference: { ...MEDIA, frameRate: "" }, distorted: { ...MEDIA, frameRate: "" } }).includes(
        "Worst frames, at least 50 frames apart",
      ),
    );
  });

  test("uses the slower side's rate, or the reference's if both rates are about equal", () => {
    assert.equal(second("50/1", "25/1"), "  1  frame 1  00:00:00.040  60.000000");
    assert.equal(second("25/1", "50/1"), "  1  frame 1  00:00:00.040  60.000000");
    assert.equal(second("25/1", "24/1"), "  1  frame 1  00:00:00.040  60.000000");
    assert.equal(second("", "20/1"), "  1  frame 1  00:00:00.050  60.000000");
  });
});

describe("an estimate", () => {
  const interval = { low: 81.4, high: 82.6 };
  const facts = { tolerance: 1, confidence: 0.95, scoredShare: 0.083, totalFrames: 36, units: 3 };
  const estimate = { ...interval, ...facts, totalUnits: 40, seed: 7 };
  const models = [{ model: "vmaf_v0.6.1", metric: "vmaf", score: 82, interval }];
  const estimated = { pooled: {}, features: { psnr_y: 38.25, integer_adm2: 0.9 }, models, estimate };
  const text = (over: Partial<ScoreView> = {}) =>
    page({ ...estimated, ...over }, { columns: 200 }).join("\n");

  test("is shown with its interval, share and seed", () => {
    assert.match(text(), /^VMAF 82\.00 ± 0\.60 {2}vmaf_v0\.6\.1$/m);
    assert.match(text(), /with 95 % confidence, the mean of all 36 frames is in 81\.40 to 82\.60\./);
    assert.match(text(), /8\.3 % of the frames were scored, 3 of 40 units, drawn with --seed 7\./);
  });

  test("states an interval that ends at the largest score by its ends", () => {
    const top = [
      { ...models[0], model: "m", metric: "vmaf", score: 99.8, interval: { low: 99.3, high: 100 } },
    ];
    assert.match(text({ models: top }), /^VMAF 99\.80, 99\.30 to 100\.00 {2}m$/m);
  });

  test("shows no statistics that a sample does not have, and requested metrics as means", () => {
    assert.doesNotMatch(text(), /harmonic|Worst frames|p5/);
    const lines = report(view(estimated), {
      ...{ terminal: WIDE, names: NAMES, features: ["psnr"], allMetrics: false, fix: false },
    });
    assert.ok(lines.includes("psnr_y  38.250"), lines.join("\n"));
    assert.ok(!lines.some((line) => line.startsWith("integer_adm2")));
  });
});

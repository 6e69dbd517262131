/** Cells of a comparison: which ladder and clip each belongs to, and which are points of a curve. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cell, compareCells } from "../../../src/rates/cells.ts";

const H264 = { codec: "h264", width: 1920, height: 1080 };
const HEVC = { ...H264, codec: "hevc" };

function cell(given: Partial<Cell> = {}): Cell {
  return { reference: "/a/r.mp4", ladder: "", clip: "", encoded: H264, rate: 1, means: undefined, ...given };
}

/** Four points of a ladder; `factor`: how many bits more than those of another ladder. */
function ladder(name: string, factor: number, given: Partial<Cell> = {}): Cell[] {
  const [rates, scores] = [
    [1e6, 2e6, 4e6, 8e6],
    [60, 70, 80, 90],
  ];
  return rates.map((rate, at) =>
    cell({ ladder: name, rate: rate * factor, means: { vmaf: scores[at] ?? 0 }, ...given }),
  );
}

test("groups by what is requested, otherwise by codec and reference", () => {
  const { places, ladders, comparison } = compareCells(
    [
      cell(),
      cell({ encoded: HEVC }),
      cell({ ladder: "x265", encoded: HEVC, clip: "trailer" }),
      cell({ encoded: undefined }),
    ],
    "",
  );
  assert.deepEqual(places, [
    { ladder: "h264", clip: "r.mp4" },
    { ladder: "hevc", clip: "r.mp4" },
    { ladder: "x265", clip: "trailer" },
    { ladder: "", clip: "r.mp4" },
  ]);
  assert.deepEqual(
    ladders.map(({ name }) => name),
    ["h264", "hevc", "x265"],
  );
  assert.equal(comparison.anchor, "h264");
});

test("groups by encoder and size if requested, and counts encodes that name no encoder", () => {
  const encoder = "Lavc61.3.100 libx264";
  const { places, ladders } = compareCells(
    [
      cell({ encoded: { ...H264, encoder } }),
      cell({ encoded: H264 }),
      cell({ encoded: H264, ladder: "named" }),
      cell({ encoded: undefined }),
    ],
    "",
    ["encoder", "size"],
  );
  assert.deepEqual(
    places.map((place) => place.ladder),
    ["libx264 1920×1080", "h264 1920×1080", "named", ""],
  );
  assert.deepEqual(
    ladders.map(({ name, withoutEncoder }) => [name, withoutEncoder]),
    [
      ["libx264 1920×1080", 0],
      ["h264 1920×1080", 1],
      ["named", 0],
    ],
  );
});

test("names clips after the whole reference if two have the same file name", () => {
  const references = ["/a/r.mp4", "/b/r.mp4", "/b/other.mp4", "s3://films/x/one.mov", "r/"];
  const { places } = compareCells(
    references.map((reference) => cell({ reference })),
    "",
  );
  assert.deepEqual(
    places.map(({ clip }) => clip),
    ["/a/r.mp4", "/b/r.mp4", "other.mp4", "one.mov", "r"],
  );
});

test("compares nothing until the anchor is known", () => {
  const unknown = cell({ encoded: undefined });
  const { comparison } = compareCells([unknown, unknown], "");
  assert.deepEqual([comparison.anchor, comparison.results], ["", []]);
  assert.equal(compareCells([unknown, ...ladder("b", 1)], "").comparison.anchor, "b");
});

test("compares the other ladders with the anchor, clip by clip and on average", () => {
  const cells = ["one", "two"].flatMap((clip) => [
    ...ladder("a", 1, { clip }),
    ...ladder("b", clip === "one" ? 0.5 : 1, { clip }),
  ]);
  const { comparison } = compareCells(cells, "a");
  const isShown = ({ method, scale }: { method: string; scale: string }) =>
    method === "pchip" && scale === "linear";
  const rates = comparison.results.filter(isShown).map(({ clip, bdRate = 0 }) => [clip, Math.round(bdRate)]);
  assert.deepEqual(rates, [
    ["one", -50],
    ["two", 0],
  ]);
  const [average] = comparison.averages.filter(isShown);
  assert.deepEqual([Math.round(average?.bdRate ?? 0), average?.clips], [-25, 2]);
});

test("leaves out cells without a score, counts them, and says why there is no number", () => {
  const [first, ...rest] = ladder("b", 0.5);
  const cells = [...ladder("a", 1), cell({ ladder: "b", means: undefined }), ...rest];
  assert.ok(first);
  const { comparison, ladders } = compareCells(cells, "");
  assert.deepEqual(ladders, [
    { name: "a", cells: 4, scored: 4, withoutEncoder: 0 },
    { name: "b", cells: 4, scored: 3, withoutEncoder: 0 },
  ]);
  const pchip = comparison.results.find(({ method }) => method === "pchip");
  assert.deepEqual([pchip?.refused?.code, pchip?.refused?.points], ["TOO_FEW_POINTS", 3]);
});

test("refuses a ladder whose rate is not known", () => {
  const cells = [...ladder("a", 1), ...ladder("b", 1, { rate: undefined })];
  const codes = compareCells(cells, "").comparison.results.map(({ refused }) => refused?.code);
  assert.deepEqual([...new Set(codes)], ["NO_RATE"]);
});

test("compares by models and requested features, not by the models' own features", () => {
  const means = { vmaf: 1, "vmaf_v0.6.1neg": 1, psnr_y: 1, cambi: 1, integer_adm2: 1, integer_motion2: 1 };
  const { comparison } = compareCells([cell({ means })], "");
  assert.deepEqual(
    comparison.metrics.map(({ name }) => name),
    ["vmaf", "vmaf_v0.6.1neg", "psnr_y", "cambi"],
  );
});

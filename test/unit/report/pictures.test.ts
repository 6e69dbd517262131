import assert from "node:assert/strict";
import { test } from "node:test";
import { reportPage } from "../../../src/report/page.ts";
import {
  type PicturePair,
  picturedCells,
  picturesSection,
  worstFrameOf,
} from "../../../src/report/pictures.ts";

type Comparison = Parameters<typeof reportPage>[0];
type Cell = PicturePair["cell"];

function cell(ladder: string, min: number, state: Cell["state"] = "SUCCEEDED"): Cell {
  const pooled = { mean: 90, harmonicMean: 90, min, max: 99, stdDev: 1, p1: 1, p5: 1, p10: 1, p50: 1 };
  const names = {
    reference: "/r.mp4",
    distorted: `/${ladder}-${min}.mp4`,
    ladder,
    clip: "r.mp4",
    jobId: "1",
  };
  return { number: 1, ...names, state, pooled: state === "SUCCEEDED" ? { vmaf: pooled } : {} };
}

function comparison(...cells: Cell[]): Comparison {
  const ladders = [...new Set(cells.map(({ ladder }) => ladder))].map((name) => ({
    name,
    cells: 1,
    scored: 1,
  }));
  const progress = { cells: 1, queued: 0, running: 0, succeeded: 1, failed: 0, cancelled: 0, deleted: 0 };
  const counts = { ...progress, framesDone: 1, framesTotal: 1 };
  return {
    ...{
      id: "1",
      tenantId: "dev",
      name: "n",
      anchor: "a",
      createTime: "2026-05-17T09:30:00Z",
      submittedBy: "",
    },
    ...{ settings: {}, progress: counts, cells, ladders, deltas: [] },
    metrics: [{ name: "vmaf", lowerIsBetter: false }],
  };
}

function pair(size: number): PicturePair {
  const picture = `data:image/webp;base64,${"A".repeat(size)}`;
  return { cell: cell("a", 10), frame: 7, score: 12.345, reference: picture, distorted: picture };
}

test("of each of the first four ladders, the encode with the lowest frame is shown", () => {
  const cells = [
    cell("a", 40),
    cell("a", 20),
    cell("a", 1, "FAILED"),
    cell("b", 60),
    cell("c", 5, "RUNNING"),
  ];
  const more = ["d", "e", "f"].map((ladder) => cell(ladder, 1));
  assert.deepEqual(
    picturedCells(comparison(...cells, ...more)).map(({ distorted }) => distorted),
    ["/a-20.mp4", "/b-60.mp4", "/d-1.mp4"],
  );
  assert.deepEqual(picturedCells({ ...comparison(), metrics: [] }), []);
});

test("the worst frame is that of the worst shot, if there are stills of both sides", () => {
  const shots = [
    { min: 30, worstFrame: 4 },
    { min: 12, worstFrame: 90 },
  ];
  assert.deepEqual(worstFrameOf(shots, [4, 4, 90, 90]), { frame: 90, score: 12 });
  assert.equal(worstFrameOf(shots, [4, 4, 90]), undefined);
  assert.equal(worstFrameOf(shots, []), undefined);
  assert.equal(worstFrameOf([], [90, 90]), undefined);
});

test("a page has as many pictures as it has room for, and stays under 5 MB", () => {
  const page = (...pictures: PicturePair[]) =>
    [...reportPage(comparison(cell("a", 10)), "1", pictures)].join("");
  const count = (text: string) => text.split("<img ").length - 1;
  const large = page(pair(2_000_000), pair(2_000_000), pair(1_000));
  assert.equal(count(large), 4);
  assert.ok(Buffer.byteLength(large) < 5_000_000);
  assert.match(large, /a-10\.mp4 \(a\), frame 7: 12\.35/);
  assert.equal(count(page()), 0);
  assert.ok(!page().includes("Worst moments"));
});

test("the text of a picture cannot end its attribute", () => {
  const hostile = { ...pair(1), reference: 'data:,"><script>alert(1)</script>' };
  assert.ok(!picturesSection([hostile], 10_000).includes("<script>"));
});

/** The encodes that a ladder is computed from, and the reasons for those that are missing. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bdRate } from "../../../src/rates/bd-rate.ts";
import { upperHull } from "../../../src/rates/hull.ts";
import { upright } from "../../../src/rates/points.ts";
import { type Compared, pointsOf } from "../../../web/src/compare/compared.ts";
import { ladderOf, offHulls, without } from "../../../web/src/compare/rates/ladders.ts";
import { job } from "./jobs.ts";

const POOLED = { mean: 90, harmonicMean: 90, min: 90, max: 90, stdDev: 0, p1: 90, p5: 90, p10: 90, p50: 90 };

function encode(id: string, parts: Partial<Compared> = {}): Compared {
  const { ladder = "a", ...rest } = parts;
  const of = { job: job(id), id, title: `encode ${id}`, number: 1, bytes: 1, isTyped: false };
  return { ...of, ladder, pooled: POOLED, basis: "video", rate: 1000, fileRate: 1100, ...rest };
}

test("reports how many encodes a ladder is computed from, and why others are missing", () => {
  const compared = [
    encode("1"),
    encode("2", { rate: undefined }),
    encode("3", { pooled: undefined }),
    encode("5", { ladder: "b" }),
  ];
  const chosen = [...["1", "2", "3", "4"].map((id) => ({ id, ladder: "a" }) as const)];
  const all = [...chosen, { id: "5", ladder: "b" } as const, { id: "6", ladder: undefined }];
  const a = ladderOf("a", all, compared, pointsOf(compared));
  assert.deepEqual(
    a.points.map(({ of }) => of.id),
    ["1"],
  );
  assert.equal(a.chosen, 4);
  assert.deepEqual(a.missing, [
    "encode 2 has no bit rate; enter it in the table",
    "encode 3 has no score yet",
    "one is not compared, for the reason above",
  ]);
  const b = ladderOf("b", all, compared, pointsOf(compared));
  assert.deepEqual([b.points.length, b.chosen, b.missing], [1, 1, []]);
});

test("for metrics where lower is better, hull and BD-rate use the mirrored scores", () => {
  const quality = [10, 20, 30, 40].map((rate) => ({ rate, score: Math.log2(rate) }));
  const banding = quality.map(({ rate, score }) => ({ rate, score: 9 - score }));
  const worse = banding.map(({ rate, score }) => ({ rate: rate * 2, score }));
  const twice = bdRate(upright(banding, true), upright(worse, true));
  assert.ok(
    "delta" in twice && Math.abs(twice.delta.value - 100) < 1e-9,
    "twice the bits for the same score",
  );
  assert.ok("refusal" in bdRate(banding, worse), "without mirroring, scores fall with the rate");
  assert.deepEqual(upright(upperHull(upright(banding, true)), true), banding);
  assert.equal(upright(banding, false), banding);
});

test("leaves out encodes that are not on the hull of a ladder's picture sizes, with the reason", () => {
  const sized = (id: string, width: number, rate: number, mean: number, ladder: "a" | "b" = "a") => {
    const own = job(id);
    const result = {
      ...own.result,
      distorted: { ...own.result?.distorted, width, height: (width * 9) / 16 },
    };
    const of = { ...own, result } as Compared["job"];
    return encode(id, { job: of, rate, ladder, pooled: { ...POOLED, mean } });
  };
  const compared = [
    sized("1", 960, 500, 50),
    sized("2", 960, 2000, 60),
    sized("3", 1920, 1000, 52),
    sized("4", 1920, 2100, 75),
    sized("5", 1920, 900, 10, "b"),
  ];
  const points = pointsOf(compared);
  const off = offHulls(points, "higher");
  const a = without(
    ladderOf(
      "a",
      compared.map(({ id, ladder }) => ({ id, ladder })),
      compared,
      points,
    ),
    off,
  );
  assert.deepEqual(
    a.points.map(({ of }) => of.id),
    ["1", "4"],
  );
  const reason = "is not on the convex hull of the ladder's picture sizes";
  assert.deepEqual(a.missing, [`encode 2 ${reason}`, `encode 3 ${reason}`]);
  assert.equal(offHulls(points, undefined).size, 0);
});

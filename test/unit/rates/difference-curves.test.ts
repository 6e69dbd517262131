import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bdRate, bdScore, fitsOf } from "../../../src/rates/bd-rate.ts";
import { crossings, type Difference, differences } from "../../../src/rates/difference-curves.ts";

type Points = Parameters<typeof bdRate>[0];

const ANCHOR = ladder([300, 750, 1500, 3000, 6000], [41.2, 63.5, 78.9, 89.4, 95.8]);
const OTHER = ladder([250, 600, 1400, 2600, 5200], [44, 62.1, 80.3, 90, 95.1]);

function ladder(rates: readonly number[], scores: readonly number[]): Points {
  return rates.map((rate, index) => ({ rate, score: scores[index] ?? Number.NaN }));
}

const between = (anchor: Points, other: Points, isLower = false) => ({ anchor, test: other, isLower });

/** Trapezoidal sum over equal steps. */
function meanOf(values: readonly number[]): number {
  const sum = values.reduce((all, value, index) => {
    return all + (index === 0 || index === values.length - 1 ? value / 2 : value);
  }, 0);
  return sum / (values.length - 1);
}

function deltaOf(outcome: ReturnType<typeof bdRate>) {
  return "delta" in outcome ? outcome.delta : assert.fail(outcome.refusal);
}

describe("the differences of two ladders", () => {
  test("have the BD-rate as their mean over what both cover", () => {
    const curve = differences(between(ANCHOR, OTHER), "rate", 20_000);
    const { value, from, to } = deltaOf(bdRate(ANCHOR, OTHER));
    assert.deepEqual([curve[0]?.at, curve.at(-1)?.at], [from, to]);
    const mean = meanOf(curve.map((one) => Math.log10(1 + one.value / 100)));
    assert.ok(Math.abs((10 ** mean - 1) * 100 - value) < 1e-6, `${mean}`);
  });

  test("have the BD-quality as their mean over the logarithm of the rate", () => {
    const curve = differences(between(ANCHOR, OTHER), "score", 20_000);
    const { value, from, to } = deltaOf(bdScore(ANCHOR, OTHER));
    const ends = [curve[0]?.at, curve.at(-1)?.at].map((at = 0) => Math.log10(at));
    assert.ok(Math.abs((ends[0] ?? 0) - from) < 1e-12 && Math.abs((ends[1] ?? 0) - to) < 1e-12);
    assert.ok(Math.abs(meanOf(curve.map((one) => one.value)) - value) < 1e-6);
  });

  test("are the given ones at shared scores and rates", () => {
    const [scores, rates] = [
      [50, 60, 70, 80],
      [100, 200, 400, 800],
    ] as const;
    const half = ladder(
      rates.map((rate) => rate / 2),
      scores,
    );
    const bits = differences(between(ladder(rates, scores), half), "rate", 4);
    assert.deepEqual(
      bits.map(({ at, value }) => [at, Number(value.toFixed(9))]),
      [50, 57.5, 65, 72.5, 80].map((at) => [at, -50]),
    );
    const higher = ladder(
      rates,
      scores.map((score) => score + 3),
    );
    const points = differences(between(ladder(rates, scores), higher), "score", 4);
    assert.ok(points.every(({ value }) => Math.abs(value - 3) < 1e-9));
  });

  test("of a metric of which less is better have its scores, and fewer bits below 0", () => {
    const turned = (points: Points) => points.map(({ rate, score }) => ({ rate, score: 24 - score / 10 }));
    const curve = differences(between(turned(ANCHOR), turned(OTHER), true), "rate", 8);
    const upright = differences(between(ANCHOR, OTHER), "rate", 8);
    const near = (one: Difference, other: Difference | undefined) =>
      Math.abs(one.at - (24 - (other?.at ?? 0) / 10)) < 1e-9 &&
      Math.abs(one.value - (other?.value ?? 0)) < 1e-6;
    assert.ok(curve.length === 9 && curve.every((one, index) => near(one, upright[index])));
    const lower = ladder([100, 200, 400, 800], [9, 7, 5, 3]);
    const better = ladder([100, 200, 400, 800], [8, 6, 4, 2]);
    const [first] = differences(between(lower, better, true), "score", 1);
    assert.equal(Number(first?.value.toFixed(9)), -1);
  });

  test("are none if there is no BD-rate", () => {
    assert.deepEqual(differences(between(ANCHOR, OTHER.slice(0, 3)), "rate", 8), []);
    assert.deepEqual(differences(between(ANCHOR, ladder([1, 2, 3, 4], [1, 2, 3, 4])), "rate", 8), []);
  });
});

describe("crossings", () => {
  const found = (anchor: Points, other: Points) => crossings(fitsOf(anchor)("pchip"), fitsOf(other)("pchip"));

  test("are the scores at which both ladders need the same bits", () => {
    const steep = ladder([100, 200, 400, 800], [50, 60, 70, 80]);
    const flat = ladder([60, 150, 450, 1300], [50, 60, 70, 80]);
    const [score = 0, ...more] = found(steep, flat);
    assert.deepEqual(more, []);
    const curves = [steep, flat].map((points) => fitsOf(points)("pchip").rate.curve().at(score));
    assert.ok(Math.abs((curves[0] ?? 0) - (curves[1] ?? 1)) < 1e-9);
    assert.ok(score > 60 && score < 70, `${score}`);
  });

  test("are none where curves only touch, or are the same", () => {
    assert.deepEqual(found(ANCHOR, ANCHOR), []);
    const touching = ladder([100, 200, 400.5, 800], [50, 60, 70, 80]);
    assert.deepEqual(found(ladder([110, 220, 400, 880], [50, 60, 70, 80]), touching), []);
  });
});

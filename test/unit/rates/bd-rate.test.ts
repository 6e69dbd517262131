/**
 * Bjøntegaard deltas. The expected numbers come from two independent implementations: bjontegaard 1.3.0 of the
 * University of Erlangen (bd_rate and bd_psnr, methods "pchip", "akima" and "cubic"), and scipy 1.17.1
 * (PchipInterpolator) for the curve itself.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bdRate, bdScore, curveOf, type Outcome } from "../../../src/rates/bd-rate.ts";
import type { Knots } from "../../../src/rates/hermite.ts";
import { pchip } from "../../../src/rates/pchip.ts";
import type { RatePoint } from "../../../src/rates/points.ts";

function ladder(rates: readonly number[], scores: readonly number[]): RatePoint[] {
  return rates.map((rate, index) => ({ rate, score: scores[index] ?? Number.NaN }));
}

function numberOf(outcome: Outcome): number {
  assert.ok("delta" in outcome, JSON.stringify(outcome));
  return outcome.delta.value;
}

function near(actual: number, expected: number, tolerance = 1e-9): void {
  const size = Math.max(1, Math.abs(expected));
  assert.ok(Math.abs(actual - expected) <= tolerance * size, `${actual} is not ${expected}`);
}

interface Example {
  readonly name: string;
  readonly anchor: readonly RatePoint[];
  readonly test: readonly RatePoint[];
  /** BD-rate and BD-score by each method. */
  readonly pchip: readonly [rate: number, score: number];
  readonly akima: readonly [rate: number, score: number];
  readonly cubic: readonly [rate: number, score: number];
}

const EXAMPLES: readonly Example[] = [
  {
    name: "the sample that comes with most implementations",
    anchor: ladder([686.76, 309.58, 157.11, 85.95], [40.28, 37.18, 34.24, 31.42]),
    test: ladder([893.34, 407.8, 204.93, 112.75], [40.39, 37.21, 34.17, 31.24]),
    pchip: [31.379878202397627, -1.1834724046224592],
    akima: [31.38398898434116, -1.183658970073208],
    cubic: [31.3973740549095, -1.1848979217703506],
  },
  {
    name: "libx265 with two settings, the example in bjontegaard's documentation",
    anchor: ladder([9487.76, 4593.6, 2486.44, 1358.24], [40.037, 38.615, 36.845, 34.851]),
    test: ladder([9787.8, 4469.0, 2451.52, 1356.24], [40.121, 38.651, 36.97, 34.987]),
    pchip: [-4.417485350589045, 0.11969278542479489],
    akima: [-4.425245156997493, 0.11940927028529469],
    cubic: [-4.420462706125383, 0.12040941911451103],
  },
  {
    name: "VMAF, five encodes each",
    anchor: ladder([300, 750, 1500, 3000, 6000], [41.2, 63.5, 78.9, 89.4, 95.8]),
    test: ladder([250, 600, 1400, 2600, 5200], [44, 62.1, 80.3, 90, 95.1]),
    pchip: [-16.21116567758536, 3.1226800699517123],
    akima: [-16.089951255058654, 3.107425953608012],
    cubic: [-16.84937975368387, 3.074703639493686],
  },
  {
    name: "curves with different ranges",
    anchor: ladder([675.76, 302.58, 151.11, 65.95], [40.18, 36.18, 32.24, 31.02]),
    test: ladder([883.34, 402.8, 201.93, 102.75], [40.09, 36.21, 32.17, 30.24]),
    pchip: [35.64322387435506, -1.4092365667726483],
    akima: [36.71183093834549, -1.4075868110520986],
    cubic: [37.75876456747955, -1.4439392640565814],
  },
  {
    name: "PSNR, the six points of AOM's test conditions",
    anchor: ladder(
      [1299.84, 2108.4, 3304.32, 4894.8, 6923.28, 9563.04],
      [32.3055, 35.8063, 39.6659, 43.4791, 46.9709, 50.0198],
    ),
    test: ladder(
      [1306.56, 2178, 3446.4, 5073.36, 7111.68, 9758.88],
      [31.5938, 35.2944, 39.297, 43.2038, 46.7027, 49.6767],
    ),
    pchip: [7.909194770434658, -0.6858086007021504],
    akima: [7.913163103882015, -0.6863429010825024],
    cubic: [7.93849094221426, -0.6923545223583727],
  },
];

const METHODS = ["pchip", "akima", "cubic"] as const;

for (const example of EXAMPLES)
  for (const method of METHODS)
    test(`BD-rate and BD-score by ${method} match an independent implementation: ${example.name}`, () => {
      const { anchor, test: other } = example;
      const [rate, score] = example[method];
      near(numberOf(bdRate(anchor, other, method)), rate);
      near(numberOf(bdScore(anchor, other, method)), score);
      near(numberOf(bdRate(anchor.toReversed(), other, method)), rate);
    });

test("akima needs three points, the other methods four", () => {
  const [one, other] = [ladder([100, 200, 400], [30, 34, 37]), ladder([90, 210, 380], [30.5, 34.1, 36.5])];
  near(numberOf(bdRate(one, other, "akima")), -1.421050758223974);
  near(numberOf(bdScore(one, other, "akima")), 0.05497086258674756);
  for (const method of ["pchip", "cubic"] as const)
    assert.deepEqual(bdRate(one, other, method), { refusal: "TOO_FEW_POINTS" });
  assert.deepEqual(bdRate(one.slice(1), other, "akima"), { refusal: "TOO_FEW_POINTS" });
});

test("the cubic keeps nine digits of an extremely large BD-rate", () => {
  const one = ladder([138.9237, 220.034, 348.6405, 724.0918], [83.4114, 99.53, 99.5957, 99.8911]);
  const other = ladder(
    [336.7099, 438.9692, 628.4548, 1312.5627, 1674.4048, 3232.6927, 5983.6674, 9324.6964],
    [55.1179, 65.2836, 72.9371, 76.2675, 81.9864, 87.45, 92.5292, 99.9737],
  );
  // Least squares and integrals in 60 digits, by mpmath 1.3.0. bjontegaard has seven digits of it.
  near(numberOf(bdRate(one, other, "cubic")), 1.183995282364e129);
});

test("the curve and its integral match scipy's PchipInterpolator", () => {
  const curve = curveOf(EXAMPLES[0]?.anchor ?? []);
  const values = [
    [31.42, 1.9342458810230712],
    [32, 1.9864853199985377],
    [35, 2.269977084233246],
    [37.18, 2.490772895905551],
    [39, 2.689454525536214],
    [40.28, 2.8368049919560137],
  ] as const;
  for (const [x, y] of values) near(curve.at(x), y, 1e-12);
  near(curve.integral(32, 40), 19.0240059569322, 1e-12);
  // At local extrema the curve is flat, and its end slopes are limited.
  const turning = pchip([
    [0, 0],
    [1, 0.1],
    [2, 3],
    [4, 2],
    [7, 2.5],
  ]);
  const expected = [
    [0.2, 0.004213333333333335],
    [0.5, 0.025833333333333337],
    [1.5, 1.5741666666666667],
    [3, 2.5],
    [5, 2.0185185185185186],
    [6.5, 2.289351851851852],
  ] as const;
  for (const [x, y] of expected) near(turning.at(x), y, 1e-12);
  near(turning.integral(0.3, 6.1), 10.889091, 1e-12);
});

/** Points ascending in both rate and score. */
const rising = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 200 })), {
    minLength: 4,
    maxLength: 10,
  })
  .map((steps) => {
    let [rate, score] = [50, 10];
    return steps.map(([more, better]) => {
      rate += more;
      score += better / 20;
      return { rate, score };
    });
  });

for (const method of METHODS) {
  test(`by ${method} a ladder equals itself; scaling its rates scales the delta; rows may come in any order`, () => {
    const shuffled = fc
      .tuple(rising, fc.double({ min: 0.1, max: 10, noNaN: true }))
      .chain(([points, factor]) =>
        fc.tuple(
          fc.constant(points),
          fc.shuffledSubarray(points, { minLength: points.length }),
          fc.constant(factor),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([points, mixed, factor]) => {
        near(numberOf(bdRate(points, mixed, method)), 0);
        near(numberOf(bdScore(points, mixed, method)), 0);
        const dearer = mixed.map(({ rate, score }) => ({ rate: rate * factor, score }));
        near(numberOf(bdRate(points, dearer, method)), (factor - 1) * 100, 1e-7);
        const better = mixed.map(({ rate, score }) => ({ rate, score: score + factor }));
        near(numberOf(bdScore(points, better, method)), factor, 1e-7);
      }),
    );
  });

  test(`by ${method} swapping the ladders inverts the rate ratio and negates the score difference`, () => {
    fc.assert(
      fc.property(rising, rising, (one, other) => {
        const [there, back] = [bdRate(one, other, method), bdRate(other, one, method)];
        assert.equal("delta" in there, "delta" in back);
        // The cubic can leave all bounds; beside −100 % the ratio has no digits left.
        if ("delta" in there && "delta" in back && Math.min(there.delta.value, back.delta.value) > -99.9)
          near(Math.log1p(there.delta.value / 100), -Math.log1p(back.delta.value / 100), 1e-7);
        const [up, down] = [bdScore(one, other, method), bdScore(other, one, method)];
        if ("delta" in up && "delta" in down) near(up.delta.value, -down.delta.value, 1e-7);
      }),
    );
  });
}

test("the curve passes through every point and is monotone between them; its integral is the area below", () => {
  fc.assert(
    fc.property(rising, (points) => {
      const knots: Knots = points.map(({ rate, score }) => [score, rate]);
      const curve = pchip(knots);
      for (const [x, y] of knots) near(curve.at(x), y);
      const [low, high] = [knots[0]?.[0] ?? 0, knots.at(-1)?.[0] ?? 0];
      const steps = Array.from({ length: 4001 }, (_, step) => low + ((high - low) * step) / 4000);
      const values = steps.map((x) => curve.at(x));
      for (const [index, value] of values.entries())
        assert.ok(value >= (values[index - 1] ?? 0) - 1e-9, "the curve is not monotone");
      // Simpson's rule is exact for the cubic between two points.
      const areas = knots.slice(1).map(([x], index) => {
        const before = knots[index]?.[0] ?? 0;
        return ((x - before) / 6) * (curve.at(before) + 4 * curve.at((before + x) / 2) + curve.at(x));
      });
      const area = areas.reduce((sum, part) => sum + part, 0);
      near(curve.integral(low, high), area);
      const middle = (low + high) / 2;
      near(curve.integral(low, middle) + curve.integral(middle, high), curve.integral(low, high));
    }),
    { numRuns: 40 },
  );
});

test("returns the reason if a delta cannot be computed", () => {
  const good = ladder([100, 200, 400, 800], [50, 60, 70, 80]);
  const refused = (points: readonly RatePoint[]) => {
    const [one, other] = [bdRate(good, points), bdRate(points, good)];
    assert.deepEqual(one, other);
    assert.deepEqual(bdScore(good, points), one);
    return "refusal" in one ? one.refusal : undefined;
  };
  assert.equal(refused([]), "TOO_FEW_POINTS");
  assert.equal(refused(good.slice(1)), "TOO_FEW_POINTS");
  assert.equal(refused(ladder([100, 0, 400, 800], [50, 60, 70, 80])), "NO_RATE");
  assert.equal(refused(ladder([100, Number.NaN, 400, 800], [50, 60, 70, 80])), "NO_RATE");
  assert.equal(refused(ladder([100, 200, 400, 800], [50, 60, Number.NaN, 80])), "NO_SCORE");
  assert.equal(refused(ladder([100, 200, 400, 800], [50, 60, 60, 80])), "SAME_POINT");
  assert.equal(refused(ladder([100, 200, 200, 800], [50, 60, 70, 80])), "SAME_POINT");
  assert.equal(refused(ladder([100, 200, 400, 800], [50, 70, 60, 80])), "NOT_MONOTONE");
  assert.deepEqual(bdRate(good, ladder([100, 200, 400, 800], [81, 82, 83, 84])), { refusal: "NO_OVERLAP" });
  assert.deepEqual(bdScore(good, ladder([801, 900, 1000, 1200], [50, 60, 70, 80])), {
    refusal: "NO_OVERLAP",
  });
});

test("reports the range and the overlap of the ladders", () => {
  const anchor = ladder([100, 200, 400, 800], [50, 60, 70, 90]);
  const other = ladder([100, 200, 400, 800], [80, 90, 95, 100]);
  const outcome = bdRate(anchor, other);
  assert.ok("delta" in outcome);
  const { from, to, overlap } = outcome.delta;
  assert.deepEqual([from, to, overlap], [80, 90, 0.25]);
});

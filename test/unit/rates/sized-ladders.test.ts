/**
 * Ladders with encodes of several picture sizes against independent implementations: the hull of qhull, deltas of
 * bjontegaard, and the steps of AOM's test framework with scipy. sizes/expected.py computes their numbers and has the
 * command.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { compareLadders, type Result } from "../../../src/rates/comparison.ts";
import type { Encode } from "../../../src/rates/points.ts";
import { qualityOf } from "../../../src/rates/quality.ts";
import { reasonText } from "../../../src/rates/reasons.ts";
import { sizedPairs } from "./sizes/ladders.ts";

type Deltas = readonly (readonly [rate: number, quality: number])[];
type Row = readonly [
  hulls: readonly [anchor: readonly number[], test: readonly number[]],
  linear: Deltas | null,
  decibels: Deltas | null,
  aom: number,
];

const ROWS = readFileSync(new URL("sizes/expected.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const PAIRS = sizedPairs();
const METHODS = ["pchip", "akima", "cubic"] as const;
const VMAF = qualityOf("vmaf");

function near(actual: number | undefined, expected: number | undefined, where: string): void {
  const difference = Math.abs((actual ?? Number.NaN) - (expected ?? Number.NaN));
  assert.ok(
    difference <= 1e-9 * Math.max(1, Math.abs(expected ?? 0)),
    `${where}: ${actual}, not ${expected}`,
  );
}

function find(results: readonly Result[], method: string, scale = "linear"): Result {
  return results.find((one) => one.method === method && one.scale === scale) ?? assert.fail(method);
}

describe("300 pairs of random ladders with several picture sizes", () => {
  const compared = PAIRS.map(({ anchor, test: other }) =>
    compareLadders([...anchor, ...other], [VMAF], "anchor"),
  );

  test("have the hulls of qhull as their curves", () => {
    assert.equal(ROWS.length, PAIRS.length);
    for (const [index, { hulls }] of compared.entries()) {
      const rates = hulls.map(({ on }) => on.map(({ rate }) => rate).toSorted((one, other) => one - other));
      assert.deepEqual(rates, ROWS[index]?.[0], `pair ${index}`);
    }
  });

  test("have the deltas of bjontegaard for the encodes on them, also in decibels", () => {
    let count = 0;
    for (const [index, { results }] of compared.entries()) {
      const [, linear, decibels] = ROWS[index] ?? assert.fail(`no row ${index}`);
      for (const [at, method] of METHODS.entries()) {
        const [one, inDecibels] = [find(results, method), find(results, method, "log")];
        if (linear === null || decibels === null) {
          if (method !== "akima") assert.equal(one.refused?.code, "TOO_FEW_POINTS");
          continue;
        }
        near(one.bdRate, linear[at]?.[0], `pair ${index} ${method}`);
        near(one.bdQuality, linear[at]?.[1], `pair ${index} ${method} quality`);
        near(inDecibels.bdRate, decibels[at]?.[0], `pair ${index} ${method} in dB`);
        near(inDecibels.bdQuality, decibels[at]?.[1], `pair ${index} ${method} quality in dB`);
        count++;
      }
    }
    assert.ok(count >= 800, `${count} compared`);
  });

  test("have the BD-rate of AOM's interpolated hulls", () => {
    for (const [index, { results }] of compared.entries())
      near(find(results, "aom-ctc").bdRate, ROWS[index]?.[3], `pair ${index}`);
  });
});

/** Encodes of one height for each list of rates and scores. */
function sized(
  name: string,
  byHeight: Readonly<Record<number, readonly (readonly [number, number])[]>>,
): Encode[] {
  return Object.entries(byHeight).flatMap(([height, points]) =>
    points.map(([rate, score]) => ({
      ...{ ladder: name, clip: "", rate, scores: [score] },
      size: { width: (Number(height) * 16) / 9, height: Number(height) },
    })),
  );
}

const SMALL = [
  [500, 50],
  [1000, 64],
  [2000, 72],
  [4000, 75],
] as const;
const LARGE = [
  [1000, 52],
  [2000, 73],
  [4000, 86],
  [8000, 93],
] as const;
/** The hull: 500, 1000, 2000, 4000, 8000. */
const GRID = sized("a", { 540: SMALL, 1080: LARGE });
const withoutSizes = (encodes: readonly Encode[]) =>
  encodes.map((encode) => ({ ...encode, size: undefined }));

test("without sizes, or with one size, the numbers are those of all encodes", () => {
  const ladder = sized("a", { 1080: LARGE });
  const other = sized("b", { 1080: LARGE.map(([rate, score]) => [rate * 0.8, score] as const) });
  const one = compareLadders([...ladder, ...other], [VMAF], "a");
  const none = compareLadders(withoutSizes([...ladder, ...other]), [VMAF], "a");
  assert.deepEqual(one, none);
  assert.deepEqual(one.hulls, []);
});

test("rungs whose size grows with the rate are all points, also those below the hull", () => {
  const rungs = [
    [360, 400, 40],
    [540, 900, 60],
    [720, 1800, 70],
    [1080, 3000, 88],
    [1080, 6000, 95],
  ] as const;
  const encodes = (name: string, cost: number) =>
    rungs.flatMap(([height, rate, score]) => sized(name, { [height]: [[rate * cost, score]] }));
  const both = [...encodes("a", 1), ...encodes("b", 0.9)];
  assert.deepEqual(compareLadders(both, [VMAF], "a"), compareLadders(withoutSizes(both), [VMAF], "a"));
});

test("if the sizes of one ladder overlap, the other ladder of the clip is compared over its hull too", () => {
  const rungs = [
    [540, 500, 50],
    [540, 900, 60],
    [540, 1000, 60.1],
    [1080, 2000, 72],
    [1080, 4000, 85],
  ] as const;
  const other = rungs.flatMap(([height, rate, score]) => sized("b", { [height]: [[rate, score]] }));
  const { hulls, results } = compareLadders([...GRID, ...other], [VMAF], "a");
  assert.deepEqual(
    hulls.map(({ ladder, sizes, on, off }) => [ladder, sizes, on.length, off.map(({ rate }) => rate)]),
    [
      ["a", 2, 5, [2000, 4000, 1000]],
      ["b", 2, 4, [1000]],
    ],
  );
  assert.equal(find(results, "pchip").offHull, 4);
  const clip = (encodes: readonly Encode[]) => encodes.map((one) => ({ ...one, clip: "other" }));
  const apart = compareLadders([...GRID, ...clip(other)], [VMAF], "a");
  assert.deepEqual(
    apart.hulls.map(({ ladder }) => ladder),
    ["a"],
  );
});

test("a ladder of one size stays as it is beside one with several", () => {
  const one = sized("b", { 1080: [...LARGE, [8100, 93.1], [16_000, 93.3]] });
  const { hulls } = compareLadders([...GRID, ...one], [VMAF], "a");
  assert.deepEqual(
    hulls.map(({ ladder }) => ladder),
    ["a"],
  );
});

test("the hull of a metric for which lower is better is below its points", () => {
  const turned = GRID.map((one) => ({ ...one, scores: [20 - (one.scores[0] ?? 0) / 5] }));
  const { hulls } = compareLadders([...GRID, ...turned.map((one) => ({ ...one, ladder: "b" }))], [VMAF], "a");
  const lower = compareLadders(turned, [qualityOf("cambi")], "a");
  assert.deepEqual(
    lower.hulls[0]?.off.map(({ rate }) => rate),
    hulls[0]?.off.map(({ rate }) => rate),
  );
});

test("too few encodes on a hull are refused with their number; AOM's hull has points between encodes", () => {
  const few = sized("b", {
    540: [
      [500, 50],
      [1000, 51],
      [2000, 52],
    ],
    1080: [
      [1500, 80],
      [6000, 90],
    ],
  });
  const { results } = compareLadders([...GRID, ...few], [VMAF], "a");
  const { refused } = find(results, "pchip");
  assert.deepEqual(
    [refused?.code, refused?.points, refused?.needed, refused?.encodes],
    ["TOO_FEW_POINTS", 3, 4, 5],
  );
  assert.equal(
    refused && reasonText(find(results, "pchip"), refused, "a"),
    "b has 3 points on the convex hull of its 5 encodes of several sizes, but at least 4 are needed",
  );
  assert.equal(find(results, "akima").refused, undefined);
  assert.equal(find(results, "aom-ctc").refused, undefined);
  const single = sized("b", {
    540: [
      [900, 99],
      [1000, 51],
    ],
    1080: [
      [950, 98],
      [2000, 90],
    ],
  });
  const best = compareLadders([...GRID, ...single], [VMAF], "a").results;
  assert.deepEqual([find(best, "aom-ctc").refused?.points, find(best, "aom-ctc").refused?.needed], [1, 2]);
  const three = compareLadders([...GRID, ...single.slice(0, 3)], [VMAF], "a").results;
  const reason = find(three, "aom-ctc");
  assert.equal(
    reason.refused && reasonText(reason, reason.refused, "a"),
    "b has 3 points, but at least 4 are needed",
  );
});

test("a score or rate that is no number refuses the ladder as without sizes", () => {
  for (const [scores, rate, code] of [
    [[Number.NaN], 500, "NO_SCORE"],
    [[Number.POSITIVE_INFINITY], 500, "NO_SCORE"],
    [[50], Number.NaN, "NO_RATE"],
  ] as const) {
    const flawed = GRID.map((one, index) => ({ ...one, ladder: "b", ...(index === 0 && { scores, rate }) }));
    const { hulls, results } = compareLadders([...GRID, ...flawed], [VMAF], "a");
    assert.deepEqual(
      hulls.map(({ ladder }) => ladder),
      ["a"],
    );
    assert.equal(find(results, "pchip").refused?.code, code);
  }
});

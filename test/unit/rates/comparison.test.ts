/**
 * Ladders of a table, compared clip by clip. The numbers in decibels are those of bjontegaard 1.3.0 for scores converted
 * beforehand.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareLadders, type Method } from "../../../src/rates/comparison.ts";
import type { Encode } from "../../../src/rates/points.ts";
import { qualityOf } from "../../../src/rates/quality.ts";
import type { Scale } from "../../../src/rates/side.ts";

function ladder(name: string, clip: string, rates: readonly number[], scores: readonly number[]): Encode[] {
  return rates.map((rate, index) => ({ ladder: name, clip, rate, scores: [scores[index] ?? Number.NaN] }));
}

function compared(encodes: readonly Encode[], metric = "vmaf", anchor = "a") {
  const comparison = compareLadders(encodes, [qualityOf(metric)], anchor);
  const of = (method: Method, scale: Scale = "linear", clip = "") => {
    const found = comparison.results.find(
      (result) => result.method === method && result.scale === scale && result.clip === clip,
    );
    assert.ok(found);
    return found;
  };
  const average = (method: Method) =>
    comparison.averages.find((one) => one.method === method && one.scale === "linear");
  return { ...comparison, of, average };
}

function near(actual: number | undefined, expected: number): void {
  assert.ok(
    Math.abs((actual ?? Number.NaN) - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${actual}`,
  );
}

const ANCHOR = ladder("a", "", [300, 750, 1500, 3000, 6000], [41.2, 63.5, 78.9, 89.4, 95.8]);
const OTHER = ladder("b", "", [250, 600, 1400, 2600, 5200], [44, 62.1, 80.3, 90, 95.1]);

test("metrics with a largest score are compared as they are and in decibels, by every method", () => {
  const { results, of } = compared([...ANCHOR, ...OTHER]);
  assert.deepEqual(
    results.map(({ method, scale }) => `${method} ${scale}`),
    ["pchip linear", "akima linear", "cubic linear", "aom-ctc linear", "pchip log", "akima log", "cubic log"],
  );
  near(of("pchip").bdRate, -16.21116567758536);
  near(of("aom-ctc").bdRate, -16.210106444420337);
  const decibels = [
    ["pchip", -15.031531710587998, 0.5931338616717715],
    ["akima", -15.022683641945967, 0.5872872103097116],
    ["cubic", -14.82854822296944, 0.5640619462034521],
  ] as const;
  for (const [method, rate, quality] of decibels) {
    near(of(method, "log").bdRate, rate);
    near(of(method, "log").bdQuality, quality);
  }
  assert.equal(compared([...ANCHOR, ...OTHER], "psnr").results.length, 4);
});

test("a clip's flaw is named with its ladder and points, and only that clip is refused", () => {
  const flawed = ladder("b", "two", [100, 200, 400, 800], [50, 70, 60, 80]);
  const good = ["one", "two"].map((clip) => ladder("a", clip, [100, 200, 400, 800], [50, 60, 70, 80]));
  const { of, average } = compared([
    ...good.flat(),
    ...ladder("b", "one", [50, 100, 200, 400], [50, 60, 70, 80]),
    ...flawed,
  ]);
  near(of("pchip", "linear", "one").bdRate, -50);
  const { refused } = of("pchip", "linear", "two");
  assert.deepEqual(
    [refused?.code, refused?.ladder, refused?.between?.map(({ given }) => given)],
    ["NOT_MONOTONE", "b", [70, 60]],
  );
  near(average("pchip")?.bdRate, -50);
  assert.deepEqual([average("pchip")?.clips, average("pchip")?.refused], [1, 1]);
});

test("the average over clips is the mean of their BD-rates", () => {
  const scores = [50, 60, 70, 80];
  const { average } = compared([
    ...ladder("a", "one", [100, 200, 400, 800], scores),
    ...ladder("a", "two", [100, 200, 400, 800], scores),
    ...ladder("b", "one", [50, 100, 200, 400], scores),
    ...ladder("b", "two", [90, 180, 360, 720], scores),
  ]);
  for (const method of ["pchip", "akima", "cubic", "aom-ctc"] as const) near(average(method)?.bdRate, -30);
});

test("if a lower value is better, fewer bits for the same value count as saved", () => {
  const { of } = compared(
    [
      ...ladder("a", "", [100, 200, 400, 800], [8, 6, 4, 2]),
      ...ladder("b", "", [50, 100, 200, 400], [8, 6, 4, 2]),
    ],
    "cambi",
  );
  near(of("pchip").bdRate, -50);
  near(of("aom-ctc").bdRate, -50);
  near(of("pchip").bdQuality, -2);
});

test("a score at the maximum has no logarithm, but is compared as it is", () => {
  const full = ladder("b", "", [250, 600, 1400, 2600, 5200], [44, 62.1, 80.3, 90, 100]);
  const { of } = compared([...ANCHOR, ...full]);
  assert.equal(of("pchip", "log").refused?.code, "AT_MAXIMUM");
  assert.equal(of("pchip").refused, undefined);
});

test("a clip that only one ladder has is refused; if only the rates overlap, there is a quality difference", () => {
  const { of } = compared([...ANCHOR, ...ladder("b", "other", [1, 2, 3, 4], [1, 2, 3, 4])]);
  assert.deepEqual([of("pchip").refused?.code, of("pchip").refused?.ladder], ["TOO_FEW_POINTS", "b"]);
  assert.equal(of("pchip", "linear", "other").refused?.ladder, "a");
  const apart = compared([
    ...ANCHOR,
    ...ladder("b", "", [300, 750, 1500, 3000, 6000], [96, 97, 98, 99, 99.5]),
  ]);
  assert.equal(apart.of("pchip").refused?.code, "NO_OVERLAP");
  assert.ok((apart.of("pchip").bdQuality ?? 0) > 0);
});

test("the order of the rows changes nothing but the order of the ladders", () => {
  const bySorted = compared([...ANCHOR, ...OTHER]);
  const byReversed = compared([...OTHER.toReversed(), ...ANCHOR.toReversed()]);
  assert.deepEqual(byReversed.results, bySorted.results);
});

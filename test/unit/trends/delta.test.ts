import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { changePoints } from "../../../src/trends/change-points.ts";
import { ALARM, deltaBySource, deltaOf } from "../../../src/trends/delta.ts";
import { fewLosses, laplace, type Noise, normal, type Simulated, simulate } from "./simulated.ts";

describe("the difference of two releases", () => {
  test("has the mean, interval and chance of a paired t test", () => {
    // Sleep data of Gosset's paper of 1908: t = 4.0621, two-sided p = 0.002833, interval 0.7001 to 2.4599.
    const sleep = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];
    const { clips, mean, halfWidth = 0, higherChance = 0, lowerChance = 0 } = deltaOf(sleep);
    assert.deepEqual([clips, mean.toFixed(2), (2 * higherChance).toFixed(6)], [10, "1.58", "0.002833"]);
    assert.deepEqual([(mean - halfWidth).toFixed(4), (mean + halfWidth).toFixed(4)], ["0.7001", "2.4599"]);
    assert.ok(Math.abs(lowerChance + higherChance - 1) < 1e-12);
  });

  test("is certain if every clip differs by the same, and none if none differs", () => {
    assert.deepEqual(deltaOf([-0.5, -0.5, -0.5]).lowerChance, 0);
    assert.deepEqual(deltaOf([0, 0, 0]).lowerChance, 1);
    assert.deepEqual(deltaOf([0, 0, 0]).halfWidth, 0);
    assert.equal(deltaOf([-3]).lowerChance, undefined);
    assert.ok(Number.isNaN(deltaOf([]).mean));
  });
});

test("10 references with 6 encodes each: at most 1 false alarm in 1,000 releases", () => {
  const runs = 10_000;
  const count = { byEncode: 0, bySource: 0 };
  for (let seed = 0; seed < runs; seed++) {
    // What a release changes in a reference, it changes in all of its encodes, and a little in each.
    const one = { releases: 2, noise: normal };
    const shared = simulate({ ...one, seed, clips: 10, deviation: 0.5 });
    const own = simulate({ ...one, seed: seed + runs, clips: 60, deviation: 0.2 });
    const differences = own.map(([before = 0, after = 0], index) => {
      const [earlier = 0, later = 0] = shared[index % 10] ?? [];
      return { source: String(index % 10), value: after - before + later - earlier };
    });
    if ((deltaBySource(differences).lowerChance ?? 1) < ALARM) count.bySource++;
    if ((deltaOf(differences.map(({ value }) => value)).lowerChance ?? 1) < ALARM) count.byEncode++;
  }
  // With a rate of 0.001 as expected, 10,000 runs have more than 20 alarms once in 1,000 tests; the seeds are fixed.
  assert.ok(count.bySource <= 20, JSON.stringify(count));
  assert.ok(count.byEncode > 500, JSON.stringify(count));
});

const SHIFT = -0.5;
const RUNS = 4_000;
const CASE = { clips: 30, releases: 2, deviation: 0.5 } as const;

function alarms(runs: number, over: Omit<Simulated, "seed">): number {
  let count = 0;
  for (let seed = 0; seed < runs; seed++) {
    const differences = simulate({ ...over, seed }).map(([before = 0, after = 0]) => after - before);
    if ((deltaOf(differences).lowerChance ?? 1) < ALARM) count++;
  }
  return count / runs;
}

const NOISES: Readonly<Record<string, Noise>> = { normal, laplace, fewLosses };

for (const [name, noise] of Object.entries(NOISES)) {
  test(`30 clips: a shift of −0.5 is found in 95 % of releases, ${name} differences of 0.5 points`, () => {
    const found = alarms(RUNS, { ...CASE, noise, shift: { at: 1, by: SHIFT } });
    assert.ok(found >= 0.95, String(found));
  });

  test(`30 clips: at most 1 false alarm in 1,000 releases, ${name} differences`, () => {
    // With a rate of 0.001 as expected, 20,000 runs have more than 34 alarms once in 1,000 tests; the seeds are fixed.
    const rate = alarms(5 * RUNS, { ...CASE, noise });
    assert.ok(rate * 5 * RUNS <= 34, String(rate));
  });
}

describe("change points", () => {
  const at = (series: readonly (number | undefined)[][], releases: number) =>
    changePoints(series, releases).map((point) => point.at);

  test("are where the scores shift, in both directions", () => {
    for (let seed = 0; seed < 200; seed++) {
      const series = simulate({ ...CASE, seed, releases: 8, noise: normal }).map((scores) =>
        scores.map((score, release) => score - (release >= 3 && release < 6 ? 2 : 0)),
      );
      assert.deepEqual(at(series, 8), [3, 6], String(seed));
    }
  });

  test("have the difference between the neighboring changes", () => {
    const series = [0, 1, 2].map((level) => [level, level, level - 1, level - 1, level + 1]);
    const [first, second] = changePoints(series, 5);
    assert.deepEqual([first?.at, first?.delta.mean, second?.at, second?.delta.mean], [2, -1, 4, 2]);
  });

  test("are rare where nothing changes", () => {
    let count = 0;
    for (let seed = 0; seed < 3_000; seed++)
      count += at(simulate({ ...CASE, seed, releases: 10, noise: normal }), 10).length;
    assert.ok(count <= 9, String(count));
  });

  test("do not come from rounding: releases that leave every score as it is have none", () => {
    for (let seed = 0; seed < 100; seed++) {
      const levels = simulate({ ...CASE, seed, noise: normal }).map(([before = 0, after = 0]) => [
        before,
        after - 3,
      ]);
      const series = levels.map(([before = 0, after = 0]) => [
        before,
        before,
        before,
        after,
        after,
        after,
        after,
      ]);
      assert.deepEqual(at(series, 7), [3], String(seed));
    }
  });

  test("are found even if scores are missing", () => {
    const series = Array.from({ length: 12 }, (_, clip) => [
      ...[
        clip % 3 === 0 ? undefined : clip,
        clip,
        clip - 5 - (clip % 4) / 10,
        clip % 2 ? undefined : clip - 5,
      ],
    ]);
    assert.deepEqual(at(series, 4), [2]);
    assert.deepEqual(at([[undefined, undefined]], 2), []);
    assert.deepEqual(at([], 0), []);
  });
});

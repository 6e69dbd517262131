/**
 * BD-rates of 1,600 pairs of random ladders against independent implementations: bjontegaard (PCHIP, Akima, cubic), and the
 * script of AOM's test conditions with scipy. random/expected.py computed what they say.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { aomBdRate, aomLadder } from "../../../src/rates/aom-ctc.ts";
import {
  bdRate,
  bdScore,
  INTERPOLATORS,
  type Interpolation,
  type Outcome,
} from "../../../src/rates/bd-rate.ts";
import { byRate, type RatePoint } from "../../../src/rates/points.ts";
import { KINDS, type LadderPair, ladderPairs } from "./random/ladders.ts";

type Deltas = readonly [rate: number | null, quality: number | null];
type Expected = readonly [pchip: Deltas, akima: Deltas, cubic: Deltas, aom: number | null];

const FILE = new URL("random/expected.jsonl", import.meta.url);
const EXPECTED = readFileSync(FILE, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Expected);
const PAIRS = ladderPairs();
const METHODS = ["pchip", "akima", "cubic"] as const satisfies readonly Interpolation[];

/** The largest difference, relative to values over 1. */
const TOLERANCE = 1e-9;

function isNear(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) <= TOLERANCE * Math.max(1, Math.abs(expected));
}

/**
 * A cubic through ladders that are far apart can need millions of percent more bits. The methods integrate logarithms of
 * rates, so these are compared then.
 */
function isNearRate(actual: number, expected: number): boolean {
  if (Math.abs(expected) <= 1000) return isNear(actual, expected);
  return isNear(Math.log10(1 + actual / 100), Math.log10(1 + expected / 100));
}

function numberOf(outcome: Outcome): number | undefined {
  return "delta" in outcome ? outcome.delta.value : undefined;
}

function isRising(points: readonly RatePoint[]): boolean {
  const sorted = byRate(points);
  return sorted.every(({ rate, score }, index) => {
    const before = sorted[index - 1];
    return before === undefined || (rate > before.rate && score > before.score);
  });
}

function overlap({ anchor, test }: LadderPair, key: "rate" | "score"): boolean {
  const [one, other] = [anchor, test].map((points) => points.map((point) => point[key]));
  return (
    Math.min(Math.max(...(one ?? [])), Math.max(...(other ?? []))) >
    Math.max(Math.min(...(one ?? [])), Math.min(...(other ?? [])))
  );
}

/** Whether docs/bd-rate.md has a delta of a pair. */
function isDefined(pair: LadderPair, method: Interpolation, key: "rate" | "score"): boolean {
  const least = Math.min(pair.anchor.length, pair.test.length);
  const isCurve = isRising(pair.anchor) && isRising(pair.test);
  return least >= INTERPOLATORS[method].points && isCurve && overlap(pair, key);
}

for (const [index, method] of METHODS.entries()) {
  test(`${method} has the numbers of bjontegaard, and refuses what has none`, () => {
    const compared = new Set<string>();
    let numbers = 0;
    for (const [at, pair] of PAIRS.entries()) {
      const [rate, quality] = (EXPECTED[at] ?? assert.fail())[index] as Deltas;
      for (const [actual, expected, key] of [
        [numberOf(bdRate(pair.anchor, pair.test, method)), rate, "score"],
        [numberOf(bdScore(pair.anchor, pair.test, method)), quality, "rate"],
      ] as const) {
        assert.equal(actual !== undefined, isDefined(pair, method, key), `${pair.kind} ${at}`);
        if (actual === undefined) continue;
        const near = key === "score" ? isNearRate : isNear;
        assert.ok(
          expected !== null && near(actual, expected),
          `${pair.kind} ${at}: ${actual}, not ${expected}`,
        );
        numbers++;
        compared.add(pair.kind);
      }
    }
    assert.ok(numbers >= 1000, `${numbers} numbers`);
    assert.ok(compared.size >= 4, [...compared].join());
  });
}

test("aom-ctc has the numbers and the refusals of AOM's test conditions", () => {
  const counts = new Map<string, number>();
  for (const [at, { kind, anchor, test: other }] of PAIRS.entries()) {
    const expected = EXPECTED[at]?.[3] ?? undefined;
    const actual = numberOf(aomBdRate(aomLadder(anchor, true), aomLadder(other, true)));
    assert.equal(actual === undefined, expected === undefined, `${kind} ${at}: ${actual}, not ${expected}`);
    if (actual === undefined || expected === undefined) continue;
    assert.ok(isNearRate(actual, expected), `${kind} ${at}: ${actual}, not ${expected}`);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const numbers = [...counts.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(numbers >= 1000, `${numbers} numbers`);
  for (const kind of ["crossing", "saturated", "equal scores"])
    assert.ok((counts.get(kind) ?? 0) > 100, kind);
});

test("there are pairs of every kind", () => {
  assert.equal(EXPECTED.length, PAIRS.length);
  assert.ok(PAIRS.length >= 1000);
  assert.deepEqual([...new Set(PAIRS.map(({ kind }) => kind))], [...KINDS]);
});

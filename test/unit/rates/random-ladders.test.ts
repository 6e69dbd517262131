/**
 * Deltas of 2,300 pairs of random ladders against independent implementations: bjontegaard of PyPI (PCHIP, Akima, cubic),
 * and the script of AOM's test conditions with scipy. random/expected.py computes their numbers and has the command.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { aomBdRate, aomLadder } from "../../../src/rates/aom-ctc.ts";
import { bdRate, bdScore, curveOf, type Interpolation, type Outcome } from "../../../src/rates/bd-rate.ts";
import { KINDS, type LadderPair, ladderPairs } from "./random/ladders.ts";
import { coarseOf, flawOf, LEAST_POINTS } from "./random/rules.ts";

type Expected = number | "NO_OVERLAP" | "NOT_MONOTONE" | "NO_CURVE";
type Deltas = readonly [rate: Expected, quality: Expected];
type Row = readonly [pchip: Deltas, akima: Deltas, cubic: Deltas, vmaf: Expected, psnr: Expected];

const FILE = new URL("random/expected.jsonl", import.meta.url);
const ROWS = readFileSync(FILE, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);
const PAIRS = ladderPairs();
const METHODS = ["pchip", "akima", "cubic"] as const satisfies readonly Interpolation[];
/** The largest difference, relative to values over 1. */
const TOLERANCE = 1e-9;
const LEAST_COMPARED = 1000;
/** How many deltas are compared to fewer digits, by random/rules.ts. There are no others. */
const COARSE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "akima rate": { "sharp bend": 20 },
  "cubic rate": { "huge cubic": 5 },
};

function rowAt(index: number): Row {
  return ROWS[index] ?? assert.fail(`no row ${index}`);
}

function numberOrRefusal(outcome: Outcome): number | string {
  return "delta" in outcome ? outcome.delta.value : outcome.refusal;
}

function near(actual: number | string, expected: number, tolerance: number, where: string): void {
  const difference = typeof actual === "number" ? Math.abs(actual - expected) : Number.NaN;
  assert.ok(
    difference <= tolerance * Math.max(1, Math.abs(expected)),
    `${where}: ${actual}, not ${expected}`,
  );
}

/** Counts by name, in the order of their first one. */
class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get sum(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

interface Tally {
  /** By kind: numbers to nine digits. */
  readonly exact: Counts;
  /** By rule: numbers to fewer digits. */
  readonly coarse: Counts;
  /** By code: refused by both. */
  readonly refused: Counts;
  /** By code: refused, though the other implementation has a number. */
  readonly stricter: Counts;
}

function newTally(): Tally {
  return { exact: new Counts(), coarse: new Counts(), refused: new Counts(), stricter: new Counts() };
}

function countsOf({ exact, coarse, refused, stricter }: Tally) {
  return { exact: exact.all, coarse: coarse.all, refused: refused.all, stricter: stricter.all };
}

/** Compares a delta of every pair with bjontegaard's. `key` is what the delta is of. */
function compared(method: Interpolation, key: "rate" | "score"): Tally {
  const tally = newTally();
  for (const [at, pair] of PAIRS.entries()) {
    const expected = rowAt(at)[METHODS.indexOf(method) as 0 | 1 | 2][key === "rate" ? 0 : 1];
    const delta = key === "rate" ? bdRate : bdScore;
    const actual = numberOrRefusal(delta(pair.anchor, pair.test, method));
    const where = `${method} ${key} of ${pair.kind} ${at}`;
    const flaw = flawOf(pair, method);
    if (flaw !== undefined || typeof expected === "string") {
      // Without a flaw, nothing but missing overlap is refused.
      assert.equal(actual, flaw ?? "NO_OVERLAP", where);
      if (flaw === undefined) assert.equal(expected, "NO_OVERLAP", where);
      tally[typeof expected === "string" ? "refused" : "stricter"].add(actual);
      continue;
    }
    const coarse = coarseOf(pair, method, key, expected);
    near(actual, expected, coarse?.tolerance ?? TOLERANCE, where);
    if (coarse === undefined) tally.exact.add(pair.kind);
    else tally.coarse.add(coarse.rule);
  }
  return tally;
}

/** Compares the BD-rate of every pair with that of AOM's script. */
function comparedWithAom(isVmaf: boolean): Tally {
  const tally = newTally();
  for (const [at, { kind, anchor, test: other }] of PAIRS.entries()) {
    const expected = rowAt(at)[isVmaf ? 3 : 4];
    const actual = numberOrRefusal(aomBdRate(aomLadder(anchor, isVmaf), aomLadder(other, isVmaf)));
    const where = `aom-ctc of ${kind} ${at}`;
    const isFew = Math.min(anchor.length, other.length) < LEAST_POINTS.pchip;
    if (isFew || typeof expected === "string") {
      // The script raises an error for a score above 100 below an infinite one, which counts as 100.
      assert.equal(
        actual,
        isFew ? "TOO_FEW_POINTS" : expected === "NO_CURVE" ? "NOT_MONOTONE" : expected,
        where,
      );
      tally[typeof expected === "string" ? "refused" : "stricter"].add(String(actual));
      continue;
    }
    near(actual, expected, TOLERANCE, where);
    tally.exact.add(kind);
  }
  return tally;
}

for (const method of METHODS)
  for (const key of ["rate", "score"] as const)
    test(`${method}: the ${key} has the numbers of bjontegaard, or the refusal of the documentation`, (t) => {
      const tally = compared(method, key);
      t.diagnostic(JSON.stringify(countsOf(tally)));
      assert.ok(tally.exact.sum >= LEAST_COMPARED, `only ${tally.exact.sum} compared`);
      assert.deepEqual(tally.coarse.all, COARSE[`${method} ${key}`] ?? {});
    });

for (const [name, isVmaf] of [
  ["VMAF", true],
  ["PSNR", false],
] as const)
  test(`aom-ctc: ${name} has the numbers and the refusals of AOM's script`, (t) => {
    const tally = comparedWithAom(isVmaf);
    t.diagnostic(JSON.stringify(countsOf(tally)));
    assert.ok(tally.exact.sum >= LEAST_COMPARED, `only ${tally.exact.sum} compared`);
  });

test("there are pairs of every kind, with two to nine points; most of the crossing ones cross", () => {
  assert.equal(ROWS.length, PAIRS.length);
  const counts = new Counts();
  for (const { kind } of PAIRS) counts.add(kind);
  assert.deepEqual(counts.all, KINDS);
  const sizes = new Set(PAIRS.flatMap(({ anchor, test: other }) => [anchor.length, other.length]));
  assert.deepEqual(
    [...sizes].toSorted((one, other) => one - other),
    [2, 3, 4, 5, 6, 7, 8, 9],
  );
  const crossing = PAIRS.filter((pair) => pair.kind === "crossing" && isCrossing(pair));
  assert.ok(crossing.length >= 250, `${crossing.length} cross`);
});

/** Whether each of the ladders needs fewer bits for some of the scores that both have. */
function isCrossing({ anchor, test: other }: LadderPair): boolean {
  const [one, two] = [curveOf(anchor), curveOf(other)];
  const low = Math.max(anchor[0]?.score ?? 0, other[0]?.score ?? 0);
  const high = Math.min(anchor.at(-1)?.score ?? 0, other.at(-1)?.score ?? 0);
  const signs = Array.from({ length: 50 }, (_, step) => low + ((high - low) * step) / 49).map((score) =>
    Math.sign(two.at(score) - one.at(score)),
  );
  return signs.includes(1) && signs.includes(-1);
}

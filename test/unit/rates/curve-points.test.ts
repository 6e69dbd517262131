import assert from "node:assert/strict";
import { test } from "node:test";
import { curvePoints } from "../../../src/rates/curve-points.ts";

const LADDER = [
  { rate: 800, score: 90 },
  { rate: 100, score: 30 },
  { rate: 200, score: 60 },
  { rate: 400, score: 80 },
];

test("passes through the points of a ladder, from the lowest rate to the highest", () => {
  const curve = curvePoints(LADDER, false, 60);
  assert.equal(curve.length, 61);
  for (const { rate, score } of LADDER) {
    const near = curve.find((point) => Math.abs(point.score - score) < 1e-9);
    assert.ok(Math.abs((near?.rate ?? 0) - rate) < 1e-9, `${score}`);
  }
  assert.ok(curve.every(({ rate }, index) => index === 0 || rate > (curve[index - 1]?.rate ?? 0)));
});

test("keeps scores of which a lower one is better", () => {
  const lower = LADDER.map(({ rate, score }) => ({ rate, score: -score }));
  const turned = curvePoints(lower, true, 60).map(({ rate, score }) => ({ rate, score: -score }));
  assert.deepEqual(turned, curvePoints(LADDER, false, 60));
});

test("gives the points by rate if no curve passes through them", () => {
  assert.deepEqual(
    curvePoints(LADDER.slice(1), false, 60).map(({ rate }) => rate),
    [100, 200, 400],
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { plane } from "../../../../../src/engine/doctor/space/plane.ts";
import {
  applyTurn,
  applyView,
  IDENTITY,
  TURNS,
  UPRIGHT,
} from "../../../../../src/engine/doctor/space/view.ts";
import { picture, waves } from "../scene.ts";

test("the identity does not change a plane", () => {
  const source = picture(waves(1));
  assert.deepEqual(applyView(source, IDENTITY, source).data, source.data);
});

test("turns a plane to eight orientations", () => {
  const source = plane([1, 2, 3, 4, 5, 6], 3, 2);
  const turned = TURNS.map((turn) => [...applyTurn(source, turn).data].join(""));
  assert.deepEqual(turned, ["123456", "321654", "456123", "654321", "142536", "415263", "362514", "635241"]);
});

test("shows a crop of a scene in its view, and repeats its edge outside", () => {
  const scene = (x: number, y: number) => 100 + 50 * Math.cos(9 * x + 5 * y);
  const distorted = picture((x, y) => scene(0.25 + 0.5 * x, y));
  const view = { turn: UPRIGHT, x: { scale: 2, shift: -0.5 }, y: { scale: 1, shift: 0 } };
  const seen = applyView(distorted, view, distorted);
  const expected = picture(scene);
  const middle = 68 * 240 + 120;
  assert.ok(Math.abs((seen.data[middle] ?? 0) - (expected.data[middle] ?? 0)) < 2);
  assert.equal(seen.data[68 * 240], distorted.data[68 * 240]);
});

test("rejects samples that do not fill a plane", () => {
  assert.throws(() => plane([1, 2, 3], 2, 2), RangeError);
});

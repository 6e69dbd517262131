import assert from "node:assert/strict";
import { test } from "node:test";
import { plane } from "../../../../../src/engine/doctor/space/plane.ts";
import { applyView, IDENTITY, TURNS, turned, UPRIGHT } from "../../../../../src/engine/doctor/space/view.ts";
import { picture, waves } from "../scene.ts";

test("the identity leaves a plane as it is", () => {
  const source = picture(waves(1));
  assert.deepEqual(applyView(source, IDENTITY, source).data, source.data);
});

test("lays a plane in eight ways", () => {
  const source = plane([1, 2, 3, 4, 5, 6], 3, 2);
  const laid = TURNS.map((turn) => [...turned(source, turn).data].join(""));
  assert.deepEqual(laid, ["123456", "321654", "456123", "654321", "142536", "415263", "362514", "635241"]);
});

test("sees a crop of a scene through its view, and repeats the border beyond it", () => {
  const scene = (x: number, y: number) => 100 + 50 * Math.cos(9 * x + 5 * y);
  const distorted = picture((x, y) => scene(0.25 + 0.5 * x, y));
  const view = { turn: UPRIGHT, x: { scale: 2, shift: -0.5 }, y: { scale: 1, shift: 0 } };
  const seen = applyView(distorted, view, distorted);
  const expected = picture(scene);
  const middle = 68 * 240 + 120;
  assert.ok(Math.abs((seen.data[middle] ?? 0) - (expected.data[middle] ?? 0)) < 2);
  assert.equal(seen.data[68 * 240], distorted.data[68 * 240]);
});

test("refuses samples that do not fill a plane", () => {
  assert.throws(() => plane([1, 2, 3], 2, 2), RangeError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fillingOf } from "../../../../../src/engine/doctor/space/filling.ts";
import { refineArea } from "../../../../../src/engine/doctor/space/refine.ts";
import { UPRIGHT } from "../../../../../src/engine/doctor/space/view.ts";
import { noisy, type Scene, sampled } from "../scene.ts";

test("prefers rows added to fill blocks to the borders of a smooth picture that an encode blurred", () => {
  const [width, height, rows] = [320, 180, 8];
  const smooth = [1, 2].map(
    (phase): Scene =>
      (x, y) =>
        120 + 60 * Math.cos(2.2 * x + 1.7 * y + phase),
  );
  const inside = { start: 0.006, end: 0.994 };
  const stretched = (position: number) => inside.start + (inside.end - inside.start) * position;
  const reference = smooth.map((scene) => sampled(scene, width, height));
  const planes = (change: (scene: Scene) => Scene) =>
    smooth.map((scene, seed) => {
      const shown = change(scene);
      const padded: Scene = (x, y) => {
        const inFrame = (y * (height + rows)) / height;
        return inFrame < 1 ? shown(x, inFrame) : 16;
      };
      return noisy(sampled(padded, width, height + rows), 8, seed);
    });
  const view = { turn: UPRIGHT, x: { scale: 1, shift: 0 }, y: { scale: height / (height + rows), shift: 0 } };
  const whole = { x: 0, y: 0, width, height };
  const blurred = planes((scene) => (x, y) => scene(stretched(x), stretched(y)));
  const found = refineArea(reference, blurred, view);
  assert.deepEqual([found?.reference, found?.distorted, found?.exact], [whole, whole, true]);
});

test("takes lines for added only along the axis whose lengths differ", () => {
  const found = (reference: [number, number], distorted: [number, number]) => {
    const size = ([width, height]: [number, number]) => ({ width, height });
    const filling = fillingOf(size(reference), size(distorted));
    return filling && [filling.axis, filling.scale.toFixed(9)];
  };
  assert.deepEqual(found([1920, 1080], [1920, 1088]), ["y", (1080 / 1088).toFixed(9)]);
  assert.deepEqual(found([480, 270], [476, 270]), ["x", (480 / 476).toFixed(9)]);
  assert.deepEqual(found([1280, 720], [640, 362]), ["y", (360 / 362).toFixed(9)]);
  assert.equal(found([1920, 1080], [1280, 720]), undefined);
  assert.equal(found([1920, 1080], [1440, 1080]), undefined);
});

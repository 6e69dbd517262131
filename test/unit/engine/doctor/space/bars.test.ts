import assert from "node:assert/strict";
import { test } from "node:test";
import { pairPlanes, viewInsideBars } from "../../../../../src/engine/doctor/space/bars.ts";
import { findView } from "../../../../../src/engine/doctor/space/find.ts";
import { judge } from "../../../../../src/engine/doctor/space/register.ts";
import { UPRIGHT } from "../../../../../src/engine/doctor/space/view.ts";
import { noisy, picture, type Scene, waves } from "../scene.ts";

const BLACK = 16;
const SCENES = [1, 2, 3].map((seed) => waves(seed));

/** A scene squeezed into the middle of the frame, with black around it. */
const squeezed =
  (scene: Scene, width: number): Scene =>
  (x, y) => {
    const inside = 0.5 + (x - 0.5) / width;
    return inside >= 0 && inside < 1 ? scene(inside, y) : BLACK;
  };

test("maps the picture inside one side's bars to the picture inside the other's", () => {
  const reference = SCENES.map((scene) => picture(squeezed(scene, 0.8)));
  const distorted = SCENES.map((scene, seed) => noisy(picture(scene), 2, seed));
  const { turn, x, y } = viewInsideBars({ reference, distorted }, UPRIGHT);
  assert.equal(turn, UPRIGHT);
  assert.ok(Math.abs(x.scale - 1.25) < 0.02 && Math.abs(x.shift + 0.125) < 0.01, JSON.stringify(x));
  assert.deepEqual(y, { scale: 1, shift: 0 });
});

test("finds the view of a picture that is surrounded by black and squeezed by bars", () => {
  const globe =
    (scene: Scene): Scene =>
    (x, y) =>
      Math.abs(x - 0.5) < 0.22 && Math.abs(y - 0.5) < 0.35 ? scene(x, y) : BLACK;
  const reference = SCENES.map((scene) => picture(squeezed(globe(scene), 0.9)));
  const distorted = SCENES.map((scene, seed) => noisy(picture(globe(scene)), 2, seed));
  const { turn, x, match } = findView(reference, distorted);
  assert.ok(match > 0.9 && Math.abs(x.scale - 1 / 0.9) < 0.02, JSON.stringify({ x, match }));
  assert.ok(match > judge(pairPlanes(reference, distorted, turn), { x: { scale: 1, shift: 0 }, y: x }).match);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { relate } from "../../../../src/engine/doctor/relate.ts";
import { pictures, type Scene, waves } from "./scene.ts";
import { span } from "./time/moving-texture.ts";

const GREY: Scene = () => 128;
const SCENE = waves(3);

/** A frame of a zoom into the middle of a scene. */
const zoomed =
  (moment: number): Scene =>
  (x, y) => {
    const size = 0.98 ** moment;
    return SCENE(0.5 + (x - 0.5) * size, 0.5 + (y - 0.5) * size);
  };
const filmed = (change: (frame: Scene) => Scene) =>
  pictures(span(0, 40).map((moment) => ({ y: change(zoomed(moment)), u: GREY, v: GREY })));
/** A part of the frame, scaled to the whole frame. */
const cropped =
  (frame: Scene): Scene =>
  (x, y) =>
    frame(0.04 + 0.9 * x, 0.05 + 0.92 * y);

test("takes a part of a zoom in step for a crop, not for an offset", () => {
  const { view, time } = relate(
    { reference: filmed((frame) => frame), distorted: filmed(cropped) },
    { ratio: 1, limit: 10 },
  );
  assert.deepEqual(
    time.runs.map(({ reference, distorted }) => distorted - reference),
    [0],
  );
  assert.ok(Math.abs(view.x.scale - 1 / 0.9) < 0.01 && Math.abs(view.y.scale - 1 / 0.92) < 0.01);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { pairPlanes } from "../../../../../src/engine/doctor/space/bars.ts";
import { findView } from "../../../../../src/engine/doctor/space/find.ts";
import { areaFindings, type Sizes, turnFindings } from "../../../../../src/engine/doctor/space/findings.ts";
import { layoutOf } from "../../../../../src/engine/doctor/space/layout.ts";
import type { Plane } from "../../../../../src/engine/doctor/space/plane.ts";
import { refineArea } from "../../../../../src/engine/doctor/space/refine.ts";
import { judge } from "../../../../../src/engine/doctor/space/register.ts";
import { IDENTITY, UPRIGHT } from "../../../../../src/engine/doctor/space/view.ts";
import { noisy, picture, type Scene, sampled, waves } from "../scene.ts";

const SIZE = { width: 1920, height: 1080 };
const SCENES = [1, 2, 3].map((seed) => waves(seed));
const BLACK = 16;

/** The findings about scenes and the same scenes after a change, with noise. */
function found(change: (scene: Scene) => Scene, distorted = SIZE, reference = SIZE) {
  const originals = SCENES.map((scene) => picture(scene));
  const changed = SCENES.map((scene, seed) => noisy(picture(change(scene)), 4, seed));
  return relation(originals, changed, { reference, distorted });
}

function relation(reference: readonly Plane[], distorted: readonly Plane[], sizes: Sizes) {
  const view = findView(reference, distorted);
  const upright = judge(pairPlanes(reference, distorted, UPRIGHT), IDENTITY).match;
  const layout = layoutOf(pairPlanes(reference, distorted, view.turn), view);
  return [
    ...turnFindings(view.turn, view.match, upright),
    ...areaFindings(layout, { sizes, turn: view.turn }),
  ];
}

const inFrame = (x: number, y: number) => x >= 0 && x < 1 && y >= 0 && y < 1;

function near(actual: number | undefined, expected: number, tolerance: number): void {
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) <= tolerance, `${actual} is not ${expected}`);
}

test("finds nothing in pairs with the same area, with noise, gamma or another range", () => {
  const same: readonly ((scene: Scene) => Scene)[] = [
    (scene) => scene,
    (scene) => (x, y) => 255 * (scene(x, y) / 255) ** 0.85,
    (scene) => (x, y) => (scene(x, y) - 16) * (255 / 219),
  ];
  for (const change of same) assert.deepEqual(found(change), []);
});

test("finds a crop that was scaled to the whole frame", () => {
  const [finding, ...others] = found((scene) => (x, y) => scene(0.1 + 0.8 * x, 0.05 + 0.9 * y));
  assert.deepEqual(others, []);
  assert.equal(finding?.code, "CROPPED");
  assert.equal(finding?.side, "distorted");
  assert.equal(finding?.confidence, "certain");
  near(finding?.area?.x, 192, 3);
  near(finding?.area?.y, 54, 3);
  near(finding?.area?.width, 1536, 5);
  near(finding?.area?.height, 972, 5);
  assert.deepEqual(finding?.fix, { crop: { reference: finding?.area } });
});

test("finds bars beside a squeezed picture", () => {
  const [finding, ...others] = found((scene) => (x, y) => {
    const inside = (x - 0.125) / 0.75;
    return inFrame(inside, y) ? scene(inside, y) : BLACK;
  });
  assert.deepEqual(others, []);
  assert.equal(finding?.code, "BARS");
  assert.equal(finding?.side, "distorted");
  near(finding?.area?.x, 240, 3);
  near(finding?.area?.width, 1440, 5);
  assert.deepEqual(finding?.fix, { crop: { distorted: finding?.area } });
});

test("finds bars that cover the picture, and crops both sides", () => {
  const [finding, ...others] = found((scene) => (x, y) => (Math.abs(y - 0.5) < 0.375 ? scene(x, y) : BLACK));
  assert.deepEqual(others, []);
  assert.equal(finding?.code, "BARS");
  near(finding?.area?.y, 135, 9);
  near(finding?.area?.height, 810, 18);
  assert.deepEqual(finding?.fix, { crop: { reference: finding?.area, distorted: finding?.area } });
});

test("finds bars of which one covers a small bright object before black, and the other only black", () => {
  const disc =
    (scene: Scene): Scene =>
    (x, y) =>
      Math.hypot((x - 0.5) * 1.4, y - 0.55) < 0.42 ? scene(x, y) : BLACK;
  const covered =
    (scene: Scene): Scene =>
    (x, y) =>
      Math.abs(y - 0.5) < 0.39 ? scene(x, y) : BLACK;
  const planes = (change: (scene: Scene) => Scene) =>
    SCENES.map((scene, seed) => noisy(picture(change(disc(scene))), 2, seed));
  const sizes = { reference: SIZE, distorted: SIZE };
  const [finding, ...others] = relation(
    planes((scene) => scene),
    planes(covered),
    sizes,
  );
  assert.deepEqual(others, []);
  assert.deepEqual([finding?.code, finding?.side], ["BARS", "distorted"]);
  near(finding?.area?.y, 0.11 * SIZE.height, 9);
  near(finding?.area?.height, 0.78 * SIZE.height, 18);
  assert.deepEqual(finding?.fix, { crop: { reference: finding?.area, distorted: finding?.area } });
});

test("ignores bars that both sides have", () => {
  const letterboxed = SCENES.map(
    (scene): Scene =>
      (x, y) =>
        Math.abs(y - 0.5) < 0.375 ? scene(x, y) : BLACK,
  );
  const planes = letterboxed.map((scene) => picture(scene));
  const changed = planes.map((plane, seed) => noisy(plane, 2, seed));
  assert.deepEqual(relation(planes, changed, { reference: SIZE, distorted: SIZE }), []);
});

test("finds rows that were added to fill blocks", () => {
  const size = { width: 1920, height: 1088 };
  const rows = (scene: Scene) => (x: number, y: number) => scene(x, Math.min(1, (y * 1088) / 1080));
  const [finding, ...others] = found(rows, size);
  assert.deepEqual(others, []);
  assert.equal(finding?.code, "PADDED");
  near(finding?.area?.height, 1080, 2);
});

test("does not report padding of frames of nearly the same size that show the whole picture", () => {
  assert.deepEqual(
    found((scene) => scene, { width: 1920, height: 1088 }),
    [],
  );
});

test("finds mirrored and turned sides", () => {
  const mirrored = (mirrorX: boolean, mirrorY: boolean) =>
    found((scene) => (x, y) => scene(mirrorX ? 1 - x : x, mirrorY ? 1 - y : y)).map(({ code, fix }) => ({
      code,
      mirror: fix?.mirror?.distorted,
    }));
  assert.deepEqual(mirrored(true, false), [{ code: "MIRRORED", mirror: "HORIZONTAL" }]);
  assert.deepEqual(mirrored(false, true), [{ code: "MIRRORED", mirror: "VERTICAL" }]);
  assert.deepEqual(mirrored(true, true), [{ code: "ROTATED", mirror: "BOTH" }]);
});

test("reports no areas for different content", () => {
  const [reference, distorted] = [SCENES, [7, 8, 9].map((seed) => waves(seed))].map((scenes) =>
    scenes.map((scene) => picture(scene)),
  );
  assert.deepEqual(relation(reference ?? [], distorted ?? [], { reference: SIZE, distorted: SIZE }), []);
});

test("finds two rows added to a tall frame, measured on full-size frames", () => {
  const [height, rows] = [720, 2];
  const padded = (scene: Scene): Scene => {
    return (x, y) => (y * (height + rows) < height ? scene(x, (y * (height + rows)) / height) : BLACK);
  };
  const sizes = { reference: { width: 160, height }, distorted: { width: 160, height: height + rows } };
  const small = (change: (scene: Scene) => Scene) => SCENES.map((scene) => picture(change(scene)));
  const pairs = pairPlanes(
    small((scene) => scene),
    small(padded),
    UPRIGHT,
  );
  const layout = layoutOf(pairs, judge(pairs, { x: IDENTITY.x, y: { scale: 720 / 722, shift: 0 } }));
  const exact = refineArea(
    SCENES.map((scene) => sampled(scene, 160, height)),
    SCENES.map((scene) => sampled(padded(scene), 160, height + rows)),
    { turn: UPRIGHT, x: IDENTITY.x, y: { scale: 720 / 722, shift: 0 } },
  );
  const [finding, ...others] = areaFindings(layout, { sizes, turn: UPRIGHT }, exact);
  assert.deepEqual(others, []);
  assert.deepEqual([finding?.code, finding?.side, finding?.confidence], ["PADDED", "distorted", "certain"]);
  assert.deepEqual(finding?.fix, { crop: { distorted: { x: 0, y: 0, width: 160, height } } });
  // Soft pictures seem to be cropped, too. Full-size frames show no such border, even if they are not exact.
  assert.ok(exact);
  const inner = { ...layout.reference, x: { start: 0.02, end: 0.98 } };
  const soft = areaFindings(
    { ...layout, reference: inner },
    { sizes, turn: UPRIGHT },
    { ...exact, exact: false },
  );
  assert.deepEqual(
    soft.map(({ code }) => code),
    ["PADDED"],
  );
});

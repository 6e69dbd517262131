import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plane } from "../../../../../src/engine/doctor/space/plane.ts";
import { refineArea } from "../../../../../src/engine/doctor/space/refine.ts";
import { UPRIGHT } from "../../../../../src/engine/doctor/space/view.ts";
import { noisy, type Scene, sampled, waves } from "../scene.ts";

const SCENES = [4, 5].map((seed) => waves(seed));

/** Planes of a reference of 640×360, and of an area of it scaled to another size. */
function planes(
  area: { x: number; y: number; width: number; height: number },
  width: number,
  height: number,
) {
  const reference = SCENES.map((scene) => sampled(scene, 640, 360));
  const distorted = SCENES.map((scene, seed) =>
    noisy(
      sampled(
        (x, y) => scene((area.x + area.width * x) / 640, (area.y + area.height * y) / 360),
        width,
        height,
      ),
      6,
      seed,
    ),
  );
  return { reference, distorted };
}

for (const [width, height] of [
  [560, 312],
  [640, 360],
  [280, 156],
] as const) {
  test(`finds the exact crop of a side of ${width}×${height} from a guess that is 4 samples off`, () => {
    const area = { x: 46, y: 22, width: 560, height: 312 };
    const { reference, distorted } = planes(area, width, height);
    const found = refineArea(reference, distorted, {
      turn: UPRIGHT,
      x: { scale: 640 / 564, shift: -50 / 564 },
      y: { scale: 360 / 308, shift: -20 / 308 },
    });
    assert.deepEqual(found?.reference, area);
    assert.deepEqual(found?.distorted, { x: 0, y: 0, width, height });
    assert.deepEqual([found?.exact, found?.even], [true, true]);
  });
}

test("reports that the borders of an area are not even", () => {
  const { reference, distorted } = planes({ x: 46, y: 22, width: 561, height: 312 }, 560, 312);
  const found = refineArea(reference, distorted, {
    turn: UPRIGHT,
    x: { scale: 640 / 561, shift: -46 / 561 },
    y: { scale: 360 / 312, shift: -22 / 312 },
  });
  assert.deepEqual([found?.reference.width, found?.even], [561, false]);
});

test("finds whole frames if a side was only scaled", () => {
  const { reference, distorted } = planes({ x: 0, y: 0, width: 640, height: 360 }, 480, 270);
  const whole = { scale: 1, shift: 0 };
  const found = refineArea(reference, distorted, { turn: UPRIGHT, x: whole, y: whole });
  assert.deepEqual(found?.reference, { x: 0, y: 0, width: 640, height: 360 });
  assert.deepEqual(found?.distorted, { x: 0, y: 0, width: 480, height: 270 });
});

test("finds no areas in different content", () => {
  const { reference } = planes({ x: 0, y: 0, width: 640, height: 360 }, 640, 360);
  const other = [11, 12].map((seed) => sampled(waves(seed), 640, 360));
  const whole = { scale: 1, shift: 0 };
  assert.equal(refineArea(reference, other, { turn: UPRIGHT, x: whole, y: whole }), undefined);
});

test("corrects the border of a bar to the even sample if ringing moved it by one", () => {
  const [top, height] = [26, 218];
  const barred = SCENES.map((scene, seed) => {
    const plane = noisy(
      sampled((x, y) => scene(x, (y * 270 - top) / height), 480, 270),
      60,
      seed,
    );
    for (let row = 0; row < 270; row++)
      if (row < top || row >= top + height)
        plane.data.fill(row === top - 1 ? 60 : 16, row * 480, (row + 1) * 480);
    return plane;
  });
  const reference = SCENES.map((scene) => sampled(scene, 480, 270));
  const found = refineArea(reference, barred, {
    turn: UPRIGHT,
    x: { scale: 1, shift: 0 },
    y: { scale: height / 270, shift: top / 270 },
  });
  assert.deepEqual(found?.distorted, { x: 0, y: top, width: 480, height });
  assert.deepEqual([found?.exact, found?.even], [true, true]);
});

test("gives opposite bars that differ by a sample the even width", () => {
  const reference = SCENES.map((scene) => sampled(scene, 640, 360));
  const covered = SCENES.map((scene, seed) => {
    const plane = noisy(sampled(scene, 426, 240), 2, seed);
    const { data } = plane;
    for (let row = 0; row < data.length; row += 426) {
      data.fill(16, row, row + 56);
      data.fill(16, row + 426 - 55, row + 426);
    }
    return plane;
  });
  const whole = { scale: 1, shift: 0 };
  const found = refineArea(reference, covered, { turn: UPRIGHT, x: whole, y: whole });
  assert.deepEqual(found?.distorted, { x: 56, y: 0, width: 314, height: 240 });
  assert.deepEqual(found?.reference, { x: 84, y: 0, width: 472, height: 360 });
  assert.deepEqual([found?.exact, found?.even], [true, true]);
});

test("accepts blurred borders if one side shows the other's whole frame, sample for sample", () => {
  const reference = SCENES.map((scene) => sampled(scene, 480, 270));
  const padded = SCENES.map((scene, seed) => {
    const plane = noisy(
      sampled((x, y) => scene((x * 600 - 60) / 480, y), 600, 270),
      60,
      seed,
    );
    for (let row = 0; row < plane.data.length; row += 600) {
      plane.data.fill(16, row, row + 60);
      plane.data.fill(16, row + 540, row + 600);
    }
    return plane;
  });
  const view = { turn: UPRIGHT, x: { scale: 0.8, shift: 0.1 }, y: { scale: 1, shift: 0 } };
  const found = refineArea(reference, padded, view);
  assert.deepEqual(found?.distorted, { x: 60, y: 0, width: 480, height: 270 });
  assert.ok((found?.layout.match ?? 1) < 0.93, `a match of ${found?.layout.match} is clear without this`);
  assert.equal(found?.exact, true);
});

test("accepts blurred borders between opposite bars of equal width", () => {
  const reference = SCENES.map((scene) => sampled(scene, 640, 360));
  const covered = SCENES.map((scene, seed) => {
    const plane = noisy(sampled(scene, 640, 360), 60, seed);
    plane.data.fill(16, 0, 48 * 640);
    plane.data.fill(16, 312 * 640);
    return plane;
  });
  const whole = { scale: 1, shift: 0 };
  const found = refineArea(reference, covered, { turn: UPRIGHT, x: whole, y: whole });
  assert.deepEqual(found?.distorted, { x: 0, y: 48, width: 640, height: 264 });
  assert.ok((found?.layout.match ?? 1) < 0.93, `a match of ${found?.layout.match} is clear without this`);
  assert.equal(found?.exact, true);
});

test("ignores a scale by one sample if the pictures match equally well without it", () => {
  const reference = SCENES.map((scene) => sampled(scene, 320, 180));
  const stretched = SCENES.map((scene) => {
    // Waves that the reference lacks hide how much the others are stretched.
    const plane = sampled(
      (x, y) => scene(x / 0.996, (y * 192) / 180) + 130 * Math.sin(31 * x + 3) * Math.sin(37 * y),
      320,
      192,
    );
    plane.data.fill(16, 180 * 320);
    return plane;
  });
  const view = { turn: UPRIGHT, x: { scale: 0.996, shift: 0 }, y: { scale: 0.9375, shift: 0 } };
  const found = refineArea(reference, stretched, view);
  assert.deepEqual(found?.distorted, { x: 0, y: 0, width: 320, height: 180 });
  assert.equal(found?.layout.x.scale, 1);
  assert.equal(found?.exact, true);
});

test("finds a crop by two samples that was scaled to the whole frame", () => {
  const area = { x: 2, y: 0, width: 638, height: 360 };
  const { reference, distorted } = planes(area, 640, 360);
  const view = { turn: UPRIGHT, x: { scale: 640 / 638, shift: -2 / 638 }, y: { scale: 1, shift: 0 } };
  assert.deepEqual(refineArea(reference, distorted, view)?.reference, area);
});

test("does not accept equal bars if the other side shows another part of its frame", () => {
  const [reference, covered] = [640, 560].map((width) =>
    SCENES.map((scene, seed) => {
      return noisy(
        sampled((x, y) => scene((x * width) / 640, y), width, 360),
        60,
        seed + width,
      );
    }),
  ) as [Plane[], Plane[]];
  for (const { data } of covered) {
    data.fill(16, 0, 48 * 560);
    data.fill(16, 312 * 560);
  }
  const view = { turn: UPRIGHT, x: { scale: 640 / 560, shift: 0 }, y: { scale: 1, shift: 0 } };
  const found = refineArea(reference, covered, view);
  assert.deepEqual(found?.distorted, { x: 0, y: 48, width: 560, height: 264 });
  assert.ok((found?.layout.match ?? 1) < 0.93, `a match of ${found?.layout.match} is clear without this`);
  assert.equal(found?.exact, false);
});

test("prefers equal bars to the borders of a soft picture that seems to end a sample earlier", () => {
  const [top, height] = [26, 128];
  const soft: Scene = (x, y) => 110 + 60 * Math.sin(4 * x + 2) * Math.sin(3.5 * y + 1);
  const reference = [sampled(soft, 320, 180)];
  const squeezed = sampled((x, y) => soft(x, (y * 180 - top - 0.9) / (height - 1.8)), 320, 180);
  squeezed.data.fill(16, 0, top * 320);
  squeezed.data.fill(16, (top + height) * 320);
  const view = {
    turn: UPRIGHT,
    x: { scale: 1, shift: 0 },
    y: { scale: height / 180, shift: top / 180 },
  };
  const found = refineArea(reference, [squeezed], view);
  assert.deepEqual(found?.distorted, { x: 0, y: top, width: 320, height });
  assert.equal(found?.exact, true);
});

test("takes dark borders for picture if other frames show picture there", () => {
  const dark = (scene: Scene): Scene => {
    return (x, y) => (x > 0.25 ? scene(x, y) : 32);
  };
  const reference = SCENES.map((scene) => sampled(dark(scene), 480, 270));
  const squeezed = SCENES.map((scene, seed) => {
    const plane = noisy(
      sampled((x, y) => dark(scene)((x * 480 - 40) / 400, y), 480, 270),
      1,
      seed,
    );
    for (let row = 0; row < plane.data.length; row += 480) {
      plane.data.fill(16, row, row + 40);
      plane.data.fill(16, row + 440, row + 480);
    }
    return plane;
  });
  const view = { turn: UPRIGHT, x: { scale: 400 / 480, shift: 40 / 480 }, y: { scale: 1, shift: 0 } };
  const whole = { start: 0, end: 1 };
  const seen = {
    reference: { x: whole, y: whole },
    distorted: { x: { start: 40 / 480, end: 440 / 480 }, y: whole },
  };
  const found = refineArea(reference, squeezed, view, seen);
  assert.deepEqual(found?.reference, { x: 0, y: 0, width: 480, height: 270 });
  assert.deepEqual(found?.distorted, { x: 40, y: 0, width: 400, height: 270 });
});

test("does not accept odd borders if single frames show them elsewhere", () => {
  const area = { x: 45, y: 22, width: 560, height: 312 };
  const view = {
    turn: UPRIGHT,
    x: { scale: 640 / area.width, shift: -area.x / area.width },
    y: { scale: 360 / area.height, shift: -area.y / area.height },
  };
  const { reference, distorted } = planes(area, 560, 312);
  const agreed = refineArea(reference, distorted, view);
  assert.deepEqual([agreed?.reference.x, agreed?.even, agreed?.exact], [area.x, false, true]);
  // One frame shows a little more and the other a little less. On average they show the same.
  const [scene] = SCENES as [Scene];
  const moved = [-1.2, 1.2].map((by) =>
    sampled(
      (x, y) => scene((area.x - by + (area.width + 2 * by) * x) / 640, (area.y + area.height * y) / 360),
      560,
      312,
    ),
  );
  const same = sampled(scene, 640, 360);
  const found = refineArea([same, same], moved, view);
  assert.ok((found?.distance ?? 1) <= 0.35, `a distance of ${found?.distance} is not sure without this`);
  assert.ok((found?.layout.match ?? 0) >= 0.93, `a match of ${found?.layout.match} is not sure without this`);
  assert.deepEqual([found?.reference.x, found?.exact], [area.x, false]);
});

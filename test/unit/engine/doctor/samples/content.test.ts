import assert from "node:assert/strict";
import { test } from "node:test";
import {
  contentFindings,
  emptinessFindings,
  identityFindings,
  swapFindings,
} from "../../../../../src/engine/doctor/samples/content.ts";
import { random } from "../../../random.ts";
import { pictures, type Scene, waves } from "../scene.ts";

const grey: Scene = () => 128;
const film = (scenes: readonly Scene[]) => pictures(scenes.map((y) => ({ y, u: grey, v: grey })));
/** A scene that moves. */
const moving = (seed: number) => {
  const scene = waves(seed);
  return [0, 1, 2, 3].map(
    (time): Scene =>
      (x, y) =>
        scene(x + 0.01 * time, y),
  );
};
const FRAMES = [0, 1, 2, 3].map((index) => ({ reference: index, distorted: index }));
const reference = film(moving(1));

test("finds a black side, and one that stands still", () => {
  const codes = (distorted: ReturnType<typeof film>) =>
    emptinessFindings({ reference, distorted }, FRAMES).map(({ code, side }) => `${code} ${side}`);
  assert.deepEqual(codes(film(FRAMES.map(() => () => 16))), ["BLACK distorted"]);
  assert.deepEqual(codes(film(FRAMES.map(() => waves(1)))), ["FROZEN distorted"]);
  assert.deepEqual(codes(reference), []);
});

test("finds a side that stands still beside slow content", () => {
  const count = 40;
  const slow = (speed: number) =>
    film(
      Array.from(
        { length: count },
        (_, time): Scene =>
          (x, y) =>
            waves(1)(x + speed * time, y),
      ),
    );
  const frames = Array.from({ length: count }, (_, index) => ({ reference: index, distorted: index }));
  const codes = (speed: number, own = 0) =>
    emptinessFindings({ reference: slow(own), distorted: slow(speed) }, frames).map(({ code, side }) => [
      code,
      side,
    ]);
  assert.deepEqual(codes(0.0003), [["FROZEN", "reference"]]);
  assert.deepEqual(codes(0.00003), []);
  assert.deepEqual(codes(0.0003, 0.000025), []);
  const next = random(7);
  const noise = film(frames.map((): Scene => () => 128 + 80 * (next() - 0.5)));
  assert.deepEqual(emptinessFindings({ reference: noise, distorted: slow(0) }, frames), []);
});

test("does not report a dark picture as black because the other side has bars", () => {
  const dim = moving(1).map(
    (scene): Scene =>
      (x, y) =>
        34 + scene(x, y) / 50,
  );
  const barred = dim.map(
    (scene): Scene =>
      (x, y) =>
        Math.abs(y - 0.5) < 0.35 ? scene(x, (y - 0.15) / 0.7) : 16,
  );
  assert.deepEqual(emptinessFindings({ reference: film(dim), distorted: film(barred) }, FRAMES), []);
});

test("finds other content only by a low match of detailed pictures", () => {
  const distorted = film(moving(2));
  const codes = (match: number) =>
    contentFindings({ reference, distorted }, FRAMES, match).map(
      ({ code, confidence }) => `${code} ${confidence}`,
    );
  assert.deepEqual(codes(0.1), ["OTHER_CONTENT certain"]);
  assert.deepEqual(codes(0.25), ["OTHER_CONTENT likely"]);
  assert.deepEqual(codes(0.8), []);
});

test("finds other content with fine texture, which is no noise", () => {
  const spotted = moving(2).map(
    (scene): Scene =>
      (x, y) =>
        128 +
        0.45 * (scene(x, y) - 128) +
        30 * Math.sin(2 * Math.PI * 44 * x) * Math.sin(2 * Math.PI * 25 * y),
  );
  const [finding] = contentFindings({ reference, distorted: film(spotted) }, FRAMES, 0.02);
  assert.equal(finding?.code, "OTHER_CONTENT");
});

test("finds other content if one side fades in", () => {
  const faded = moving(2).map(
    (scene, index): Scene =>
      (x, y) =>
        index < FRAMES.length * 0.6 ? 100 : scene(x, y),
  );
  const found = contentFindings({ reference, distorted: film(faded) }, FRAMES, 0.02);
  assert.deepEqual(
    found.map(({ code }) => code),
    ["OTHER_CONTENT"],
  );
});

test("finds other content without detail by its light and dark areas", () => {
  const gradients = (angle: number) =>
    film(
      FRAMES.map(
        (_, index): Scene =>
          (x, y) =>
            128 + 60 * Math.cos(3 * (x * Math.cos(angle) + y * Math.sin(angle)) + index / 9),
      ),
    );
  const codes = (one: number, other: number) =>
    contentFindings({ reference: gradients(one), distorted: gradients(other) }, FRAMES, 0.05).map(
      ({ code, confidence }) => `${code} ${confidence}`,
    );
  assert.deepEqual(codes(0, Math.PI / 2), ["OTHER_CONTENT likely"]);
  assert.deepEqual(codes(0, 0.1), ["NOT_CHECKED possible"]);
});

test("cannot tell whether noise or dark pictures show the same", () => {
  const next = random(3);
  const vague = [film(FRAMES.map(() => () => 128 + 60 * (next() - 0.5))), film(FRAMES.map(() => () => 17))];
  for (const distorted of vague) {
    const found = contentFindings({ reference, distorted }, FRAMES, 0.05);
    assert.deepEqual(
      found.map(({ code, side }) => `${code} ${side}`),
      ["NOT_CHECKED distorted"],
    );
  }
});

test("does not report other content for pictures that correlate negatively", () => {
  const codes = (distorted: ReturnType<typeof film>, match: number) =>
    contentFindings({ reference, distorted }, FRAMES, match).map(({ code }) => code);
  assert.deepEqual(codes(film(moving(2)), -0.15), ["NOT_CHECKED"]);
  assert.deepEqual(codes(film(moving(2)), -0.05), ["OTHER_CONTENT"]);
});

test("finds identical sides", () => {
  assert.equal(identityFindings({ reference, distorted: film(moving(1)) })[0]?.code, "IDENTICAL");
  assert.deepEqual(identityFindings({ reference, distorted: film(moving(2)) }), []);
  assert.deepEqual(identityFindings({ reference, distorted: film(moving(1).slice(1)) }), []);
});

test("suspects swapped sides if the distorted one has more detail and more bits", () => {
  const next = random(4);
  const distorted = film(
    moving(1).map(
      (scene): Scene =>
        (x, y) =>
          scene(x, y) + 30 * (next() - 0.5),
    ),
  );
  const found = (bitRates: { reference: number; distorted: number }) =>
    swapFindings({ reference, distorted }, FRAMES, { bitRates, isUncompressed: false }).map(
      ({ code, confidence }) => `${code} ${confidence}`,
    );
  assert.deepEqual(found({ reference: 1e6, distorted: 5e6 }), ["SIDES_SWAPPED possible"]);
  assert.deepEqual(found({ reference: 5e6, distorted: 1e6 }), []);
  assert.deepEqual(found({ reference: 0, distorted: 1e6 }), []);
});

test("suspects swapped sides if the distorted one has as much detail and far more bits, but is compressed", () => {
  const found = (distorted: number, isUncompressed: boolean) =>
    swapFindings({ reference, distorted: film(moving(1)) }, FRAMES, {
      bitRates: { reference: 1e6, distorted },
      isUncompressed,
    }).map(({ evidence }) => evidence);
  assert.deepEqual(found(12e6, false), ["The distorted video has 12.0 times the bit rate of the reference."]);
  assert.deepEqual(found(4e6, false), []);
  assert.deepEqual(found(12e6, true), []);
});

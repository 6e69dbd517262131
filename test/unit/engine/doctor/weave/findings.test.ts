import assert from "node:assert/strict";
import { test } from "node:test";
import { weaveFindings } from "../../../../../src/engine/doctor/weave/findings.ts";
import { FIELDS_BYTES, FieldPictures, LUMA } from "../../../../../src/engine/media/pictures.ts";
import { waves } from "../scene.ts";

const FRAMES = Array.from({ length: 14 }, (_, index) => index);
const LINES = 1080;
const SCENE = waves(1);

/** Moments of the top and the bottom field of a frame. */
type Moments = (frame: number) => readonly [top: number, bottom: number];

/** The fields of a scene that moves sideways, with levels of still detail that only the bottom fields have. */
function filmed(moments: Moments, detail = 0): FieldPictures {
  const bytes = new Uint8Array(FRAMES.length * FIELDS_BYTES);
  let at = 0;
  for (const frame of FRAMES) {
    for (let row = 0; row < 2 * LUMA.height; row++) {
      const time = moments(frame)[row % 2] as number;
      // A bottom field lies a line of the frame under the top field.
      const y = ((row >> 1) + 0.5) / LUMA.height + (row % 2) / LINES;
      for (let x = 0; x < LUMA.width; x++) {
        const still = (row % 2) * ((x >> 3) % 2 === 0 ? detail : -detail);
        bytes[at++] = SCENE((x + 0.5) / LUMA.width + 0.01 * time, y) + still;
      }
    }
  }
  return new FieldPictures(bytes, FRAMES);
}

const PROGRESSIVE = filmed((frame) => [frame, frame]);
const TOP_FIRST = filmed((frame) => [frame, frame + 0.5]);
const BOTTOM_FIRST = filmed((frame) => [frame + 0.5, frame]);
const STILL = filmed(() => [0, 0]);
/** Film frames A, B, C and D as AA BB BC CD DD. */
const PULLED = filmed((frame) => {
  const from = 4 * Math.floor(frame / 5);
  const tops = [0, 1, 1, 2, 3];
  const bottoms = [0, 1, 2, 3, 3];
  return [from + (tops[frame % 5] as number), from + (bottoms[frame % 5] as number)];
});

function found(reference: FieldPictures, distorted: FieldPictures, lines = LINES) {
  const heights = { reference: LINES, distorted: lines };
  const findings = weaveFindings({ fields: { reference, distorted }, heights, partner: (frame) => frame });
  return findings.map(({ code, side, confidence, evidence }) => ({ code, side, confidence, evidence }));
}

test("finds the interlaced side and the order of its fields", () => {
  const [top] = found(PROGRESSIVE, TOP_FIRST);
  assert.deepEqual([top?.code, top?.side, top?.confidence], ["INTERLACED", "distorted", "likely"]);
  assert.match(top?.evidence ?? "", /12 of 12 moving frames .* top field first/);
  assert.match(found(PROGRESSIVE, BOTTOM_FIRST)[0]?.evidence ?? "", /bottom field first/);
  assert.equal(found(TOP_FIRST, PROGRESSIVE)[0]?.side, "reference");
});

test("finds opposite field orders, and nothing in sides that are alike or still", () => {
  const [order] = found(TOP_FIRST, BOTTOM_FIRST);
  assert.equal(order?.code, "FIELD_ORDER_DIFFERS");
  assert.match(order?.evidence ?? "", /top field first in the reference and the bottom/);
  for (const side of [PROGRESSIVE, TOP_FIRST, PULLED]) assert.deepEqual(found(side, side), []);
});

test("leaves the fields open if nothing moves", () => {
  const [finding] = found(STILL, STILL);
  assert.deepEqual([finding?.code, finding?.confidence], ["NOT_CHECKED", "possible"]);
  assert.match(finding?.evidence ?? "", /Whether a side is interlaced is not known/);
});

test("leaves the fields open if only the distorted side moves: noise moves plain pictures", () => {
  assert.deepEqual(
    found(STILL, TOP_FIRST).map(({ code }) => code),
    ["NOT_CHECKED"],
  );
});

test("leaves the fields open if only a few frames look interlaced", () => {
  const some = filmed((frame) => [frame, frame % 6 === 1 ? frame + 0.5 : frame]);
  assert.deepEqual(
    found(PROGRESSIVE, some).map(({ code, confidence }) => [code, confidence]),
    [["NOT_CHECKED", "possible"]],
  );
});

test("reports a possible weave if most frames show what an encode cannot have added", () => {
  const apart = (by: number, detail = 0) => filmed((frame) => [frame, frame + by], detail);
  const detailed = apart(0, 20);
  const [blurred] = found(detailed, apart(0.04));
  assert.deepEqual(
    [blurred?.code, blurred?.side, blurred?.confidence],
    ["INTERLACED", "distorted", "possible"],
  );
  assert.match(blurred?.evidence ?? "", /12 of 12 moving frames, .* the top field first/);
  assert.match(found(detailed, apart(-0.04))[0]?.evidence ?? "", /the bottom field first/);
  // Less of it, a little more of it by contrast, and differences that point anywhere.
  assert.deepEqual(found(apart(0.08, 20), apart(0.04)), []);
  assert.deepEqual(found(apart(0.05, 20), apart(0.055)), []);
  const anywhere = filmed((frame) => [frame, frame + (frame % 2 === 0 ? 0.04 : -0.04)]);
  assert.deepEqual(found(detailed, anywhere), []);
  // The fields of the distorted video differ more in all: it may be no encode of the reference.
  assert.deepEqual(found(PROGRESSIVE, apart(0.04)), []);
});

test("finds two woven frames of every five", () => {
  assert.match(
    found(PROGRESSIVE, PULLED)[0]?.evidence ?? "",
    /^2 of 5 frames of the distorted video are woven/,
  );
  assert.equal(found(PULLED, PROGRESSIVE)[0]?.side, "reference");
});

test("does not compare the fields of small pictures of different heights", () => {
  assert.deepEqual(found(PROGRESSIVE, TOP_FIRST, 180), []);
});

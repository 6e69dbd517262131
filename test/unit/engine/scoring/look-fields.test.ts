import assert from "node:assert/strict";
import { test } from "node:test";
import { FIELDS_BYTES } from "../../../../src/engine/media/pictures.ts";
import { fieldBytes, fieldChain, fieldFrames } from "../../../../src/engine/scoring/look-fields.ts";

test("fields are examined in bursts of seven frames, spread over each span", () => {
  const short = { first: 0, count: 30 };
  assert.deepEqual(fieldFrames([short]), [11, 12, 13, 14, 15, 16, 17]);
  const spans = [
    { first: 0, count: 300 },
    { first: 400, count: 300 },
  ];
  const frames = fieldFrames(spans);
  assert.equal(frames.length, 2 * 8 * 7);
  assert.ok(frames.every((frame) => frame < 300 || (frame >= 400 && frame < 700)));
  assert.match(fieldChain([short]), /^select=between\(n\\,11\\,17\),crop=[^,]+,scale=/);
  assert.deepEqual(fieldBytes(spans.slice(0, 1), short), {
    first: 56 * FIELDS_BYTES,
    length: 7 * FIELDS_BYTES,
  });
});

test("no fields are examined in fewer frames than a burst has", () => {
  assert.deepEqual(fieldFrames([{ first: 0, count: 6 }]), []);
});

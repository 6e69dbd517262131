import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crudeMatch } from "../../../../../src/engine/doctor/time/crude.ts";
import {
  IDENTITY,
  MIRRORED_HORIZONTALLY,
  MIRRORED_VERTICALLY,
} from "../../../../../src/engine/doctor/time/view.ts";
import { picturesOf, span } from "./moving-texture.ts";

const VIEWS = [IDENTITY, MIRRORED_HORIZONTALLY, MIRRORED_VERTICALLY];

describe("crude match", () => {
  test("finds the view and the offset", () => {
    const mirrored = picturesOf(7, span(12, 60), { seed: 2, mirror: true });
    const [best, second] = crudeMatch(picturesOf(7, span(0, 60)), mirrored, { views: VIEWS, limit: 20 });
    assert.equal(best?.view, MIRRORED_HORIZONTALLY);
    assert.equal(best?.offset, -12);
    assert.ok((best?.score ?? 0) > 0.9 && (second?.score ?? 1) < 0.6);
  });
  test("other content matches in no view", () => {
    const matches = crudeMatch(picturesOf(7, span(0, 60)), picturesOf(8, span(0, 60)), {
      views: VIEWS,
      limit: 20,
    });
    assert.ok(matches.every(({ score }) => score < 0.6));
  });
  test("a view without a common area matches nothing", () => {
    const apart = { x: { scale: 1, shift: 1 }, y: { scale: 1, shift: 0 } };
    const [only] = crudeMatch(picturesOf(7, span(0, 9)), picturesOf(7, span(0, 9)), {
      views: [apart],
      limit: 2,
    });
    assert.deepEqual([only?.offset, only?.score], [0, 0]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { isFade, type TimeEvent } from "../../../../../src/engine/doctor/time/events/events.ts";
import { referenceFeatures } from "../../../../../src/engine/doctor/time/features.ts";
import { picturesOf } from "./moving-texture.ts";

/** Features of a picture that stands still for 12 frames, each of this contrast. */
function held(strengthAt: (index: number) => number) {
  const pictures = picturesOf(5, Array<number>(12).fill(40), { noise: 2 });
  for (let index = 0; index < pictures.count; index++) {
    const luma = pictures.luma(index);
    for (let place = 0; place < luma.length; place++)
      luma[place] = Math.round(110 + strengthAt(index) * ((luma[place] as number) - 110));
  }
  return referenceFeatures(pictures);
}

test("a held picture keeps its contrast; one that fades does not stand still", () => {
  const event = (kind: TimeEvent["kind"]): TimeEvent => {
    const frames = { first: 2, count: 8 };
    return { kind, side: "distorted", frames, earliest: 2, latest: 2, gain: 0 };
  };
  const fading = held((index) => ((12 - index) / 12) ** 3);
  assert.equal(isFade(event("frozen"), fading), true);
  assert.equal(isFade(event("duplicated"), fading), false);
  const still = held(() => 0.3);
  assert.equal(isFade(event("frozen"), still), false);
});

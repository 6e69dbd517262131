/** The parts of a plan of which stills and clips are made. */
import assert from "node:assert/strict";
import type { PlannedPair, StillsPart } from "../../src/engine/contract/work.ts";

/** Returns the segments of a plan that contain the frames. */
export function partsOf({ segments, frameCount }: PlannedPair, frames: readonly number[]): StillsPart[] {
  assert.ok(frames.every((frame) => frame < frameCount));
  return segments.flatMap(({ first, count, segment }) => {
    const own = frames.filter((frame) => frame >= first && frame < first + count);
    return own.length === 0 ? [] : [{ segment, frames: own }];
  });
}

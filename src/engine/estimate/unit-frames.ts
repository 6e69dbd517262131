/** The length of the units that a sample is drawn from. */
import { MAX_SEGMENTS } from "../../jobs/request-limits.ts";

/**
 * Fewer frames per unit make a sample of the same number of frames more precise, because frames of one scene have
 * similar scores. Units of less than 16 frames save no time: each costs the start of a scorer, and the decoding from the
 * key frame before it.
 */
const FEWEST_FRAMES = 16;

/** Returns the approximate number of frames in a unit of a video of `frameCount` frames. */
export function unitFrames(frameCount: number): number {
  return Math.max(FEWEST_FRAMES, Math.ceil(frameCount / MAX_SEGMENTS));
}

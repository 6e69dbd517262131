/** The length of the units that a sample is drawn from. */
import { MAX_SEGMENTS } from "../../jobs/request-limits.ts";

/**
 * Minimum frames of a unit. Shorter units make a sample of the same number of frames more precise, because
 * frames of one scene have similar scores. Units of fewer than 16 frames save no time: each requires starting
 * a scorer, and decoding from the key frame before it.
 */
const FEWEST_FRAMES = 16;

/** Returns the approximate number of frames in a unit of a video of `frameCount` frames. */
export function unitFrames(frameCount: number): number {
  return Math.max(FEWEST_FRAMES, Math.ceil(frameCount / MAX_SEGMENTS));
}

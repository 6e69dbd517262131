/** The limits on clips: videos of both sides around a frame. */

/** Maximum frames for which one call can request clips, and frames of a job that can have clips. */
export const MAX_CLIPS = 16;
/** Maximum tasks of a job that make clips: one for each frame, and as many retries. */
export const MAX_CLIP_WORK = 32;
/** Maximum frames of a clip: 2 s at 60 fps. */
export const MAX_CLIP_FRAMES = 120;
/**
 * Maximum number of segments that contain the frames of a clip. All are decoded at the same time, each from
 * its beginning.
 */
export const MAX_CLIP_PARTS = 6;
/**
 * Maximum bytes of a clip; a clip that would be larger gets fewer frames. Two seconds of 1920x1080 film take
 * about half of that.
 */
export const MAX_CLIP_BYTES = 24 * 2 ** 20;
/** Bytes of a part in which a clip is reported, stored and sent; each is one message. */
export const CLIP_PIECE_BYTES = 2 ** 20;
/**
 * Maximum macroblocks of 16x16 samples in a frame of both sides: the limit of H.264's level 5.2 (Table A-1),
 * which browsers play.
 */
const MAX_CLIP_BLOCKS = 36_864;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of the video of two sides: each is padded to an even size, because chroma has half of it.
 */
export function stackedSize({ width, height }: Size): Size {
  return { width: 2 * even(width), height: even(height) };
}

/** Whether a video of two sides of this size is small enough to be played. */
export function isPlayable(side: Size): boolean {
  const { width, height } = stackedSize(side);
  return Math.ceil(width / 16) * Math.ceil(height / 16) <= MAX_CLIP_BLOCKS;
}

function even(pixels: number): number {
  return pixels + (pixels % 2);
}

/** Returns the frames of a clip around a frame of a video: `wanted` of them, or all if there are fewer. */
export function framesAround(frame: number, wanted: number, total: number): { first: number; count: number } {
  const count = Math.min(wanted, total);
  const first = Math.min(Math.max(0, frame - Math.floor(count / 2)), total - count);
  return { first, count };
}

/** Where to seek in a file so that a frame and those after it can be decoded. */
import { toNumber } from "./rational.ts";
import type { FrameTimes, Track } from "./track.ts";

/** Seconds by which ffmpeg seeks earlier than requested if frames are reordered (3/23 s in its input code). */
const REORDER_HEURISTIC = 0.135;

/** Containers in which seeking searches for a time and may miss it by some frames. */
const SEARCHED = new Set(["mpegts", "mxf", "flv"]);
/** Seconds; more than the frames last by which a search may miss. */
const SEARCH_MARGIN = 0.5;

/** Returns the time in seconds to seek to for a frame; undefined: start at the beginning. */
export type Seek = (frame: number) => number | undefined;

/**
 * Returns a function that finds where to seek so that decoding begins at a key frame at or before a frame. Landing
 * earlier only costs time, because frames before the range are dropped; landing later is detected by the frame count.
 * A film has thousands of cuts and hundreds of thousands of frames, in some codecs all key frames, so no cut may
 * iterate over all key frames.
 */
export function seekIn(track: Track, times: FrameTimes): Seek {
  if (SEARCHED.has(track.container)) return searching(times);
  // For raw video, ffmpeg computes the position and rounds it, so seeking to the frame's own time is safe.
  return byIndex(times, track.samples === undefined ? REORDER_HEURISTIC : 0);
}

/** Returns the options, before those of the input, that seek to a time in seconds. */
export function seekOptions(seek: number | undefined): readonly string[] {
  return [
    "-noaccurate_seek",
    ...(seek === undefined ? [] : ["-seek_timestamp", "1", "-ss", seek.toFixed(6)]),
  ];
}

/** Seeks to more than the longest group of pictures before the frame. */
function searching({ pts, keys, timeBase }: FrameTimes): Seek {
  const tick = toNumber(timeBase);
  const gop = longestGop(keys, pts.at(-1) ?? 0) * tick;
  const begin = (pts[0] ?? 0) * tick;
  return (frame) => {
    const seconds = (pts[frame] ?? 0) * tick - gop - SEARCH_MARGIN;
    return seconds <= begin ? undefined : seconds;
  };
}

/** Seeks to the last key frame, plus a margin so that ffmpeg does not land at the one before. */
function byIndex({ pts, keys, timeBase }: FrameTimes, behind: number): Seek {
  const tick = toNumber(timeBase);
  return (frame) => {
    const index = lastUpTo(keys, pts[frame] ?? 0);
    const key = keys[index];
    if (key === undefined || key === pts[0]) return undefined;
    const room = ((keys[index + 1] ?? Number.POSITIVE_INFINITY) - key) * tick;
    return key * tick + Math.min(behind, room / 2);
  };
}

/** Returns the index of the last sorted value that is not above a limit; -1 if there is none. */
export function lastUpTo(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function longestGop(keys: Float64Array, last: number): number {
  let longest = 0;
  for (let index = 0; index < keys.length; index++) {
    longest = Math.max(longest, (keys[index + 1] ?? last) - (keys[index] ?? 0));
  }
  return longest;
}

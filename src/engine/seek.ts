/** Where to seek in a file so that a frame and those behind it can be decoded. */
import { toNumber } from "./rational.ts";
import type { FrameTimes, Track } from "./track.ts";

/** ffmpeg seeks this much earlier than told where frames are reordered (3/23 s in its input code). */
const REORDER_HEURISTIC = 0.135;

/** Containers in which seeking searches for a time, and may miss it by some frames. */
const SEARCHED = new Set(["mpegts", "mxf", "flv"]);
/** Seconds: more than those frames last. */
const SEARCH_MARGIN = 0.5;

/** Seconds to seek to for a frame; undefined: from the beginning. */
export type Seek = (frame: number) => number | undefined;

/**
 * Where to seek so that decoding begins at a key frame at or before a frame. Landing
 * earlier only costs time, the frames before the range are dropped; landing later is
 * found out by the count of frames. A film has hundreds of thousands of frames, in some
 * codecs all of them key frames, and thousands of cuts: no cut may go over all key frames.
 */
export function seekIn(track: Track, times: FrameTimes): Seek {
  if (SEARCHED.has(track.container)) return searching(times);
  // Raw video is found by arithmetic that rounds: there the key frame's own time is the safe one.
  return byIndex(times, track.samples === undefined ? REORDER_HEURISTIC : 0);
}

/** From more than the longest group of pictures before. */
function searching({ pts, keys, timeBase }: FrameTimes): Seek {
  const tick = toNumber(timeBase);
  const gop = longestGop(keys, pts.at(-1) ?? 0) * tick;
  const begin = (pts[0] ?? 0) * tick;
  return (frame) => {
    const seconds = (pts[frame] ?? 0) * tick - gop - SEARCH_MARGIN;
    return seconds <= begin ? undefined : seconds;
  };
}

/** At the last key frame, and so much behind it that ffmpeg does not land at the one before. */
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

/** Place of the last of sorted values that is not above a limit; -1 where none is. */
function lastUpTo(sorted: Float64Array, limit: number): number {
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

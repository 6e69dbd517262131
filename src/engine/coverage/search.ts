/**
 * Finds the positions that ffmpeg reads when it seeks to a time in MPEG-TS, which has no index: it searches
 * by interpolation (ff_gen_search in libavformat/seek.c), and gives up after 64 KiB without a packet. The
 * positions are a guess, because decoding times are not known exactly; the proof of a segment shows whether
 * they were enough.
 */
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import { toNumber } from "../media/rational.ts";
import { lastUpTo } from "../media/seek.ts";
import type { FrameTimes } from "../media/track.ts";
import { MIB } from "./ranges.ts";

/** Limit of simulated steps of a search; a search takes about ten. */
const MOST_STEPS = 64;
/**
 * Seconds by which the time that ffmpeg compares can differ from that of the frame with the same rank,
 * because frames can be reordered, and ffmpeg then seeks 3/23 s earlier. The search is simulated for each of
 * them.
 */
const SHIFTS = [-0.16, -0.12, -0.08, -0.04, 0, 0.04, 0.08];
/** Bytes that are added at both ends of the range that a step reads. */
const AROUND = MIB / 4;
/** Packets that a step may read until one has a time. */
const READ = 4;

/**
 * Returns the bytes that a search may read.
 *
 * @param places positions of the packets, in decoding order
 * @param seconds the time that is sought
 */
export function searchedIn(places: Float64Array, times: FrameTimes, seconds: number): readonly ByteRange[] {
  const tick = toNumber(times.timeBase);
  return SHIFTS.flatMap((shift) => followed(places, times.pts, (seconds + shift) / tick));
}

interface Packet {
  readonly place: number;
  readonly time: number;
}

/**
 * The state of a search: the packets between which the time lies, the highest position of the next packet,
 * and how many times in a row `high` was found.
 */
interface State {
  readonly low: Packet;
  readonly high: Packet;
  readonly limit: number;
  readonly again: number;
}

function followed(places: Float64Array, pts: Float64Array, target: number): readonly ByteRange[] {
  const at = (packet: number): Packet => ({
    place: places[packet] ?? 0,
    time: pts[packet] ?? pts.at(-1) ?? 0,
  });
  const ranges: ByteRange[] = [];
  const follow = (begin: State, isDoubted: boolean): void => {
    let { low, high, limit, again } = begin;
    for (let step = 0; step < MOST_STEPS && low.time < target && target < high.time; step++) {
      if (low.place >= limit) return;
      const start = nextOf({ low, high, limit, again }, target);
      // The first packet at or after `start`.
      const packet = lastUpTo(places, start - 1) + 1;
      const found = at(packet);
      const { place: last } = at(Math.min(packet + READ, places.length - 1));
      ranges.push({ first: Math.max(0, start - AROUND), last: last + AROUND });
      const isAgain = found.place === high.place;
      again = isAgain ? again + 1 : 0;
      if (target <= found.time) [high, limit] = [found, start - 1];
      if (target >= found.time) low = found;
      // A few bytes decide whether ffmpeg finds this packet a second time, so that case is followed too.
      if (isDoubted && !isAgain && target <= found.time) follow({ low, high, limit, again: 1 }, false);
    }
  };
  const end = at(places.length - 1);
  follow({ low: at(0), high: end, limit: end.place, again: 0 }, true);
  return ranges;
}

/**
 * Returns the position that a search reads next: by interpolation; if that found the same packet again, in
 * the middle; after that, from `low` on.
 */
function nextOf({ low, high, limit, again }: State, target: number): number {
  const share = (target - low.time) / (high.time - low.time);
  const guesses = [
    low.place + share * (high.place - low.place) - (high.place - limit),
    (low.place + limit) / 2,
    low.place,
  ];
  const guess = guesses[Math.min(again, guesses.length - 1)] ?? low.place;
  return Math.min(limit, Math.max(low.place + 1, Math.floor(guess)));
}

/** Finds the part of a file from which some frames are decoded, using the packets that probing listed. */
import { type ByteRange, bytesIn } from "../../jobs/media/byte-range.ts";
import { type Blocks, blocksOf, digestOf, type TrackContent } from "../media/content.ts";
import { toNumber } from "../media/rational.ts";
import { lastUpTo, seekIn } from "../media/seek.ts";
import type { FrameTimes, Track } from "../media/track.ts";
import { indexedCoverageIn } from "./indexed.ts";
import {
  AHEAD,
  type CoverageOf,
  extent,
  MAX_RANGES,
  MIB,
  MOST,
  type Proof,
  READ_AHEAD,
  united,
} from "./ranges.ts";
import { searchedIn } from "./search.ts";

/**
 * Bytes at the beginning of a file that are read to open it: an index, and packets until the codec is known.
 * MXF is missing, because parts of its index are spread over the file.
 */
const OPENED: Readonly<Record<string, number>> = {
  ...{ mp4: MIB / 2, mov: MIB / 2, matroska: MIB / 2, webm: MIB / 2 },
  ...{ mpegts: 4 * MIB, flv: 4 * MIB },
};
/** Bytes at the end of a file that are read for its duration; an index there follows the last packet. */
const LAST = MIB / 2;

/**
 * Returns a function that finds the part of a file from which some frames are decoded; undefined if it cannot
 * be found for any frames. `size`: of the file, in bytes.
 */
export function coverageIn(track: Track, size: number): CoverageOf | undefined {
  const { content, times, indexed } = track;
  if (indexed !== undefined) return indexedCoverageIn(track, size);
  const opened = OPENED[track.container];
  if (content?.places === undefined || times === undefined || opened === undefined) return undefined;
  const { places } = content;
  const listingOf = listingIn(track, content, times);
  const tick = toNumber(times.timeBase);
  return (decoded) => {
    const blocks = blocksOf(content, decoded);
    if (blocks === undefined) return undefined;
    const listing = listingOf(blocks);
    if (listing === undefined) return undefined;
    const { begin, end, ...proof } = listing;
    const searched = track.container === "mpegts" ? [proof.seek, decoded.from * tick] : [];
    const ranges = united(
      [
        ...rangesOf(places, listing, { size, opened }),
        ...searched.flatMap((seconds = -Infinity) => searchedIn(places, times, seconds)),
      ],
      size - 1,
    );
    if (ranges.length > MAX_RANGES || bytesIn(ranges) > MOST * size) return undefined;
    const digest = digestOf(content, blocks);
    return { ranges, proof: { ...proof, listed: end - begin, digest, byPlace: false } };
  };
}

interface Listing extends Omit<Proof, "listed" | "digest" | "byPlace"> {
  /** Number of the first listed packet, and of the packet after the last one. */
  readonly begin: number;
  readonly end: number;
}

/**
 * Returns a function that finds how the packets of some blocks are listed; it returns undefined if ffmpeg
 * cannot seek to their first frame. Values that depend on the track alone are computed once, because a film
 * has thousands of segments.
 */
function listingIn(
  track: Track,
  content: TrackContent,
  times: FrameTimes,
): (blocks: Blocks) => Listing | undefined {
  const seekTo = seekIn(track, times);
  const keys = content.times?.keys ?? new Float64Array();
  const starts = startsOf(content.packets);
  return ({ first, last }) => {
    const [start, end, from] = [starts[first], starts[last + 1], keys[first]];
    if (start === undefined || end === undefined || from === undefined || last < first) return undefined;
    const frame = lastUpTo(times.pts, from);
    if (first > 0 && times.pts[frame] !== from) return undefined;
    const seek = first === 0 ? undefined : seekTo(frame);
    const sought = seek === undefined ? 0 : lastUpTo(keys, seek / toNumber(times.timeBase));
    const begin = starts[Math.min(first, Math.max(0, sought))] ?? 0;
    return { seek, from, begin, end, packets: end - start };
  };
}

/** Returns the number of the first packet of each block, followed by the number of all packets. */
function startsOf(packets: Uint32Array): Uint32Array {
  const starts = new Uint32Array(packets.length + 1);
  for (const [block, count] of packets.entries()) starts[block + 1] = (starts[block] ?? 0) + count;
  return starts;
}

function rangesOf(
  places: Float64Array,
  { begin, end }: Listing,
  { size, opened }: { readonly size: number; readonly opened: number },
): ByteRange[] {
  const ahead = end + AHEAD;
  const packets = extent(places.subarray(begin, ahead + 1));
  const head = { first: 0, last: (places[0] ?? 0) + opened };
  const needed = {
    first: Math.max(0, packets.first - READ_AHEAD),
    last: ahead < places.length ? packets.last + READ_AHEAD : size,
  };
  const tail = { first: Math.max(0, Math.min(places.at(-1) ?? 0, size - LAST)), last: size };
  return [head, needed, tail];
}

/**
 * Finds the part of a file from which some frames are decoded, for tracks whose packets are known from an
 * index alone. The packets are not read when the pair is planned, so the proof contains their positions
 * instead of hashes.
 */
import { createHash } from "node:crypto";
import { bytesIn } from "../../jobs/media/byte-range.ts";
import { FLAG_KEY } from "../media/packets.ts";
import { formatRational, type Rational, toNumber } from "../media/rational.ts";
import { lastUpTo, seekIn } from "../media/seek.ts";
import type { FrameTimes, IndexedPackets, Track } from "../media/track.ts";
import { type CoverageOf, extent, MAX_RANGES, MIB, MOST, READ_AHEAD, united } from "./ranges.ts";

/** Bytes of the first packets that ffmpeg reads to determine the properties of the tracks. */
const FIRST = MIB / 2;

/**
 * Packets after the last compared frame that decoders read before they output it, in addition to those for
 * reordering: one for each of up to 16 threads, and those that wait for them.
 */
const AHEAD = 32;

/** A packet, identified by its time, size, flags and position. */
export interface PlacedPacket {
  readonly pts: number;
  readonly bytes: number;
  readonly flags: number;
  readonly place: number;
}

/** Returns a digest of packets in decoding order. */
export function digestOfPlaced(codec: string, timeBase: Rational, packets: Iterable<PlacedPacket>): string {
  const digest = createHash("sha256").update(`${codec} ${formatRational(timeBase)}\n`);
  for (const { pts, bytes, flags, place } of packets) digest.update(`${pts} ${bytes} ${flags} ${place}\n`);
  return digest.digest("hex");
}

/** Like coverageIn (coverage.ts), for indexed tracks. */
export function indexedCoverageIn({ indexed, times, ...track }: Track, size: number): CoverageOf | undefined {
  if (indexed === undefined || times === undefined) return undefined;
  const listingOf = listingIn({ ...track, indexed, times }, indexed, times);
  if (listingOf === undefined) return undefined;
  const { places, sizes } = indexed;
  const ahead = AHEAD + 2 * reordered(indexed, times);
  const head = { first: places[0] ?? 0, last: (places[0] ?? 0) + FIRST };
  return (decoded) => {
    const listing = listingOf(decoded);
    if (listing === undefined) return undefined;
    const { begin, from, end, seek } = listing;
    const needed = extent(places.subarray(begin, end + ahead), sizes.subarray(begin, end + ahead));
    const around = { first: Math.max(0, needed.first - READ_AHEAD), last: needed.last + READ_AHEAD };
    const ranges = united([...indexed.opened, head, around], size - 1, READ_AHEAD);
    if (ranges.length > MAX_RANGES || bytesIn(ranges) > MOST * size) return undefined;
    const time = indexed.pts[from] ?? 0;
    const packets = packetsOf(indexed, from, end);
    const digest = digestOfPlaced(track.codec, times.timeBase, packets);
    return {
      ranges,
      proof: { seek, listed: end - begin, from: time, packets: end - from, digest, byPlace: true },
    };
  };
}

/** Returns the largest number of packets by which a frame is decoded later than in presentation order. */
function reordered({ pts }: IndexedPackets, times: FrameTimes): number {
  let most = 0;
  for (const [packet, time] of pts.entries()) most = Math.max(most, packet - lastUpTo(times.pts, time));
  return most;
}

interface Listing {
  readonly seek: number | undefined;
  /**
   * Numbers of the first listed packet, of the first one that the proof covers, and of the packet after the
   * last one.
   */
  readonly begin: number;
  readonly from: number;
  readonly end: number;
}

/** Returns undefined if the key frames are not in order. */
function listingIn(
  track: Track,
  { pts, flags }: IndexedPackets,
  times: FrameTimes,
): ((decoded: Parameters<CoverageOf>[0]) => Listing | undefined) | undefined {
  const seekTo = seekIn(track, times);
  const tick = toNumber(times.timeBase);
  const keys: number[] = [];
  for (let packet = 0; packet < pts.length; packet++) if ((flags[packet] ?? 0) & FLAG_KEY) keys.push(packet);
  const keyTimes = Float64Array.from(keys, (packet) => pts[packet] ?? 0);
  if (keyTimes.some((time, key) => key > 0 && time <= (keyTimes[key - 1] ?? 0))) return undefined;
  const earliest = earliestFrom(pts);
  return (decoded) => {
    const key = Math.max(0, lastUpTo(keyTimes, decoded.from));
    const frame = lastUpTo(times.pts, keyTimes[key] ?? 0);
    const seek = key === 0 ? undefined : seekTo(frame);
    const sought = seek === undefined ? 0 : Math.max(0, lastUpTo(keyTimes, seek / tick));
    const [begin, from] = [keys[Math.min(key, sought)], keys[key]];
    const end = lastUpTo(earliest, decoded.to) + 1;
    return begin === undefined || from === undefined || end <= from ? undefined : { seek, begin, from, end };
  };
}

/** Returns, for each packet, the earliest time of it and all later ones. */
function earliestFrom(pts: Float64Array): Float64Array {
  const earliest = Float64Array.from(pts);
  for (let packet = pts.length - 2; packet >= 0; packet--)
    earliest[packet] = Math.min(pts[packet] ?? 0, earliest[packet + 1] ?? 0);
  return earliest;
}

function* packetsOf(
  { pts, sizes, flags, places }: IndexedPackets,
  from: number,
  end: number,
): Generator<PlacedPacket> {
  for (let packet = from; packet < end; packet++)
    yield {
      pts: pts[packet] ?? 0,
      bytes: sizes[packet] ?? 0,
      flags: flags[packet] ?? 0,
      place: places[packet] ?? 0,
    };
}

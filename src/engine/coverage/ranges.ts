/** The bytes of a file that some of its frames are decoded from, so that a video need not be fetched whole. */
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import type { Side } from "../contract/request.ts";
import type { Decoded } from "../media/content.ts";

export interface Coverage {
  /** These bytes, and those by which ffmpeg opens the file and finds its frames; in order, without overlaps. */
  readonly ranges: readonly ByteRange[];
  readonly proof: Proof;
}

/** The result that listing the packets of these bytes must have (proof.ts). */
export interface Proof {
  /** Seconds to seek to before listing; undefined: from the beginning. */
  readonly seek: number | undefined;
  /** Most packets that are listed. */
  readonly listed: number;
  /** Time of the first packet that counts, in units of the track's times. */
  readonly from: number;
  /** Number of packets that count. */
  readonly packets: number;
  /** Their digest in hex, by hashes (media/content.ts) or by places (indexed.ts). */
  readonly digest: string;
  /** Whether the digest is by places, so that the packets must also lie in the ranges. */
  readonly byPlace: boolean;
}

/** The needed part of each fetched side; undefined: all of it. */
export type Coverages = Readonly<Partial<Record<Side, Coverage>>>;

export const MIB = 2 ** 20;
/**
 * Packets behind the last compared frame that decoders take before they deliver it: up to 16 for reordering, one for
 * each of up to 16 threads, and those that wait for them. Where they are too few, the whole video is fetched.
 */
export const AHEAD = 48;
/** Bytes behind a packet's position and size that demuxers read at once. */
export const READ_AHEAD = 64 * 1024;
/**
 * Most ranges of a coverage: those that open the file, its first packets, the places where a time is searched, and the
 * frames between.
 */
export const MAX_RANGES = 12;
/** Share of a file from which on all of it is fetched. */
export const MOST = 0.8;

/** Returns undefined if the bytes are not known, or are nearly all of the file. */
export type CoverageOf = (decoded: Decoded) => Coverage | undefined;

/** Returns the bytes from the first to the last of some packets. `sizes`: of the packets; default: they have none. */
export function extent(places: Float64Array, sizes?: Float64Array): ByteRange {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const [packet, place] of places.entries()) {
    first = Math.min(first, place);
    last = Math.max(last, place + (sizes?.[packet] ?? 0));
  }
  return { first, last };
}

/** Joins ranges that overlap, or with at most this many bytes between them. */
export function united(ranges: readonly ByteRange[], last: number, between = 0): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    const end = Math.min(last, range.last);
    if (before !== undefined && range.first <= before.last + 1 + between)
      joined[joined.length - 1] = { first: before.first, last: Math.max(before.last, end) };
    else joined.push({ first: range.first, last: end });
  }
  return joined;
}

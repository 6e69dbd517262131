/** The bytes of a file that some of its frames are decoded from, so that a video need not be fetched whole. */
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import type { Side } from "../contract/request.ts";
import type { Decoded } from "../media/content.ts";

export interface Coverage {
  /**
   * These bytes, and those that ffmpeg reads to open the file and to find its frames; in order, without
   * overlaps.
   */
  readonly ranges: readonly ByteRange[];
  readonly proof: Proof;
}

/** What listing the packets of these bytes must return (proof.ts). */
export interface Proof {
  /** Seconds to seek to before listing; undefined: from the beginning. */
  readonly seek: number | undefined;
  /** Limit of the listed packets. */
  readonly listed: number;
  /** Time of the first packet that the proof covers, in units of the track's times. */
  readonly from: number;
  /** Number of packets that the proof covers. */
  readonly packets: number;
  /**
   * Digest in hex of these packets: of their hashes (media/content.ts) or of their positions (indexed.ts).
   */
  readonly digest: string;
  /** Whether the digest is of positions, so that the packets must also lie in the ranges. */
  readonly byPlace: boolean;
}

/** The needed part of each fetched side; undefined: all of it. */
export type Coverages = Readonly<Partial<Record<Side, Coverage>>>;

export const MIB = 2 ** 20;
/**
 * Packets after the last compared frame that decoders read before they output it: up to 16 for reordering,
 * one for each of up to 16 threads, and those that wait for them. If a decoder reads more, the whole video is
 * fetched.
 */
export const AHEAD = 48;
/** Bytes after a packet that demuxers read together with it. */
export const READ_AHEAD = 64 * 1024;
/**
 * Limit of ranges in a coverage: those that open the file, its first packets, the places where a time is
 * searched, and the frames between.
 */
export const MAX_RANGES = 12;
/** Largest share of a file that is fetched in parts; beyond it, the whole file is fetched. */
export const MOST = 0.8;

/** Returns the coverage of frames; undefined if the bytes are not known, or are nearly all of the file. */
export type CoverageOf = (decoded: Decoded) => Coverage | undefined;

/**
 * Returns the bytes from the first to the last of some packets. `sizes`: sizes of the packets; default: 0.
 */
export function extent(places: Float64Array, sizes?: Float64Array): ByteRange {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const [packet, place] of places.entries()) {
    first = Math.min(first, place);
    last = Math.max(last, place + (sizes?.[packet] ?? 0));
  }
  return { first, last };
}

/**
 * Joins ranges that overlap or have at most `between` bytes between them. `last`: the last byte of the file.
 */
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

/**
 * The content of a track: digests of its packets, in blocks that begin at key frames. To compute them, ffmpeg
 * lists each packet twice while probing: by framecrc with its flags, and by framehash with a hash of 128
 * bits. For fetched videos, it lists the packets a third time, with their positions in the file.
 */
import { createHash, type Hash } from "node:crypto";
import { NumberList } from "../../platform/number-list.ts";
import { lastUpTo } from "./seek.ts";

/**
 * The arguments of ffmpeg's framehash. Murmur3 takes a tenth of the time of listing; SHA-256 would double the
 * time.
 */
export const FRAME_HASH: readonly string[] = ["-f", "framehash", "-hash", "murmur3"];

/**
 * The arguments of the list of positions: each packet's position in the file takes the place of its time. The
 * short hash distinguishes its lines from the others.
 */
export const PLACE_LIST: readonly string[] = [
  ...["-bsf:v", "setts=pts=POS:dts=N", "-f", "framehash", "-hash", "adler32"],
];

/** Beyond this value a timestamp means "none" (AV_NOPTS_VALUE is −2^63). */
const NO_TIME = 2 ** 62;

/** Whether a timestamp of a packet is a time. */
export function isTime(pts: number): boolean {
  return Math.abs(pts) < NO_TIME;
}

/** Minimum packets of a block; without it, each frame would be a block where every frame is a key frame. */
const FEWEST = 8;
const DIGEST_BYTES = 32;

/** The content of a track in blocks, in decoding order. */
export interface TrackContent {
  /** SHA-256 in hex of the track's facts in the container: codec, extradata, time base, side data. */
  readonly parameters: string;
  /** SHA-256 of each block, concatenated. */
  readonly digests: Buffer;
  /**
   * Times of each block, in the units of the track's times: that of its key frame, and the earliest time of
   * its frames. Undefined: the key frames are not in order, or have no times.
   */
  readonly times: { readonly keys: Float64Array; readonly earliest: Float64Array } | undefined;
  /** Number of packets in each block. */
  readonly packets: Uint32Array;
  /** Position of each packet in the file; undefined if not known. */
  readonly places: Float64Array | undefined;
}

/** A line of a packet: "stream, dts, pts, duration, size, hash", then flags and side data. */
const HASHED = /^(?:[^,]*,){5} *[0-9a-f]{32}\b/;

/** Whether a line lists a packet with its hash, as opposed to its checksum and flags. */
export function isHashLine(line: string): boolean {
  return HASHED.test(line);
}

/** Matches a line of the list of positions, and the header lines that only this list has. */
const PLACED = /^(?:[^,]*,){5} *[0-9a-f]{8}\b/;
const PLACED_HEAD = /^#(?:hash: adler32|extradata .*\b[0-9a-f]{8})$/;

/** Whether a line belongs to the list of positions. */
export function isPlaceLine(line: string): boolean {
  return PLACED.test(line) || PLACED_HEAD.test(line);
}

/** Matches the bit rate in ffmpeg's description of a track, which changes with the file's size alone. */
const RATES = /, \d+ kb\/s/g;

/**
 * Removes the decoding time. For some containers ffmpeg guesses it, and its guess differs between a start
 * after a seek and one from the beginning.
 */
function withoutDts(line: string): string {
  return line.replace(/,[^,]*/, "");
}

export class ContentList {
  /**
   * Sorted before use, because the two lists are written concurrently and their lines arrive in any order.
   */
  readonly #parameters = new Set<string>();
  readonly #digests: Buffer[] = [];
  readonly #keys: number[] = [];
  readonly #earliest: number[] = [];
  /** Lines of packets that so far appeared in only one of the lists. */
  #listed: { readonly line: string; readonly pts: number; readonly isKey: boolean }[] = [];
  #hashed: string[] = [];
  #block: Hash | undefined;
  readonly #counts: number[] = [];
  #packets = 0;
  readonly #places = new NumberList();
  #isTimed = true;
  #inSideData = false;

  /** Reads a line of the packet lists; a line of framecrc also has the packet's time and whether it is a key frame. */
  read(line: string, pts: number, isKey: boolean): void {
    if (line.startsWith("#")) {
      if (!line.startsWith("#software")) this.#parameters.add(line);
      return;
    }
    if (isHashLine(line)) this.#hashed.push(line);
    else this.#listed.push({ line, pts, isKey });
    if (this.#listed.length === 0 || this.#hashed.length === 0) return;
    const paired = Math.min(this.#listed.length, this.#hashed.length);
    for (let index = 0; index < paired; index++) this.#add(index);
    this.#listed = this.#listed.slice(paired);
    this.#hashed = this.#hashed.slice(paired);
  }

  /** Reads the position of the next packet; NaN: it has none. */
  place(position: number): void {
    this.#places.add(position);
  }

  /** Reads a line of ffmpeg's description of the file: the tracks, and their side data such as cropping. */
  describe(line: string): void {
    const track = /^\[info\] {2}Stream #0:\d+[^ ]*: (Video: .*)/.exec(line)?.[1];
    if (track !== undefined) this.#parameters.add(track.replace(RATES, ""));
    const isDetail = line.startsWith("[info]       ");
    this.#inSideData = line === "[info]     Side data:" || (this.#inSideData && isDetail);
    if (this.#inSideData && isDetail && !line.includes(" cpb:")) this.#parameters.add(line);
  }

  #add(index: number): void {
    const { line, pts, isKey } = this.#listed[index] ?? { line: "", pts: Number.NaN, isKey: false };
    if (this.#block === undefined || (isKey && this.#packets >= FEWEST)) this.#begin(pts, isKey);
    this.#block?.update(`${withoutDts(line)}\n${withoutDts(this.#hashed[index] ?? "")}\n`);
    this.#packets++;
    if (!isTime(pts)) this.#isTimed = false;
    const last = this.#earliest.length - 1;
    if (pts < (this.#earliest[last] ?? 0)) this.#earliest[last] = pts;
  }

  #begin(pts: number, isKey: boolean): void {
    this.#end();
    if (!isKey || pts <= (this.#keys.at(-1) ?? Number.NEGATIVE_INFINITY)) this.#isTimed = false;
    this.#keys.push(pts);
    this.#earliest.push(pts);
    this.#block = createHash("sha256");
    this.#packets = 0;
  }

  #end(): void {
    if (this.#block === undefined) return;
    this.#digests.push(this.#block.digest());
    this.#counts.push(this.#packets);
  }

  /** Returns the content of the track; undefined if the lists have different numbers of packets, or none. */
  finish(): TrackContent | undefined {
    this.#end();
    if (this.#listed.length > 0 || this.#hashed.length > 0 || this.#digests.length === 0) return undefined;
    const lines = [...this.#parameters].sort().join("\n");
    const times = { keys: Float64Array.from(this.#keys), earliest: Float64Array.from(this.#earliest) };
    return {
      parameters: createHash("sha256").update(lines).digest("hex"),
      digests: Buffer.concat(this.#digests),
      times: this.#isTimed ? times : undefined,
      packets: Uint32Array.from(this.#counts),
      places: this.#knownPlaces(),
    };
  }

  #knownPlaces(): Float64Array | undefined {
    const places = this.#places.view;
    const packets = this.#counts.reduce((sum, count) => sum + count, 0);
    const isKnown = places.length === packets && places.every((place) => place >= 0 && isTime(place));
    return isKnown ? places : undefined;
  }
}

/** A range of presentation times in the units of a track's times, both inclusive. */
export interface Decoded {
  /** Where decoding begins. */
  readonly from: number;
  /** The last frame that is compared. */
  readonly to: number;
}

/**
 * Returns a digest of the track's parameters and of the blocks from which frames are decoded: from the block in which
 * decoding begins to the last one with a frame up to the end of the range. Without a range, of all blocks. Undefined if
 * the blocks are not known.
 */
export function contentOf(content: TrackContent, decoded?: Decoded): string | undefined {
  const { digests } = content;
  if (decoded === undefined) return digestOf(content, { first: 0, last: digests.length / DIGEST_BYTES - 1 });
  const blocks = blocksOf(content, decoded);
  return blocks && digestOf(content, blocks);
}

/** Numbers of blocks, both inclusive. */
export interface Blocks {
  readonly first: number;
  readonly last: number;
}

/** Returns the blocks from which frames are decoded; undefined if not known. */
export function blocksOf({ times }: TrackContent, { from, to }: Decoded): Blocks | undefined {
  if (times === undefined) return undefined;
  return {
    first: Math.max(0, lastUpTo(times.keys, from)),
    last: times.earliest.findLastIndex((earliest) => earliest <= to),
  };
}

/** Returns a digest of the track's parameters and of some blocks. */
export function digestOf({ parameters, digests }: TrackContent, { first, last }: Blocks): string {
  return createHash("sha256")
    .update(parameters)
    .update(digests.subarray(first * DIGEST_BYTES, (last + 1) * DIGEST_BYTES))
    .digest("hex");
}

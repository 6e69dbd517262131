/**
 * What the frames of a track are decoded from: digests of its packets, in blocks that begin at key frames. For
 * them, ffmpeg lists each packet twice while probing: by framecrc with its flags, and by framehash with a hash of 128
 * bits.
 */
import { createHash, type Hash } from "node:crypto";

/** The arguments of ffmpeg's framehash. Murmur3 costs a tenth of the listing; SHA-256 would double it. */
export const FRAME_HASH: readonly string[] = ["-f", "framehash", "-hash", "murmur3"];

/** Beyond this value a timestamp means "none" (AV_NOPTS_VALUE is −2^63). */
const NO_TIME = 2 ** 62;

/** Whether a timestamp of a packet is a time. */
export function isTime(pts: number): boolean {
  return Math.abs(pts) < NO_TIME;
}

/** Packets of the shortest block; where every frame is a key frame, each would be a block. */
const FEWEST = 8;
const DIGEST_BYTES = 32;

/** The content of a track in blocks, in decoding order. */
export interface TrackContent {
  /** SHA-256 of what the container says of the track, in hex: codec, extradata, time base, side data. */
  readonly parameters: string;
  /** SHA-256 of each block, one after the other. */
  readonly digests: Buffer;
  /**
   * Of each block, the time of its key frame and the earliest time of its frames, in the units of the track's times.
   * Undefined: the key frames are not in order, or have no times.
   */
  readonly times: { readonly keys: Float64Array; readonly earliest: Float64Array } | undefined;
}

/** A line of a packet: "stream, dts, pts, duration, size, hash", then flags and side data. */
const HASHED = /^(?:[^,]*,){5} *[0-9a-f]{32}\b/;

/** Whether a line lists a packet with its hash, as opposed to its checksum and flags. */
export function isHashLine(line: string): boolean {
  return HASHED.test(line);
}

/** Facts in ffmpeg's description of a track that change with its size alone. */
const RATES = /, \d+ kb\/s/g;

export class ContentList {
  /** Sorted when read: the two lists are written at the same time, in any order. */
  readonly #parameters = new Set<string>();
  readonly #digests: Buffer[] = [];
  readonly #keys: number[] = [];
  readonly #earliest: number[] = [];
  /** Lines of packets that only one of the lists has so far. */
  #listed: { readonly line: string; readonly pts: number; readonly isKey: boolean }[] = [];
  #hashed: string[] = [];
  #block: Hash | undefined;
  #packets = 0;
  #isTimed = true;
  #inSideData = false;

  /** Reads a line of the packet lists; of framecrc also the packet's time, and whether it is a key frame. */
  read(line: string, pts: number, isKey: boolean): void {
    if (line.startsWith("#")) {
      if (!line.startsWith("#software")) this.#parameters.add(line);
      return;
    }
    if (isHashLine(line)) this.#hashed.push(line);
    else this.#listed.push({ line, pts, isKey });
    if (this.#listed.length === 0 || this.#hashed.length === 0) return;
    const both = Math.min(this.#listed.length, this.#hashed.length);
    for (let index = 0; index < both; index++) this.#add(index);
    this.#listed = this.#listed.slice(both);
    this.#hashed = this.#hashed.slice(both);
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
    this.#block?.update(`${line}\n${this.#hashed[index]}\n`);
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
    if (this.#block !== undefined) this.#digests.push(this.#block.digest());
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
    };
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
 * decoding begins to the last one with a frame up to the end of the range. Without a range, of all blocks. Undefined:
 * it is not known in which blocks they are.
 */
export function contentOf(
  { parameters, digests, times }: TrackContent,
  decoded?: Decoded,
): string | undefined {
  const ofBlocks = (first: number, last: number): string =>
    createHash("sha256")
      .update(parameters)
      .update(digests.subarray(first * DIGEST_BYTES, (last + 1) * DIGEST_BYTES))
      .digest("hex");
  if (decoded === undefined) return ofBlocks(0, digests.length / DIGEST_BYTES - 1);
  if (times === undefined) return undefined;
  const first = times.keys.findLastIndex((key) => key <= decoded.from);
  const last = times.earliest.findLastIndex((earliest) => earliest <= decoded.to);
  return ofBlocks(Math.max(0, first), last);
}

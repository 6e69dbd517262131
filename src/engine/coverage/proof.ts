/**
 * Proves that all bytes from which frames are decoded are on disk. A hole in a file decodes to wrong pictures
 * without an error, but its packets differ in size, time or hash from those that planning listed. If planning
 * knew no hashes, the packets must be at the positions in the plan, and the fetched bytes must have no hole
 * there.
 */
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import type { Source } from "../files/source.ts";
import { ContentList, contentOf, FRAME_HASH, isHashLine, isPlaceLine, PLACE_LIST } from "../media/content.ts";
import { GUARDS, inputFile, QUIET } from "../media/ffmpeg.ts";
import { LIST_PACKETS, type ListedPacket, PacketList, packetIn } from "../media/packets.ts";
import type { DecodeContext } from "../media/probe-context.ts";
import { seekOptions } from "../media/seek.ts";
import { PROBE_LIMITS } from "../sandbox/limits.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import { digestOfPlaced } from "./indexed.ts";
import type { Coverage, Proof } from "./ranges.ts";

/** Whether a file has the packets of a proof, and all their bytes. */
export async function isProven(
  source: Source,
  { proof, ranges }: Coverage,
  context: DecodeContext,
): Promise<boolean> {
  if (!proof.byPlace) {
    const reader = new ProofReader(proof);
    await list(source, proof, FRAME_HASH, context, reader);
    return reader.isProven();
  }
  const reader = new PlaceReader(proof);
  await list(source, proof, PLACE_LIST, context, reader);
  return reader.isProven(ranges) && (await source.holds?.(ranges)) === true;
}

interface LineReader {
  read(line: string): void;
  describe(line: string): void;
}

/**
 * Lists the packets of a proof twice: with their times, sizes and flags, and with their hashes or positions.
 */
async function list(
  source: Source,
  { seek, listed: count }: Proof,
  second: readonly string[],
  context: DecodeContext,
  reader: LineReader,
): Promise<void> {
  const listed = [...LIST_PACKETS, "-frames:v", String(count), "-copypriorss", "1"];
  await using sandbox = Sandbox.open({ ...context, sources: [source] });
  await sandbox.run({
    program: context.ffmpeg,
    args: [
      ...[...QUIET, ...GUARDS, "-threads", "1", "-noautorotate", "-copyts", ...seekOptions(seek)],
      ...[...inputFile(source), ...listed, "-f", "framecrc", "pipe:1", ...listed, ...second, "pipe:1"],
    ],
    limits: PROBE_LIMITS,
    onStdout: (line) => reader.read(line),
    onStderr: (line) => reader.describe(line),
  });
  context.signal.throwIfAborted();
}

/** Compares the lines of both lists, from the first packet that the proof covers to the last. */
class ProofReader {
  readonly #proof: Proof;
  readonly #content = new ContentList();
  /** Packets so far that the proof covers. */
  readonly #counted = { listed: 0, hashed: 0 };

  constructor(proof: Proof) {
    this.#proof = proof;
  }

  describe(line: string): void {
    this.#content.describe(line);
  }

  read(line: string): void {
    if (line.startsWith("#")) {
      this.#content.read(line, Number.NaN, false);
      return;
    }
    const { isPacket, pts, isKey } = packetIn(line);
    const list = isHashLine(line) ? "hashed" : "listed";
    const begins = this.#counted[list] > 0 || pts === this.#proof.from;
    if (!isPacket || !begins || this.#counted[list] === this.#proof.packets) return;
    this.#counted[list]++;
    this.#content.read(line, pts, isKey);
  }

  isProven(): boolean {
    const content = this.#content.finish();
    return content !== undefined && contentOf(content) === this.#proof.digest;
  }
}

/** Compares times, sizes, flags and positions. */
class PlaceReader {
  readonly #proof: Proof;
  /** Holds the header lines, and the packets that the proof covers. */
  readonly #list = new PacketList();
  readonly #packets: ListedPacket[] = [];
  readonly #places: number[] = [];

  constructor(proof: Proof) {
    this.#proof = proof;
  }

  describe(): void {}

  read(line: string): void {
    const isPlace = isPlaceLine(line);
    if (line.startsWith("#")) {
      if (!isPlace) this.#list.read(line);
      return;
    }
    const packet = packetIn(line);
    if (!packet.isPacket) return;
    if (isPlace) this.#places.push(packet.pts);
    else this.#packets.push(packet);
  }

  isProven(ranges: readonly ByteRange[]): boolean {
    if (this.#places.length !== this.#packets.length) return false;
    const listed = this.#packets.map((packet, index) => ({ ...packet, place: this.#places[index] ?? -1 }));
    const first = listed.findIndex(({ pts }) => pts === this.#proof.from);
    const counted = first < 0 ? [] : listed.slice(first, first + this.#proof.packets);
    for (const packet of counted) this.#list.add(packet);
    const timeBase = this.#list.times()?.timeBase;
    if (timeBase === undefined || counted.length !== this.#proof.packets) return false;
    if (digestOfPlaced(this.#list.codec, timeBase, counted) !== this.#proof.digest) return false;
    // All packets from the start of the list are checked, because decoding begins there.
    return listed
      .slice(0, first + this.#proof.packets)
      .every(({ place, bytes }) =>
        ranges.some((range) => range.first <= place && place + bytes - 1 <= range.last),
      );
  }
}

/** Parses ffmpeg's lists of a track's packets: their times, key frames, hidden frames and content. */
import { NumberList } from "../../platform/number-list.ts";
import { type ContentList, isHashLine, isPlaceLine, isTime } from "./content.ts";
import { parseRational, type Rational } from "./rational.ts";
import { type FrameTimes, refuseTooMany } from "./track.ts";

/** AV_PKT_FLAG_KEY and AV_PKT_FLAG_DISCARD of libavcodec; framecrc prints flags unless they are only KEY. */
export const FLAG_KEY = 1;
const FLAG_DISCARD = 4;

/** The options of a list. Each line is flushed as one write, because several lists share the pipe. */
export const LIST_PACKETS: readonly string[] = [
  ...["-map", "0:V:0", "-c", "copy", "-copyinkf", "-map_metadata", "-1", "-flush_packets", "1"],
];

/** A packet as a line of the lists describes it: "stream, dts, pts, duration, size, checksum[, F=0x..][, …]". */
export interface ListedPacket {
  /** Whether the line has the fields of a packet. */
  readonly isPacket: boolean;
  readonly pts: number;
  readonly bytes: number;
  readonly flags: number;
  readonly isKey: boolean;
}

export function packetIn(line: string): ListedPacket {
  const fields = line.split(",");
  const flags = Number(fields.find((field) => field.startsWith(" F="))?.slice(3) ?? FLAG_KEY);
  const [pts, bytes] = [Number(fields[2]), Number(fields[4])];
  return { isPacket: fields.length >= 6, pts, bytes, flags, isKey: (flags & FLAG_KEY) !== 0 };
}

export class PacketList {
  codec = "";
  /** Reads the same lines; undefined: there are no hashes. */
  readonly content: ContentList | undefined;
  #timeBase: Rational | undefined;
  /** Times of the frames that play. */
  readonly #playing = new NumberList();
  #bytes = 0;
  #hidden = 0;
  /** Times of key frames, in decoding order. */
  readonly #keys: number[] = [];
  #lastKey = Number.NEGATIVE_INFINITY;
  #leading = false;

  constructor(content?: ContentList) {
    this.content = content;
  }

  /**
   * Parses a line: headers such as "#tb 0: 1/25", then "stream, dts, pts, duration, size, crc[, F=0x..][,
   * …]"; and lines of framehash, with a hash in place of the checksum.
   */
  read(line: string): void {
    if (isPlaceLine(line)) {
      if (!line.startsWith("#")) this.content?.place(packetIn(line).pts);
      return;
    }
    if (line.startsWith("#")) {
      this.content?.read(line, Number.NaN, false);
      const [key, value] = [line.slice(1, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()];
      if (key === "tb 0") this.#timeBase = parseRational(value);
      if (key === "codec_id 0") this.codec = value;
      return;
    }
    if (isHashLine(line)) {
      this.content?.read(line, Number.NaN, false);
      return;
    }
    const { isPacket, pts, bytes, flags, isKey } = packetIn(line);
    if (isPacket) this.content?.read(line, pts, isKey);
    // AVI repeats the previous frame with an empty packet, which decodes to nothing.
    if (!isPacket || Number.isNaN(pts) || bytes === 0) return;
    this.add({ pts, bytes, flags });
  }

  /** Adds the next packet in decoding order. */
  add({ pts, bytes, flags }: Pick<ListedPacket, "pts" | "bytes" | "flags">): void {
    refuseTooMany(this.coded + 1);
    this.#bytes += bytes;
    if (flags & FLAG_DISCARD) this.#hidden++;
    else this.#playing.add(pts);
    if (flags & FLAG_KEY) {
      this.#keys.push(pts);
      this.#lastKey = pts;
    } else if (pts < this.#lastKey) this.#leading = true;
  }

  /** Number of packets, hidden ones included. */
  get coded(): number {
    return this.#playing.length + this.#hidden;
  }

  /** Bytes of all packets, hidden ones included: the size of the coded video without container and other tracks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of packets whose frames an edit list hides. */
  get hidden(): number {
    return this.#hidden;
  }

  /** Whether frames that play before a key frame are decoded after it: an open group of pictures. */
  get openGop(): boolean {
    return this.#leading;
  }

  /**
   * Returns the presentation times of the frames that play, sorted in place; undefined if some are missing or
   * duplicated.
   */
  times(): FrameTimes | undefined {
    const timeBase = this.#timeBase;
    if (!timeBase || this.#playing.length === 0) return undefined;
    const pts = this.#playing.view.sort();
    for (let index = 0; index < pts.length; index++) {
      if (!isTime(pts[index] ?? Number.NaN) || pts[index] === pts[index - 1]) return undefined;
    }
    return {
      timeBase,
      pts,
      keys: Float64Array.from(this.#keys).sort(),
      frameBytes: this.#bytes / this.coded,
    };
  }
}

/** Parses ffmpeg's lists of a track's packets: times, key frames and hidden frames; and what they contain. */
import { type ContentList, isHashLine, isTime } from "./content.ts";
import { parseRational, type Rational } from "./rational.ts";
import { type FrameTimes, refuseTooMany } from "./track.ts";

/** AV_PKT_FLAG_KEY and AV_PKT_FLAG_DISCARD of libavcodec; framecrc prints flags only where they are not just KEY. */
const FLAG_KEY = 1;
const FLAG_DISCARD = 4;

export class PacketList {
  codec = "";
  /** Reads the same lines; undefined: there are no hashes. */
  readonly content: ContentList | undefined;
  #timeBase: Rational | undefined;
  /** Times of the frames that play. */
  #pts = new Float64Array(1024);
  #playing = 0;
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
   * Parses a line: headers such as "#tb 0: 1/25", then "stream, dts, pts, duration, size, crc[, F=0x..][, …]"; and those
   * of framehash, with a hash in the place of the checksum.
   */
  read(line: string): void {
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
    const fields = line.split(",");
    const pts = Number(fields[2]);
    const flags = Number(fields.find((field) => field.startsWith(" F="))?.slice(3) ?? FLAG_KEY);
    if (fields.length >= 6) this.content?.read(line, pts, (flags & FLAG_KEY) !== 0);
    // AVI repeats the previous frame with an empty packet, which decodes to nothing.
    if (fields.length < 6 || Number.isNaN(pts) || Number(fields[4]) === 0) return;
    this.#bytes += Number(fields[4]);
    this.#add(pts, flags);
  }

  /** Number of packets, hidden ones included. */
  get coded(): number {
    return this.#playing + this.#hidden;
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
    if (!timeBase || this.#playing === 0) return undefined;
    const pts = this.#pts.subarray(0, this.#playing).sort();
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

  #add(pts: number, flags: number): void {
    refuseTooMany(this.coded + 1);
    if (flags & FLAG_DISCARD) this.#hidden++;
    else this.#addTime(pts);
    if (flags & FLAG_KEY) {
      this.#keys.push(pts);
      this.#lastKey = pts;
    } else if (pts < this.#lastKey) this.#leading = true;
  }

  #addTime(pts: number): void {
    if (this.#playing === this.#pts.length) {
      const grown = new Float64Array(this.#pts.length * 2);
      grown.set(this.#pts);
      this.#pts = grown;
    }
    this.#pts[this.#playing++] = pts;
  }
}

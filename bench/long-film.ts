/**
 * A film of any size without a file of that size: an MP4 whose index says that the packets of a short clip follow each
 * other again and again. Its bytes are computed when they are read.
 */
import { readFile } from "node:fs/promises";

const BOX_HEAD = 8;
/** Boxes that contain boxes. */
const NESTED = new Set(["moov", "trak", "mdia", "minf", "stbl", "edts"]);

export class LongFilm {
  readonly length: number;
  /** All before the packets. */
  readonly #head: Buffer;
  readonly #packets: Buffer;

  private constructor(head: Buffer, packets: Buffer, size: number) {
    this.#head = head;
    this.#packets = packets;
    this.length = size;
  }

  /** `path`: of an MP4 with one video track and nothing else; `times`: how often it repeats. */
  static async of(path: string, times: number): Promise<LongFilm> {
    const boxes = boxesIn(await readFile(path));
    const packets = bodyOf(boxes, "mdat");
    const index = bodyOf(boxes, "moov");
    const type = box("ftyp", bodyOf(boxes, "ftyp"));
    const moov = (from: number) => box("moov", repeated(index, { times, from, step: packets.length }));
    // The length of the index does not depend on where the packets begin.
    const from = type.length + moov(0).length + 2 * BOX_HEAD;
    const size = from + times * packets.length;
    const head = Buffer.concat([type, moov(from), largeHead("mdat", 2 * BOX_HEAD + times * packets.length)]);
    return new LongFilm(head, packets, size);
  }

  /** Returns the bytes from `first` up to but without `end`. */
  subarray(first: number, end: number): Buffer {
    const bytes = Buffer.alloc(end - first);
    let done = first < this.#head.length ? this.#head.copy(bytes, 0, first, end) : 0;
    while (done < bytes.length) {
      const at = (first + done - this.#head.length) % this.#packets.length;
      done += this.#packets.copy(bytes, done, at);
    }
    return bytes;
  }
}

interface Box {
  readonly type: string;
  readonly body: Buffer;
}

function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    boxes.push({ type: bytes.toString("latin1", at + 4, at + 8), body: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

function bodyOf(boxes: readonly Box[], type: string): Buffer {
  const found = boxes.find((one) => one.type === type);
  if (found === undefined) throw new Error(`The clip has no ${type}.`);
  return found.body;
}

function box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(BOX_HEAD);
  head.writeUInt32BE(BOX_HEAD + body.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, body]);
}

/** The head of a box whose size takes 64 bits. */
function largeHead(type: string, size: number): Buffer {
  const head = Buffer.alloc(2 * BOX_HEAD);
  head.writeUInt32BE(1);
  head.write(type, 4, "latin1");
  head.writeBigUInt64BE(BigInt(size), 8);
  return head;
}

interface Repetition {
  readonly times: number;
  /** Position of the first packet. */
  readonly from: number;
  /** Bytes of all packets of the clip. */
  readonly step: number;
}

function repeated(bytes: Buffer, repetition: Repetition): Buffer {
  const boxes = boxesIn(bytes);
  const samples = boxes.find(({ type }) => type === "stsz")?.body.readUInt32BE(8) ?? 0;
  return Buffer.concat(boxes.map(({ type, body }) => repeatedBox(type, body, samples, repetition)));
}

function repeatedBox(type: string, body: Buffer, samples: number, repetition: Repetition): Buffer {
  const { times, from, step } = repetition;
  if (NESTED.has(type)) return box(type, repeated(body, repetition));
  if (type === "mvhd" || type === "mdhd") return box(type, longer(body, 16, times));
  if (type === "tkhd") return box(type, longer(body, 20, times));
  if (type === "elst") return box(type, longer(body, 8, times));
  if (type === "stts" || type === "ctts") return box(type, entries(body, 4, times));
  if (type === "stsz") return box(type, entries(body, 8, times));
  if (type === "stss") return box(type, entries(body, 4, times, samples));
  // One chunk for each time.
  if (type === "stsc") return box(type, words(0, 1, 1, samples, 1));
  if (type === "stco") {
    const starts = Buffer.alloc(8 * times);
    for (let time = 0; time < times; time++) starts.writeBigUInt64BE(BigInt(from + time * step), 8 * time);
    return box("co64", Buffer.concat([words(0, times), starts]));
  }
  return box(type, body);
}

/** Multiplies a 32-bit length. */
function longer(body: Buffer, at: number, times: number): Buffer {
  const copy = Buffer.from(body);
  copy.writeUInt32BE(body.readUInt32BE(at) * times, at);
  return copy;
}

/** Repeats the entries of a table, whose number is at `at`. `step`: what each time adds to them. */
function entries(body: Buffer, at: number, times: number, step = 0): Buffer {
  const head = Buffer.from(body.subarray(0, at + 4));
  head.writeUInt32BE(body.readUInt32BE(at) * times, at);
  const all = Array.from({ length: times }, (_, time) => {
    const copy = Buffer.from(body.subarray(at + 4));
    if (step > 0)
      for (let entry = 0; entry < copy.length; entry += 4)
        copy.writeUInt32BE(copy.readUInt32BE(entry) + time * step, entry);
    return copy;
  });
  return Buffer.concat([head, ...all]);
}

function words(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * index);
  return bytes;
}

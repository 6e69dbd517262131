/**
 * Records which blocks of a cached object are on disk. The map is a separate file: a line that identifies the object,
 * one bit per block, and the checksum of each block. A bit is set after its block is on the disk, so a crash or power
 * cut never leaves a hole that counts as fetched.
 */
import { type FileHandle, open, readFile, writeFile } from "node:fs/promises";
import type { ByteRange } from "../../jobs/media/byte-range.ts";

/** Bytes of a block; the last one of an object may be shorter. */
export const BLOCK_BYTES = 256 * 1024;

/** Bytes of a checksum: CRC-32. */
const SUM_BYTES = 4;

export class BlockMap {
  readonly size: number;
  readonly count: number;
  readonly #path: string;
  /** Bytes before the bits; the checksums follow them. */
  readonly #offset: number;
  readonly #bits: Buffer;
  readonly #sums: Buffer;
  #blocks = 0;

  private constructor(path: string, offset: number, content: Buffer, size: number) {
    this.#path = path;
    this.#offset = offset;
    this.#bits = content.subarray(0, bytesOfBits(size));
    this.#sums = content.subarray(bytesOfBits(size));
    this.size = size;
    this.count = blocksIn(size);
    for (let block = 0; block < this.count; block++) if (this.has(block)) this.#blocks++;
  }

  /** Creates a map without blocks. */
  static async create(path: string, title: string, size: number): Promise<BlockMap> {
    const head = Buffer.from(`${title}\n`);
    const content = Buffer.alloc(bytesOf(size));
    await writeFile(path, Buffer.concat([head, content]), { mode: 0o600 });
    return new BlockMap(path, head.length, content, size);
  }

  /** Returns undefined if the file is not a map of an object of this size. */
  static async read(path: string): Promise<{ readonly map: BlockMap; readonly title: string } | undefined> {
    const content = await readFile(path);
    const end = content.indexOf("\n");
    const title = content.toString("utf8", 0, Math.max(0, end));
    const { size } = JSON.parse(title) as { size: number };
    const known = content.subarray(end + 1);
    if (known.length !== bytesOf(size)) return undefined;
    return { map: new BlockMap(path, end + 1, known, size), title };
  }

  /** Bytes that the blocks on disk take. */
  get bytes(): number {
    return Math.min(this.#blocks * BLOCK_BYTES, this.size);
  }

  has(block: number): boolean {
    return ((this.#bits[block >> 3] ?? 0) & bitOf(block)) !== 0;
  }

  /** Returns the checksum that a block had when it was recorded. */
  sum(block: number): number {
    return this.#sums.readUInt32BE(block * SUM_BYTES);
  }

  /** Records blocks, which must be on the disk, with their checksums. */
  async add(first: number, sums: readonly number[]): Promise<void> {
    const end = first + sums.length;
    for (const [index, sum] of sums.entries()) {
      const block = first + index;
      if (!this.has(block)) this.#blocks++;
      this.#bits[block >> 3] = (this.#bits[block >> 3] ?? 0) | bitOf(block);
      this.#sums.writeUInt32BE(sum, block * SUM_BYTES);
    }
    await using file = await open(this.#path, "r+");
    const at = this.#offset + this.#bits.length;
    const [from, length] = [first * SUM_BYTES, sums.length * SUM_BYTES];
    await file.write(this.#sums, from, length, at + from);
    await this.#writeBits(file, first, end);
  }

  /** Records that a block is not on the disk. */
  async remove(block: number): Promise<void> {
    if (!this.has(block)) return;
    this.#blocks--;
    this.#bits[block >> 3] = (this.#bits[block >> 3] ?? 0) & ~bitOf(block);
    await using file = await open(this.#path, "r+");
    await this.#writeBits(file, block, block + 1);
  }

  async #writeBits(file: FileHandle, first: number, end: number): Promise<void> {
    const [from, to] = [first >> 3, ((end - 1) >> 3) + 1];
    await file.write(this.#bits, from, to - from, this.#offset + from);
  }
}

function bitOf(block: number): number {
  return 1 << (block & 7);
}

function bytesOf(size: number): number {
  return bytesOfBits(size) + blocksIn(size) * SUM_BYTES;
}

function blocksIn(size: number): number {
  return Math.ceil(size / BLOCK_BYTES);
}

function bytesOfBits(size: number): number {
  return Math.ceil(blocksIn(size) / 8);
}

/** Returns the blocks that contain a range: the first one, and the one after the last. */
export function blocksOf({ first, last }: ByteRange): { readonly first: number; readonly end: number } {
  return { first: Math.floor(first / BLOCK_BYTES), end: Math.floor(last / BLOCK_BYTES) + 1 };
}

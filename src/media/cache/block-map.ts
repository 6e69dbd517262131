/**
 * Which blocks of a cached object are on disk. The map is a file of its own: a line that says of which object, then one
 * bit per block. A bit is set after its block is on the disk, so a crash or power cut never leaves a hole that counts
 * as fetched.
 */
import { open, readFile, writeFile } from "node:fs/promises";
import type { ByteRange } from "../objects/response.ts";

/** Bytes of a block; the last one of an object may be shorter. */
export const BLOCK_BYTES = 256 * 1024;

export class BlockMap {
  readonly size: number;
  readonly count: number;
  readonly #path: string;
  /** Bytes before the bits. */
  readonly #offset: number;
  readonly #bits: Buffer;
  #blocks = 0;

  private constructor(path: string, offset: number, bits: Buffer, size: number) {
    this.#path = path;
    this.#offset = offset;
    this.#bits = bits;
    this.size = size;
    this.count = blocksIn(size);
    for (let block = 0; block < this.count; block++) if (this.has(block)) this.#blocks++;
  }

  /** Makes a map without blocks. */
  static async create(path: string, title: string, size: number): Promise<BlockMap> {
    const head = Buffer.from(`${title}\n`);
    const bits = Buffer.alloc(bytesOfBits(size));
    await writeFile(path, Buffer.concat([head, bits]), { mode: 0o600 });
    return new BlockMap(path, head.length, bits, size);
  }

  /** Returns undefined if the file is not a map of an object of this size. */
  static async read(path: string): Promise<{ readonly map: BlockMap; readonly title: string } | undefined> {
    const content = await readFile(path);
    const end = content.indexOf("\n");
    const title = content.toString("utf8", 0, Math.max(0, end));
    const { size } = JSON.parse(title) as { size: number };
    const bits = content.subarray(end + 1);
    if (bits.length !== bytesOfBits(size)) return undefined;
    return { map: new BlockMap(path, end + 1, bits, size), title };
  }

  /** Bytes that the blocks on disk take. */
  get bytes(): number {
    return Math.min(this.#blocks * BLOCK_BYTES, this.size);
  }

  has(block: number): boolean {
    return ((this.#bits[block >> 3] ?? 0) & (1 << (block & 7))) !== 0;
  }

  /** Records blocks, which must be on the disk. */
  async add(first: number, end: number): Promise<void> {
    for (let block = first; block < end; block++) {
      if (!this.has(block)) this.#blocks++;
      const byte = block >> 3;
      this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (block & 7));
    }
    const [from, to] = [first >> 3, ((end - 1) >> 3) + 1];
    await using file = await open(this.#path, "r+");
    await file.write(this.#bits, from, to - from, this.#offset + from);
  }
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

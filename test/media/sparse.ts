/** A video that is brought to disk piece by piece, as from a storage: a sparse copy of a file. */
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { OpenRemote, RemoteVideo } from "../../src/engine/contract/work.ts";
import type { ByteRange } from "../../src/jobs/media/byte-range.ts";

export class SparseCopy {
  readonly #path: string;
  /** What was fetched, in order. */
  readonly fetched: ByteRange[] = [];
  /** Bytes that the first fetch leaves out; the next one brings them. */
  hole: ByteRange | undefined;

  #fetches = 0;
  #size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Bytes that were fetched; those that were fetched twice count once. */
  get bytes(): number {
    const [bytes] = this.fetched
      .toSorted((a, b) => a.first - b.first)
      .reduce(
        ([sum, end], { first, last }): [number, number] => [
          sum + Math.max(0, last + 1 - Math.max(first, end)),
          Math.max(end, last + 1),
        ],
        [0, 0] as [number, number],
      );
    return bytes;
  }

  /** Whether a range was fetched, by fetches that each brought all of it or nothing. */
  #holds({ first, last }: ByteRange): boolean {
    const isFetched = this.fetched.some((range) => range.first <= first && last <= range.last);
    const { hole } = this;
    const isIntact = hole === undefined || this.#fetches > 1 || hole.last < first || last < hole.first;
    return isFetched && isIntact;
  }

  /** Whether all of it was fetched at once. */
  get whole(): boolean {
    return this.fetched.some(({ first, last }) => first === 0 && last === this.#size - 1);
  }

  /** Opens a new copy with nothing in it. */
  readonly open: OpenRemote = async (): Promise<RemoteVideo> => {
    this.fetched.length = 0;
    this.#fetches = 0;
    const { size, mtimeMs } = await stat(this.#path);
    this.#size = size;
    const path = `${this.#path}.${Math.random().toString(36).slice(2)}.sparse`;
    const [whole, copy] = [await open(this.#path, "r"), await open(path, "w+")];
    await copy.truncate(size);
    return {
      ...{ handle: copy, path, fileName: basename(this.#path), size, modifiedMs: Math.floor(mtimeMs) },
      identity: `sparse ${this.#path}`,
      fetch: async (ranges) => {
        for (const range of ranges) await transfer(whole, copy, range);
        if (this.fetched.length === 0 && this.hole !== undefined) await clear(copy, this.hole);
        this.#fetches++;
        this.fetched.push(...ranges);
      },
      holds: async (ranges) => ranges.every((range) => this.#holds(range)),
      verifyUnchanged: async () => {},
      [Symbol.asyncDispose]: async () => {
        await whole.close();
        await copy.close();
        await rm(path);
      },
    };
  };
}

/** Bytes that are copied at once. */
const CHUNK = 2 ** 20;
const ZEROS = Buffer.alloc(CHUNK);

/** Copies a range; what is all zeros stays a hole. */
async function transfer(from: FileHandle, to: FileHandle, { first, last }: ByteRange): Promise<void> {
  const buffer = Buffer.alloc(CHUNK);
  for (let at = first; at <= last; ) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(CHUNK, last + 1 - at), at);
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    if (!chunk.equals(ZEROS.subarray(0, bytesRead))) await to.write(chunk, 0, bytesRead, at);
    at += bytesRead;
  }
}

async function clear(file: FileHandle, { first, last }: ByteRange): Promise<void> {
  await file.write(Buffer.alloc(last - first + 1), 0, last - first + 1, first);
}

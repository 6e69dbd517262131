/** One object in the cache: a sparse file, the map of its blocks, and the fetches that fill it. */
import { type FileHandle, open, rm, utimes } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { type ByteRange, bytesIn } from "../../jobs/media/byte-range.ts";
import { writeAllAt } from "../../platform/files/write-all-at.ts";
import type { ObjectReader, RangeRead } from "../objects/reader.ts";
import { BLOCK_BYTES, type BlockMap, blocksOf } from "./block-map.ts";

/** Blocks that one request fetches, 16 MiB; they are recorded together. */
const MAX_RUN = 64;
/** Requests for an object at a time. */
const CONCURRENT = 4;

/** Extensions of the two files. */
export const MAP = ".map";
export const DATA = ".data";

/** Blocks from `first` up to `end`, exclusive. */
interface Run {
  readonly first: number;
  readonly end: number;
}

export type EntryRead = Pick<RangeRead, "access" | "version" | "signal" | "onDenied"> & {
  /** Called with the bytes of each part that was fetched. */
  readonly onFetched?: ((bytes: number) => void) | undefined;
};

export class Entry {
  readonly dataPath: string;
  readonly mapPath: string;
  /** How many tasks use it; it is evicted only if none does. */
  users = 0;
  /** Bytes that it will have when its current tasks have fetched what they need. */
  claim = 0;
  /** Milliseconds since 1970. */
  lastUsed: number;
  readonly #map: BlockMap;
  readonly #reader: ObjectReader;
  readonly #fetching = new Map<number, Promise<void>>();
  /** Fetched bytes of runs that are not in the map yet. */
  #unrecorded = 0;

  /** `path`: path of both files, without their extensions. */
  constructor(path: string, map: BlockMap, lastUsed: number, reader: ObjectReader) {
    this.dataPath = `${path}${DATA}`;
    this.mapPath = `${path}${MAP}`;
    this.lastUsed = lastUsed;
    this.#map = map;
    this.#reader = reader;
  }

  get size(): number {
    return this.#map.size;
  }

  /** Bytes on disk. */
  get bytes(): number {
    return this.#map.bytes;
  }

  /** Bytes of a range that have been fetched, on disk or not. */
  fetched(range: ByteRange): number {
    const bytes = bytesIn([range]);
    return Math.min(bytes, Math.max(0, bytes - this.missing(range) + this.#unrecorded));
  }

  /** Bytes of a range that are not on disk. */
  missing(range: ByteRange): number {
    return this.#missing(range).reduce((sum, { first, end }) => sum + this.#bytesOf(first, end), 0);
  }

  /** Fetches the missing part of a range, and waits for bytes that another task is already fetching. */
  async fetch(range: ByteRange, read: EntryRead): Promise<void> {
    for (;;) {
      read.signal.throwIfAborted();
      const missing = this.#missing(range);
      const mine = missing.filter(({ first }) => !this.#fetching.has(first));
      if (mine.length > 0) await this.#fetchAll(mine, read);
      else if (missing.length > 0) await this.#untilFetched(missing[0]?.first ?? 0, read.signal);
      else return;
    }
  }

  /** Whether a range is on disk as it was fetched. From then on, damaged blocks count as missing. */
  async holds(range: ByteRange): Promise<boolean> {
    await using data = await this.openData();
    const { first, end } = blocksOf(range);
    let isHeld = true;
    for (let block = first; block < end; block++) {
      if (this.#map.has(block) && (await this.#sumOf(data, block)) === this.#map.sum(block)) continue;
      isHeld = false;
      await this.#map.remove(block);
    }
    return isHeld;
  }

  /** Opens the data for reading only. */
  openData(): Promise<FileHandle> {
    return open(this.dataPath, "r");
  }

  /** Records when the object was last used, in memory and on disk. */
  async touch(): Promise<void> {
    this.lastUsed = Date.now();
    await utimes(this.mapPath, new Date(), new Date(this.lastUsed));
  }

  /** Records that a task no longer needs the object. */
  release(): void {
    this.users--;
    if (this.users === 0) this.claim = 0;
  }

  /** Removes the map first: data without a map counts as missing. */
  async remove(): Promise<void> {
    await rm(this.mapPath, { force: true });
    await rm(this.dataPath, { force: true });
  }

  /** Returns the runs of a range that are not on disk; blocks that are being fetched form separate runs. */
  #missing(range: ByteRange): Run[] {
    const runs: Run[] = [];
    const { first, end } = blocksOf(range);
    for (let block = first; block < end; block++) {
      if (this.#map.has(block)) continue;
      const last = runs.at(-1);
      const isNext = last?.end === block && last.end - last.first < MAX_RUN;
      const isAlike = last !== undefined && this.#fetching.get(last.first) === this.#fetching.get(block);
      if (isNext && isAlike) runs[runs.length - 1] = { first: last.first, end: block + 1 };
      else runs.push({ first: block, end: block + 1 });
    }
    return runs;
  }

  async #fetchAll(runs: readonly Run[], read: EntryRead): Promise<void> {
    const failed = new AbortController();
    const signal = AbortSignal.any([read.signal, failed.signal]);
    const queue = [...runs];
    const work = async (): Promise<void> => {
      for (let run = queue.shift(); run !== undefined && !signal.aborted; run = queue.shift())
        if (!this.#fetching.has(run.first)) await this.#fetchRun(run, { ...read, signal });
    };
    const workers = Array.from({ length: Math.min(CONCURRENT, runs.length) }, () =>
      work().catch((error: unknown) => {
        failed.abort(error);
        throw error;
      }),
    );
    const outcomes = await Promise.allSettled(workers);
    read.signal.throwIfAborted();
    // The first failure aborted the other requests.
    if (failed.signal.aborted) throw failed.signal.reason;
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async #fetchRun(run: Run, read: EntryRead): Promise<void> {
    const fetching = this.#write(run, read);
    for (let block = run.first; block < run.end; block++) this.#fetching.set(block, fetching);
    try {
      await fetching;
    } finally {
      for (let block = run.first; block < run.end; block++) this.#fetching.delete(block);
    }
  }

  async #write({ first, end }: Run, { onFetched, ...read }: EntryRead): Promise<void> {
    const range = { first: first * BLOCK_BYTES, last: Math.min(end * BLOCK_BYTES, this.size) - 1 };
    await using data = await open(this.dataPath, "r+");
    let written = 0;
    try {
      await this.#reader.read({
        ...read,
        range,
        write: async (chunk, offset) => {
          await writeAllAt(data, chunk, offset);
          written += chunk.length;
          this.#unrecorded += chunk.length;
          onFetched?.(chunk.length);
        },
      });
      await data.datasync();
      const sums: number[] = [];
      for (let block = first; block < end; block++) sums.push(await this.#sumOf(data, block));
      await this.#map.add(first, sums);
    } finally {
      this.#unrecorded -= written;
    }
  }

  async #sumOf(data: FileHandle, block: number): Promise<number> {
    const bytes = Buffer.alloc(this.#bytesOf(block, block + 1));
    await data.read(bytes, 0, bytes.length, block * BLOCK_BYTES);
    return crc32(bytes);
  }

  /**
   * Waits until another task has fetched a block. If that fetch fails, this task does not fail: it fetches the rest
   * itself.
   */
  async #untilFetched(block: number, signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const abort = () => resolve();
    signal.addEventListener("abort", abort);
    await Promise.race([this.#fetching.get(block)?.catch(() => {}), aborted]);
    signal.removeEventListener("abort", abort);
  }

  #bytesOf(first: number, end: number): number {
    return Math.min(end * BLOCK_BYTES, this.size) - first * BLOCK_BYTES;
  }
}

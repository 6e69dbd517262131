/**
 * The cache of objects that a node has fetched to its disk. Tenants share nothing, because cache hits would
 * reveal to one tenant which objects another one uses. The least recently used object is removed when there
 * is no room.
 */
import { hash } from "node:crypto";
import { type FileHandle, mkdir, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import type { ObjectVersion } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import { BlockMap } from "./block-map.ts";
import { DATA, Entry, type EntryRead, MAP } from "./entry.ts";
import { freeFolder } from "./free-folder.ts";

const FORMAT = 2;

/** Identifies an object of a tenant. */
export interface CacheKey {
  readonly tenant: string;
  /** The scheme, host and path that it is fetched from, without a query. */
  readonly place: string;
  /** As the job names it. */
  readonly name: string;
  readonly version: ObjectVersion;
}

export interface CacheOptions {
  /**
   * Directory of the caches of all nodes on this machine: each process uses the first folder in it that no other
   * process uses.
   */
  readonly directory: string;
  /** Bytes of all objects together. */
  readonly maxBytes: number;
  readonly reader: ObjectReader;
}

/** An object in use. Dispose of it. */
export interface CachedObject extends AsyncDisposable {
  /** Opened for reading only. */
  readonly handle: FileHandle;
  readonly path: string;
  /** Number of these bytes that have been fetched, including those that are not yet recorded as on disk. */
  bytesOf(ranges: readonly ByteRange[]): number;
  /**
   * Fetches the missing part of these bytes; bytes beyond the end of the object are ignored. Throws ObjectFault,
   * MEDIA_CACHE_FULL.
   */
  fetch(ranges: readonly ByteRange[], read: EntryRead): Promise<void>;
  /** Whether all of these bytes are on disk as they were fetched. The next fetch fetches the others again. */
  holds(ranges: readonly ByteRange[]): Promise<boolean>;
}

export class MediaCache {
  readonly #options: CacheOptions;
  readonly #unlock: () => void;
  readonly #entries = new Map<string, Entry>();
  /** Serializes opens and evictions. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: CacheOptions, unlock: () => void) {
    this.#options = options;
    this.#unlock = unlock;
  }

  /** Throws TEMP_DIR_UNUSABLE. */
  static async open(options: CacheOptions): Promise<MediaCache> {
    try {
      const { directory, unlock } = await freeFolder(options.directory);
      const cache = new MediaCache({ ...options, directory }, unlock);
      await cache.#scan();
      await cache.#evict(0);
      return cache;
    } catch (cause) {
      throw new Failure(
        "TEMP_DIR_UNUSABLE",
        `The media cache ${JSON.stringify(options.directory)} cannot be used: ${systemReason(cause)}. Give another directory with --media-cache.`,
        { cause },
      );
    }
  }

  /** Bytes on disk. */
  get bytes(): number {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.bytes;
    return bytes;
  }

  /** Opens an object, and fetches nothing. Throws MEDIA_CACHE_FULL. */
  async open(key: CacheKey): Promise<CachedObject> {
    const { version } = key;
    // A server may claim any size: an excessive one must neither take memory nor evict other objects.
    if (version.size > this.#options.maxBytes) throw this.#full(version.size, 0);
    const entry = await this.#use(key).catch((error: unknown) => {
      throw this.#diskFailure(error);
    });
    const handle = await entry.openData().catch((error: unknown) => {
      entry.release();
      throw this.#diskFailure(error);
    });
    return {
      handle,
      path: entry.dataPath,
      bytesOf: (ranges) => ranges.reduce((sum, range) => sum + entry.fetched(range), 0),
      fetch: (ranges, read) =>
        this.#fetch(entry, ranges, read).catch((error: unknown) => {
          throw this.#diskFailure(error);
        }),
      holds: async (ranges) => {
        let isHeld = true;
        for (const range of insideOf(entry, ranges)) isHeld = (await entry.holds(range)) && isHeld;
        return isHeld;
      },
      [Symbol.asyncDispose]: async () => {
        await handle.close();
        await entry.touch().catch(() => {});
        entry.release();
      },
    };
  }

  async #fetch(entry: Entry, ranges: readonly ByteRange[], read: EntryRead): Promise<void> {
    const inside = insideOf(entry, ranges);
    await this.#reserve(entry, inside);
    for (const range of inside) await entry.fetch(range, read);
    await entry.touch();
  }

  /** Stops using the directory. */
  async close(): Promise<void> {
    await this.#turn;
    this.#unlock();
  }

  #use(key: CacheKey): Promise<Entry> {
    return this.#inTurn(async () => {
      const title = titleOf(key);
      const path = this.#pathOf(title);
      const entry = this.#entries.get(path) ?? (await this.#create(path, title, key.version.size));
      this.#entries.set(path, entry);
      entry.users++;
      return entry;
    });
  }

  async #create(path: string, title: string, size: number): Promise<Entry> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path + DATA, "", { mode: 0o600 });
    await truncate(path + DATA, size);
    const map = await BlockMap.create(path + MAP, title, size);
    return new Entry(path, map, Date.now(), this.#options.reader);
  }

  #reserve(entry: Entry, ranges: readonly ByteRange[]): Promise<void> {
    return this.#inTurn(async () => {
      const missing = ranges.reduce((sum, range) => sum + entry.missing(range), 0);
      // Other tasks that use the object may fetch other parts of it meanwhile.
      const claim = Math.min(entry.size, Math.max(entry.claim, entry.bytes) + missing);
      await this.#evict(claim - Math.max(entry.claim, entry.bytes));
      entry.claim = claim;
    });
  }

  /** Makes room by removing objects. */
  async #evict(bytes: number): Promise<void> {
    const { maxBytes } = this.#options;
    const entries = [...this.#entries];
    let used = entries.reduce((sum, [, entry]) => sum + Math.max(entry.bytes, entry.claim), 0);
    const unused = entries.filter(([, entry]) => entry.users === 0);
    for (const [path, entry] of unused.sort(([, one], [, other]) => one.lastUsed - other.lastUsed)) {
      if (used + bytes <= maxBytes) return;
      used -= entry.bytes;
      this.#entries.delete(path);
      await entry.remove();
    }
    if (bytes > 0 && used + bytes > maxBytes) throw this.#full(bytes, used);
  }

  #full(bytes: number, used: number): Failure {
    const { maxBytes } = this.#options;
    return new Failure(
      "MEDIA_CACHE_FULL",
      `The node's media cache has no room for ${bytes} bytes more: its limit is ${maxBytes}, and running tasks use ${used}. Ask the operator to raise --media-cache-size.`,
      { found: { missingBytes: bytes, usedBytes: used, limitBytes: maxBytes } },
    );
  }

  async #scan(): Promise<void> {
    const { directory } = this.#options;
    for (const tenant of await readdir(directory, { withFileTypes: true })) {
      if (!tenant.isDirectory()) continue;
      const folder = join(directory, tenant.name);
      const files = await readdir(folder);
      const names = new Set(files.map((file) => file.replace(/\.(map|data)$/, "")));
      for (const name of names) await this.#restore(join(folder, name));
    }
  }

  /** Takes over the objects that an earlier process has fetched, and removes unusable files. */
  async #restore(path: string): Promise<void> {
    const entry = await this.#restored(path).catch(() => undefined);
    if (entry !== undefined) {
      this.#entries.set(path, entry);
      return;
    }
    await rm(path + MAP, { force: true });
    await rm(path + DATA, { force: true });
  }

  async #restored(path: string): Promise<Entry | undefined> {
    const { mtimeMs } = await stat(path + MAP);
    const read = await BlockMap.read(path + MAP);
    const { size } = await stat(path + DATA);
    if (read?.map.size !== size || path !== this.#pathOf(read.title)) return undefined;
    return new Entry(path, read.map, mtimeMs, this.#options.reader);
  }

  #pathOf(title: string): string {
    const { tenant } = JSON.parse(title) as { tenant: string };
    return join(this.#options.directory, hash("sha256", tenant, "hex"), hash("sha256", title, "hex"));
  }

  /** A full disk is like a full cache: another node may have room. */
  #diskFailure(error: unknown): unknown {
    const code = errorCode(error);
    if (code !== "ENOSPC" && code !== "EDQUOT") return error;
    return new Failure(
      "MEDIA_CACHE_FULL",
      `The disk of the node's media cache is full (${code}). Ask the operator to free space, or to lower --media-cache-size.`,
      { cause: error },
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** Returns the ranges without bytes beyond the end of an object. */
function insideOf({ size }: Entry, ranges: readonly ByteRange[]): readonly ByteRange[] {
  return ranges
    .filter(({ first }) => first < size)
    .map(({ first, last }) => ({ first, last: Math.min(last, size - 1) }));
}

/** Returns the first line of an object's map. It differs between any two objects. */
function titleOf({ tenant, place, name, version: { etag, size, modifiedMs } }: CacheKey): string {
  return JSON.stringify({ format: FORMAT, tenant, place, name, etag, size, modifiedMs: modifiedMs ?? null });
}

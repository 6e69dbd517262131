/**
 * Files that a node has joined from the segments of renditions. They are kept for further tasks until there
 * is no room, and deleted when the process ends.
 */
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { freeFolder } from "../../media/cache/free-folder.ts";
import { untilAborted } from "../../platform/concurrency/lifecycle.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";

export interface JoinedFilesOptions {
  /** Shared by the nodes of this machine; each process uses its own folder in it. */
  readonly directory: string;
  /** Bytes of all files together. */
  readonly maxBytes: number;
}

/** A file to make. */
export interface Joining {
  /** A SHA-256 in hex. Equal only for the same content of the same tenant. */
  readonly key: string;
  /** Upper bound of the file's size in bytes. */
  readonly bytes: number;
  /** Makes the file; returns its path. `target`: that path without the extension. */
  readonly join: (target: string) => Promise<string>;
  readonly signal: AbortSignal;
}

/** A file in use. Dispose of it. */
export interface JoinedFile extends AsyncDisposable {
  /** Opened for reading only. */
  readonly handle: FileHandle;
  readonly path: string;
}

interface Entry {
  readonly folder: string;
  /** Undefined while it is being made. */
  path: string | undefined;
  bytes: number;
  users: number;
}

export class JoinedFiles {
  readonly #options: JoinedFilesOptions;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #joining = new Map<string, Promise<unknown>>();
  #folder: ReturnType<typeof freeFolder> | undefined;

  constructor(options: JoinedFilesOptions) {
    this.#options = options;
  }

  /** Opens a file, which is made first if it does not exist. Throws Failure, or what `join` throws. */
  async open(joining: Joining): Promise<JoinedFile> {
    const { key, signal } = joining;
    for (;;) {
      signal.throwIfAborted();
      const entry = this.#entries.get(key);
      if (entry?.path !== undefined) return this.#use(key, entry, entry.path);
      const making = this.#joining.get(key) ?? this.#make(joining);
      // If another task fails to make the file, this task tries it.
      const isOwn = !this.#joining.has(key);
      if (isOwn) this.#joining.set(key, making);
      try {
        await (isOwn ? making : Promise.race([making.catch(() => {}), untilAborted(signal)]));
      } finally {
        if (isOwn) this.#joining.delete(key);
      }
    }
  }

  /** Deletes all files. */
  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    this.#folder = undefined;
    this.#entries.clear();
    if (folder === undefined) return;
    await clear(folder.directory);
    folder.unlock();
  }

  async #use(key: string, entry: Entry, path: string): Promise<JoinedFile> {
    entry.users++;
    // Moves the entry to the end of the map: the last one is the most recently used.
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    try {
      const handle = await open(path, "r");
      return {
        handle,
        path,
        [Symbol.asyncDispose]: async () => {
          entry.users--;
          await handle.close();
        },
      };
    } catch (error) {
      entry.users--;
      throw error;
    }
  }

  async #make({ key, bytes, join: joinTo }: Joining): Promise<void> {
    const { directory } = await this.#opened();
    const folder = join(directory, key);
    const entry: Entry = { folder, path: undefined, bytes, users: 1 };
    this.#entries.set(key, entry);
    try {
      await this.#makeRoom();
      await mkdir(folder, { mode: 0o700 });
      const path = await joinTo(join(folder, "video"));
      entry.bytes = (await stat(path)).size;
      entry.path = path;
    } catch (error) {
      this.#entries.delete(key);
      await rm(folder, { recursive: true, force: true });
      throw this.#diskFailure(error);
    } finally {
      entry.users--;
    }
  }

  /** Makes room for the files that are being made. Throws MEDIA_CACHE_FULL. */
  async #makeRoom(): Promise<void> {
    const { maxBytes } = this.#options;
    const used = () => [...this.#entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [key, entry] of [...this.#entries]) {
      if (used() <= maxBytes) return;
      if (entry.users > 0 || entry.path === undefined) continue;
      this.#entries.delete(key);
      await rm(entry.folder, { recursive: true, force: true });
    }
    if (used() <= maxBytes) return;
    throw new Failure(
      "MEDIA_CACHE_FULL",
      `The node's media cache has no room for a rendition: running tasks need ${used()} bytes of renditions, and its limit is ${maxBytes}. Ask the operator to raise --media-cache-size.`,
      { found: { usedBytes: used(), limitBytes: maxBytes } },
    );
  }

  /** Opens the folder, and deletes files that a killed process has left in it. */
  #opened(): ReturnType<typeof freeFolder> {
    this.#folder ??= (async () => {
      try {
        const folder = await freeFolder(join(this.#options.directory, "renditions"));
        await clear(folder.directory);
        return folder;
      } catch (cause) {
        this.#folder = undefined;
        const directory = JSON.stringify(this.#options.directory);
        const text = `The media cache ${directory} cannot be used: ${systemReason(cause)}. Give another directory with --media-cache.`;
        throw new Failure("TEMP_DIR_UNUSABLE", text, { cause });
      }
    })();
    return this.#folder;
  }

  #diskFailure(error: unknown): unknown {
    const code = errorCode(error);
    if (code !== "ENOSPC" && code !== "EDQUOT") return error;
    const text = `The disk of the node's media cache is full (${code}). Ask the operator to free space, or to lower --media-cache-size.`;
    return new Failure("MEDIA_CACHE_FULL", text, { cause: error });
  }
}

/** Deletes the files of a folder; the file of its lock stays. */
async function clear(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }))
    if (entry.isDirectory()) await rm(join(directory, entry.name), { recursive: true, force: true });
}

/** Opens those files of a title that a tenant may read, and reads their facts, which reveal changes. */
import type { BigIntStats } from "node:fs";
import { type FileHandle, realpath, stat } from "node:fs/promises";
import type { FileFacts } from "../../engine/files/identity.ts";
import type { MediaRoots } from "../../engine/files/roots.ts";
import { verifyInside } from "../../engine/files/source.ts";
import { batchesOf } from "../../platform/batches.ts";
import { openReal, unreadable } from "../../titles/open-file.ts";

/** Files that are examined in parallel. */
const CONCURRENT = 32;

export class TitleFiles {
  readonly #roots: MediaRoots | undefined;
  /** The facts of each file at the time when it was opened. */
  readonly #opened = new Map<string, FileFacts>();

  /** `roots`: of the tenant; undefined: anywhere on this machine. */
  constructor(roots: MediaRoots | undefined) {
    this.#roots = roots;
  }

  /** The files that were opened. */
  get opened(): ReadonlyMap<string, FileFacts> {
    return this.#opened;
  }

  /** Opens a file; symbolic links may lead to it within the roots. Throws Failure or a system error. */
  readonly open = async (file: string): Promise<FileHandle> => {
    const handle = await openReal(await this.#placeOf(file));
    try {
      if (this.#roots) await verifyInside(handle, file, this.#roots);
      if (!this.#opened.has(file)) this.#opened.set(file, factsOf(await handle.stat({ bigint: true })));
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  };

  /** Returns the current facts of files. Throws Failure. */
  async facts(files: readonly string[]): Promise<readonly FileFacts[]> {
    const all: FileFacts[] = [];
    for (const batch of batchesOf(files, CONCURRENT))
      all.push(...(await Promise.all(batch.map((file) => this.#factsNow(file)))));
    return all;
  }

  async #factsNow(file: string): Promise<FileFacts> {
    try {
      return factsOf(await stat(await this.#placeOf(file), { bigint: true }));
    } catch (error) {
      throw unreadable(file, error);
    }
  }

  #placeOf(file: string): Promise<string> {
    return this.#roots === undefined ? realpath(file) : this.#roots.resolve(file);
  }
}

function factsOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): FileFacts {
  return { dev, ino, size, mtimeNs, ctimeNs };
}

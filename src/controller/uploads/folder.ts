/**
 * The directory of uploads. The files are the only record of them, so they survive restarts, and controllers that share
 * the directory see the same uploads.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tenantDirectory } from "../../engine/files/tenant-directory.ts";
import { isId } from "../../jobs/ids.ts";
import { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { errorCode } from "../../platform/errors.ts";
import { writeAllAt } from "../../platform/files/write-all-at.ts";
import { diskFull, wrongOffset } from "./failures.ts";
import { allRecords, type Places, placesOf } from "./places.ts";
import type { NewUpload, Upload } from "./upload.ts";

interface Record extends NewUpload {
  readonly tenant: string;
  readonly createdMs: number;
}

export class UploadFolder {
  readonly #directory: string;
  /** Serializes the changes of each upload. */
  readonly #changes = new KeyedSemaphore(1);

  constructor(directory: string) {
    this.#directory = directory;
  }

  get directory(): string {
    return this.#directory;
  }

  async create(tenant: string, { name, size, fingerprint }: NewUpload): Promise<Upload> {
    const id = randomUUID();
    const { records, partial } = this.#placesOf(tenant);
    const record: Record = { tenant, name, size, fingerprint, createdMs: Date.now() };
    await mkdir(partial, { recursive: true });
    await writeFile(join(partial, id), "", { flag: "wx" });
    await syncFolder(partial);
    await writeDurably(records, `${id}.json`, JSON.stringify(record));
    return this.#read(tenant, id, record);
  }

  /** Returns undefined if the tenant has no such upload. */
  async find(tenant: string, id: string): Promise<Upload | undefined> {
    if (!isId(id)) return undefined;
    const record = await this.#recordOf(tenant, id);
    return record && this.#read(tenant, id, record);
  }

  /** Returns the uploads of a tenant, oldest first. */
  async list(tenant: string): Promise<readonly Upload[]> {
    const names = await namesIn(this.#placesOf(tenant).records);
    const ids = names.flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -".json".length)] : []));
    const found = await Promise.all(ids.map((id) => this.find(tenant, id)));
    return found
      .filter((upload) => upload !== undefined)
      .sort((one, other) => one.createdMs - other.createdMs);
  }

  /**
   * Appends bytes to an upload; they are on disk when the promise resolves. The last byte completes the upload. Returns
   * undefined if the tenant has no such upload. Throws UPLOAD_OFFSET, and DISK_FULL if the disk is full.
   */
  append(tenant: string, id: string, offset: number, data: Uint8Array): Promise<Upload | undefined> {
    return this.#changes.run(id, async () => {
      const upload = await this.find(tenant, id);
      if (upload === undefined) return undefined;
      if (offset !== upload.offset || offset + data.length > upload.size) throw wrongOffset(upload);
      if (data.length === 0) return upload;
      await this.#write(tenant, id, offset, data);
      return this.#read(tenant, id, upload);
    });
  }

  /** Deletes an upload, if it exists. */
  async delete(tenant: string, id: string): Promise<void> {
    // Any other text could be a path to files of other tenants.
    if (!isId(id)) return;
    await this.#changes.run(id, async () => {
      const { records, partial, files, named } = this.#placesOf(tenant);
      // Deletes the record last: without it, nothing would find the other files.
      for (const path of [join(files, id), join(partial, id), join(named, id), join(records, `${id}.json`)])
        await rm(path, { recursive: true, force: true });
    });
  }

  /** Records that a job has named the upload. */
  async name(tenant: string, id: string): Promise<void> {
    const { named } = this.#placesOf(tenant);
    await mkdir(named, { recursive: true });
    await writeFile(join(named, id), "");
  }

  /** Returns the ids of uploads that jobs have named. */
  async named(tenant: string): Promise<ReadonlySet<string>> {
    return new Set(await namesIn(this.#placesOf(tenant).named));
  }

  /** Returns the tenants that have uploads. */
  async tenants(): Promise<readonly string[]> {
    const tenants: string[] = [];
    const all = allRecords(this.#directory);
    for (const own of await namesIn(all)) {
      const [first] = await namesIn(join(all, own));
      const record = first && (await readRecord(join(all, own, first)));
      if (record && tenantDirectory(record.tenant) === own) tenants.push(record.tenant);
    }
    return tenants;
  }

  #placesOf(tenant: string): Places {
    return placesOf(this.#directory, tenant);
  }

  async #recordOf(tenant: string, id: string): Promise<Record | undefined> {
    const record = await readRecord(join(this.#placesOf(tenant).records, `${id}.json`));
    return record?.tenant === tenant ? record : undefined;
  }

  /** Returns the current state of an upload by its files. */
  async #read(tenant: string, id: string, record: Omit<Record, "tenant">): Promise<Upload> {
    const { partial, files } = this.#placesOf(tenant);
    const { name, size, fingerprint, createdMs } = record;
    const path = join(files, id, name);
    const whole = await sizeOf(path);
    const part = whole === undefined ? await sizeOf(join(partial, id)) : undefined;
    // The process died before it could move the file to its place.
    if (part?.size === size) {
      await complete(join(partial, id), path);
      return this.#read(tenant, id, record);
    }
    const { size: offset, changedMs } = whole ?? part ?? { size: 0, changedMs: createdMs };
    return { id, name, size, fingerprint, offset, path: whole && path, createdMs, changedMs };
  }

  async #write(tenant: string, id: string, offset: number, data: Uint8Array): Promise<void> {
    const file = await open(join(this.#placesOf(tenant).partial, id), "r+");
    try {
      await file.truncate(offset);
      await writeAllAt(file, data, offset);
      await file.datasync();
    } catch (error) {
      await file.truncate(offset).catch(() => {});
      throw errorCode(error) === "ENOSPC" ? diskFull() : error;
    } finally {
      await file.close();
    }
  }
}

/** Moves a complete file to where jobs may name it. */
async function complete(partial: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rename(partial, path).catch((error: unknown) => {
    // Another call has moved the file.
    if (errorCode(error) !== "ENOENT") throw error;
  });
  // The folders are new too, so their entries are synced as well.
  for (const folder of [dirname(path), dirname(dirname(path))]) await syncFolder(folder);
}

/** Writes a file so that it exists completely or not at all. */
async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `${name}.new`);
  await writeFile(temporary, text, { flush: true });
  await rename(temporary, join(folder, name));
  await syncFolder(folder);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function readRecord(path: string): Promise<Record | undefined> {
  const text = await readFile(path, "utf8").catch(unlessMissing);
  return text === undefined ? undefined : (JSON.parse(text) as Record);
}

async function sizeOf(path: string): Promise<{ size: number; changedMs: number } | undefined> {
  const found = await stat(path).catch(unlessMissing);
  return found && { size: found.size, changedMs: found.mtimeMs };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? [];
}

function unlessMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
}

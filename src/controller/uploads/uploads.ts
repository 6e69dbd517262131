/** The uploads of tenants within their limits. */
import { statfs } from "node:fs/promises";
import { sep } from "node:path";
import { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { diskFull, tooLarge, tooMany, uploadNotFound } from "./failures.ts";
import { type NewUpload, type Upload, UploadFolder } from "./folder.ts";
import { ID_IN_PATH } from "./places.ts";

const UPLOAD = new RegExp(ID_IN_PATH);
const HOUR_MS = 3_600_000;
/** Milliseconds without a byte after which an incomplete upload is deleted. */
const PARTIAL_KEPT_MS = 24 * HOUR_MS;
/** Bytes that uploads leave free on their disk, which may be that of the database. */
const LEFT_FREE_BYTES = 2 ** 30;

/** What one tenant may have. */
export interface UploadLimits {
  readonly bytes: number;
  readonly count: number;
  /** Milliseconds that a complete upload is kept. */
  readonly keptMs: number;
}

export interface UploadSettings {
  readonly directory: string;
  readonly limits: UploadLimits;
}

export interface Allowance {
  readonly count: number;
  readonly bytes: number;
  readonly maxCount: number;
  readonly maxBytes: number;
}

export class Uploads {
  readonly #folder: UploadFolder;
  readonly #limits: UploadLimits;
  /** One new upload at a time, so that two cannot pass the limits together. */
  readonly #creations = new KeyedSemaphore(1);

  constructor({ directory, limits }: UploadSettings) {
    this.#folder = new UploadFolder(directory);
    this.#limits = limits;
  }

  /** Throws TENANT_UPLOADS_FULL, DISK_FULL. */
  create(tenant: string, upload: NewUpload): Promise<Upload> {
    return this.#creations.run("", async () => {
      const { count, bytes, maxCount, maxBytes } = await this.allowance(tenant);
      if (count >= maxCount) throw tooMany(count, maxCount);
      if (bytes + upload.size > maxBytes) throw tooLarge(upload.size, bytes, maxBytes);
      if (!(await this.#hasRoom(upload.size))) throw diskFull();
      return this.#folder.create(tenant, upload);
    });
  }

  /** Returns what a tenant has, incomplete uploads with their whole size, and what it may have. */
  async allowance(tenant: string): Promise<Allowance> {
    const present = await this.#folder.list(tenant);
    const bytes = present.reduce((sum, { size }) => sum + size, 0);
    return { count: present.length, bytes, maxCount: this.#limits.count, maxBytes: this.#limits.bytes };
  }

  /** Throws UPLOAD_NOT_FOUND. */
  async get(tenant: string, id: string): Promise<Upload> {
    return found(await this.#folder.find(tenant, id), id);
  }

  list(tenant: string): Promise<readonly Upload[]> {
    return this.#folder.list(tenant);
  }

  /** Throws UPLOAD_NOT_FOUND, UPLOAD_OFFSET, DISK_FULL. */
  async append(tenant: string, id: string, offset: number, data: Uint8Array): Promise<Upload> {
    return found(await this.#folder.append(tenant, id, offset, data), id);
  }

  delete(tenant: string, id: string): Promise<void> {
    return this.#folder.delete(tenant, id);
  }

  tenants(): Promise<readonly string[]> {
    return this.#folder.tenants();
  }

  /** Remembers that stored jobs name the uploads among these paths. */
  async name(tenant: string, paths: readonly string[]): Promise<void> {
    for (const path of new Set(paths)) {
      const id = path.startsWith(this.#folder.directory + sep) ? UPLOAD.exec(path)?.[1] : undefined;
      const upload = id === undefined ? undefined : await this.#folder.find(tenant, id);
      if (upload?.path === path) await this.#folder.name(tenant, upload.id);
    }
  }

  /** When an upload is deleted at the latest, in milliseconds since 1970. */
  expiryMs({ path, changedMs }: Upload): number {
    const { keptMs } = this.#limits;
    return changedMs + (path === undefined ? Math.min(PARTIAL_KEPT_MS, keptMs) : keptMs);
  }

  /**
   * Deletes uploads of a tenant whose time is over or whose jobs were deleted; returns how many. `jobsOf` returns the ids
   * of uploads that jobs of the tenant name, and whether one of these jobs has not ended.
   */
  async expire(
    tenant: string,
    jobsOf: () => Promise<ReadonlyMap<string, boolean>>,
    nowMs: number,
  ): Promise<number> {
    // In this order: what is named by now has its job in the store.
    const named = await this.#folder.named(tenant);
    const jobs = await jobsOf();
    const over = (await this.#folder.list(tenant)).filter((upload) => {
      const isAwaited = jobs.get(upload.id);
      if (isAwaited === true) return false;
      return this.expiryMs(upload) <= nowMs || (isAwaited === undefined && named.has(upload.id));
    });
    for (const { id } of over) await this.#folder.delete(tenant, id);
    return over.length;
  }

  /** Whether the disk has room for so many bytes beside what all tenants have announced but not sent. */
  async #hasRoom(bytes: number): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#folder.directory);
    let announced = bytes;
    for (const tenant of await this.#folder.tenants())
      for (const { size, offset } of await this.#folder.list(tenant)) announced += size - offset;
    return bavail * bsize - announced >= LEFT_FREE_BYTES;
  }
}

function found(upload: Upload | undefined, id: string): Upload {
  if (upload === undefined) throw uploadNotFound(id);
  return upload;
}

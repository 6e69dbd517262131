/** Manages the uploads of tenants within their limits. */
import { statfs } from "node:fs/promises";
import { sep } from "node:path";
import type { UploadLimitsOf } from "../../jobs/media/upload-limits.ts";
import { KeyedSemaphore } from "../../platform/concurrency/keyed-semaphore.ts";
import { Failure } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { BucketUploads, SignedPart } from "./buckets.ts";
import {
  diskFull,
  inBucket,
  inDirectory,
  onlyParts,
  tooLarge,
  tooMany,
  uploadNotFound,
  uploadsOff,
} from "./failures.ts";
import { UploadFolder } from "./folder.ts";
import { ID_IN_PATH } from "./places.ts";
import type { AskedPart, NewUpload, Upload } from "./upload.ts";

const UPLOAD = new RegExp(ID_IN_PATH);
const HOUR_MS = 3_600_000;
/** Milliseconds without a new byte after which an incomplete upload is deleted. */
const PARTIAL_KEPT_MS = 24 * HOUR_MS;
/** Bytes that uploads leave free on their disk, which may be that of the database. */
const LEFT_FREE_BYTES = 2 ** 30;

export interface UploadSettings {
  /**
   * Directory for tenants without a bucket for uploads, and for clients that cannot use it; undefined: there is none.
   */
  readonly directory: string | undefined;
  readonly limitsOf: UploadLimitsOf;
}

export interface Allowance {
  readonly count: number;
  readonly bytes: number;
  readonly maxCount: number;
  readonly maxBytes: number;
  /** Whether uploads go only to a bucket. */
  readonly onlyParts: boolean;
  /** Whether uploads can go to a bucket. */
  readonly parts: boolean;
}

export interface UploadsOptions extends UploadSettings {
  readonly buckets: BucketUploads;
  readonly log: Log;
}

export class Uploads {
  readonly #folder: UploadFolder | undefined;
  readonly #buckets: BucketUploads;
  readonly #limitsOf: UploadLimitsOf;
  readonly #log: Log;
  /**
   * Creates one upload per tenant, and one in the directory, at a time, so that two cannot exceed the limits together.
   */
  readonly #creations = new KeyedSemaphore(1);

  constructor({ directory, limitsOf, buckets, log }: UploadsOptions) {
    this.#folder = directory === undefined ? undefined : new UploadFolder(directory);
    this.#buckets = buckets;
    this.#limitsOf = limitsOf;
    this.#log = log;
  }

  /** Whether a tenant can upload at all. */
  takes(tenant: string): boolean {
    return this.#folder !== undefined || this.#buckets.placeOf(tenant) !== undefined;
  }

  /**
   * `parts`: whether the caller can send parts to a bucket. Throws UPLOADS_DISABLED, TENANT_UPLOADS_FULL, DISK_FULL,
   * STORAGE_UNAVAILABLE.
   */
  create(tenant: string, upload: NewUpload, parts: boolean): Promise<Upload> {
    const place = this.#buckets.placeOf(tenant);
    return this.#creations.run(`tenant ${tenant}`, async () => {
      if (place !== undefined && parts) {
        await this.#requireRoom(tenant, upload);
        return this.#buckets.create(tenant, place, upload);
      }
      const folder = this.#folder;
      if (folder === undefined) throw place === undefined ? uploadsOff() : onlyParts();
      return this.#creations.run("directory", async () => {
        await this.#requireRoom(tenant, upload);
        if (!(await hasRoom(folder, upload.size))) throw diskFull();
        return folder.create(tenant, upload);
      });
    });
  }

  /** Returns a tenant's usage, which counts incomplete uploads with their whole size, and its limits. */
  async allowance(tenant: string): Promise<Allowance> {
    const present = await this.list(tenant);
    const bytes = present.reduce((sum, { size }) => sum + size, 0);
    const { count: maxCount, bytes: maxBytes } = this.#limitsOf(tenant);
    const parts = this.#buckets.placeOf(tenant) !== undefined;
    const limits = { maxCount, maxBytes, onlyParts: this.#folder === undefined, parts };
    return { count: present.length, bytes, ...limits };
  }

  /** Throws UPLOAD_NOT_FOUND, STORAGE_UNAVAILABLE. */
  async get(tenant: string, id: string): Promise<Upload> {
    return requireUpload((await this.#folder?.find(tenant, id)) ?? (await this.#buckets.get(tenant, id)), id);
  }

  /** Returns the uploads of a tenant, oldest first. */
  async list(tenant: string): Promise<readonly Upload[]> {
    const all = [...((await this.#folder?.list(tenant)) ?? []), ...(await this.#buckets.list(tenant))];
    return all.sort((one, other) => one.createdMs - other.createdMs);
  }

  /** Throws UPLOAD_NOT_FOUND, UPLOAD_OFFSET, UPLOAD_KIND, DISK_FULL. */
  async append(tenant: string, id: string, offset: number, data: Uint8Array): Promise<Upload> {
    const upload = await this.#folder?.append(tenant, id, offset, data);
    if (upload === undefined && (await this.#buckets.find(tenant, id))) throw inBucket(id);
    return requireUpload(upload, id);
  }

  /** Throws UPLOAD_NOT_FOUND, UPLOAD_KIND, INVALID_REQUEST, STORAGE_UNAVAILABLE. */
  async sign(
    tenant: string,
    id: string,
    asked: readonly AskedPart[],
  ): Promise<{ readonly upload: Upload; readonly parts: readonly SignedPart[] }> {
    return requireUpload(
      (await this.#buckets.sign(tenant, id, asked)) ?? (await this.#refuseFolder(tenant, id)),
      id,
    );
  }

  /** Throws UPLOAD_NOT_FOUND, UPLOAD_KIND, UPLOAD_INCOMPLETE, STORAGE_UNAVAILABLE. */
  async complete(tenant: string, id: string): Promise<Upload> {
    return requireUpload(
      (await this.#buckets.complete(tenant, id)) ?? (await this.#refuseFolder(tenant, id)),
      id,
    );
  }

  /** Throws STORAGE_UNAVAILABLE. */
  async delete(tenant: string, id: string): Promise<void> {
    await this.#folder?.delete(tenant, id);
    await this.#buckets.delete(tenant, id);
  }

  /** Returns the tenants that have uploads. */
  async tenants(): Promise<readonly string[]> {
    const all = [...((await this.#folder?.tenants()) ?? []), ...(await this.#buckets.tenants())];
    return [...new Set(all)];
  }

  /** Records that stored jobs name the uploads among these paths and URLs. */
  async name(tenant: string, paths: readonly string[]): Promise<void> {
    const distinct = [...new Set(paths)];
    await this.#buckets.name(
      tenant,
      distinct.filter((path) => path.startsWith("s3://") && UPLOAD.test(path)),
    );
    const folder = this.#folder;
    if (folder === undefined) return;
    for (const path of distinct) {
      const id = path.startsWith(folder.directory + sep) ? UPLOAD.exec(path)?.[1] : undefined;
      const upload = id === undefined ? undefined : await folder.find(tenant, id);
      if (upload?.path === path) await folder.name(tenant, upload.id);
    }
  }

  /** Returns when an upload is deleted at the latest, in milliseconds since 1970. */
  expiryMs(tenant: string, { path, changedMs }: Upload): number {
    const { keptMs } = this.#limitsOf(tenant);
    return changedMs + (path === undefined ? Math.min(PARTIAL_KEPT_MS, keptMs) : keptMs);
  }

  /**
   * Deletes expired uploads of a tenant and those whose jobs were deleted; returns their number. `jobsOf` returns the
   * ids of uploads that jobs of the tenant name, and whether one of these jobs has not ended.
   */
  async expire(
    tenant: string,
    jobsOf: () => Promise<ReadonlyMap<string, boolean>>,
    nowMs: number,
  ): Promise<number> {
    // The names are read before the jobs, so that the job of every upload in `named` is already in the store.
    const named = new Set([
      ...((await this.#folder?.named(tenant)) ?? []),
      ...(await this.#buckets.named(tenant)),
    ]);
    const jobs = await jobsOf();
    const over = (await this.list(tenant)).filter((upload) => {
      const isAwaited = jobs.get(upload.id);
      if (isAwaited === true) return false;
      return this.expiryMs(tenant, upload) <= nowMs || (isAwaited === undefined && named.has(upload.id));
    });
    let deleted = 0;
    for (const { id } of over) deleted += (await this.#deleteExpired(tenant, id)) ? 1 : 0;
    return deleted;
  }

  /**
   * Never throws: a storage that does not respond must not keep other tenants' uploads from being deleted.
   */
  async #deleteExpired(tenant: string, id: string): Promise<boolean> {
    try {
      await this.delete(tenant, id);
      return true;
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code !== "STORAGE_UNAVAILABLE" && failure.code !== "URL_NOT_ALLOWED") throw failure;
      this.#log.warn({ tenant, upload: id, err: failure }, "failed to delete an old upload; retrying later");
      return false;
    }
  }

  /** Throws TENANT_UPLOADS_FULL. */
  async #requireRoom(tenant: string, { size }: NewUpload): Promise<void> {
    const { count, bytes, maxCount, maxBytes } = await this.allowance(tenant);
    if (count >= maxCount) throw tooMany(count, maxCount);
    if (bytes + size > maxBytes) throw tooLarge(size, bytes, maxBytes);
  }

  /** Throws UPLOAD_KIND for an upload to the directory. */
  async #refuseFolder(tenant: string, id: string): Promise<undefined> {
    if (await this.#folder?.find(tenant, id)) throw inDirectory(id);
  }
}

/** Whether the disk has room for these bytes in addition to those that all tenants have announced but not sent. */
async function hasRoom(folder: UploadFolder, bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder.directory);
  let announced = bytes;
  for (const tenant of await folder.tenants())
    for (const { size, offset } of await folder.list(tenant)) announced += size - offset;
  return bavail * bsize - announced >= LEFT_FREE_BYTES;
}

function requireUpload<T>(upload: T | undefined, id: string): T {
  if (upload === undefined) throw uploadNotFound(id);
  return upload;
}

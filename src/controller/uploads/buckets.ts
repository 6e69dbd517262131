/**
 * Manages uploads to the buckets of tenants: callers send the parts; this controller begins, completes and deletes the
 * uploads.
 */
import { randomUUID } from "node:crypto";
import { type StoragesOf, storageOf, type UploadPlace, uploadPlaceIn } from "../../jobs/media/storages.ts";
import {
  MAX_PARTED_SIZE,
  missingParts,
  partCountOf,
  partRangeOf,
  partSizeOf,
} from "../../jobs/media/upload-parts.ts";
import { uploadFailure } from "../../media/objects/failures.ts";
import type { Multipart, Multiparts, PartRequest, StoredPart } from "../../media/uploads/multipart.ts";
import { invalid } from "../../platform/failure.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { PartDigest, UploadRow, UploadStore } from "../../store/contract/upload-store.ts";
import { incomplete, tooLargeForParts, uploadNotFound } from "./failures.ts";
import type { AskedPart, NewUpload, Upload } from "./upload.ts";

export interface BucketUploadsOptions {
  readonly store: UploadStore;
  readonly storagesOf: StoragesOf;
  readonly multiparts: Multiparts;
  readonly log: Log;
}

export interface SignedPart extends PartRequest {
  readonly number: number;
}

/** The state of an upload in the storage. */
type Look =
  | { readonly upload: Upload; readonly parts?: never }
  | { readonly upload: Upload; readonly parts: readonly StoredPart[] };

export class BucketUploads {
  readonly #options: BucketUploadsOptions;

  constructor(options: BucketUploadsOptions) {
    this.#options = options;
  }

  /** Returns the place for a tenant's uploads; undefined if it has no bucket for them. */
  placeOf(tenant: string): UploadPlace | undefined {
    return uploadPlaceIn(this.#options.storagesOf(tenant));
  }

  /** Throws STORAGE_UNAVAILABLE, URL_NOT_ALLOWED, TENANT_UPLOADS_FULL. */
  async create(tenant: string, { storage, bucket, prefix }: UploadPlace, upload: NewUpload): Promise<Upload> {
    const { store, multiparts } = this.#options;
    const { name, size, fingerprint } = upload;
    if (size > MAX_PARTED_SIZE) throw tooLargeForParts(size);
    const id = randomUUID();
    const key = `${prefix}${id}/${keyPartOf(name)}`;
    const place = { storage, bucket, key };
    const multipartId = await reached(name, multiparts.begin(place));
    const row = { id, name, size, fingerprint, bucket, key, multipartId, partSize: partSizeOf(size) };
    try {
      return uploadOf(await store.insert(tenant, row));
    } catch (error) {
      // Without its row, nobody would find the multipart upload.
      await multiparts.abort({ ...place, id: multipartId }).catch(() => {});
      throw error;
    }
  }

  /** Returns an upload as it was last seen; undefined: the tenant has no such upload. */
  async find(tenant: string, id: string): Promise<Upload | undefined> {
    const row = await this.#options.store.find(tenant, id);
    return row && uploadOf(row);
  }

  /** Returns the uploads of a tenant as they were last seen, oldest first. */
  async list(tenant: string): Promise<readonly Upload[]> {
    return (await this.#options.store.list(tenant)).map((row) => uploadOf(row));
  }

  /** Returns an upload as it is now. undefined: the tenant has no such upload. Throws STORAGE_UNAVAILABLE. */
  async get(tenant: string, id: string): Promise<Upload | undefined> {
    const row = await this.#options.store.find(tenant, id);
    return row && (await this.#look(tenant, row, false)).upload;
  }

  /**
   * Returns the requests that send parts; none for a complete upload, undefined if the tenant has no such upload.
   * Throws INVALID_REQUEST, STORAGE_UNAVAILABLE.
   */
  async sign(
    tenant: string,
    id: string,
    asked: readonly AskedPart[],
  ): Promise<{ readonly upload: Upload; readonly parts: readonly SignedPart[] } | undefined> {
    const { store, multiparts } = this.#options;
    const row = await store.find(tenant, id);
    if (row === undefined) return undefined;
    const most = partCountOf(row);
    const odd = asked.find(({ number }) => number < 1 || number > most);
    if (odd !== undefined) throw invalid(`The upload has parts 1 to ${most}, and no part ${odd.number}.`);
    const { upload } = await this.#look(tenant, row, true);
    if (upload.path !== undefined) return { upload, parts: [] };
    const multipart = this.#multipartOf(tenant, row);
    const digests = asked.map(({ number, sha256 }) => ({
      number,
      sha256: Buffer.from(sha256).toString("base64"),
    }));
    await store.setDigests(tenant, id, digests);
    const sign = async ({ number, sha256 }: PartDigest) => {
      const { length: size } = partRangeOf(row, number);
      return { number, ...(await multiparts.part(multipart, { number, size, sha256 })) };
    };
    return { upload, parts: await reached(row.name, Promise.all(digests.map(sign))) };
  }

  /**
   * Joins the parts to an object. Returns undefined if the tenant has no such upload. Throws UPLOAD_INCOMPLETE,
   * STORAGE_UNAVAILABLE.
   */
  async complete(tenant: string, id: string): Promise<Upload | undefined> {
    const { store, multiparts } = this.#options;
    const row = await store.find(tenant, id);
    if (row === undefined) return undefined;
    const { upload, parts } = await this.#look(tenant, row, true);
    if (parts === undefined) return upload;
    const missing = missingParts(row, upload.parts?.stored ?? []);
    if (missing.length > 0) throw incomplete(upload, missing);
    const multipart = this.#multipartOf(tenant, row);
    const given = new Map(
      (await store.digests(tenant, id)).map(({ number, sha256 }) => [number, sha256] as const),
    );
    const wanted = parts
      .filter((part) => isWhole(row, part))
      .map((part) => ({ ...part, sha256: part.sha256 || (given.get(part.number) ?? "") }));
    const done = await reached(row.name, multiparts.complete(multipart, wanted));
    // Another call completed or aborted it.
    if (done === undefined) return this.get(tenant, id);
    const completed = await store.complete(tenant, id, done.versionId);
    if (completed !== undefined) return uploadOf(completed);
    // The upload was deleted meanwhile.
    await reached(row.name, multiparts.delete(multipart, done.versionId));
    return undefined;
  }

  /** Deletes an upload, if it exists, with its object or parts. Throws STORAGE_UNAVAILABLE. */
  async delete(tenant: string, id: string): Promise<void> {
    const { store, log } = this.#options;
    const row = await store.find(tenant, id);
    if (row === undefined) return;
    const { bucket, key } = row;
    const storage = this.#storageOf(tenant, row);
    if (storage === undefined)
      log.warn({ tenant, bucket, key }, "the storage of an upload is gone; its object stays in the bucket");
    else await reached(row.name, this.#clear({ storage, bucket, key, id: row.multipartId }, row));
    await store.remove(tenant, id);
  }

  /** Records that jobs name the uploads among these URLs. */
  async name(tenant: string, urls: readonly string[]): Promise<void> {
    const { store } = this.#options;
    if (urls.length === 0) return;
    const objects = new Set(urls.map((url) => url.replace(/\?.*$/s, "")));
    const named = (await store.list(tenant)).filter((row) => objects.has(urlOf(row)));
    if (named.length > 0)
      await store.name(
        tenant,
        named.map(({ id }) => id),
      );
  }

  /** Returns the ids of uploads that jobs have named. */
  async named(tenant: string): Promise<ReadonlySet<string>> {
    const rows = await this.#options.store.list(tenant);
    return new Set(rows.flatMap(({ id, named }) => (named ? [id] : [])));
  }

  tenants(): Promise<readonly string[]> {
    return this.#options.store.tenants();
  }

  /**
   * Looks up an upload in the storage. `active`: its caller is continuing it. Throws UPLOAD_NOT_FOUND if the storage no
   * longer has any of it.
   */
  async #look(tenant: string, row: UploadRow, active: boolean): Promise<Look> {
    const { store, multiparts } = this.#options;
    const { id, name, size } = row;
    if (row.complete) return { upload: uploadOf(row) };
    const multipart = this.#multipartOf(tenant, row);
    const parts = await reached(name, multiparts.parts(multipart));
    if (parts !== undefined) {
      const stored = parts.filter((part) => isWhole(row, part));
      const bytes = stored.reduce((sum, part) => sum + part.size, 0);
      const now = await store.progress(tenant, id, bytes, active);
      if (now !== undefined)
        return {
          upload: uploadOf(
            now,
            stored.map(({ number }) => number),
          ),
          parts,
        };
    }
    // It was completed by a call that could not record that, or by another one meanwhile.
    const object = await reached(name, multiparts.find(multipart));
    const completed = object?.size === size ? await store.complete(tenant, id, object.versionId) : undefined;
    if (completed !== undefined) return { upload: uploadOf(completed) };
    await store.remove(tenant, id);
    throw uploadNotFound(id);
  }

  async #clear(multipart: Multipart, { complete, versionId }: UploadRow): Promise<void> {
    const { multiparts } = this.#options;
    if (complete) return multiparts.delete(multipart, versionId);
    await multiparts.abort(multipart);
    // An earlier call completed it and could not record that.
    const object = await multiparts.find(multipart);
    if (object !== undefined) await multiparts.delete(multipart, object.versionId);
  }

  #storageOf(tenant: string, { bucket, key }: UploadRow) {
    const name = { kind: "s3", bucket, key, versionId: undefined } as const;
    const storage = storageOf(this.#options.storagesOf(tenant), name);
    return storage?.kind === "s3" ? storage : undefined;
  }

  /** Throws UPLOAD_NOT_FOUND if the storage is no longer one of the tenant's. */
  #multipartOf(tenant: string, row: UploadRow): Multipart {
    const { bucket, key, multipartId } = row;
    const storage = this.#storageOf(tenant, row);
    if (storage === undefined) throw uploadNotFound(row.id);
    return { storage, bucket, key, id: multipartId };
  }
}

async function reached<T>(name: string, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw uploadFailure(error, name);
  });
}

/** The name of a file as the end of a key that jobs can name. */
function keyPartOf(name: string): string {
  return name.replace(/[?\\]/g, "_");
}

function isWhole(row: UploadRow, { number, size }: StoredPart): boolean {
  return number >= 1 && number <= partCountOf(row) && size === partRangeOf(row, number).length;
}

function urlOf({ bucket, key }: UploadRow): string {
  return `s3://${bucket}/${key}`;
}

function uploadOf(row: UploadRow, stored: readonly number[] = []): Upload {
  const { id, name, size, fingerprint, complete, versionId, partSize } = row;
  const version = versionId === undefined ? "" : `?versionId=${versionId}`;
  return {
    ...{ id, name, size, fingerprint, offset: row.stored },
    path: complete ? `${urlOf(row)}${version}` : undefined,
    createdMs: row.createdAt.getTime(),
    changedMs: row.changedAt.getTime(),
    parts: { size: partSize, stored },
  };
}

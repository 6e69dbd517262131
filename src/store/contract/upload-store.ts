/** Uploads to buckets in the store, as their tenants see them. The rules of Store apply. */

export interface NewUploadRow {
  readonly id: string;
  /** Name of the file. */
  readonly name: string;
  /** Bytes of the whole file. */
  readonly size: number;
  readonly fingerprint: string;
  readonly bucket: string;
  readonly key: string;
  /** The storage's id of the multipart upload. */
  readonly multipartId: string;
  /** Bytes of each part but the last one. */
  readonly partSize: number;
}

export interface UploadRow extends NewUploadRow {
  /** Bytes in parts, as far as a controller has seen them. */
  readonly stored: number;
  /** Whether the object exists, so that the upload is complete. */
  readonly complete: boolean;
  /** Version of the object; undefined: its bucket has no versions. */
  readonly versionId: string | undefined;
  /** Whether a job has named it. */
  readonly named: boolean;
  readonly createdAt: Date;
  /** When the caller last asked for URLs of parts, or completed it. */
  readonly changedAt: Date;
}

export interface PartDigest {
  /** From 1. */
  readonly number: number;
  /** In Base64. */
  readonly sha256: string;
}

export interface UploadStore {
  insert(tenant: string, upload: NewUploadRow): Promise<UploadRow>;
  /** Returns undefined if the upload is unknown or another tenant's. */
  find(tenant: string, id: string): Promise<UploadRow | undefined>;
  /** Lists uploads, oldest first. */
  list(tenant: string): Promise<readonly UploadRow[]>;
  /**
   * Records the stored bytes of an incomplete upload. `active`: its caller is continuing it. Returns
   * undefined if the upload is unknown or complete.
   */
  progress(tenant: string, id: string, stored: number, active: boolean): Promise<UploadRow | undefined>;
  /** Records the digests of parts, in place of earlier ones. */
  setDigests(tenant: string, id: string, parts: readonly PartDigest[]): Promise<void>;
  /** Returns the digests of parts. */
  digests(tenant: string, id: string): Promise<readonly PartDigest[]>;
  /** Records that the object exists. Returns undefined if the upload is unknown. */
  complete(tenant: string, id: string, versionId: string | undefined): Promise<UploadRow | undefined>;
  /** Records that jobs have named these uploads. */
  name(tenant: string, ids: readonly string[]): Promise<void>;
  /** Deletes the row. */
  remove(tenant: string, id: string): Promise<void>;
  /** Returns the tenants that have uploads. */
  tenants(): Promise<readonly string[]>;
}

/** The storages of a tenant: which objects and URLs its jobs may name. */
import type { RemoteName } from "./names.ts";

/** A part of a bucket. */
export interface Bucket {
  readonly bucket: string;
  /** Beginning of the allowed keys; empty: all. */
  readonly prefix: string;
}

/** A file in the format of ~/.aws/credentials, and the profile in it. */
export interface CredentialsFile {
  readonly file: string;
  readonly profile: string;
}

/** A Secret in the namespace of the SvcTenants. */
export interface CredentialsSecret {
  readonly secretName: string;
  /** The tenant that uses it, which the Secret must name. */
  readonly tenant: string;
}

/** Buckets of an S3-compatible service. */
export interface ObjectStorage {
  readonly kind: "s3";
  /** URL of the service; undefined: AWS in `region`. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly buckets: readonly Bucket[];
  /** The place for uploads, within `buckets`; undefined: uploads are not allowed. */
  readonly uploads?: Bucket | undefined;
  /** Keys that no job can name, although a bucket contains them: those of the results storage. */
  readonly reserved?: Bucket | undefined;
  /** Where its credentials are; undefined: the chain of the AWS SDK. */
  readonly credentials: CredentialsFile | CredentialsSecret | undefined;
  /** Whether its host may have a loopback or private address. */
  readonly privateNetwork: boolean;
}

/** Hosts from which https URLs are fetched, without credentials. */
export interface WebStorage {
  readonly kind: "https";
  /** As in URLs: lower case, with a port unless it is 443. */
  readonly hosts: readonly string[];
  readonly privateNetwork: boolean;
}

export type Storage = ObjectStorage | WebStorage;

/** Returns the storages of a tenant. */
export type StoragesOf = (tenant: string) => readonly Storage[];

/** The storage to which a tenant uploads, and the place in it. */
export interface UploadPlace extends Bucket {
  readonly storage: ObjectStorage;
}

/** Returns the place for uploads; undefined if none of the storages takes uploads. */
export function uploadPlaceIn(storages: readonly Storage[]): UploadPlace | undefined {
  for (const storage of storages)
    if (storage.kind === "s3" && storage.uploads !== undefined) return { storage, ...storage.uploads };
  return undefined;
}

/** The storage in which the controller keeps results, and the place in it. */
export interface ResultsPlace extends Bucket {
  readonly storage: ObjectStorage;
}

/** The settings of the results storage. */
export interface ResultsSettings {
  readonly place: ResultsPlace;
  /** Milliseconds from the end of a job until its per-frame scores are moved there. */
  readonly scoresAfterMs: number;
}

/** Returns the storages with the controller's part of a bucket reserved, so that jobs cannot name keys in it. */
export function without(storages: readonly Storage[], { bucket, prefix }: Bucket): readonly Storage[] {
  const reserved = { bucket, prefix };
  return storages.map((storage) => (storage.kind === "s3" ? { ...storage, reserved } : storage));
}

/** Whether no job can name a key, because it is reserved. */
export function isReserved({ reserved }: ObjectStorage, bucket: string, key: string): boolean {
  return reserved !== undefined && reserved.bucket === bucket && key.startsWith(reserved.prefix);
}

/** Returns the first storage that contains the named object or URL. */
export function storageOf(storages: readonly Storage[], name: RemoteName): Storage | undefined {
  return storages.find((storage) => contains(storage, name));
}

function contains(storage: Storage, name: RemoteName): boolean {
  if (storage.kind === "s3" && name.kind === "s3")
    return (
      storage.buckets.some(({ bucket, prefix }) => bucket === name.bucket && name.key.startsWith(prefix)) &&
      !isReserved(storage, name.bucket, name.key)
    );
  return storage.kind === "https" && name.kind === "https" && storage.hosts.includes(name.host);
}

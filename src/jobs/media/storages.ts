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

/** Buckets of a service that speaks S3. */
export interface ObjectStorage {
  readonly kind: "s3";
  /** URL of the service; undefined: AWS in `region`. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly buckets: readonly Bucket[];
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

/** Returns the first storage that contains what a name means. */
export function storageOf(storages: readonly Storage[], name: RemoteName): Storage | undefined {
  return storages.find((storage) => contains(storage, name));
}

function contains(storage: Storage, name: RemoteName): boolean {
  if (storage.kind === "s3" && name.kind === "s3")
    return storage.buckets.some(
      ({ bucket, prefix }) => bucket === name.bucket && name.key.startsWith(prefix),
    );
  return storage.kind === "https" && name.kind === "https" && storage.hosts.includes(name.host);
}

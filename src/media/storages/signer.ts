/** Turns names of a tenant's videos into URLs that can be fetched for a while. */
import { AwsV4Signer } from "aws4fetch";
import { type ObjectName, type RemoteName, remoteName } from "../../jobs/media/names.ts";
import { type ObjectStorage, type Storage, storageOf } from "../../jobs/media/storages.ts";
import { Failure } from "../../platform/failure.ts";
import type { ObjectAccess } from "../objects/object.ts";
import type { CredentialSource } from "./credentials.ts";

/** Seconds that a signed URL is valid. A lease is renewed long before that, and so are its URLs. */
export const SIGNED_SECONDS = 900;

/** A named object or URL, and the storage that contains it. */
export interface Found {
  readonly name: RemoteName;
  readonly storage: Storage;
}

/** Returns undefined for a path. Throws URL_NOT_SUPPORTED, URL_NOT_ALLOWED. Connects to nothing. */
export function findRemote(side: string, text: string, storages: readonly Storage[]): Found | undefined {
  const name = remoteName(text);
  if (name === undefined) return undefined;
  if (name.kind === "fault") throw new Failure("URL_NOT_SUPPORTED", `The ${side} video ${name.text}`);
  const storage = storageOf(storages, name);
  if (storage !== undefined) return { name, storage };
  throw new Failure(
    "URL_NOT_ALLOWED",
    `The ${side} video ${JSON.stringify(text)} is not in one of your tenant's storages. Use an object in one of them, or ask the operator to add its bucket or host.`,
  );
}

export class Signer {
  readonly #credentials: CredentialSource;

  constructor(credentials: CredentialSource) {
    this.#credentials = credentials;
  }

  /** Throws STORAGE_UNAVAILABLE if there are no credentials. */
  async access({ name, storage }: Found): Promise<ObjectAccess> {
    const { privateNetwork } = storage;
    if (name.kind === "https") {
      const reach = { hosts: storage.kind === "https" ? storage.hosts : [], plainHttp: false };
      return { url: `https://${name.host}${name.path}`, reach, privateNetwork };
    }
    if (storage.kind !== "s3") throw new Error("an object is in a storage of objects");
    return this.#objectAccess(objectUrl(name, storage), storage);
  }

  /**
   * Returns the signed request that lists the keys with a prefix (ListObjectsV2). Throws STORAGE_UNAVAILABLE if there
   * are no credentials.
   */
  async listing(storage: ObjectStorage, { bucket, prefix, most, from }: ListedPart): Promise<ObjectAccess> {
    const url = bucketUrl(bucket, storage, []);
    const query = {
      "list-type": "2",
      delimiter: "/",
      "encoding-type": "url",
      "max-keys": String(most),
      prefix,
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    if (from !== undefined) url.searchParams.set("continuation-token", from);
    return this.#objectAccess(url, storage);
  }

  /**
   * Returns the signed request that changes an object, or sends a part of it. Throws STORAGE_UNAVAILABLE if there are
   * no credentials.
   */
  async change(
    { storage, bucket, key }: ObjectPlace,
    { query = {}, ...signing }: Signing & { readonly query?: Readonly<Record<string, string>> },
  ): Promise<ObjectAccess> {
    const url = bucketUrl(bucket, storage, key.split("/"));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return this.#objectAccess(url, storage, signing);
  }

  async #objectAccess(url: URL, storage: ObjectStorage, signing: Signing = GET): Promise<ObjectAccess> {
    const signed = await this.#signed(url, storage, signing);
    const reach = { hosts: [url.host], plainHttp: url.protocol === "http:" };
    return { url: signed, reach, privateNetwork: storage.privateNetwork };
  }

  async #signed(url: URL, storage: ObjectStorage, { method, headers = {} }: Signing): Promise<string> {
    const { region } = storage;
    const credentials = await this.#credentials.get(storage).catch((cause: unknown) => {
      if (cause instanceof Failure) throw cause;
      throw new Failure(
        "STORAGE_UNAVAILABLE",
        "The controller has no credentials for the storage; its log has the reason. Ask its operator.",
        { cause },
      );
    });
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    url.searchParams.set("X-Amz-Expires", String(SIGNED_SECONDS));
    const signer = new AwsV4Signer({
      url: url.href,
      method,
      headers,
      // Signs all headers; otherwise a part could have any length.
      allHeaders: true,
      service: "s3",
      region,
      signQuery: true,
      ...{ accessKeyId, secretAccessKey },
      ...(sessionToken !== undefined && { sessionToken }),
    });
    // A space is signed as %20, and some services do not read "+" as one.
    return (await signer.sign()).url.href.replaceAll("+", "%20");
  }
}

/** The place of an object that exists or will be created. */
export interface ObjectPlace {
  readonly storage: ObjectStorage;
  readonly bucket: string;
  readonly key: string;
}

/** The request that a URL is signed for. */
export interface Signing {
  readonly method: string;
  /** Headers that the request must have, with these values; default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

const GET: Signing = { method: "GET" };

/** A page of the objects whose keys begin with a prefix. */
export interface ListedPart {
  readonly bucket: string;
  readonly prefix: string;
  /** Maximum number of entries. */
  readonly most: number;
  /** Where the previous page ended; undefined: at the beginning. */
  readonly from: string | undefined;
}

function objectUrl({ bucket, key, versionId }: ObjectName, storage: ObjectStorage): URL {
  const url = bucketUrl(bucket, storage, key.split("/"));
  if (versionId !== undefined) url.searchParams.set("versionId", versionId);
  return url;
}

/** Returns the URL of a bucket: in the host for AWS, else in the path, which every service understands. */
function bucketUrl(bucket: string, { endpoint, region }: ObjectStorage, key: readonly string[]): URL {
  // TLS certificates of AWS cover no bucket with a dot.
  const inHost = endpoint === undefined && !bucket.includes(".");
  const base = endpoint ?? `https://${inHost ? `${bucket}.` : ""}s3.${region}.amazonaws.com`;
  const path = [...(inHost ? [] : [bucket]), ...key].map(encoded).join("/");
  return new URL(`${base.replace(/\/+$/, "")}/${path}`);
}

/** Encodes a part of a path for signatures of AWS: everything but the unreserved characters of RFC 3986. */
function encoded(part: string): string {
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

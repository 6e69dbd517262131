/**
 * Multipart uploads of S3: begins, examines, completes and aborts them. The caller sends the parts to signed
 * URLs.
 */
import { ObjectFault } from "../objects/object.ts";
import type { ObjectReader, ShortRequest } from "../objects/reader.ts";
import { codeIn, refuseChange, type ShortResponse } from "../objects/response.ts";
import { elementsOf, rootOf, textOf, unusable } from "../objects/xml.ts";
import type { ObjectPlace, Signer } from "../storages/signer.ts";

/** Milliseconds for a request with its repetitions. */
const LIMIT_MS = 20_000;
/** Milliseconds to complete an upload: some services copy all parts for that. */
const COMPLETE_LIMIT_MS = 120_000;

/** A multipart upload that is not complete. */
export interface Multipart extends ObjectPlace {
  /** The storage's id of the upload. */
  readonly id: string;
}

/** A part that the storage has. */
export interface StoredPart {
  /** From 1. */
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  /** SHA-256 in Base64; empty if the storage does not state it. */
  readonly sha256: string;
}

/** The request that sends a part: a PUT with exactly these signed headers. */
export interface PartRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An object that exists. */
export interface StoredObject {
  readonly size: number;
  /** undefined: its bucket has no versions. */
  readonly versionId: string | undefined;
}

/** All methods throw STORAGE_UNAVAILABLE if there are no credentials, and ObjectFault. */
export class Multiparts {
  readonly #signer: Signer;
  readonly #reader: ObjectReader;

  constructor(signer: Signer, reader: ObjectReader) {
    this.#signer = signer;
    this.#reader = reader;
  }

  /** Returns the storage's id of a new upload. Its parts must have a SHA-256. */
  async begin(place: ObjectPlace): Promise<string> {
    const headers = { "x-amz-checksum-algorithm": "SHA256" };
    const response = await this.#send(place, { method: "POST", query: { uploads: "" }, headers });
    refuseChange(response, [200]);
    const id = textOf((await rootOf(response.text, "InitiateMultipartUploadResult"))["UploadId"]);
    if (id === "") throw unusable();
    return id;
  }

  /** Returns a request that can send one part with these bytes, for a while. */
  async part(
    { id, ...place }: Multipart,
    { number, size, sha256 }: Omit<StoredPart, "etag">,
  ): Promise<PartRequest> {
    const query = { partNumber: String(number), uploadId: id };
    const headers = { "x-amz-checksum-sha256": sha256, "content-length": String(size) };
    const { url } = await this.#signer.change(place, { method: "PUT", query, headers });
    return { url, headers };
  }

  /** Returns the parts that the storage has, which must be at most 1,000; undefined: there is no such upload. */
  async parts({ id, ...place }: Multipart): Promise<readonly StoredPart[] | undefined> {
    const query = { uploadId: id, "max-parts": "1000" };
    const response = await this.#send(place, { method: "GET", query });
    if (isGone(response)) return undefined;
    refuseChange(response, [200]);
    const parts = elementsOf((await rootOf(response.text, "ListPartsResult"))["Part"]).map((part) => ({
      number: numberIn(part["PartNumber"]),
      size: numberIn(part["Size"]),
      etag: textOf(part["ETag"]),
      sha256: textOf(part["ChecksumSHA256"]),
    }));
    // SeaweedFS lists a part twice if it was sent twice.
    return [...new Map(parts.map((part) => [part.number, part])).values()];
  }

  /**
   * Joins all these parts to the object. Returns undefined if there is no such upload because it was completed or
   * aborted.
   */
  async complete(
    { id, ...place }: Multipart,
    parts: readonly StoredPart[],
  ): Promise<Pick<StoredObject, "versionId"> | undefined> {
    const query = { uploadId: id };
    const sent = { method: "POST", query, body: completion(parts), limitMs: COMPLETE_LIMIT_MS } as const;
    const response = await this.#send(place, sent);
    if (isGone(response)) return undefined;
    refuseChange(response, [200]);
    // A failure after the headers were sent is in the body.
    await rootOf(response.text, "CompleteMultipartUploadResult");
    return { versionId: versionIdIn(response) };
  }

  /** Deletes the parts of an upload, if it exists. */
  async abort({ id, ...place }: Multipart): Promise<void> {
    refuseChange(await this.#send(place, { method: "DELETE", query: { uploadId: id } }), [200, 204, 404]);
  }

  /**
   * Returns the object; undefined if it does not exist. Storages may also refuse access to a missing object.
   */
  async find(place: ObjectPlace): Promise<StoredObject | undefined> {
    const response = await this.#send(place, { method: "HEAD" });
    if (response.status === 404 || response.status === 403) return undefined;
    refuseChange(response, [200]);
    return { size: numberIn(response.headers["content-length"]), versionId: versionIdIn(response) };
  }

  /** Deletes an object, if it exists. */
  async delete(place: ObjectPlace, versionId: string | undefined): Promise<void> {
    const query: Query = versionId === undefined ? {} : { versionId };
    refuseChange(await this.#send(place, { method: "DELETE", query }), [200, 204, 404]);
  }

  async #send(
    place: ObjectPlace,
    { query = {}, limitMs = LIMIT_MS, ...request }: PlacedRequest,
  ): Promise<ShortResponse> {
    const { method, headers = {} } = request;
    const access = await this.#signer.change(place, { method, headers, query });
    const signal = AbortSignal.timeout(limitMs);
    return this.#reader.send(access, request, signal).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
      throw new ObjectFault("UNAVAILABLE", `its storage did not respond within ${limitMs / 1000} s`, {
        cause,
      });
    });
  }
}

type Query = Readonly<Record<string, string>>;

interface PlacedRequest extends ShortRequest {
  readonly query?: Query;
  readonly limitMs?: number;
}

function versionIdIn({ headers }: ShortResponse): string | undefined {
  const { "x-amz-version-id": version } = headers;
  return typeof version === "string" && version !== "" && version !== "null" ? version : undefined;
}

/** Whether the bucket exists but the multipart upload does not. */
function isGone({ status, text }: ShortResponse): boolean {
  return status === 404 && codeIn(text) === "NoSuchUpload";
}

function numberIn(value: unknown): number {
  const number = Number(textOf(value) || Number.NaN);
  if (!Number.isSafeInteger(number) || number < 0) throw unusable();
  return number;
}

function completion(parts: readonly StoredPart[]): string {
  const each = parts.map(({ number, etag, sha256 }) => {
    const checksum = sha256 === "" ? "" : `<ChecksumSHA256>${escaped(sha256)}</ChecksumSHA256>`;
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escaped(etag)}</ETag>${checksum}</Part>`;
  });
  const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";
  return `<CompleteMultipartUpload xmlns="${namespace}">${each.join("")}</CompleteMultipartUpload>`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

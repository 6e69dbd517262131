/** Accesses the objects in which a controller keeps results. Each is written once, and read in parts. */
import { createHash } from "node:crypto";
import type { ByteRange } from "../../jobs/media/byte-range.ts";
import type { ResultsPlace } from "../../jobs/media/storages.ts";
import { ObjectFault } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import { refuseChange } from "../objects/response.ts";
import type { Signer } from "../storages/signer.ts";

/** Milliseconds to write the largest object over a slow link. */
const PUT_LIMIT_MS = 60_000;
/** Milliseconds to read a part, or to delete an object. */
const LIMIT_MS = 20_000;

/** All methods throw STORAGE_UNAVAILABLE if there are no credentials, and ObjectFault. */
export class ResultObjects {
  readonly #place: ResultsPlace;
  readonly #signer: Signer;
  readonly #reader: ObjectReader;

  constructor(place: ResultsPlace, signer: Signer, reader: ObjectReader) {
    this.#place = place;
    this.#signer = signer;
    this.#reader = reader;
  }

  /** Stores an object. The storage refuses bytes that differ from these. */
  async put(key: string, body: Uint8Array): Promise<void> {
    const headers = { "x-amz-checksum-sha256": createHash("sha256").update(body).digest("base64") };
    const access = await this.#signer.change(this.#at(key), { method: "PUT", headers });
    const send = (signal: AbortSignal) => this.#reader.send(access, { method: "PUT", headers, body }, signal);
    refuseChange(await within(PUT_LIMIT_MS, send), [200]);
  }

  /** Returns a range of an object of `size` bytes. */
  async get(key: string, range: ByteRange, size: number): Promise<Buffer> {
    const access = await this.#signer.change(this.#at(key), { method: "GET" });
    return within(LIMIT_MS, (signal) => this.#reader.bytes(access, range, size, signal));
  }

  /** Deletes an object, if it exists. */
  async delete(key: string): Promise<void> {
    const access = await this.#signer.change(this.#at(key), { method: "DELETE" });
    const send = (signal: AbortSignal) => this.#reader.send(access, { method: "DELETE" }, signal);
    const response = await within(LIMIT_MS, send);
    // A missing bucket proves nothing about the object, so it is an error.
    if (response.status === 404 && !response.text.includes("NoSuchBucket")) return;
    refuseChange(response, [200, 204]);
  }

  #at(key: string) {
    const { storage, bucket, prefix } = this.#place;
    return { storage, bucket, key: `${prefix}${key}` };
  }
}

async function within<T>(limitMs: number, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(limitMs);
  return send(signal).catch((cause: unknown) => {
    if (!signal.aborted) throw cause;
    throw new ObjectFault("UNAVAILABLE", `its storage did not respond within ${limitMs / 1000} s`, { cause });
  });
}

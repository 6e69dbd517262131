/** Sends a file to a bucket: several parts at a time, each to a URL that the controller signs for it. */
import { createHash } from "node:crypto";
import type { Agent } from "undici";
import { type SignedPart, type Upload, UploadService } from "../../gen/proto/svc/v1/upload_pb.ts";
import { missingParts, type PartRange, partRangeOf } from "../../jobs/media/upload-parts.ts";
import { Failure } from "../../platform/failure.ts";
import { required } from "../connection/server.ts";
import type { LocalFile } from "./local-file.ts";
import { bucketAgent, putPart } from "./put-part.ts";
import { Retries } from "./retries.ts";
import type { Sending } from "./send.ts";

/** Parts that are sent at the same time. */
const SENDERS = 4;
/** Bytes that are read at a time. */
const CHUNK_BYTES = 2 ** 20;
/** Milliseconds for the controller to complete an upload, in which some services copy all parts. */
const COMPLETE_TIMEOUT_MS = 150_000;

const { getUpload, signUploadParts, completeUpload } = UploadService.method;

/**
 * Sends the parts and returns the complete upload. Throws MEDIA_CHANGED, STORAGE_UNAVAILABLE, and the controller's
 * refusals.
 */
export async function sendParts(file: LocalFile, begun: Upload, sending: Sending): Promise<Upload> {
  const { connection, signal } = sending;
  const { id } = begun;
  const agent = await bucketAgent(SENDERS);
  const retries = new Retries(signal);
  let upload = begun;
  try {
    while (upload.path === "") {
      const parts = new PartSender(file, upload, { ...sending, agent });
      await parts.sendAll();
      upload = await retries.until(async () => {
        try {
          const options = { signal, timeoutMs: COMPLETE_TIMEOUT_MS };
          const completed = await connection.call(completeUpload, { id }, options);
          return required(completed.upload, "the upload");
        } catch (thrown) {
          // The bucket lost a part; the next round sends it again.
          if (Failure.from(thrown).code !== "UPLOAD_INCOMPLETE") throw thrown;
          return required((await connection.call(getUpload, { id }, { signal })).upload, "the upload");
        }
      });
    }
  } finally {
    await agent.destroy();
  }
  sending.onProgress(upload.size, upload.size);
  return upload;
}

interface PartSending extends Sending {
  readonly agent: Agent;
}

/** Sends the missing parts of an upload once. */
class PartSender {
  readonly #file: LocalFile;
  readonly #upload: Upload;
  readonly #sending: PartSending;
  readonly #stop = new AbortController();
  /** Bytes of parts that are stored or on their way, by number. */
  readonly #bytes = new Map<number, number>();

  constructor(file: LocalFile, upload: Upload, sending: PartSending) {
    this.#file = file;
    this.#upload = upload;
    this.#sending = { ...sending, signal: AbortSignal.any([sending.signal, this.#stop.signal]) };
    for (const number of upload.storedParts) this.#bytes.set(number, partRangeOf(upload, number).length);
  }

  /** Waits for all senders, also after a failure: they read the file. */
  async sendAll(): Promise<void> {
    const left = missingParts(this.#upload, this.#upload.storedParts).values();
    this.#show();
    const failures: unknown[] = [];
    const sender = async () => {
      try {
        for (const number of left) await this.#send(number);
      } catch (thrown) {
        failures.push(thrown);
        this.#stop.abort();
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    if (failures.length > 0) throw failures[0];
  }

  async #send(number: number): Promise<void> {
    const { signal } = this.#sending;
    const range = partRangeOf(this.#upload, number);
    const sha256 = await this.#digest(range);
    const retries = new Retries(signal);
    for (;;) {
      // A new URL for each attempt: the last one may have expired. The part may also be there already.
      const part = await new Retries(signal).until(() => this.#sign(number, sha256));
      if (part === undefined || (await this.#isPut(part, range, retries))) break;
    }
    this.#count(number, range.length);
  }

  /** Returns undefined if the part is already stored. */
  async #sign(number: number, sha256: Buffer): Promise<SignedPart | undefined> {
    const { connection, signal } = this.#sending;
    const request = { id: this.#upload.id, parts: [{ number, sha256 }] };
    const { upload, parts } = await connection.call(signUploadParts, request, { signal });
    const { path, storedParts } = required(upload, "the upload");
    return path !== "" || storedParts.includes(number) ? undefined : required(parts[0], "the URL of a part");
  }

  /** Returns whether the bucket has taken the part; throws if there should be no further attempt. */
  async #isPut(part: SignedPart, range: PartRange, retries: Retries): Promise<boolean> {
    const { number } = part;
    const { agent, signal } = this.#sending;
    let sent = 0;
    const onSent = (bytes: number) => {
      sent += bytes;
      this.#count(number, sent);
    };
    try {
      await putPart(part, this.#bytesOf(range, onSent), { path: this.#file.path, agent, signal });
      return true;
    } catch (thrown) {
      this.#count(number, 0);
      await retries.next(thrown);
      return false;
    }
  }

  async #digest(range: PartRange): Promise<Buffer> {
    const hash = createHash("sha256");
    for await (const chunk of this.#bytesOf(range, () => {})) hash.update(chunk);
    return hash.digest();
  }

  async *#bytesOf(
    { offset, length }: PartRange,
    onRead: (bytes: number) => void,
  ): AsyncGenerator<Buffer, void, undefined> {
    for (let at = 0; at < length; ) {
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, length - at));
      const chunk = await this.#file.read(buffer, offset + at);
      at += chunk.length;
      yield chunk;
      onRead(chunk.length);
    }
  }

  #count(number: number, bytes: number): void {
    this.#bytes.set(number, bytes);
    this.#show();
  }

  #show(): void {
    const bytes = [...this.#bytes.values()].reduce((sum, one) => sum + one, 0);
    this.#sending.onProgress(bytes, this.#upload.size);
  }
}

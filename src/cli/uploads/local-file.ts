/** A file on this machine that is uploaded. */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import { quoteName } from "../terminal/escape.ts";

/** Throws MEDIA_NOT_FOUND, MEDIA_NOT_READABLE, MEDIA_NOT_A_FILE, MEDIA_NO_FRAMES from `open`, and MEDIA_CHANGED. */
export class LocalFile implements AsyncDisposable {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #stat: BigIntStats;

  private constructor(path: string, handle: FileHandle, stat: BigIntStats) {
    this.path = path;
    this.#handle = handle;
    this.#stat = stat;
  }

  static async open(path: string): Promise<LocalFile> {
    const handle = await open(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    try {
      return new LocalFile(path, handle, await statOf(path, handle));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** In bytes. */
  get size(): number {
    return Number(this.#stat.size);
  }

  /** Identifies the file on this machine as long as it does not change. */
  async fingerprint(): Promise<string> {
    const { dev, ino, size, mtimeNs } = this.#stat;
    const facts = [hostname(), await realpath(this.path), dev, ino, size, mtimeNs];
    return createHash("sha256").update(facts.join("\0")).digest("base64url");
  }

  /** Fills the buffer from an offset on, up to the end of the file. Returns what was read, at least one byte. */
  async read(buffer: Buffer, offset: number): Promise<Buffer> {
    const length = Math.min(buffer.length, this.size - offset);
    const { bytesRead } = await this.#handle.read(buffer, 0, length, offset).catch((error: unknown) => {
      throw unreadable(this.path, error);
    });
    if (bytesRead > 0) return buffer.subarray(0, bytesRead);
    throw new Failure(
      "MEDIA_CHANGED",
      `The file ${quoteName(this.path)} became shorter while it was uploaded. Try again.`,
    );
  }

  /** Whether the file was changed since it was opened. */
  async isChanged(): Promise<boolean> {
    const { size, mtimeNs } = await statOf(this.path, this.#handle);
    return size !== this.#stat.size || mtimeNs !== this.#stat.mtimeNs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

async function statOf(path: string, file: FileHandle): Promise<BigIntStats> {
  const stat = await file.stat({ bigint: true });
  if (!stat.isFile())
    throw new Failure(
      "MEDIA_NOT_A_FILE",
      `${quoteName(path)} is not a file. Upload the files in it one by one.`,
    );
  if (stat.size === 0n) throw new Failure("MEDIA_NO_FRAMES", `The file ${quoteName(path)} is empty.`);
  return stat;
}

function unreadable(path: string, error: unknown): Failure {
  const [code, reason] =
    errorCode(error) === "ENOENT"
      ? (["MEDIA_NOT_FOUND", "it does not exist"] as const)
      : (["MEDIA_NOT_READABLE", systemReason(error)] as const);
  return new Failure(code, `The file ${quoteName(path)} cannot be uploaded: ${reason}.`, { cause: error });
}

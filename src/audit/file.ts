/** The audit log file. Lines are appended; the file is reopened when it was moved, removed or replaced. */
import { constants } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { messageOf } from "../platform/errors.ts";
import type { Log } from "../platform/observability/log.ts";
import type { LineSink } from "./lines.ts";

const { O_RDWR, O_APPEND, O_CREAT, O_NONBLOCK, O_NOCTTY } = constants;
/** Opening a pipe must not block; anything but a regular file is refused right after. */
const FLAGS = O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY;
/** Only the owner can read the file. */
const MODE = 0o600;
/** Milliseconds between checks that the open file is still the one at the path. */
const LOOK_EVERY_MS = 1_000;
const NEWLINE = 10;

/** The file cannot be used at startup; the message has its path and the reason. */
export class AuditFileError extends Error {
  override readonly name = "AuditFileError";
}

export class AuditFile implements LineSink {
  readonly name: string;
  readonly #log: Log;
  #handle: FileHandle;
  #looked = performance.now();
  #stuck = false;

  private constructor(path: string, handle: FileHandle, log: Log) {
    this.name = path;
    this.#handle = handle;
    this.#log = log;
  }

  /** Throws AuditFileError. */
  static async open(path: string, log: Log): Promise<AuditFile> {
    try {
      return new AuditFile(path, await openFile(path), log);
    } catch (cause) {
      const why = messageOf(cause);
      throw new AuditFileError(`${path} cannot be written: ${why}`, { cause });
    }
  }

  async write(bytes: Buffer, offset: number): Promise<number> {
    const reopened = await this.#follow();
    // A line that was only partly written to the old file is repeated in full.
    const from = reopened && offset > 0 ? bytes.lastIndexOf(NEWLINE, offset - 1) + 1 : offset;
    const { bytesWritten } = await this.#handle.write(bytes, from);
    if (bytesWritten === 0) throw new Error("no bytes were written");
    return from + bytesWritten;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** Reopens the file if it changed; returns whether it did. If reopening fails, lines go to the old file. */
  async #follow(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#looked < LOOK_EVERY_MS) return false;
    this.#looked = now;
    try {
      if (await this.#isCurrent()) return false;
      const before = this.#handle;
      this.#handle = await openFile(this.name);
      await this.#leave(before);
      this.#log.info({ path: this.name }, "audit log file was moved or removed; reopened");
      this.#stuck = false;
      return true;
    } catch (err) {
      if (!this.#stuck) {
        this.#log.error(
          { err, path: this.name },
          "failed to reopen the audit log file; still writing to the old one",
        );
      }
      this.#stuck = true;
      return false;
    }
  }

  /** An error on closing the old file does not affect the new one. */
  async #leave(handle: FileHandle): Promise<void> {
    try {
      await handle.close();
    } catch (err) {
      this.#log.warn({ err, path: this.name }, "failed to close the old audit log file");
    }
  }

  async #isCurrent(): Promise<boolean> {
    const own = await this.#handle.stat();
    const current = await stat(this.name).catch(() => undefined);
    return current?.dev === own.dev && current.ino === own.ino;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, FLAGS, MODE);
  try {
    const { size } = await checked(handle);
    if (size > 0 && (await lastByte(handle, size)) !== NEWLINE) await handle.write("\n");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function checked(handle: FileHandle) {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new Error("it is not a regular file; use - for standard output");
  return stats;
}

/** If this is not a newline, a process was killed while writing; its partial line must not absorb the next one. */
async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0];
}

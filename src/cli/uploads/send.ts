/** Sends a file to the controller. What is there already, from this or an earlier run, is not sent again. */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { hostname } from "node:os";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "../../client/connection/connection.ts";
import { type Upload, UploadService } from "../../gen/proto/svc/v1/upload_pb.ts";
import { MAX_UPLOAD_PART } from "../../jobs/request-limits.ts";
import { BackOff } from "../../platform/concurrency/back-off.ts";
import { errorCode } from "../../platform/errors.ts";
import { Failure } from "../../platform/failure.ts";
import { systemReason } from "../../platform/system-reason.ts";
import { answered } from "../connection/server.ts";
import { quoteName } from "../terminal/escape.ts";

/** Milliseconds without a stored byte after which it fails. A controller that restarts is back earlier. */
const STALL_LIMIT_MS = 120_000;

const { createUpload, appendUpload, getUpload, listUploads, deleteUpload } = UploadService.method;

export interface Sending {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  /** Called with the stored bytes of the file, and all of them. */
  readonly onProgress: (bytes: number, size: number) => void;
}

/**
 * Sends a file, and returns the complete upload. Continues an upload of the same unchanged file from this machine.
 * Throws MEDIA_NOT_FOUND, MEDIA_NOT_A_FILE, MEDIA_NOT_READABLE, MEDIA_CHANGED if the file is changed meanwhile, and what
 * the controller refuses with.
 */
export async function sendFile(path: string, sending: Sending): Promise<Upload> {
  const file = await opened(path);
  try {
    const before = await statOf(path, file);
    const begun = await begin(path, before, sending);
    const sent = await sendRest(path, file, begun, sending);
    if (isSame(before, await statOf(path, file))) return sent;
    const { connection, signal } = sending;
    await connection.call(deleteUpload, { id: sent.id }, { signal });
    throw new Failure(
      "MEDIA_CHANGED",
      `The file ${quoteName(path)} was changed while it was uploaded. Try again.`,
    );
  } finally {
    await file.close();
  }
}

/** Throws as sendFile does if a file cannot be sent. */
export async function checkReadable(path: string): Promise<void> {
  const file = await opened(path);
  try {
    await statOf(path, file);
  } finally {
    await file.close();
  }
}

function opened(path: string): Promise<FileHandle> {
  return open(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
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

async function begin(path: string, stat: BigIntStats, { connection, signal }: Sending): Promise<Upload> {
  const fingerprint = await fingerprintOf(path, stat);
  const [name, size] = [basename(path), Number(stat.size)];
  const { uploads } = await connection.call(listUploads, {}, { signal });
  const known = uploads.find((upload) => upload.fingerprint === fingerprint && upload.name === name);
  if (known !== undefined) return known;
  return answered(
    (await connection.call(createUpload, { name, size, fingerprint }, { signal })).upload,
    "the upload",
  );
}

/** Identifies a file of this machine as long as it is not changed. */
async function fingerprintOf(path: string, { dev, ino, size, mtimeNs }: BigIntStats): Promise<string> {
  const facts = [hostname(), await realpath(path), dev, ino, size, mtimeNs];
  return createHash("sha256").update(facts.join("\0")).digest("base64url");
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs;
}

async function sendRest(path: string, file: FileHandle, begun: Upload, sending: Sending): Promise<Upload> {
  const { connection, signal, onProgress } = sending;
  const backOff = new BackOff(500, 10_000);
  let upload = begun;
  let giveUpAt = performance.now() + STALL_LIMIT_MS;
  const buffer = Buffer.allocUnsafe(MAX_UPLOAD_PART);
  while (upload.offset < upload.size) {
    onProgress(upload.offset, upload.size);
    const { id, offset } = upload;
    const data = await readAt(path, file, buffer, upload);
    try {
      upload = answered(
        (await connection.call(appendUpload, { id, offset, data }, { signal })).upload,
        "the upload",
      );
      giveUpAt = performance.now() + STALL_LIMIT_MS;
      backOff.reset();
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (signal.aborted || !mayPass(failure) || performance.now() > giveUpAt) throw failure;
      if (failure.code !== "UPLOAD_OFFSET")
        await pause(failure.retryAfterMs ?? backOff.next(), undefined, { signal }).catch(() => {});
      upload = (await offsetOf(connection, id, signal)) ?? upload;
    }
  }
  onProgress(upload.size, upload.size);
  return upload;
}

/** Whether a later try may succeed: the connection broke, the controller restarts, or another process sends the file too. */
function mayPass({ kind, code }: Failure): boolean {
  return kind === "unavailable" || kind === "deadline" || code === "UPLOAD_OFFSET";
}

/** Returns the upload as it is; undefined: the controller does not answer. Throws UPLOAD_NOT_FOUND. */
async function offsetOf(
  connection: Connection,
  id: string,
  signal: AbortSignal,
): Promise<Upload | undefined> {
  try {
    return (await connection.call(getUpload, { id }, { signal })).upload;
  } catch (thrown) {
    const failure = Failure.from(thrown);
    if (signal.aborted || !mayPass(failure)) throw failure;
    return undefined;
  }
}

async function readAt(
  path: string,
  file: FileHandle,
  buffer: Buffer,
  { offset, size }: Upload,
): Promise<Buffer> {
  const length = Math.min(buffer.length, size - offset);
  const { bytesRead } = await file.read(buffer, 0, length, offset).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (bytesRead > 0) return buffer.subarray(0, bytesRead);
  throw new Failure(
    "MEDIA_CHANGED",
    `The file ${quoteName(path)} became shorter while it was uploaded. Try again.`,
  );
}

function unreadable(path: string, error: unknown): Failure {
  const [code, reason] =
    errorCode(error) === "ENOENT"
      ? (["MEDIA_NOT_FOUND", "it does not exist"] as const)
      : (["MEDIA_NOT_READABLE", systemReason(error)] as const);
  return new Failure(code, `The file ${quoteName(path)} cannot be uploaded: ${reason}.`, { cause: error });
}

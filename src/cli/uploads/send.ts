/**
 * Sends a file to the controller or to a bucket. Bytes that are already stored, from this or an earlier run, are not
 * sent again.
 */
import { basename } from "node:path";
import type { Connection } from "../../client/connection/connection.ts";
import { type Upload, UploadService } from "../../gen/proto/svc/v1/upload_pb.ts";
import { MAX_UPLOAD_PART } from "../../jobs/request-limits.ts";
import { Failure } from "../../platform/failure.ts";
import { required } from "../connection/server.ts";
import { quoteName } from "../terminal/escape.ts";
import { LocalFile } from "./local-file.ts";
import { Retries } from "./retries.ts";
import { sendParts } from "./send-parts.ts";

const { createUpload, appendUpload, getUpload, listUploads, deleteUpload } = UploadService.method;

export interface Sending {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  /** Called with the stored bytes of the file, and all of them. */
  readonly onProgress: (bytes: number, size: number) => void;
}

/**
 * Sends a file, and returns the complete upload. Continues an upload of the same unchanged file from this machine.
 * Throws MEDIA_NOT_FOUND, MEDIA_NOT_A_FILE, MEDIA_NOT_READABLE, MEDIA_CHANGED if the file is changed meanwhile,
 * STORAGE_UNAVAILABLE if a bucket does not take it, and the controller's refusals.
 */
export async function sendFile(path: string, sending: Sending): Promise<Upload> {
  await using file = await LocalFile.open(path);
  const begun = await begin(file, sending);
  const sent = await (begun.partSize > 0 ? sendParts(file, begun, sending) : sendRest(file, begun, sending));
  if (!(await file.isChanged())) return sent;
  const { connection, signal } = sending;
  await connection.call(deleteUpload, { id: sent.id }, { signal });
  throw new Failure(
    "MEDIA_CHANGED",
    `The file ${quoteName(path)} was changed while it was uploaded. Try again.`,
  );
}

async function begin(file: LocalFile, { connection, signal }: Sending): Promise<Upload> {
  const fingerprint = await file.fingerprint();
  const [name, size] = [basename(file.path), file.size];
  const { uploads } = await connection.call(listUploads, {}, { signal });
  const known = uploads.find((upload) => upload.fingerprint === fingerprint && upload.name === name);
  const present = known && (await lookAt(connection, known.id, signal));
  if (present !== undefined) return present;
  const request = { name, size, fingerprint, parts: true };
  return required((await connection.call(createUpload, request, { signal })).upload, "the upload");
}

/** Returns undefined if the upload has expired, or if its bucket has lost all of its parts. */
async function lookAt(connection: Connection, id: string, signal: AbortSignal): Promise<Upload | undefined> {
  try {
    return (await connection.call(getUpload, { id }, { signal })).upload;
  } catch (thrown) {
    if (Failure.from(thrown).code !== "UPLOAD_NOT_FOUND") throw thrown;
    return undefined;
  }
}

async function sendRest(file: LocalFile, begun: Upload, sending: Sending): Promise<Upload> {
  const { connection, signal, onProgress } = sending;
  const { id } = begun;
  const retries = new Retries(signal);
  const buffer = Buffer.allocUnsafe(MAX_UPLOAD_PART);
  let upload = begun;
  while (upload.offset < upload.size) {
    onProgress(upload.offset, upload.size);
    const { offset } = upload;
    const data = await file.read(buffer, offset);
    try {
      const response = await connection.call(appendUpload, { id, offset, data }, { signal });
      upload = required(response.upload, "the upload");
      retries.progressed();
    } catch (thrown) {
      await retries.next(thrown);
      const look = async () => (await connection.call(getUpload, { id }, { signal })).upload;
      upload = required(await retries.until(look), "the upload");
    }
  }
  onProgress(upload.size, upload.size);
  return upload;
}

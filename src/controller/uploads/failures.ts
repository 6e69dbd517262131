/** What uploads fail with. */
import { sizeText } from "../../jobs/quantities.ts";
import { Failure } from "../../platform/failure.ts";
import type { Upload } from "./folder.ts";

export function uploadsOff(): Failure {
  return new Failure(
    "UPLOADS_DISABLED",
    "This controller takes no uploads. Ask its operator to start it with --uploads, or name videos in storages or media roots.",
  );
}

export function uploadNotFound(id: string): Failure {
  return new Failure(
    "UPLOAD_NOT_FOUND",
    `There is no upload ${JSON.stringify(id.slice(0, 80))}. It was deleted, or its time is over. Begin a new one.`,
  );
}

export function wrongOffset({ id, offset, size }: Upload): Failure {
  return new Failure(
    "UPLOAD_OFFSET",
    `Upload ${id} has ${offset} of ${size} bytes, and the bytes sent do not continue it. Send those from ${offset} on.`,
    { found: { offset, size } },
  );
}

export function diskFull(): Failure {
  return new Failure(
    "DISK_FULL",
    "The disk of the controller has no room for the file. Try again later, or ask its operator for more space.",
  );
}

export function tooMany(count: number, limit: number): Failure {
  return new Failure(
    "TENANT_UPLOADS_FULL",
    `Your tenant has ${count} uploads; the limit is ${limit}. Delete some with svc uploads delete.`,
    { found: { uploads: count, limit } },
  );
}

export function tooLarge(size: number, used: number, limit: number): Failure {
  return new Failure(
    "TENANT_UPLOADS_FULL",
    `The file has ${sizeText(size)}, and your tenant's uploads have ${sizeText(used)} of at most ${sizeText(limit)}. Delete some with svc uploads delete.`,
    { found: { bytes: size, used, limit } },
  );
}

export function inUse(id: string): Failure {
  return new Failure(
    "UPLOAD_IN_USE",
    `A job that has not ended names upload ${id}. Cancel the job, or wait until it ends.`,
  );
}

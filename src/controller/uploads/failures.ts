/** The failures of uploads. */
import { MAX_PARTED_SIZE } from "../../jobs/media/upload-parts.ts";
import { sizeText } from "../../jobs/quantities.ts";
import { Failure } from "../../platform/failure.ts";
import type { Upload } from "./upload.ts";

export function uploadsOff(): Failure {
  return new Failure(
    "UPLOADS_DISABLED",
    "This controller accepts no uploads from your tenant. Ask its operator for --uploads or for a storage with uploads, or name videos in storages or media roots.",
  );
}

export function onlyParts(): Failure {
  return new Failure(
    "UPLOADS_DISABLED",
    "Your tenant's uploads go to its bucket, and this client cannot send them there. Use a current svc uploads add, or name objects in the bucket.",
  );
}

export function uploadNotFound(id: string): Failure {
  return new Failure(
    "UPLOAD_NOT_FOUND",
    `There is no upload ${JSON.stringify(id.slice(0, 80))}. It was deleted or has expired. Begin a new one.`,
  );
}

export function wrongOffset({ id, offset, size }: Upload): Failure {
  return new Failure(
    "UPLOAD_OFFSET",
    `Upload ${id} has ${offset} of ${size} bytes, and the bytes sent do not continue it. Send those from ${offset} on.`,
    { found: { offset, size } },
  );
}

/** The failure for bytes that are sent to an upload to a bucket. */
export function inBucket(id: string): Failure {
  return new Failure(
    "UPLOAD_KIND",
    `Upload ${id} goes to a bucket. Ask for the URLs of its parts, and send them there.`,
  );
}

/** The failure for parts that are sent to an upload to the directory. */
export function inDirectory(id: string): Failure {
  return new Failure("UPLOAD_KIND", `Upload ${id} goes to the controller. Send its bytes there.`);
}

/** Limit of missing parts that an error lists. */
const MOST_MISSING = 100;

export function incomplete({ id }: Upload, missing: readonly number[]): Failure {
  return new Failure(
    "UPLOAD_INCOMPLETE",
    `Upload ${id} lacks ${missing.length === 1 ? "a part" : `${missing.length} parts`}, or they have another size. Send them, and complete it again.`,
    { found: { missing: missing.slice(0, MOST_MISSING) } },
  );
}

export function tooLargeForParts(size: number): Failure {
  return new Failure(
    "TENANT_UPLOADS_FULL",
    `The file has a size of ${sizeText(size)}; an upload to a bucket can have at most ${sizeText(MAX_PARTED_SIZE)}. Name an object in the bucket instead.`,
    { found: { bytes: size, limit: MAX_PARTED_SIZE } },
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
    `The file has a size of ${sizeText(size)}, but your tenant's uploads use ${sizeText(used)} of ${sizeText(limit)}. Delete some with svc uploads delete.`,
    { found: { bytes: size, used, limit } },
  );
}

export function inUse(id: string): Failure {
  return new Failure(
    "UPLOAD_IN_USE",
    `A job that has not ended names upload ${id}. Cancel the job, or wait until it ends.`,
  );
}

/** The operations on uploads that the transports call. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AppendUploadResponseSchema,
  CompleteUploadResponseSchema,
  type CreateUploadRequest,
  CreateUploadResponseSchema,
  DeleteUploadResponseSchema,
  GetUploadResponseSchema,
  ListUploadsResponseSchema,
  SignUploadPartsResponseSchema,
  type UploadPart,
  type UploadSchema,
} from "../../gen/proto/svc/v1/upload_pb.ts";
import { MAX_SIGNED_PARTS } from "../../jobs/media/upload-parts.ts";
import { MAX_UPLOAD_FINGERPRINT, MAX_UPLOAD_NAME, MAX_UPLOAD_PART } from "../../jobs/request-limits.ts";
import { SIGNED_SECONDS } from "../../media/storages/signer.ts";
import { invalid } from "../../platform/failure.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import type { UploadOperations } from "../api/operations.ts";
import { inUse, uploadsOff } from "./failures.ts";
import { ID_IN_PATH } from "./places.ts";
import type { NewUpload, Upload } from "./upload.ts";
import type { Uploads } from "./uploads.ts";

/** @param uploads undefined: this controller takes none. */
export function uploadOperations(
  uploads: Uploads | undefined,
  store: Pick<JobStore, "idsInSpecs">,
): UploadOperations {
  const open = (tenant: string): Uploads => {
    if (!uploads?.takes(tenant)) throw uploadsOff();
    return uploads;
  };
  return {
    async createUpload(request, { principal: { tenant } }) {
      const opened = open(tenant);
      const upload = await opened.create(tenant, checked(request), request.parts);
      return create(CreateUploadResponseSchema, { upload: messageOf(tenant, upload, opened) });
    },
    async appendUpload({ id, offset, data }, { principal: { tenant }, entry }) {
      const opened = open(tenant);
      if (data.length > MAX_UPLOAD_PART)
        throw invalid(`data has ${data.length} bytes. Send at most ${MAX_UPLOAD_PART} at a time.`);
      const upload = await opened.append(tenant, id, offset, data);
      // Only the last part makes an upload a file that jobs can name.
      if (upload.path === undefined) entry?.changedNothing();
      return create(AppendUploadResponseSchema, { upload: messageOf(tenant, upload, opened) });
    },
    async signUploadParts({ id, parts: asked }, { principal: { tenant }, entry }) {
      const opened = open(tenant);
      checkAsked(asked);
      const { upload, parts } = await opened.sign(tenant, id, asked);
      entry?.changedNothing();
      const signed = parts.map(({ number, url, headers }) => ({ number, url, headers: { ...headers } }));
      const validSeconds = SIGNED_SECONDS;
      const shown = messageOf(tenant, upload, opened);
      return create(SignUploadPartsResponseSchema, { upload: shown, parts: signed, validSeconds });
    },
    async completeUpload({ id }, { principal: { tenant } }) {
      const opened = open(tenant);
      const upload = await opened.complete(tenant, id);
      return create(CompleteUploadResponseSchema, { upload: messageOf(tenant, upload, opened) });
    },
    async getUpload({ id }, { principal: { tenant } }) {
      const opened = open(tenant);
      const upload = await opened.get(tenant, id);
      return create(GetUploadResponseSchema, { upload: messageOf(tenant, upload, opened) });
    },
    async listUploads(_, { principal: { tenant } }) {
      const opened = open(tenant);
      const all = await opened.list(tenant);
      return create(ListUploadsResponseSchema, {
        uploads: all.map((upload) => messageOf(tenant, upload, opened)),
      });
    },
    async deleteUpload({ id }, { principal: { tenant } }) {
      const opened = open(tenant);
      const jobs = await store.idsInSpecs(tenant, ID_IN_PATH);
      if (jobs.get(id) === true) throw inUse(id);
      await opened.delete(tenant, id);
      return create(DeleteUploadResponseSchema, {});
    },
  };
}

/** Throws INVALID_REQUEST. */
function checked({ name, size, fingerprint }: CreateUploadRequest): NewUpload {
  if (!isFileName(name))
    throw invalid(
      `name must be the name of a file: 1 to ${MAX_UPLOAD_NAME} bytes without slashes and control characters.`,
    );
  if (size === 0) throw invalid(`The file ${JSON.stringify(name)} is empty. Choose a video.`);
  if (!Number.isSafeInteger(size) || size < 1)
    throw invalid(`size is ${size}. Give the size of the file in bytes, 1 or more.`);
  if (fingerprint.length > MAX_UPLOAD_FINGERPRINT)
    throw invalid(`fingerprint has ${fingerprint.length} characters. Use at most ${MAX_UPLOAD_FINGERPRINT}.`);
  return { name, size, fingerprint };
}

const SHA256_BYTES = 32;

/** Throws INVALID_REQUEST. */
function checkAsked(parts: readonly UploadPart[]): void {
  if (parts.length === 0 || parts.length > MAX_SIGNED_PARTS)
    throw invalid(`parts has ${parts.length} parts. Ask for 1 to ${MAX_SIGNED_PARTS} at a time.`);
  const odd = parts.find(({ sha256 }) => sha256.length !== SHA256_BYTES);
  if (odd !== undefined)
    throw invalid(
      `The sha256 of part ${odd.number} has ${odd.sha256.length} bytes. Give the ${SHA256_BYTES} bytes of the digest.`,
    );
}

function isFileName(name: string): boolean {
  const bytes = Buffer.byteLength(name);
  const isPlain = name.isWellFormed() && !/[/\p{Cc}]/u.test(name) && name !== "." && name !== "..";
  return isPlain && bytes >= 1 && bytes <= MAX_UPLOAD_NAME;
}

function messageOf(tenant: string, upload: Upload, uploads: Uploads): MessageInitShape<typeof UploadSchema> {
  const { id, name, size, offset, path = "", fingerprint, createdMs, parts } = upload;
  return {
    ...{ id, name, size, offset, path, fingerprint },
    createTime: timestampFromMs(createdMs),
    expireTime: timestampFromMs(Math.round(uploads.expiryMs(tenant, upload))),
    ...(parts && { partSize: parts.size, storedParts: [...parts.stored] }),
  };
}

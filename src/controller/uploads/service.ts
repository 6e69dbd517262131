/** The operations on uploads that the transports call. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AppendUploadResponseSchema,
  type CreateUploadRequest,
  CreateUploadResponseSchema,
  DeleteUploadResponseSchema,
  GetUploadResponseSchema,
  ListUploadsResponseSchema,
  type UploadSchema,
} from "../../gen/proto/svc/v1/upload_pb.ts";
import { MAX_UPLOAD_FINGERPRINT, MAX_UPLOAD_NAME, MAX_UPLOAD_PART } from "../../jobs/request-limits.ts";
import { invalid } from "../../platform/failure.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import type { UploadOperations } from "../api/operations.ts";
import { inUse, uploadsOff } from "./failures.ts";
import type { NewUpload, Upload } from "./folder.ts";
import { ID_IN_PATH } from "./places.ts";
import type { Uploads } from "./uploads.ts";

/** @param uploads undefined: this controller takes none. */
export function uploadOperations(
  uploads: Uploads | undefined,
  store: Pick<JobStore, "idsInSpecs">,
): UploadOperations {
  const open = (): Uploads => {
    if (uploads === undefined) throw uploadsOff();
    return uploads;
  };
  const message = (upload: Upload) => uploadMessage(upload, open());
  return {
    async createUpload(request, { principal: { tenant } }) {
      const upload = await open().create(tenant, checked(request));
      return create(CreateUploadResponseSchema, { upload: message(upload) });
    },
    async appendUpload({ id, offset, data }, { principal: { tenant }, entry }) {
      if (data.length > MAX_UPLOAD_PART)
        throw invalid(`data has ${data.length} bytes. Send at most ${MAX_UPLOAD_PART} at a time.`);
      const upload = await open().append(tenant, id, offset, data);
      // Only its last part makes an upload into something that a job can name.
      if (upload.path === undefined) entry?.changedNothing();
      return create(AppendUploadResponseSchema, { upload: message(upload) });
    },
    async getUpload({ id }, { principal: { tenant } }) {
      return create(GetUploadResponseSchema, { upload: message(await open().get(tenant, id)) });
    },
    async listUploads(_, { principal: { tenant } }) {
      return create(ListUploadsResponseSchema, { uploads: (await open().list(tenant)).map(message) });
    },
    async deleteUpload({ id }, { principal: { tenant } }) {
      const opened = open();
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

function isFileName(name: string): boolean {
  const bytes = Buffer.byteLength(name);
  const isPlain = name.isWellFormed() && !/[/\p{Cc}]/u.test(name) && name !== "." && name !== "..";
  return isPlain && bytes >= 1 && bytes <= MAX_UPLOAD_NAME;
}

function uploadMessage(upload: Upload, uploads: Uploads): MessageInitShape<typeof UploadSchema> {
  const { id, name, size, offset, path = "", fingerprint, createdMs } = upload;
  return {
    ...{ id, name, size, offset, path, fingerprint },
    createTime: timestampFromMs(createdMs),
    expireTime: timestampFromMs(Math.round(uploads.expiryMs(upload))),
  };
}

/** Uploads over REST: the core of tus 1.0 (https://tus.io/protocols/resumable-upload) and its extensions creation, expiration and termination. */
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { UploadOperations } from "../../controller/api/operations.ts";
import {
  AppendUploadRequestSchema,
  CreateUploadRequestSchema,
  DeleteUploadRequestSchema,
  GetUploadRequestSchema,
  ListUploadsRequestSchema,
  type Upload,
} from "../../gen/proto/svc/v1/upload_pb.ts";
import type { operations } from "../../gen/rest/controller.ts";
import { MAX_UPLOAD_PART } from "../../jobs/request-limits.ts";
import { uploadJson } from "../../messages/json.ts";
import { invalid } from "../../platform/failure.ts";
import type { Call } from "../contract/handlers.ts";
import { required } from "../contract/required.ts";
import { contextOf } from "../http/context.ts";
import { HttpFault } from "../http/problem.ts";

const VERSION = "1.0.0";
/** Keys of Upload-Metadata that are read. */
const METADATA = ["filename", "fingerprint"];

export async function listUploads(
  service: UploadOperations,
  call: Call<operations["listUploads"]>,
): Promise<FastifyReply> {
  const { uploads } = await service.listUploads(create(ListUploadsRequestSchema), contextOf(call));
  return call.reply.send({ uploads: uploads.map(uploadJson) });
}

export async function createUpload(
  service: UploadOperations,
  call: Call<operations["createUpload"]>,
): Promise<FastifyReply> {
  checkVersion(call.request);
  const { filename: name = "", fingerprint = "" } = metadataIn(call.request);
  const request = create(CreateUploadRequestSchema, {
    ...{ name, fingerprint },
    size: bytesIn(call.request, "upload-length"),
    parts: call.query.parts ?? false,
  });
  const upload = required((await service.createUpload(request, contextOf(call))).upload, "upload");
  call.reply.code(201).header("location", `/v1/uploads/${upload.id}`);
  return withHeaders(call.reply, upload).send(uploadJson(upload));
}

export async function getUpload(
  service: UploadOperations,
  call: Call<operations["getUpload"]>,
): Promise<FastifyReply> {
  const request = create(GetUploadRequestSchema, { id: call.params.id });
  const upload = required((await service.getUpload(request, contextOf(call))).upload, "upload");
  return withHeaders(call.reply, upload).header("upload-length", upload.size).send(uploadJson(upload));
}

/** Appends the body to an upload. Bytes that arrived are stored even if the rest does not arrive. */
export async function appendUpload(
  service: UploadOperations,
  call: Call<operations["appendUpload"]>,
): Promise<FastifyReply> {
  checkVersion(call.request);
  const { id } = call.params;
  const context = contextOf(call);
  let upload: Upload | undefined;
  let offset = bytesIn(call.request, "upload-offset");
  for await (const data of partsOf(call.body as Readable)) {
    const request = create(AppendUploadRequestSchema, { id, offset, data });
    upload = required((await service.appendUpload(request, context)).upload, "upload");
    ({ offset } = upload);
  }
  return withHeaders(call.reply, required(upload, "upload")).code(204).send();
}

export async function deleteUpload(
  service: UploadOperations,
  call: Call<operations["deleteUpload"]>,
): Promise<FastifyReply> {
  checkVersion(call.request);
  await service.deleteUpload(create(DeleteUploadRequestSchema, { id: call.params.id }), contextOf(call));
  return call.reply.header("tus-resumable", VERSION).code(204).send();
}

/**
 * Groups the chunks of a body, so that each write is large enough to be worth its sync. The last group may be empty: at
 * least one is checked.
 */
async function* partsOf(body: Readable): AsyncGenerator<Uint8Array> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes < MAX_UPLOAD_PART / 2) continue;
      yield Buffer.concat(chunks);
      [chunks, bytes] = [[], 0];
    }
  } catch {
    // The client disconnected, or is too slow. It asks for the offset before it continues.
  }
  yield Buffer.concat(chunks);
}

function withHeaders(reply: FastifyReply, { offset, expireTime }: Upload): FastifyReply {
  return reply.headers({
    "tus-resumable": VERSION,
    "upload-offset": offset,
    ...(expireTime && { "upload-expires": timestampDate(expireTime).toUTCString() }),
  });
}

/** Throws TUS_VERSION (412). Requests without the header count as being of this version. */
function checkVersion({ headers }: FastifyRequest): void {
  const { "tus-resumable": version = VERSION } = headers;
  if (version === VERSION) return;
  throw new HttpFault(412, "TUS_VERSION", `Tus-Resumable must be ${VERSION}.`, { "tus-version": VERSION });
}

/** Throws INVALID_REQUEST. */
function bytesIn({ headers }: FastifyRequest, name: string): number {
  const text = headers[name];
  if (typeof text === "string" && /^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(`The header ${name} must have a number of bytes.`);
}

/** Throws INVALID_REQUEST. */
function metadataIn({ headers }: FastifyRequest): Readonly<Record<string, string>> {
  const text = headers["upload-metadata"];
  const pairs = typeof text === "string" ? text.split(",") : [];
  const known = pairs
    .map((pair) => pair.trim().split(" "))
    .filter(([key = ""]) => METADATA.includes(key))
    .map(([key = "", value = ""]) => {
      const bytes = Buffer.from(value, "base64");
      if (!isUtf8(bytes)) throw invalid(`Upload-Metadata: ${key} is not UTF-8 in Base64.`);
      return [key, bytes.toString()] as const;
    });
  return Object.fromEntries(known);
}

/** A controller whose tenants upload to a bucket of a real S3 server; tenant "none" has no bucket. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BucketUploads } from "../../src/controller/uploads/buckets.ts";
import { Uploads } from "../../src/controller/uploads/uploads.ts";
import {
  CompleteUploadRequestSchema,
  CreateUploadRequestSchema,
  DeleteUploadRequestSchema,
  GetUploadRequestSchema,
  ListUploadsRequestSchema,
  type SignedPart,
  SignUploadPartsRequestSchema,
  type Upload,
} from "../../src/gen/proto/svc/v1/upload_pb.ts";
import type { ObjectStorage, StoragesOf } from "../../src/jobs/media/storages.ts";
import { partRangeOf } from "../../src/jobs/media/upload-parts.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { CredentialSource } from "../../src/media/storages/credentials.ts";
import { Signer } from "../../src/media/storages/signer.ts";
import { Multiparts } from "../../src/media/uploads/multipart.ts";
import { caller } from "../controller/peer.ts";
import { LIMITS as JOB_LIMITS, LOG, System } from "../controller/system.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";

export const MIB = 2 ** 20;
export const DAY_MS = 86_400_000;
const LIMITS = { bytes: 200 * MIB, count: 4, keptMs: 7 * DAY_MS };
/** Two parts. */
export const CLIP = randomBytes(16 * MIB + 1_000);

export class UploadBench {
  readonly directory: string;
  readonly s3: S3Server;
  readonly storage: ObjectStorage;
  readonly system: System;

  private constructor(directory: string, s3: S3Server, storage: ObjectStorage, system: System) {
    this.directory = directory;
    this.s3 = s3;
    this.storage = storage;
    this.system = system;
  }

  static async open(): Promise<UploadBench> {
    const directory = await mkdtemp(join(tmpdir(), "svc-bucket-uploads-"));
    const s3 = await S3Server.start(directory);
    const storage: ObjectStorage = {
      ...{ kind: "s3", endpoint: s3.endpoint, region: REGION, privateNetwork: true },
      buckets: [{ bucket: BUCKET, prefix: "in/" }],
      uploads: { bucket: BUCKET, prefix: "in/uploads/" },
      credentials: { file: s3.credentials, profile: BUCKET },
    };
    const system = await System.open({
      uploads: { directory: undefined, limitsOf: () => LIMITS },
      storagesOf: (tenant) => (tenant === "none" ? [] : [storage]),
      limitsOf: () => JOB_LIMITS,
    });
    return new UploadBench(directory, s3, storage, system);
  }

  async close(): Promise<void> {
    await this.system.close();
    await this.s3[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true });
  }

  get service() {
    return this.system.controller.uploads;
  }

  async begin(
    tenant: string,
    over: MessageInitShape<typeof CreateUploadRequestSchema> = {},
  ): Promise<Upload> {
    const request = { name: "clip ä?.mp4", size: CLIP.length, fingerprint: "mine", parts: true, ...over };
    const message = create(CreateUploadRequestSchema, request);
    const { upload } = await this.service.createUpload(message, caller(tenant));
    return upload ?? assert.fail();
  }

  sign(tenant: string, id: string, parts: readonly { number: number; sha256: Uint8Array }[]) {
    const request = create(SignUploadPartsRequestSchema, { id, parts: [...parts] });
    return this.service.signUploadParts(request, caller(tenant));
  }

  async signed(tenant: string, upload: Upload, number: number): Promise<SignedPart> {
    const sha256 = digest(bytesOf(upload, number));
    const { parts } = await this.sign(tenant, upload.id, [{ number, sha256 }]);
    return parts[0] ?? assert.fail();
  }

  async send(tenant: string, upload: Upload, number: number): Promise<void> {
    assert.equal(await put(await this.signed(tenant, upload, number), bytesOf(upload, number)), 200);
  }

  async complete(tenant: string, id: string): Promise<Upload> {
    const request = create(CompleteUploadRequestSchema, { id });
    const { upload } = await this.service.completeUpload(request, caller(tenant));
    return upload ?? assert.fail();
  }

  /** Uploads all parts and completes the upload. */
  async whole(tenant: string): Promise<Upload> {
    const upload = await this.begin(tenant);
    for (const number of [1, 2]) await this.send(tenant, upload, number);
    return this.complete(tenant, upload.id);
  }

  async get(tenant: string, id: string): Promise<Upload> {
    const { upload } = await this.service.getUpload(create(GetUploadRequestSchema, { id }), caller(tenant));
    return upload ?? assert.fail();
  }

  async list(tenant: string): Promise<readonly Upload[]> {
    return (await this.service.listUploads(create(ListUploadsRequestSchema), caller(tenant))).uploads;
  }

  remove(tenant: string, id: string): Promise<unknown> {
    return this.service.deleteUpload(create(DeleteUploadRequestSchema, { id }), caller(tenant));
  }

  /** The same uploads in another controller. */
  another(storagesOf: StoragesOf = () => [this.storage]): { uploads: Uploads; close: () => Promise<void> } {
    const reader = new ObjectReader();
    const multiparts = new Multiparts(new Signer(new CredentialSource()), reader);
    const { uploads: store } = this.system.store;
    const buckets = new BucketUploads({ store, storagesOf, multiparts, log: LOG });
    const uploads = new Uploads({ directory: undefined, limitsOf: () => LIMITS, buckets, log: LOG });
    return { uploads, close: () => reader.close() };
  }

  /** What is left of an upload in the bucket. */
  async left({ id }: Upload): Promise<readonly string[]> {
    return (await this.s3.keys("in/uploads/")).filter((key) => key.includes(id));
  }
}

export function bytesOf(upload: Upload, number: number): Buffer {
  const { offset, length } = partRangeOf(upload, number);
  return CLIP.subarray(offset, offset + length);
}

export function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

/** Returns the status of the response. */
export async function put(
  { url, headers }: Pick<SignedPart, "url" | "headers">,
  bytes: Buffer,
): Promise<number> {
  const { "content-length": _, ...own } = headers;
  const response = await fetch(url, { method: "PUT", headers: own, body: new Uint8Array(bytes) });
  await response.text();
  return response.status;
}

/** Uploads to a bucket of a real S3 server: who may, in which order, within which limits, and what is left afterwards. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { BucketUploads } from "../../src/controller/uploads/buckets.ts";
import { ID_IN_PATH } from "../../src/controller/uploads/places.ts";
import { Uploads } from "../../src/controller/uploads/uploads.ts";
import { DeleteJobRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import {
  AppendUploadRequestSchema,
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
import { LIMITS as JOB_LIMITS, LOG, refused, System } from "../controller/system.ts";
import { BUCKET, REGION, S3Server } from "../storages/s3-server.ts";

const MIB = 2 ** 20;
const DAY_MS = 86_400_000;
const LIMITS = { bytes: 200 * MIB, count: 4, keptMs: 7 * DAY_MS };
/** Two parts. */
const CLIP = randomBytes(16 * MIB + 1_000);

let directory: string;
let s3: S3Server;
let system: System;
let storage: ObjectStorage;
const storagesOf: StoragesOf = (tenant) => (tenant === "none" ? [] : [storage]);

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-bucket-uploads-"));
  s3 = await S3Server.start(directory);
  storage = {
    ...{ kind: "s3", endpoint: s3.endpoint, region: REGION, privateNetwork: true },
    buckets: [{ bucket: BUCKET, prefix: "in/" }],
    uploads: { bucket: BUCKET, prefix: "in/uploads/" },
    credentials: { file: s3.credentials, profile: BUCKET },
  };
  system = await System.open({
    ...{ uploads: { directory: undefined, limitsOf: () => LIMITS }, storagesOf },
    limitsOf: () => JOB_LIMITS,
  });
});
after(async () => {
  await system.close();
  await s3[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const service = () => system.controller.uploads;

async function begin(
  tenant: string,
  over: MessageInitShape<typeof CreateUploadRequestSchema> = {},
): Promise<Upload> {
  const request = { name: "clip ä?.mp4", size: CLIP.length, fingerprint: "mine", parts: true, ...over };
  const { upload } = await service().createUpload(create(CreateUploadRequestSchema, request), caller(tenant));
  return upload ?? assert.fail();
}

function bytesOf(upload: Upload, number: number): Buffer {
  const { offset, length } = partRangeOf(upload, number);
  return CLIP.subarray(offset, offset + length);
}

function digest(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function sign(tenant: string, id: string, parts: readonly { number: number; sha256: Uint8Array }[]) {
  const request = create(SignUploadPartsRequestSchema, { id, parts: [...parts] });
  return service().signUploadParts(request, caller(tenant));
}

async function signed(tenant: string, upload: Upload, number: number): Promise<SignedPart> {
  const sha256 = digest(bytesOf(upload, number));
  const { parts } = await sign(tenant, upload.id, [{ number, sha256 }]);
  return parts[0] ?? assert.fail();
}

/** Returns the status of the response. */
async function put({ url, headers }: Pick<SignedPart, "url" | "headers">, bytes: Buffer): Promise<number> {
  const { "content-length": _, ...own } = headers;
  const response = await fetch(url, { method: "PUT", headers: own, body: new Uint8Array(bytes) });
  await response.text();
  return response.status;
}

async function send(tenant: string, upload: Upload, number: number): Promise<void> {
  assert.equal(await put(await signed(tenant, upload, number), bytesOf(upload, number)), 200);
}

async function complete(tenant: string, id: string): Promise<Upload> {
  const request = create(CompleteUploadRequestSchema, { id });
  const { upload } = await service().completeUpload(request, caller(tenant));
  return upload ?? assert.fail();
}

async function whole(tenant: string): Promise<Upload> {
  const upload = await begin(tenant);
  for (const number of [1, 2]) await send(tenant, upload, number);
  return complete(tenant, upload.id);
}

async function get(tenant: string, id: string): Promise<Upload> {
  const { upload } = await service().getUpload(create(GetUploadRequestSchema, { id }), caller(tenant));
  return upload ?? assert.fail();
}

async function list(tenant: string): Promise<readonly Upload[]> {
  return (await service().listUploads(create(ListUploadsRequestSchema), caller(tenant))).uploads;
}

function remove(tenant: string, id: string): Promise<unknown> {
  return service().deleteUpload(create(DeleteUploadRequestSchema, { id }), caller(tenant));
}

/** The same uploads in another controller. */
function another(of: StoragesOf = storagesOf): { uploads: Uploads; close: () => Promise<void> } {
  const reader = new ObjectReader();
  const multiparts = new Multiparts(new Signer(new CredentialSource()), reader);
  const buckets = new BucketUploads({ store: system.store.uploads, storagesOf: of, multiparts, log: LOG });
  const uploads = new Uploads({ directory: undefined, limitsOf: () => LIMITS, buckets, log: LOG });
  return { uploads, close: () => reader.close() };
}

/** What is left of an upload in the bucket. */
async function left({ id }: Upload): Promise<readonly string[]> {
  return (await s3.keys("in/uploads/")).filter((key) => key.includes(id));
}

describe("parts", () => {
  test("become an object when all are there, and a job can name it", async () => {
    const upload = await begin("order");
    assert.deepEqual([upload.path, upload.partSize, upload.offset], ["", 16 * MIB, 0]);
    await send("order", upload, 2);
    const { storedParts, offset } = await get("order", upload.id);
    assert.deepEqual([storedParts, offset], [[2], 1_000]);
    const { found } = await refused(complete("order", upload.id), "UPLOAD_INCOMPLETE");
    assert.deepEqual(found, { missing: [1] });
    await send("order", upload, 1);
    const done = await complete("order", upload.id);
    assert.equal(done.path, `s3://${BUCKET}/in/uploads/${upload.id}/clip ä_.mp4`);
    assert.deepEqual(await s3.get(done.path.slice(`s3://${BUCKET}/`.length)), CLIP);
    assert.deepEqual(await complete("order", upload.id), done);
    assert.deepEqual([await get("order", upload.id), await list("order")], [done, [done]]);
    const { job } = await system.submit("order", { reference: done.path, distorted: done.path });
    assert.equal(job.spec?.referenceVersion?.size, CLIP.length);
    await system.cancel("order", job.id);
  });

  test("are taken only with their bytes, their length and while the URL is valid", async () => {
    const upload = await begin("bytes");
    const part = await signed("bytes", upload, 2);
    const tampered = Buffer.from(bytesOf(upload, 2));
    tampered[7] = (tampered[7] ?? 0) ^ 1;
    assert.equal(await put(part, tampered), 400);
    assert.equal(await put(part, bytesOf(upload, 2).subarray(1)), 403);
    assert.equal(await put(part, Buffer.concat([bytesOf(upload, 2), Buffer.from("x")])), 403);
    const other = { ...part.headers, "x-amz-checksum-sha256": digest(tampered).toString("base64") };
    assert.equal(await put({ url: part.url, headers: other }, tampered), 403);
    const expired = new URL(part.url);
    expired.searchParams.set("X-Amz-Date", "20200101T000000Z");
    assert.equal(await put({ ...part, url: expired.href }, bytesOf(upload, 2)), 403);
    const elsewhere = part.url.replace(
      upload.id,
      upload.id.replace(/^./, (digit) => (digit === "f" ? "e" : "f")),
    );
    assert.equal(await put({ ...part, url: elsewhere }, bytesOf(upload, 2)), 403);
    assert.deepEqual((await get("bytes", upload.id)).storedParts, []);
    await send("bytes", upload, 2);
    await send("bytes", upload, 2);
    assert.deepEqual((await get("bytes", upload.id)).storedParts, [2]);
  });

  test("are asked for by number and digest", async () => {
    const { id } = await begin("asked");
    const sha256 = digest(Buffer.from("x"));
    for (const parts of [
      [],
      [{ number: 0, sha256 }],
      [{ number: 3, sha256 }],
      [{ number: 1, sha256: sha256.subarray(1) }],
      Array.from({ length: 17 }, () => ({ number: 1, sha256 })),
    ])
      await refused(sign("asked", id, parts), "INVALID_REQUEST");
  });

  test("of an upload that the bucket has dropped are asked for anew", async () => {
    const upload = await begin("dropped");
    await s3.abortAll();
    await refused(signed("dropped", upload, 1), "UPLOAD_NOT_FOUND");
    assert.deepEqual(await list("dropped"), []);
  });
});

test("an object that was completed by a call that died is a complete upload", async () => {
  const upload = await begin("died");
  for (const number of [1, 2]) await send("died", upload, number);
  const row = (await system.store.uploads.find("died", upload.id)) ?? assert.fail();
  const reader = new ObjectReader();
  const multiparts = new Multiparts(new Signer(new CredentialSource()), reader);
  const multipart = { storage, bucket: row.bucket, key: row.key, id: row.multipartId };
  const digests = await system.store.uploads.digests("died", upload.id);
  const parts = (await multiparts.parts(multipart)) ?? [];
  await multiparts.complete(
    multipart,
    parts.map((part, index) => ({ ...part, sha256: digests[index]?.sha256 ?? "" })),
  );
  await reader.close();
  const found = await get("died", upload.id);
  assert.equal(found.path, `s3://${BUCKET}/${row.key}`);
  await remove("died", upload.id);
  assert.deepEqual(await left(upload), []);
});

test("another tenant's upload does not exist", async () => {
  const upload = await begin("owner");
  const { id } = upload;
  const sha256 = digest(bytesOf(upload, 1));
  for (const call of [
    () => get("stranger", id),
    () => complete("stranger", id),
    () => sign("stranger", id, [{ number: 1, sha256 }]),
  ])
    await refused(call(), "UPLOAD_NOT_FOUND");
  await remove("stranger", id);
  for (const odd of ["", "..", "x".repeat(10_000)]) await refused(get("owner", odd), "UPLOAD_NOT_FOUND");
  assert.deepEqual(await list("stranger"), []);
  await send("owner", upload, 1);
});

describe("a new upload", () => {
  test("counts with its whole size, and is refused over the limits", async () => {
    await begin("large", { size: 150 * MIB });
    await refused(begin("large", { size: 51 * MIB }), "TENANT_UPLOADS_FULL");
    const many = await Promise.allSettled(Array.from({ length: 8 }, () => begin("many")));
    assert.equal(many.filter(({ status }) => status === "fulfilled").length, 4);
  });

  test("needs a bucket for uploads, and a client that can send parts", async () => {
    await refused(begin("none"), "UPLOADS_DISABLED");
    assert.match((await refused(begin("old", { parts: false }), "UPLOADS_DISABLED")).message, /bucket/);
    const { id } = await begin("kind");
    const request = create(AppendUploadRequestSchema, { id, offset: 0, data: Buffer.from("x") });
    await refused(service().appendUpload(request, caller("kind")), "UPLOAD_KIND");
  });

  test("is refused if the storage does not respond or refuses access, and leaves nothing", async () => {
    const wrong = join(directory, "wrong");
    await writeFile(wrong, "[default]\naws_access_key_id = NOBODY\naws_secret_access_key = none\n");
    const denied: ObjectStorage = { ...storage, credentials: { file: wrong, profile: "default" } };
    const away: ObjectStorage = { ...storage, endpoint: "http://127.0.0.1:9" };
    for (const [one, why] of [
      [denied, /refuses svc's credentials/],
      [away, /cannot be reached/],
    ] as const) {
      const { uploads, close } = another(() => [one]);
      const call = uploads.create("unwell", { name: "a.mp4", size: 10, fingerprint: "" }, true);
      assert.match((await refused(call, "STORAGE_UNAVAILABLE")).message, why);
      await close();
    }
    assert.deepEqual(await list("unwell"), []);
  });
});

describe("an upload is deleted", () => {
  test("on request, with its parts or its object, but not while a job that has not ended names it", async () => {
    const [partial, done] = [await begin("delete"), await whole("delete")];
    await send("delete", partial, 1);
    await remove("delete", partial.id);
    assert.notEqual(await put(await signed("delete", await begin("delete"), 1), Buffer.from("x")), 200);
    await refused(complete("delete", partial.id), "UPLOAD_NOT_FOUND");
    const { job } = await system.submit("delete", { reference: done.path, distorted: done.path });
    await refused(remove("delete", done.id), "UPLOAD_IN_USE");
    await system.cancel("delete", job.id);
    await remove("delete", done.id);
    await remove("delete", done.id);
    assert.deepEqual([await left(done), await left(partial)], [[], []]);
  });

  test("with the last of its jobs", async () => {
    const { uploads, close } = another();
    const expire = () =>
      uploads.expire("jobs", () => system.store.idsInSpecs("jobs", ID_IN_PATH), Date.now());
    const done = await whole("jobs");
    const { job } = await system.submit("jobs", { reference: done.path, distorted: "/media/x.mp4" });
    assert.equal(await expire(), 0);
    await system.cancel("jobs", job.id);
    await system.jobs.deleteJob(create(DeleteJobRequestSchema, { id: job.id }), caller("jobs"));
    assert.equal(await expire(), 1);
    assert.deepEqual([await list("jobs"), await left(done)], [[], []]);
    await close();
  });

  test("when its time is over; an incomplete one after a day, and with a storage that is gone only its record", async () => {
    const { uploads, close } = another();
    const [done, partial] = [await whole("time"), await begin("time")];
    const jobs = async () => new Map<string, boolean>();
    const expireMs = timestampMs(partial.expireTime ?? assert.fail());
    assert.equal(await uploads.expire("time", jobs, expireMs - 1_000), 0);
    assert.equal(await uploads.expire("time", jobs, expireMs + 1_000), 1);
    const away = another(() => [{ ...storage, endpoint: "http://127.0.0.1:9" }]);
    assert.equal(await away.uploads.expire("time", jobs, expireMs + 30 * DAY_MS), 0);
    assert.deepEqual(
      (await list("time")).map(({ id }) => id),
      [done.id],
    );
    const none = another(() => []);
    assert.equal(await none.uploads.expire("time", jobs, expireMs + 30 * DAY_MS), 1);
    assert.deepEqual([await list("time"), (await left(done)).length], [[], 1]);
    assert.ok(!(await uploads.tenants()).includes("time"));
    await Promise.all([close(), away.close(), none.close()]);
  });
});

test("in a bucket with versions an upload is one version, and is deleted for good", async () => {
  await s3.keepVersions();
  const { id, path } = await whole("versions");
  const [name = "", version = ""] = path.split("?versionId=");
  assert.notEqual(version, "");
  const key = name.slice(`s3://${BUCKET}/`.length);
  await s3.put(key, Buffer.from("another version"));
  assert.deepEqual(await s3.get(key, version), CLIP);
  for (const reference of [path, name])
    await system.cancel(
      "versions",
      (await system.submit("versions", { reference, distorted: path, noCache: true })).job.id,
    );
  await remove("versions", id);
  await assert.rejects(s3.get(key, version), /404/);
});

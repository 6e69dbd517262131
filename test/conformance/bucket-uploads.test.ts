/** Uploads to a bucket of a real S3 server: who may, in which order, and within which limits. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { AppendUploadRequestSchema } from "../../src/gen/proto/svc/v1/upload_pb.ts";
import type { ObjectStorage } from "../../src/jobs/media/storages.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { CredentialSource } from "../../src/media/storages/credentials.ts";
import { Signer } from "../../src/media/storages/signer.ts";
import { Multiparts } from "../../src/media/uploads/multipart.ts";
import { caller } from "../controller/peer.ts";
import { refused } from "../controller/system.ts";
import { BUCKET } from "../storages/s3-server.ts";
import { bytesOf, CLIP, digest, MIB, put, UploadBench } from "./upload-bench.ts";

let bench: UploadBench;
before(async () => {
  bench = await UploadBench.open();
});
after(() => bench.close());

describe("parts", () => {
  test("become an object when all have arrived, and a job can name it", async () => {
    const upload = await bench.begin("order");
    assert.deepEqual([upload.path, upload.partSize, upload.offset], ["", 16 * MIB, 0]);
    await bench.send("order", upload, 2);
    const { storedParts, offset } = await bench.get("order", upload.id);
    assert.deepEqual([storedParts, offset], [[2], 1_000]);
    const { found } = await refused(bench.complete("order", upload.id), "UPLOAD_INCOMPLETE");
    assert.deepEqual(found, { missing: [1] });
    await bench.send("order", upload, 1);
    const done = await bench.complete("order", upload.id);
    assert.equal(done.path, `s3://${BUCKET}/in/uploads/${upload.id}/clip ä_.mp4`);
    assert.deepEqual(await bench.s3.get(done.path.slice(`s3://${BUCKET}/`.length)), CLIP);
    assert.deepEqual(await bench.complete("order", upload.id), done);
    assert.deepEqual([await bench.get("order", upload.id), await bench.list("order")], [done, [done]]);
    const { job } = await bench.system.submit("order", { reference: done.path, distorted: done.path });
    assert.equal(job.spec?.referenceVersion?.size, CLIP.length);
    await bench.system.cancel("order", job.id);
  });

  test("are accepted only with their bytes, their length and while the URL is valid", async () => {
    const upload = await bench.begin("bytes");
    const part = await bench.signed("bytes", upload, 2);
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
    assert.deepEqual((await bench.get("bytes", upload.id)).storedParts, []);
    await bench.send("bytes", upload, 2);
    await bench.send("bytes", upload, 2);
    assert.deepEqual((await bench.get("bytes", upload.id)).storedParts, [2]);
  });

  test("are requested by number and digest", async () => {
    const { id } = await bench.begin("asked");
    const sha256 = digest(Buffer.from("x"));
    for (const parts of [
      [],
      [{ number: 0, sha256 }],
      [{ number: 3, sha256 }],
      [{ number: 1, sha256: sha256.subarray(1) }],
      Array.from({ length: 17 }, () => ({ number: 1, sha256 })),
    ])
      await refused(bench.sign("asked", id, parts), "INVALID_REQUEST");
  });

  test("of an upload that the bucket has dropped are requested again", async () => {
    const upload = await bench.begin("dropped");
    await bench.s3.abortAll();
    await refused(bench.signed("dropped", upload, 1), "UPLOAD_NOT_FOUND");
    assert.deepEqual(await bench.list("dropped"), []);
  });
});

test("an object that was completed by a call that died is a complete upload", async () => {
  const upload = await bench.begin("died");
  for (const number of [1, 2]) await bench.send("died", upload, number);
  const row = (await bench.system.store.uploads.find("died", upload.id)) ?? assert.fail();
  const reader = new ObjectReader();
  const multiparts = new Multiparts(new Signer(new CredentialSource()), reader);
  const multipart = { storage: bench.storage, bucket: row.bucket, key: row.key, id: row.multipartId };
  const digests = await bench.system.store.uploads.digests("died", upload.id);
  const parts = (await multiparts.parts(multipart)) ?? [];
  await multiparts.complete(
    multipart,
    parts.map((part, index) => ({ ...part, sha256: digests[index]?.sha256 ?? "" })),
  );
  await reader.close();
  const found = await bench.get("died", upload.id);
  assert.equal(found.path, `s3://${BUCKET}/${row.key}`);
  await bench.remove("died", upload.id);
  assert.deepEqual(await bench.left(upload), []);
});

test("another tenant's upload does not exist", async () => {
  const upload = await bench.begin("owner");
  const { id } = upload;
  const sha256 = digest(bytesOf(upload, 1));
  for (const call of [
    () => bench.get("stranger", id),
    () => bench.complete("stranger", id),
    () => bench.sign("stranger", id, [{ number: 1, sha256 }]),
  ])
    await refused(call(), "UPLOAD_NOT_FOUND");
  await bench.remove("stranger", id);
  for (const odd of ["", "..", "x".repeat(10_000)])
    await refused(bench.get("owner", odd), "UPLOAD_NOT_FOUND");
  assert.deepEqual(await bench.list("stranger"), []);
  await bench.send("owner", upload, 1);
});

describe("a new upload", () => {
  test("counts with its whole size, and is refused over the limits", async () => {
    await bench.begin("large", { size: 150 * MIB });
    await refused(bench.begin("large", { size: 51 * MIB }), "TENANT_UPLOADS_FULL");
    const many = await Promise.allSettled(Array.from({ length: 8 }, () => bench.begin("many")));
    assert.equal(many.filter(({ status }) => status === "fulfilled").length, 4);
  });

  test("needs a bucket for uploads, and a client that can send parts", async () => {
    await refused(bench.begin("none"), "UPLOADS_DISABLED");
    assert.match((await refused(bench.begin("old", { parts: false }), "UPLOADS_DISABLED")).message, /bucket/);
    const { id } = await bench.begin("kind");
    const request = create(AppendUploadRequestSchema, { id, offset: 0, data: Buffer.from("x") });
    await refused(bench.service.appendUpload(request, caller("kind")), "UPLOAD_KIND");
  });

  test("is refused if the storage does not respond or refuses access, and leaves nothing", async () => {
    const wrong = join(bench.directory, "wrong");
    await writeFile(wrong, "[default]\naws_access_key_id = NOBODY\naws_secret_access_key = none\n");
    const denied: ObjectStorage = { ...bench.storage, credentials: { file: wrong, profile: "default" } };
    const away: ObjectStorage = { ...bench.storage, endpoint: "http://127.0.0.1:9" };
    for (const [one, why] of [
      [denied, /refuses svc's credentials/],
      [away, /cannot be reached/],
    ] as const) {
      const { uploads, close } = bench.another(() => [one]);
      const call = uploads.create("unwell", { name: "a.mp4", size: 10, fingerprint: "" }, true);
      assert.match((await refused(call, "STORAGE_UNAVAILABLE")).message, why);
      await close();
    }
    assert.deepEqual(await bench.list("unwell"), []);
  });
});

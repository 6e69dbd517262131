/** Uploads: order of their bytes, limits of tenants, other tenants, and when they are deleted. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { BucketUploads } from "../../src/controller/uploads/buckets.ts";
import { ID_IN_PATH, uploadRoot } from "../../src/controller/uploads/places.ts";
import { Uploads } from "../../src/controller/uploads/uploads.ts";
import { DeleteJobRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import {
  AppendUploadRequestSchema,
  CreateUploadRequestSchema,
  DeleteUploadRequestSchema,
  GetUploadRequestSchema,
  ListUploadsRequestSchema,
  type Upload,
} from "../../src/gen/proto/svc/v1/upload_pb.ts";
import { ObjectReader } from "../../src/media/objects/reader.ts";
import { CredentialSource } from "../../src/media/storages/credentials.ts";
import { Signer } from "../../src/media/storages/signer.ts";
import { Multiparts } from "../../src/media/uploads/multipart.ts";
import { caller } from "./peer.ts";
import { LIMITS as JOB_LIMITS, LOG, refused, System } from "./system.ts";

const DAY_MS = 86_400_000;
const LIMITS = { bytes: 1_000, count: 4, keptMs: 7 * DAY_MS };
const CLIP = Buffer.from("0123456789");

let directory: string;
let system: System;
before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "svc-uploads-")));
  system = await System.open({
    uploads: { directory, limitsOf: () => LIMITS },
    limitsOf: (tenant) => (tenant === "refused" ? { ...JOB_LIMITS, jobsQueued: 0 } : JOB_LIMITS),
  });
});
after(async () => {
  await system.close();
  await rm(directory, { recursive: true });
});

const service = () => system.controller.uploads;

/** The same uploads in another controller. */
function another(limits = LIMITS): Uploads {
  const multiparts = new Multiparts(new Signer(new CredentialSource()), new ObjectReader());
  const buckets = new BucketUploads({
    store: system.store.uploads,
    storagesOf: () => [],
    multiparts,
    log: LOG,
  });
  return new Uploads({ directory, limitsOf: () => limits, buckets, log: LOG });
}

async function begin(
  tenant: string,
  over: MessageInitShape<typeof CreateUploadRequestSchema> = {},
): Promise<Upload> {
  const request = create(CreateUploadRequestSchema, { name: "clip.mp4", size: CLIP.length, ...over });
  const { upload } = await service().createUpload(request, caller(tenant));
  return upload ?? assert.fail();
}

async function append(tenant: string, id: string, offset: number, data: Uint8Array): Promise<Upload> {
  const request = create(AppendUploadRequestSchema, { id, offset, data });
  const { upload } = await service().appendUpload(request, caller(tenant));
  return upload ?? assert.fail();
}

async function whole(tenant: string): Promise<Upload> {
  return append(tenant, (await begin(tenant)).id, 0, CLIP);
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

/** What is left of the uploads of a tenant. */
async function left(tenant: string): Promise<readonly string[]> {
  const kinds = await Promise.all(
    ["records", "partial", "files", "named"].map((kind) =>
      readdir(join(directory, kind, tenant)).catch(() => []),
    ),
  );
  return kinds.flat();
}

describe("bytes", () => {
  test("become a file when the last one has arrived, and a job can name it", async () => {
    const { id, offset, path } = await begin("order", { fingerprint: "mine" });
    assert.deepEqual([offset, path], [0, ""]);
    assert.deepEqual([(await append("order", id, 0, CLIP.subarray(0, 4))).path], [""]);
    const done = await append("order", id, 4, CLIP.subarray(4));
    assert.equal(done.path, join(uploadRoot(directory).replace("{tenant}", "order"), id, "clip.mp4"));
    assert.deepEqual(await readFile(done.path), CLIP);
    assert.deepEqual(await get("order", id), done);
    assert.deepEqual([done.fingerprint, await list("order")], ["mine", [done]]);
  });

  test("are refused if they do not continue the upload, and nothing is stored", async () => {
    const { id } = await begin("offsets");
    await append("offsets", id, 0, CLIP.subarray(0, 4));
    for (const [offset, data] of [
      [0, CLIP.subarray(0, 4)],
      [5, CLIP.subarray(5)],
      [4, Buffer.concat([CLIP.subarray(4), CLIP])],
      [-1, CLIP],
      [Number.NaN, CLIP],
      [4.5, CLIP.subarray(4)],
    ] as const) {
      const failure = await refused(append("offsets", id, offset, data), "UPLOAD_OFFSET");
      assert.deepEqual(failure.found, { offset: 4, size: 10 });
    }
    await refused(append("offsets", id, 4, Buffer.alloc(2 ** 21 + 1)), "INVALID_REQUEST");
    assert.equal((await append("offsets", id, 4, CLIP.subarray(4))).offset, 10);
  });

  test("of two concurrent senders become one file", async () => {
    const { id } = await begin("twice");
    const both = await Promise.allSettled([append("twice", id, 0, CLIP), append("twice", id, 0, CLIP)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.deepEqual(await readFile((await get("twice", id)).path), CLIP);
  });

  test("that arrived before a crash between the last one and the move are a file", async () => {
    const { id } = await begin("crash");
    await append("crash", id, 0, CLIP.subarray(0, 9));
    await writeFile(join(directory, "partial/crash", id), CLIP);
    assert.deepEqual(await readFile((await get("crash", id)).path), CLIP);
  });
});

describe("a new upload", () => {
  test("must have the name of a file and a size", async () => {
    const long = "ä".repeat(101);
    for (const name of ["", ".", "..", "a/b", "../x", "a\0b", "a\nb", "\ud800", long])
      await refused(begin("names", { name }), "INVALID_REQUEST");
    for (const size of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])
      await refused(begin("names", { size }), "INVALID_REQUEST");
    await refused(begin("names", { fingerprint: "x".repeat(201) }), "INVALID_REQUEST");
    assert.deepEqual(await left("names"), []);
    for (const name of ["ä b%41 {tenant}.mp4", "-rf", ".hidden", "ä".repeat(100)]) {
      const { id } = await begin("names", { name });
      assert.ok((await append("names", id, 0, CLIP)).path.endsWith(`/${id}/${name}`));
    }
  });

  test("counts with its whole size, and is refused over the limits of its tenant only", async () => {
    await begin("large", { size: 600 });
    const { found } = await refused(begin("large", { size: 401 }), "TENANT_UPLOADS_FULL");
    assert.deepEqual(found, { bytes: 401, used: 600, limit: 1_000 });
    await begin("large", { size: 400 });
    await begin("other", { size: 1_000 });
    const many = await Promise.allSettled(Array.from({ length: 8 }, () => begin("many")));
    assert.equal(many.filter(({ status }) => status === "fulfilled").length, 4);
  });

  test("is refused if the disk has no room, and leaves nothing", async () => {
    const uploads = another({ ...LIMITS, bytes: Number.MAX_SAFE_INTEGER });
    const huge = { name: "huge.mov", size: 2 ** 52, fingerprint: "" };
    await refused(uploads.create("disk", huge, true), "DISK_FULL");
    assert.deepEqual(await left("disk"), []);
  });
});

test("another tenant's upload does not exist", async () => {
  const { id } = await begin("owner");
  await refused(get("stranger", id), "UPLOAD_NOT_FOUND");
  await refused(append("stranger", id, 0, CLIP), "UPLOAD_NOT_FOUND");
  await remove("stranger", id);
  for (const odd of ["", "..", "../owner", `../owner/${id}`, "x".repeat(10_000)]) {
    await refused(get("stranger", odd), "UPLOAD_NOT_FOUND");
    await remove("stranger", odd);
  }
  assert.deepEqual(await list("stranger"), []);
  assert.equal((await append("owner", id, 0, CLIP)).offset, 10);
});

describe("an upload is deleted", () => {
  test("on request, but not while a job that has not ended names it", async () => {
    const { id, path } = await whole("asked");
    const { job } = await system.submit("asked", { reference: path, distorted: path });
    assert.match((await refused(remove("asked", id), "UPLOAD_IN_USE")).message, new RegExp(id));
    await system.cancel("asked", job.id);
    await remove("asked", id);
    await remove("asked", id);
    assert.deepEqual(await left("asked"), []);
    await refused(get("asked", id), "UPLOAD_NOT_FOUND");
  });

  test("with the last of its jobs", async () => {
    const uploads = another();
    const expire = async () =>
      uploads.expire("jobs", () => system.store.idsInSpecs("jobs", ID_IN_PATH), Date.now());
    const [one, other] = [await whole("jobs"), await whole("jobs")];
    const submitted = await Promise.all(
      [one, one].map(({ path }) =>
        system.submit("jobs", { reference: path, distorted: "/media/x.mp4", noCache: true }),
      ),
    );
    assert.equal(await expire(), 0);
    for (const { job } of submitted) {
      assert.equal((await list("jobs")).length, 2);
      await system.cancel("jobs", job.id);
      await system.jobs.deleteJob(create(DeleteJobRequestSchema, { id: job.id }), caller("jobs"));
      await expire();
    }
    assert.deepEqual(
      (await list("jobs")).map(({ id }) => id),
      [other.id],
    );
  });

  test("but not if a job over it was refused", async () => {
    const uploads = another();
    const { path } = await whole("refused");
    await refused(system.submit("refused", { reference: path, distorted: path }), "TENANT_QUEUE_FULL");
    const jobs = () => system.store.idsInSpecs("refused", ID_IN_PATH);
    assert.equal(await uploads.expire("refused", jobs, Date.now()), 0);
  });

  test("when it expires, unless a job waits for it; an incomplete one a day after its last byte", async () => {
    const uploads = another();
    const [idle, awaited, partial] = [await whole("time"), await whole("time"), await begin("time")];
    const yesterday = new Date(Date.now() - DAY_MS - 1_000);
    await utimes(join(directory, "partial/time", partial.id), yesterday, yesterday);
    const jobs = async () => new Map([[awaited.id, true]]);
    assert.equal(await uploads.expire("time", jobs, Date.now()), 1);
    assert.deepEqual((await list("time")).map(({ id }) => id).sort(), [idle.id, awaited.id].sort());
    const expireMs = timestampMs(idle.expireTime ?? assert.fail());
    assert.equal(await uploads.expire("time", jobs, expireMs - 1_000), 0);
    assert.equal(await uploads.expire("time", jobs, expireMs + 1_000), 1);
    assert.deepEqual(
      (await list("time")).map(({ id }) => id),
      [awaited.id],
    );
  });
});

test("controllers that share the directory have the same uploads", async () => {
  const other = another();
  const { id } = await begin("shared");
  await other.append("shared", id, 0, CLIP.subarray(0, 4));
  assert.equal((await append("shared", id, 4, CLIP.subarray(4))).offset, 10);
  assert.deepEqual(
    (await other.list("shared")).map(({ path }) => path),
    (await list("shared")).map(({ path }) => path),
  );
});

test("without a directory every operation is refused", async () => {
  const without = await System.open();
  try {
    const { uploads } = without.controller;
    await refused(uploads.listUploads(create(ListUploadsRequestSchema), caller("a")), "UPLOADS_DISABLED");
    const request = create(CreateUploadRequestSchema, { name: "clip.mp4", size: 1 });
    await refused(uploads.createUpload(request, caller("a")), "UPLOADS_DISABLED");
  } finally {
    await without.close();
  }
});

/** Uploads to a bucket of a real S3 server: when they are deleted, and what is left of them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { ID_IN_PATH } from "../../src/controller/uploads/places.ts";
import { DeleteJobRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { caller } from "../controller/peer.ts";
import { refused } from "../controller/system.ts";
import { BUCKET } from "../storages/s3-server.ts";
import { CLIP, DAY_MS, put, UploadBench } from "./upload-bench.ts";

let bench: UploadBench;
before(async () => {
  bench = await UploadBench.open();
});
after(() => bench.close());

describe("an upload is deleted", () => {
  test("on request, with its parts or its object, but not while a job that has not ended names it", async () => {
    const [partial, done] = [await bench.begin("delete"), await bench.whole("delete")];
    await bench.send("delete", partial, 1);
    await bench.remove("delete", partial.id);
    assert.notEqual(
      await put(await bench.signed("delete", await bench.begin("delete"), 1), Buffer.from("x")),
      200,
    );
    await refused(bench.complete("delete", partial.id), "UPLOAD_NOT_FOUND");
    const { job } = await bench.system.submit("delete", { reference: done.path, distorted: done.path });
    await refused(bench.remove("delete", done.id), "UPLOAD_IN_USE");
    await bench.system.cancel("delete", job.id);
    await bench.remove("delete", done.id);
    await bench.remove("delete", done.id);
    assert.deepEqual([await bench.left(done), await bench.left(partial)], [[], []]);
  });

  test("with the last of its jobs", async () => {
    const { uploads, close } = bench.another();
    const expire = () =>
      uploads.expire("jobs", () => bench.system.store.idsInSpecs("jobs", ID_IN_PATH), Date.now());
    const done = await bench.whole("jobs");
    const { job } = await bench.system.submit("jobs", { reference: done.path, distorted: "/media/x.mp4" });
    assert.equal(await expire(), 0);
    await bench.system.cancel("jobs", job.id);
    await bench.system.jobs.deleteJob(create(DeleteJobRequestSchema, { id: job.id }), caller("jobs"));
    assert.equal(await expire(), 1);
    assert.deepEqual([await bench.list("jobs"), await bench.left(done)], [[], []]);
    await close();
  });

  test("when it expires; an incomplete one after a day; only its record if its storage is gone", async () => {
    const { uploads, close } = bench.another();
    const [done, partial] = [await bench.whole("time"), await bench.begin("time")];
    const jobs = async () => new Map<string, boolean>();
    const expireMs = timestampMs(partial.expireTime ?? assert.fail());
    assert.equal(await uploads.expire("time", jobs, expireMs - 1_000), 0);
    assert.equal(await uploads.expire("time", jobs, expireMs + 1_000), 1);
    const away = bench.another(() => [{ ...bench.storage, endpoint: "http://127.0.0.1:9" }]);
    assert.equal(await away.uploads.expire("time", jobs, expireMs + 30 * DAY_MS), 0);
    assert.deepEqual(
      (await bench.list("time")).map(({ id }) => id),
      [done.id],
    );
    const none = bench.another(() => []);
    assert.equal(await none.uploads.expire("time", jobs, expireMs + 30 * DAY_MS), 1);
    assert.deepEqual([await bench.list("time"), (await bench.left(done)).length], [[], 1]);
    assert.ok(!(await uploads.tenants()).includes("time"));
    await Promise.all([close(), away.close(), none.close()]);
  });
});

test("in a bucket with versions an upload is one version, and is deleted for good", async () => {
  await bench.s3.keepVersions();
  const { id, path } = await bench.whole("versions");
  const [name = "", version = ""] = path.split("?versionId=");
  assert.notEqual(version, "");
  const key = name.slice(`s3://${BUCKET}/`.length);
  await bench.s3.put(key, Buffer.from("another version"));
  assert.deepEqual(await bench.s3.get(key, version), CLIP);
  for (const reference of [path, name])
    await bench.system.cancel(
      "versions",
      (await bench.system.submit("versions", { reference, distorted: path, noCache: true })).job.id,
    );
  await bench.remove("versions", id);
  await assert.rejects(bench.s3.get(key, version), /404/);
});

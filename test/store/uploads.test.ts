/** Uploads to buckets: kept with their progress, completed once, visible only to their tenant. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { NewUploadRow } from "../../src/store/contract/upload-store.ts";
import { newTenant, onBothStores } from "./stores.ts";

const TERABYTES = 5_000 * 2 ** 30;

function newUpload(given: Partial<NewUploadRow> = {}): NewUploadRow {
  return {
    ...{ id: randomUUID(), name: "ä'\".mov", size: TERABYTES, fingerprint: "mine", bucket: "videos" },
    ...{ key: "in/ä.mov", multipartId: "id+/=", partSize: 5 * 2 ** 30 },
    ...given,
  };
}

onBothStores((open) => {
  test("keeps an upload with its progress, and stores it once", async () => {
    const { uploads } = open().store;
    const [tenant, given] = [newTenant(), newUpload()];
    const row = await uploads.insert(tenant, given);
    const { createdAt, changedAt } = row;
    assert.deepEqual(row, {
      ...{ ...given, stored: 0, complete: false, versionId: undefined, named: false },
      ...{ createdAt, changedAt },
    });
    assert.deepEqual(await uploads.insert(tenant, given), row);
    const seen = await uploads.progress(tenant, given.id, 7, false);
    assert.deepEqual(seen, { ...row, stored: 7 });
    const active = await uploads.progress(tenant, given.id, 8, true);
    assert.ok(active && active.stored === 8 && active.changedAt >= changedAt);
    assert.deepEqual(await uploads.find(tenant, given.id), active);
  });

  test("is completed once, and has no progress afterwards", async () => {
    const { uploads } = open().store;
    const [tenant, given] = [newTenant(), newUpload()];
    await uploads.insert(tenant, given);
    const done = await uploads.complete(tenant, given.id, "v1");
    assert.deepEqual([done?.complete, done?.versionId, done?.stored], [true, "v1", TERABYTES]);
    assert.deepEqual(await uploads.complete(tenant, given.id, "v1"), done);
    assert.equal(await uploads.progress(tenant, given.id, 1, true), undefined);
    assert.deepEqual(await uploads.find(tenant, given.id), done);
  });

  test("keeps the last digest of each part, until the upload is removed", async () => {
    const { uploads } = open().store;
    const [tenant, { id, ...rest }] = [newTenant(), newUpload()];
    await uploads.setDigests(tenant, id, [{ number: 1, sha256: "early" }]);
    await uploads.insert(tenant, { id, ...rest });
    await uploads.setDigests(tenant, id, [
      { number: 2, sha256: "b" },
      { number: 1, sha256: "a" },
      { number: 2, sha256: "c" },
    ]);
    await uploads.setDigests(tenant, id, [{ number: 1, sha256: "d" }]);
    const digests = [
      { number: 1, sha256: "d" },
      { number: 2, sha256: "c" },
    ];
    assert.deepEqual(await uploads.digests(tenant, id), digests);
    await uploads.remove(tenant, id);
    assert.deepEqual([await uploads.digests(tenant, id), await uploads.list(tenant)], [[], []]);
  });

  test("lists the uploads of a tenant only, oldest first, and names some", async () => {
    const { uploads } = open().store;
    const [tenant, other] = [newTenant(), newTenant()];
    const [first, second, theirs] = [newUpload(), newUpload(), newUpload()];
    await uploads.insert(tenant, first);
    await uploads.insert(tenant, second);
    await uploads.insert(other, theirs);
    await uploads.name(tenant, [second.id, theirs.id]);
    const listed = await uploads.list(tenant);
    assert.deepEqual(
      listed.map(({ id, named }) => [id, named]),
      [
        [first.id, false],
        [second.id, true],
      ],
    );
    assert.equal((await uploads.find(other, theirs.id))?.named, false);
    assert.equal(await uploads.find(tenant, theirs.id), undefined);
    assert.equal(await uploads.find(tenant, ".."), undefined);
    await uploads.remove(tenant, theirs.id);
    assert.equal(await uploads.complete(tenant, theirs.id, undefined), undefined);
    const tenants = await uploads.tenants();
    assert.ok(tenants.includes(tenant) && tenants.includes(other));
  });
});

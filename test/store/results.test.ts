/** Stills and clips as objects: who moves a row, what a move replaces, and when an object is deleted. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { CLIP_PIECE_BYTES } from "../../src/jobs/clips.ts";
import { CLIPS_CLASS } from "../../src/jobs/work.ts";
import type { Database } from "../../src/store/connection/database.ts";
import { statement } from "../../src/store/connection/statement.ts";
import { OBJECT_PART_BYTES, type UnmovedStill } from "../../src/store/contract/result-store.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { ALL, BOTH, begin, make, still } from "./still-jobs.ts";
import { CLASSES, fence, newJob, onBothDatabases, take } from "./stores.ts";

/** Milliseconds: longer than any test. */
const HOLD_MS = 1_800_000;
const MOST = 1_000;
const NOW = 0;

const digestOf = (content: Uint8Array) => createHash("sha256").update(content).digest();

async function reserved(store: Store, tenant: string, content: Uint8Array): Promise<string> {
  const id = randomUUID();
  const object = { key: `${tenant}/${id}`, bytes: content.length, digests: digestOf(content) };
  await store.results.reserve({ id, tenant, ...object });
  return id;
}

/** Makes every object due for a check, as time does. */
const CHECK_NOW = statement("update result_object set check_at = now() where check_at is not null");

async function unreferenced(database: Database, store: Store): Promise<string[]> {
  await database.query("fleet", CHECK_NOW, []);
  return (await store.results.takeUnreferenced(MOST, NOW)).map(({ id }) => id);
}

onBothDatabases((open) => {
  describe("results", () => {
    /** Takes the stills of a job only; those of other tests are held by them. */
    async function made() {
      const { database, store } = open();
      const given = await begin(store);
      await make(store, given.node, await take(store, given.node, ALL));
      const taken = await store.results.takeStills(MOST, HOLD_MS);
      const own = taken.filter(({ tenant }) => tenant === given.tenant);
      assert.equal(own.length, 6);
      return { database, ...given, stills: own };
    }

    async function linked(store: Store, one: UnmovedStill): Promise<string> {
      const id = await reserved(store, one.tenant, one.image);
      assert.equal(await store.results.linkStill(id, one), true);
      return id;
    }

    test("each still is claimed by one process until its hold ends", async () => {
      const { store, tenant } = await made();
      const again = await store.results.takeStills(MOST, HOLD_MS);
      assert.equal(again.filter((one) => one.tenant === tenant).length, 0);
      const other = await begin(store);
      await make(store, other.node, await take(store, other.node, ALL));
      const takes = await Promise.all([0, 1, 2].map(() => store.results.takeStills(MOST, HOLD_MS)));
      const own = takes.flat().filter((one) => one.tenant === other.tenant);
      assert.equal(new Set(own.map(({ frame, side }) => `${frame} ${side}`)).size, 6);
      assert.equal(own.length, 6);
    });

    test("a moved still has the same facts, and its object in place of its image", async () => {
      const { store, tenant, job, stills } = await made();
      const before = await store.listStills(tenant, job.id);
      const [one] = stills;
      assert.ok(one);
      const counts = await store.results.count(MOST, HOLD_MS);
      const id = await linked(store, one);
      const now = await store.results.count(MOST, HOLD_MS);
      assert.deepEqual([now.storage - counts.storage, now.database - counts.database], [1, -1]);
      assert.equal((await store.results.count(0, HOLD_MS)).storage, 0);
      assert.deepEqual(await store.listStills(tenant, job.id), before);
      const read = await store.still(tenant, job.id, one.frame, one.side);
      assert.equal(read?.image, undefined);
      assert.equal(read?.object?.key, `${tenant}/${id}`);
      assert.deepEqual(Buffer.from(read?.object?.digests ?? []), digestOf(one.image));
      assert.equal(await store.still("another", job.id, one.frame, one.side), undefined);
      assert.equal(await store.results.linkStill(id, one), false, "it has no image any more");
    });

    test("an image that was deleted or made again is not replaced, and the object is deleted", async () => {
      const { database, store, tenant, node, job, stills } = await made();
      const one = stills.find(({ frame }) => frame === 100);
      assert.ok(one);
      const id = await reserved(store, tenant, one.image);
      await store.deleteStill(tenant, job.id, 100);
      assert.equal(await store.results.linkStill(id, one), false);
      await store.requestStills(tenant, job.id, [100]);
      const work = await take(store, node, ALL);
      for (const side of BOTH) {
        const image = { ...still(100, side), image: new Uint8Array([9]) };
        await store.recordStill(fence(node, work), image, side === "DISTORTED");
      }
      const second = await reserved(store, tenant, one.image);
      assert.equal(await store.results.linkStill(second, one), false);
      assert.deepEqual([...((await store.still(tenant, job.id, 100, one.side))?.image ?? [])], [9]);
      const gone = await unreferenced(database, store);
      assert.ok(gone.includes(id) && gone.includes(second));
    });

    test("an object is deleted only if no row refers to it, and none can refer to it afterwards", async () => {
      const { database, store, tenant, job, stills } = await made();
      const [one, other] = stills;
      assert.ok(one && other);
      const [used, unused] = [await linked(store, one), await reserved(store, tenant, other.image)];
      const gone = await unreferenced(database, store);
      assert.ok(gone.includes(unused) && !gone.includes(used));
      assert.equal(await store.results.linkStill(unused, other), false, "it is being deleted");
      assert.ok((await store.still(tenant, job.id, other.frame, other.side))?.image);
      assert.ok((await unreferenced(database, store)).includes(unused), "until it is forgotten");
      await store.results.forget([unused, used]);
      assert.ok(!(await unreferenced(database, store)).includes(unused));
      assert.ok(
        (await store.still(tenant, job.id, one.frame, one.side))?.object,
        "one in use is not forgotten",
      );
      assert.equal((await store.deleteJob(tenant, job.id, false))?.deleted, true);
      assert.ok((await unreferenced(database, store)).includes(used), "after the job is deleted");
    });

    test("is kept for a moment after its row is deleted, for those who read it", async () => {
      const { store, tenant, job, stills } = await made();
      const [one] = stills;
      assert.ok(one);
      const id = await linked(store, one);
      await store.deleteJob(tenant, job.id, false);
      const now = await store.results.takeUnreferenced(MOST, HOLD_MS);
      assert.ok(!now.some((object) => object.id === id));
    });

    test("a job that reuses the result of another one shares its objects until both are deleted", async () => {
      const { database, store, tenant, job, stills } = await made();
      const ids = await Promise.all(stills.map((one) => linked(store, one)));
      const answered = newJob({ workClass: "" });
      await store.insertJobs(tenant, [{ ...answered, answeredBy: job.id }]);
      const copy = await store.still(tenant, answered.id, 7, "REFERENCE");
      assert.ok(copy?.object);
      assert.deepEqual(copy, await store.still(tenant, job.id, 7, "REFERENCE"));
      await store.deleteJob(tenant, job.id, false);
      assert.deepEqual(
        (await unreferenced(database, store)).filter((id) => ids.includes(id)),
        [],
      );
      await store.deleteJob(tenant, answered.id, false);
      const gone = await unreferenced(database, store);
      assert.deepEqual(
        ids.filter((id) => !gone.includes(id)),
        [],
      );
    });

    test("a clip loses its pieces with the move, and gets them back with the return", async () => {
      const { store, tenant, node, job } = await made();
      await store.requestClips(tenant, job.id, [99], 50);
      const work = await take(store, node, [...CLASSES, CLIPS_CLASS]);
      const facts = {
        frame: 99,
        firstFrame: 99,
        frameCount: 1,
        mediaType: "video/mp4",
        width: 64,
        height: 36,
      };
      const video = Buffer.concat([Buffer.alloc(CLIP_PIECE_BYTES, 1), Buffer.alloc(3, 2)]);
      const pieces = [video.subarray(0, CLIP_PIECE_BYTES), video.subarray(CLIP_PIECE_BYTES)];
      for (const [number, piece] of pieces.entries())
        await store.recordClip(
          fence(node, work),
          { ...facts, bytes: video.length },
          { number, piece, last: number === 1 },
        );
      const before = await store.clip(tenant, job.id, 99);
      assert.ok(before);
      const clip = (await store.results.takeClips(MOST, HOLD_MS)).find((one) => one.tenant === tenant);
      assert.ok(clip);
      const id = await reserved(store, tenant, video);
      assert.equal(await store.results.linkClip(id, { ...clip, madeBy: "another 1" }), false);
      const right = await reserved(store, tenant, video);
      assert.equal(await store.results.linkClip(right, clip), true);
      const moved = await store.clip(tenant, job.id, 99);
      assert.deepEqual({ ...moved, object: undefined }, before);
      assert.equal(moved?.object?.bytes, video.length);
      assert.equal(await store.clipPiece(tenant, job.id, clip, 0), undefined);
      assert.ok(moved.object);
      const returned = { tenant, jobId: job.id, frame: 99, objectId: right, object: moved.object };
      await store.results.restoreClip(returned, pieces);
      await store.results.restoreClip(returned, pieces);
      assert.deepEqual(await store.clip(tenant, job.id, 99), before);
      const again = await Promise.all([0, 1].map((number) => store.clipPiece(tenant, job.id, clip, number)));
      assert.ok(Buffer.concat(again.map((piece) => piece ?? Buffer.alloc(0))).equals(video));
    });

    test("while results belong in the database, none is moved to the storage, and stills return from it", async () => {
      const { database, store, tenant, job, stills } = await made();
      const [one] = stills;
      assert.ok(one);
      const id = await linked(store, one);
      assert.deepEqual(await store.results.takeMovedStills(MOST, NOW), []);
      await store.results.moveTo("database");
      try {
        assert.equal(await store.results.place(), "database");
        assert.deepEqual(await store.results.takeStills(MOST, NOW), []);
        assert.deepEqual(await store.results.takeClips(MOST, NOW), []);
        const back = (await store.results.takeMovedStills(MOST, NOW)).find((moved) => moved.objectId === id);
        assert.ok(back);
        await store.results.restoreStill({ ...back, objectId: randomUUID() }, new Uint8Array([0]));
        assert.ok((await store.still(tenant, job.id, one.frame, one.side))?.object, "of another object");
        await store.results.restoreStill(back, one.image);
        const read = await store.still(tenant, job.id, one.frame, one.side);
        assert.deepEqual([...(read?.image ?? [])], [...one.image]);
        assert.ok((await unreferenced(database, store)).includes(id));
      } finally {
        await store.results.moveTo("storage");
      }
    });

    test("parts of objects are as long as pieces of clips, which are moved as they are", () => {
      assert.equal(OBJECT_PART_BYTES, CLIP_PIECE_BYTES);
    });
  });
});

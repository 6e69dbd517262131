/** Per-frame scores as objects: whose are moved and when, what shares an object, and when it is deleted. */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import type { Database } from "../../src/store/connection/database.ts";
import { statement } from "../../src/store/connection/statement.ts";
import type { UnmovedScores } from "../../src/store/contract/result-store.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { ScoredPart } from "../../src/store/contract/task-records.ts";
import {
  FRAMES_EACH,
  fence,
  jobOutcome,
  MEDIA,
  newJob,
  newTenant,
  onBothDatabases,
  PLAN,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

/** Milliseconds: longer than any test. */
const HOLD_MS = 1_800_000;
const DAY_MS = 86_400_000;
const MOST = 1_000;
const NOW = 0;
const KEY = createHash("sha256").update("the question").digest();
const HERE = createHash("sha256").update("these programs").digest();
const CONTENT = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]);
/** The chunks of two segments, the first of which has two. */
const CHUNKS = [[CONTENT.subarray(0, 3), CONTENT.subarray(3, 5)], [CONTENT.subarray(5)]];
const digestOf = (content: Uint8Array) => createHash("sha256").update(content).digest();
const keyOf = (n: number) => createHash("sha256").update(`segment ${n}`).digest();

const plan = (isAllowed: boolean) => ({
  plan: "the plan",
  framesTotal: 2 * FRAMES_EACH,
  segments: segments(2).map((one, n) => ({ ...one, reuseKey: keyOf(n) })),
  workClass: SCORE,
  media: MEDIA,
  reuse: { key: KEY, scoredBy: HERE, isAllowed },
});

async function scored(store: Store) {
  const tenant = newTenant();
  const node = await register(store, tenant);
  const job = newJob();
  await store.insertJobs(tenant, [job]);
  await store.recordPlan(fence(node, await take(store, node, [PLAN])), plan(false));
  for (const chunks of CHUNKS) {
    const work = await take(store, node);
    for (const [number, rows] of chunks.entries()) {
      const chunk = { number, rows, rowCount: FRAMES_EACH / chunks.length };
      if (number < chunks.length - 1) await store.recordChunk(fence(node, work), chunk);
      else await store.recordSegment(fence(node, work), segmentRecord({ last: chunk, scoredBy: HERE }));
    }
  }
  return { tenant, node, job };
}

async function ended(store: Store) {
  const given = await scored(store);
  assert.ok(await store.succeed(given.job.id, 1, jobOutcome()));
  return given;
}

async function takeOf(store: Store, tenant: string, afterMs = NOW): Promise<UnmovedScores | undefined> {
  const taken = await store.results.takeScores(MOST, HOLD_MS, afterMs);
  return taken.find((one) => one.tenant === tenant);
}

async function reserved(store: Store, tenant: string): Promise<string> {
  const id = randomUUID();
  const object = { key: `${tenant}/${id}`, bytes: CONTENT.length, digests: digestOf(CONTENT) };
  await store.results.reserve({ id, tenant, ...object });
  return id;
}

async function moved(store: Store) {
  const given = await ended(store);
  const scores = await takeOf(store, given.tenant);
  assert.ok(scores);
  const id = await reserved(store, given.tenant);
  assert.equal(await store.results.linkScores(id, scores), true);
  return { ...given, id, scores };
}

/** The chunks of parts: bytes, or the range of an object. */
async function contentOf(parts: readonly ScoredPart[]) {
  const all: (readonly (string | number)[])[][] = [];
  for (const { chunks } of parts) {
    const found: (readonly (string | number)[])[] = [];
    for await (const chunk of chunks)
      found.push("object" in chunk ? [chunk.object.key, chunk.firstByte, chunk.bytes] : [...chunk]);
    all.push(found);
  }
  return all;
}

const IN_DATABASE = CHUNKS.map((chunks) => chunks.map((chunk) => [...chunk]));
const inObject = (key: string) => [
  [
    [key, 0, 3],
    [key, 3, 2],
  ],
  [[key, 5, 3]],
];

const CHECK_NOW = statement("update result_object set check_at = now() where check_at is not null");

async function unreferenced(database: Database, store: Store): Promise<string[]> {
  await database.query("fleet", CHECK_NOW, []);
  return (await store.results.takeUnreferenced(MOST, NOW)).map(({ id }) => id);
}

onBothDatabases((open) => {
  describe("scores", () => {
    test("are claimed some time after the end of the job, by one process until its hold ends", async () => {
      const { database, store } = open();
      const running = await scored(store);
      assert.equal(await takeOf(store, running.tenant), undefined, "the job has not ended");
      const { tenant, job } = await ended(store);
      assert.equal(await takeOf(store, tenant, DAY_MS), undefined);
      const later = statement("update job set ended_at = now() - interval '25 hours' where id = $1");
      await database.query("fleet", later, [job.id]);
      const takes = await Promise.all([0, 1, 2].map(() => takeOf(store, tenant, DAY_MS)));
      const [scores, ...others] = takes.filter((one) => one !== undefined);
      assert.deepEqual(others, []);
      assert.equal(scores?.jobId, job.id);
      assert.deepEqual(Buffer.concat(scores.chunks.map(({ rows }) => rows)), CONTENT);
      assert.equal(await takeOf(store, tenant, DAY_MS), undefined, "they are held");
    });

    test("are ranges of one object after the move, in the same order", async () => {
      const { store } = open();
      const given = await ended(store);
      assert.deepEqual(await contentOf(await store.parts(given.tenant, given.job.id, 0, 9)), IN_DATABASE);
      const before = await store.results.count(MOST, NOW);
      const scores = await takeOf(store, given.tenant);
      assert.ok(scores);
      const id = await reserved(store, given.tenant);
      assert.equal(await store.results.linkScores(id, scores), true);
      const now = await store.results.count(MOST, NOW);
      assert.deepEqual([now.storage - before.storage, now.database - before.database], [1, -1]);
      const expected = inObject(`${given.tenant}/${id}`);
      assert.deepEqual(await contentOf(await store.parts(given.tenant, given.job.id, 0, 9)), expected);
      assert.deepEqual(await contentOf(await store.allParts(given.job.id, 1)), expected);
      assert.deepEqual(await store.parts("another", given.job.id, 0, 9), []);
      const second = await reserved(store, given.tenant);
      assert.equal(await store.results.linkScores(second, scores), false, "they are moved already");
    });

    test("of a job that was deleted meanwhile are not linked, and the object is deleted", async () => {
      const { database, store } = open();
      const { tenant, job } = await ended(store);
      const scores = await takeOf(store, tenant);
      assert.ok(scores);
      const id = await reserved(store, tenant);
      await store.deleteJob(tenant, job.id, false);
      assert.equal(await store.results.linkScores(id, scores), false);
      assert.ok((await unreferenced(database, store)).includes(id));
      const other = await ended(store);
      const others = await takeOf(store, other.tenant);
      const gone = await reserved(store, other.tenant);
      assert.ok(others && (await unreferenced(database, store)).includes(gone));
      assert.equal(await store.results.linkScores(gone, others), false, "the object is being deleted");
      assert.deepEqual(await contentOf(await store.allParts(other.job.id, 1)), IN_DATABASE);
    });

    test("are kept until the last job that shares them is deleted: one that reuses the result, or one with the same segments", async () => {
      const { database, store } = open();
      const { tenant, node, job, id } = await moved(store);
      const expected = inObject(`${tenant}/${id}`);
      const answered = newJob({ workClass: "" });
      await store.insertJobs(tenant, [{ ...answered, answeredBy: job.id }]);
      assert.deepEqual(await contentOf(await store.parts(tenant, answered.id, 0, 9)), expected);
      const next = newJob();
      await store.insertJobs(tenant, [next]);
      const { reused } = await store.recordPlan(fence(node, await take(store, node, [PLAN])), plan(true));
      assert.equal(reused, 2);
      assert.deepEqual(await contentOf(await store.allParts(next.id, 1)), expected);
      for (const one of [job, answered]) {
        assert.ok(!(await unreferenced(database, store)).includes(id));
        await store.deleteJob(tenant, one.id, false);
      }
      assert.ok(!(await unreferenced(database, store)).includes(id));
      assert.ok(await store.restartWhole(next.id, 1), "it is scored again");
      assert.ok((await unreferenced(database, store)).includes(id));
    });

    test("are kept for a moment after retention deletes the job, for those who read them", async () => {
      const { database, store } = open();
      const { id } = await moved(store);
      while ((await store.deleteEnded(NOW, MOST)) > 0);
      const at = (await store.results.takeUnreferenced(MOST, NOW)).map((one) => one.id);
      assert.ok(!at.includes(id));
      assert.ok((await unreferenced(database, store)).includes(id));
    });

    test("return to every job that shares them while results belong to the database, and are moved again", async () => {
      const { database, store } = open();
      const { tenant, job, id } = await moved(store);
      const answered = newJob({ workClass: "" });
      await store.insertJobs(tenant, [{ ...answered, answeredBy: job.id }]);
      assert.deepEqual(await store.results.takeMovedScores(MOST, NOW), []);
      await store.results.moveTo("database");
      try {
        const kept = await ended(store);
        assert.equal(await takeOf(store, kept.tenant), undefined);
        const back = (await store.results.takeMovedScores(MOST, HOLD_MS)).find((one) => one.objectId === id);
        assert.ok(back?.jobId === job.id || back?.jobId === answered.id);
        assert.deepEqual(Buffer.from(back.object.digests), digestOf(CONTENT));
        const again = await store.results.takeMovedScores(MOST, HOLD_MS);
        assert.ok(!again.some((one) => one.objectId === id), "it is held");
        await store.results.restoreScores({ objectId: randomUUID() }, Buffer.alloc(8));
        await store.results.restoreScores(back, CONTENT);
        await store.results.restoreScores(back, Buffer.alloc(8));
        for (const one of [job, answered])
          assert.deepEqual(await contentOf(await store.parts(tenant, one.id, 0, 9)), IN_DATABASE);
        assert.ok((await unreferenced(database, store)).includes(id));
      } finally {
        await store.results.moveTo("storage");
      }
      const scores = (await store.results.takeScores(MOST, HOLD_MS, NOW)).filter(
        (one) => one.tenant === tenant,
      );
      assert.deepEqual(scores.map(({ jobId }) => jobId).toSorted(), [job.id, answered.id].toSorted());
    });
  });
});

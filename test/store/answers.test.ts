/** A job that asks the same of the same files is stored with the result of the earlier one, and all that belongs to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { STILLS_CLASS } from "../../src/jobs/work.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
  bytesOf,
  claim,
  FRAMES_EACH,
  fence,
  jobOutcome,
  MEDIA,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

const digest = (text: string) => Buffer.alloc(32, text);
const KEY = digest("the question");
const ASKED = { key: KEY, isJudged: false };
const HERE = digest("these programs");

/** A job of two segments that succeeded, with stills of a frame of both sides. */
async function scoredJob(store: Store, node: NewNode, scoredBy = [HERE, HERE]) {
  const job = newJob();
  await store.insertJobs(node.tenant, [job]);
  await store.recordPlan(fence(node, await take(store, node, [PLAN])), {
    plan: "the plan",
    framesTotal: 2 * FRAMES_EACH,
    segments: segments(2).map((one, n) => ({ ...one, reuseKey: digest(`segment ${n}`) })),
    workClass: SCORE,
    media: MEDIA,
    reuse: { key: KEY, scoredBy: HERE, isAllowed: false },
  });
  for (const [n, by] of scoredBy.entries()) {
    const last = { number: 0, rows: new Uint8Array([n]), rowCount: FRAMES_EACH };
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord({ last, scoredBy: by }));
  }
  const stills = [{ segment: "segment 0", frames: [7] }];
  assert.ok(await store.succeed(job.id, 1, jobOutcome({ result: '{"score":1}', stills })));
  return job;
}

async function makeStills(store: Store, node: NewNode) {
  const work = await take(store, node, [STILLS_CLASS]);
  for (const side of ["REFERENCE", "DISTORTED"] as const) {
    const still = { frame: 7, side, mediaType: "image/webp", width: 2, height: 2, image: digest(side) };
    await store.recordStill(fence(node, work), still, side === "DISTORTED");
  }
}

async function answer(
  store: Store,
  node: NewNode,
  answeredBy: string,
  given: Parameters<typeof newJob>[0] = {},
) {
  const job = newJob({ ...given, answeredBy });
  const [stored] = await store.insertJobs(node.tenant, [job]);
  return stored ?? assert.fail();
}

async function rowsOf(store: Store, tenant: string, jobId: string) {
  const parts = await store.parts(tenant, jobId, 0, 10);
  return Promise.all(parts.map(bytesOf));
}

onBothStores((open) => {
  test("a job is stored with result, scores and stills of another one, which may then be deleted", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const { tenant } = node;
    const one = await scoredJob(store, node);
    await makeStills(store, node);
    const [found] = await store.findAnswers(tenant, [ASKED]);
    assert.deepEqual(found, {
      ...{ jobId: one.id, plan: "the plan", workClass: SCORE },
      ...{ scoredBy: found?.scoredBy, judged: undefined },
    });
    assert.deepEqual(Buffer.from(found.scoredBy), HERE);
    const before = (await store.jobDetail(tenant, one.id)) ?? assert.fail();
    const rows = await rowsOf(store, tenant, one.id);
    const given = { name: "again", labels: { a: "b" }, priority: 3, spec: "another spec" };
    const { job, created } = await answer(store, node, one.id, given);
    assert.equal(created, true);
    assert.deepEqual([job.state, job.score, job.spec, job.revision], ["SUCCEEDED", 1, "another spec", 1]);
    assert.deepEqual(job.reuse, {
      segments: 2,
      answer: { jobId: one.id, endedAt: before.job.endedAt ?? assert.fail() },
    });
    assert.deepEqual([job.media, job.scorer], [before.job.media, before.job.scorer]);
    assert.deepEqual(job.endedAt, job.startedAt);
    assert.equal(await claim(store, node, [PLAN, SCORE, STILLS_CLASS]), undefined, "nothing is left to do");
    await store.deleteJob(tenant, one.id, false);
    const detail = await store.jobDetail(tenant, job.id);
    assert.equal(detail?.result, before.result);
    assert.deepEqual(
      detail?.work.map(({ kind, state, reusedFrom }) => ({ kind, state, reusedFrom })),
      before.work.map(({ kind, state }) => ({ kind, state, reusedFrom: one.id })),
    );
    assert.deepEqual(await rowsOf(store, tenant, job.id), rows);
    assert.deepEqual(
      (await store.listStills(tenant, job.id)).map(({ state }) => state),
      ["READY", "READY"],
    );
    assert.deepEqual(
      new Uint8Array((await store.still(tenant, job.id, 7, "REFERENCE"))?.image ?? []),
      new Uint8Array(digest("REFERENCE")),
    );
    const listed = await store.listJobs(tenant, { labels: { a: "b" } }, undefined, 10, "LAST_ENDED");
    assert.deepEqual(
      listed.map(({ id }) => id),
      [job.id],
    );
  });

  test("a job with a reused result passes it on, and both jobs name the one that was scored", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await scoredJob(store, node);
    const second = await answer(store, node, one.id);
    await store.deleteJob(node.tenant, one.id, false);
    const [found] = await store.findAnswers(node.tenant, [ASKED]);
    assert.equal(found?.jobId, second.job.id);
    const third = await answer(store, node, second.job.id);
    assert.deepEqual(third.job.reuse, second.job.reuse);
    assert.deepEqual((await store.listStills(node.tenant, third.job.id)).length, 0, "none were made in time");
  });

  test("a job is queued if the result to reuse is gone, or belongs to another tenant", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await scoredJob(store, node);
    const stranger = await register(store, newTenant());
    assert.deepEqual(await store.findAnswers(stranger.tenant, [ASKED]), [undefined]);
    const other = await answer(store, stranger, one.id);
    assert.deepEqual([other.job.state, other.job.reuse], ["QUEUED", undefined]);
    await store.deleteJob(node.tenant, one.id, false);
    assert.deepEqual(await store.findAnswers(node.tenant, [ASKED]), [undefined]);
    assert.equal((await answer(store, node, one.id)).job.state, "QUEUED");
  });

  test("an idempotency key has one job, and conflicts as always", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await scoredJob(store, node);
    const first = await answer(store, node, one.id, { idempotencyKey: "k" });
    const again = await answer(store, node, one.id, { idempotencyKey: "k" });
    assert.deepEqual([again.created, again.job.id], [false, first.job.id]);
    const other = answer(store, node, one.id, { idempotencyKey: "k", fingerprint: "another" });
    await assert.rejects(other, { code: "IDEMPOTENCY_CONFLICT" });
  });

  test("jobs of a batch are stored together, with a reused result or without", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await scoredJob(store, node);
    const batch = [newJob(), newJob({ answeredBy: one.id }), newJob({ idempotencyKey: "b" })];
    const stored = await store.insertJobs(node.tenant, batch);
    assert.deepEqual(
      stored.map(({ job, created }) => [job.id, job.state, created]),
      batch.map(({ id }, n) => [id, n === 1 ? "SUCCEEDED" : "QUEUED", true]),
    );
    const failing = [newJob({ answeredBy: one.id }), newJob({ idempotencyKey: "b", fingerprint: "another" })];
    await assert.rejects(store.insertJobs(node.tenant, failing), { code: "IDEMPOTENCY_CONFLICT" });
    assert.equal(await store.job(node.tenant, failing[0]?.id ?? ""), undefined);
  });

  test("a result of several programs is not reused", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    await scoredJob(store, node, [HERE, digest("other programs")]);
    assert.deepEqual(
      await store.findAnswers(node.tenant, [ASKED, { key: digest("another question"), isJudged: false }]),
      [undefined, undefined],
    );
  });
});

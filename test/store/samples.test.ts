/** Samples: rounds of segments, estimates of jobs, and jobs that finish them. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Failure } from "../../src/platform/failure.ts";
import type { Estimated, Finishing } from "../../src/store/contract/job-records.ts";
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
  plannedJob,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

/** Segments of the whole pair. */
const ALL = segments(10);
const FRAMES = ALL.length * FRAMES_EACH;
const UNITS = "unit 0\nunit 1";
const ESTIMATE = { score: 93.5, low: 93, high: 94, scoredShare: 0.2 };

/** Stores a job whose sample begins with these segments. */
async function sampledJob(store: Store, node: NewNode, first: readonly number[]) {
  const job = newJob();
  await store.insertJobs(node.tenant, [job]);
  await store.recordPlan(fence(node, await take(store, node, [PLAN])), {
    plan: "the plan",
    framesTotal: first.length * FRAMES_EACH,
    segments: first.map((n) => ALL[n] ?? assert.fail()),
    sample: { frames: FRAMES, units: UNITS },
    workClass: SCORE,
    media: MEDIA,
  });
  return job;
}

/** Scores all ready segments; returns them in their order, and the job if it can be pooled. */
async function scoreAll(store: Store, node: NewNode) {
  const scored: (string | undefined)[] = [];
  for (;;) {
    const work = await claim(store, node);
    assert.notEqual(work?.kind, "PLAN");
    if (work === undefined) return { scored, poolable: undefined };
    const { poolable } = await store.recordSegment(fence(node, work), segmentRecord());
    scored.push(work.segment);
    if (poolable !== undefined) return { scored, poolable };
  }
}

/** A job that scores these segments. */
function finishing(rest: readonly number[], seen: Estimated[] = []) {
  return (estimated: Estimated): Finishing => {
    seen.push(estimated);
    const { idempotencyKey: _, workClass: __, ...job } = newJob({ id: randomUUID() });
    return { job, segments: rest.map((n) => ALL[n] ?? assert.fail()) };
  };
}

/** A job with an estimate from segments 3 and 7, which succeeded. */
async function estimatedJob(store: Store, node: NewNode) {
  const job = await sampledJob(store, node, [7, 3]);
  await scoreAll(store, node);
  assert.equal(await store.succeed(job.id, 1, jobOutcome({ frameCount: 200, estimate: ESTIMATE })), true);
  return job;
}

onBothStores((open) => {
  test("a sample is scored in rounds, in the given order, and its estimate is in the job", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await sampledJob(store, node, [7, 3]);
    const first = await scoreAll(store, node);
    assert.deepEqual(first.scored, ["segment 7", "segment 3"]);
    assert.equal(first.poolable?.isSampled, true);
    assert.equal(await store.sampleUnits(job.id), UNITS);
    const more = { segments: [ALL[9], ALL[1]].map((one) => one ?? assert.fail()), isRest: false };
    assert.equal(await store.extend(job.id, 2, { ...more, estimate: ESTIMATE }), false, "another plan");
    assert.equal(await store.extend(job.id, 1, { ...more, estimate: ESTIMATE }), true);
    assert.equal(await store.extend(job.id, 1, { ...more, estimate: ESTIMATE }), false, "is being scored");
    const running = await store.job(tenant, job.id);
    assert.deepEqual(running?.estimate, ESTIMATE);
    assert.deepEqual([running?.segmentsTotal, running?.segmentsDone], [4, 2]);
    assert.deepEqual([running?.framesTotal, running?.framesDone], [400, 200]);
    const second = await scoreAll(store, node);
    assert.deepEqual(second.scored, ["segment 9", "segment 1"]);
    const parts = await store.allParts(job.id, 1);
    assert.deepEqual(
      parts.map(({ firstFrame }) => firstFrame),
      [100, 300, 700, 900],
    );
    const rest = { segments: ALL.filter((_, n) => ![1, 3, 7, 9].includes(n)), isRest: true };
    assert.equal(await store.extend(job.id, 1, { ...rest, estimate: undefined }), true);
    const last = await scoreAll(store, node);
    assert.equal(last.poolable?.isSampled, false);
    await store.succeed(job.id, 1, jobOutcome({ frameCount: FRAMES }));
    assert.equal((await store.job(tenant, job.id))?.estimate, undefined);
    const failure = await store.finishJob(tenant, job.id, finishing([])).catch((thrown: unknown) => thrown);
    assert.ok(failure instanceof Failure && failure.code === "JOB_NOT_ESTIMATED");
  });

  test("a segment mismatch replaces a sample by one task for all frames, at the cost of all frames", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await sampledJob(store, node, [7, 3]);
    await store.recordSegmentMismatch(fence(node, await take(store, node)));
    const whole = await take(store, node);
    assert.equal(whole.kind, "WHOLE");
    assert.equal(
      whole.cost,
      ALL.reduce((sum, { cost }) => sum + cost, 0),
    );
    assert.equal((await store.job(tenant, job.id))?.framesTotal, FRAMES);
    assert.equal(await store.sampleUnits(job.id), undefined);
  });

  test("an estimate is finished once, by a job with copies of its scores", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const { id } = await estimatedJob(store, node);
    const rest = ALL.map((_, n) => n).filter((n) => n !== 3 && n !== 7);
    const seen: Estimated[] = [];
    const calls = [1, 2].map(() => store.finishJob(tenant, id, finishing(rest, seen)));
    const [one, other] = await Promise.all(calls);
    assert.ok(one && other);
    assert.equal(one.job.id, other.job.id);
    assert.notEqual(one.created, other.created);
    assert.deepEqual(
      seen.map(({ units, plan, scored }) => ({ units, plan, scored })),
      [{ units: UNITS, plan: "the plan", scored: [300, 700] }],
    );
    const { job } = one;
    assert.deepEqual([job.state, job.finishes, job.estimate], ["QUEUED", id, undefined]);
    assert.deepEqual(
      [job.framesTotal, job.framesDone, job.segmentsTotal, job.segmentsDone],
      [FRAMES, 200, 10, 2],
    );
    assert.deepEqual(job.media, MEDIA);
    assert.equal((await store.finishingJob(tenant, id))?.id, job.id);
    await store.deleteJob(tenant, id, false);
    const { scored, poolable } = await scoreAll(store, node);
    assert.deepEqual(
      scored,
      rest.map((n) => `segment ${n}`),
    );
    assert.equal(poolable?.isSampled, false);
    assert.equal((await store.job(tenant, job.id))?.state, "RUNNING");
    const parts = await store.allParts(job.id, 1);
    assert.equal(parts.length, ALL.length);
    for (const part of parts) assert.deepEqual(await bytesOf(part), [[1, 2, 3]]);
    const kinds = (await store.jobDetail(tenant, job.id))?.work.map(({ kind }) => kind);
    assert.equal(kinds?.filter((kind) => kind === "PLAN").length, 1);
  });

  test("a finishing job is planned again if no node can score it, even before it starts", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const { id } = await estimatedJob(store, node);
    const finished = await store.finishJob(tenant, id, finishing([0, 1]));
    assert.ok(await store.replan(finished?.job.id ?? "", 1));
    assert.equal((await take(store, node, [PLAN])).jobId, finished?.job.id);
  });

  test("an estimate is finished again after a job that was cancelled, but not by another tenant", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const { id } = await estimatedJob(store, node);
    assert.equal(await store.finishJob(newTenant(), id, finishing([0])), undefined);
    assert.equal(await store.finishJob(tenant, "no id", finishing([0])), undefined);
    const first = await store.finishJob(tenant, id, finishing([0]));
    await store.cancelJob(tenant, first?.job.id ?? "");
    assert.equal(await store.finishingJob(tenant, id), undefined);
    const second = await store.finishJob(tenant, id, finishing([0]));
    assert.equal(second?.created, true);
  });

  test("only an estimate that has succeeded is finished", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const ordinary = await plannedJob(store, node, 1);
    const sampled = await sampledJob(store, node, [2]);
    for (const { id } of [ordinary, sampled]) {
      const failure = await store.finishJob(tenant, id, finishing([0])).catch((thrown: unknown) => thrown);
      assert.ok(failure instanceof Failure && failure.code === "JOB_NOT_SUCCEEDED");
    }
  });
});

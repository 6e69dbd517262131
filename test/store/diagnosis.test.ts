/** Diagnoses as results of jobs: they end their job, with the live lease of a diagnosis only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DIAGNOSIS_CLASS } from "../../src/jobs/work.ts";
import {
  fence,
  MEDIA,
  newJob,
  newTenant,
  onBothDatabases,
  PLAN,
  recordPlan,
  register,
  take,
} from "./stores.ts";

const DIAGNOSIS = { result: '{"durationMs":1}', media: MEDIA };

onBothDatabases((open) => {
  test("end their job, which has no score", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = newJob({ workClass: DIAGNOSIS_CLASS });
    await store.insertJobs(tenant, [job]);
    const work = await take(store, node, [DIAGNOSIS_CLASS]);
    const { durationMs, ...recorded } = await store.recordDiagnosis(fence(node, work), DIAGNOSIS);
    assert.deepEqual(recorded, { recorded: "RECORDED", tenant });
    assert.ok(durationMs !== undefined && durationMs >= 0, String(durationMs));
    const detail = (await store.jobDetail(tenant, job.id)) ?? assert.fail("the job is gone");
    const { state, score, media, segmentsTotal, endedAt } = detail.job;
    assert.deepEqual([state, score, media, segmentsTotal], ["SUCCEEDED", undefined, MEDIA, 0]);
    assert.ok(endedAt !== undefined);
    assert.equal(detail.result, DIAGNOSIS.result);
    assert.deepEqual(
      detail.work.map(({ kind, state: task }) => [kind, task]),
      [["PLAN", "DONE"]],
    );
    assert.equal((await store.recordDiagnosis(fence(node, work), DIAGNOSIS)).recorded, "REPEATED");
    assert.deepEqual(await store.takePoolable(10, 1_000), []);
  });

  test("are recorded only for a leased diagnosis, and a plan is not", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await store.insertJobs(tenant, [newJob(), newJob({ workClass: DIAGNOSIS_CLASS })]);
    const plan = await take(store, node, [PLAN]);
    const diagnosis = await take(store, node, [DIAGNOSIS_CLASS]);
    const later = { ...diagnosis, attempt: diagnosis.attempt + 1 };
    for (const work of [plan, later])
      assert.equal((await store.recordDiagnosis(fence(node, work), DIAGNOSIS)).recorded, "STALE");
    assert.equal((await recordPlan(store, node, diagnosis, 1)).recorded, "STALE");
    await store.cancelJob(tenant, diagnosis.jobId);
    assert.equal((await store.recordDiagnosis(fence(node, diagnosis), DIAGNOSIS)).recorded, "STALE");
    assert.equal((await store.job(tenant, diagnosis.jobId))?.state, "CANCELLED");
    assert.equal((await recordPlan(store, node, plan, 1)).recorded, "RECORDED");
  });
});

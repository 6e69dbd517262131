/** What lists show of a job's distorted file and of its scorer, wherever a job is read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fence,
  jobOutcome,
  MEDIA,
  newJob,
  newTenant,
  onBothStores,
  plannedJob,
  recordPlan,
  register,
  SCORED_BY,
  segmentRecord,
  take,
} from "./stores.ts";

onBothStores((open) => {
  test("the file's facts are available once a job is planned: in the job, lists, snapshots and events", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const queued = newJob();
    await store.insertJobs(tenant, [queued]);
    assert.equal((await store.job(tenant, queued.id))?.media, undefined);
    const cursor = await store.eventCursor();
    await recordPlan(store, node, await take(store, node), 1);
    assert.deepEqual((await store.job(tenant, queued.id))?.media, MEDIA);
    assert.deepEqual((await store.jobDetail(tenant, queued.id))?.job.media, MEDIA);
    assert.deepEqual((await store.listJobs(tenant, {}, undefined, 10))[0]?.media, MEDIA);
    assert.deepEqual((await store.snapshot(tenant, {}, undefined, 10, cursor))[0]?.job.media, MEDIA);
    const page = await store.tenantEventsAfter(tenant, cursor, 10);
    assert.deepEqual(page?.events.at(-1)?.job.media, MEDIA);
  });

  test("the file's facts are from the result once the job has succeeded", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    const media = { codec: "rawvideo", width: 640, height: 360, videoBitRate: undefined };
    await store.succeed(job.id, 1, jobOutcome({ media, stills: [{ segment: "segment 0", frames: [5] }] }));
    assert.deepEqual((await store.job(tenant, job.id))?.media, media);
    assert.equal((await store.listStills(tenant, job.id)).length, 2);
  });

  test("the file's facts are absent while a job waits for a new plan", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    assert.ok(await store.replan(job.id, 1));
    assert.equal((await store.job(tenant, job.id))?.media, undefined);
  });

  test("the scorer is available once the job has succeeded, and in the events of its deletion", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    assert.equal((await store.job(tenant, job.id))?.scorer, undefined);
    const cursor = await store.eventCursor();
    await store.succeed(job.id, 1, jobOutcome({ scorer: SCORED_BY }));
    assert.deepEqual((await store.job(tenant, job.id))?.scorer, SCORED_BY);
    assert.deepEqual((await store.jobDetail(tenant, job.id))?.job.scorer, SCORED_BY);
    assert.deepEqual((await store.listJobs(tenant, {}, undefined, 10))[0]?.scorer, SCORED_BY);
    assert.deepEqual((await store.snapshot(tenant, {}, undefined, 10, cursor))[0]?.job.scorer, SCORED_BY);
    const ofLastEvent = async () => {
      const event = (await store.tenantEventsAfter(tenant, cursor, 10))?.events.at(-1);
      return [event?.kind, event?.job.scorer];
    };
    assert.deepEqual(await ofLastEvent(), ["CHANGE", SCORED_BY]);
    await store.deleteJob(tenant, job.id, false);
    assert.deepEqual(await ofLastEvent(), ["DELETED", SCORED_BY]);
  });
});

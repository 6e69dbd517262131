/** Cancels and deletes many jobs in batches, and changes labels. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { STILLS_CLASS } from "../../src/jobs/work.ts";
import type { Database } from "../../src/store/connection/database.ts";
import { statement } from "../../src/store/connection/statement.ts";
import type { JobEvent } from "../../src/store/contract/event-records.ts";
import type { JobCursor, JobFilter, JobsStep, NewJob } from "../../src/store/contract/job-records.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
  CLASSES,
  claim,
  fence,
  jobOutcome,
  LEASE_MS,
  MEDIA,
  newJob,
  newTenant,
  nextMoment,
  onBothDatabases,
  PLAN,
  plannedJob,
  recordPlan,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

type Step = (filter: JobFilter, after: JobCursor | undefined) => Promise<JobsStep>;

/** Runs all batches of a change; returns the number of jobs that each changed. */
async function steps(step: Step, filter: JobFilter): Promise<number[]> {
  const counts: number[] = [];
  for (let after: JobCursor | undefined; ; ) {
    const { jobs, next } = await step(filter, after);
    counts.push(jobs.length);
    if (next === undefined) return counts;
    after = next;
  }
}

const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);

const cancelling =
  (store: Store, tenant: string): Step =>
  (filter, after) =>
    store.cancelSome(tenant, filter, after);

const deleting =
  (store: Store, tenant: string): Step =>
  (filter, after) =>
    store.deleteSome(tenant, filter, after);

async function submit(store: Store, tenant: string, count: number, given: Partial<NewJob> = {}) {
  const jobs = Array.from({ length: count }, () => newJob(given));
  await store.insertJobs(tenant, jobs);
  return jobs.map(({ id }) => id);
}

/** Returns a tenant's events after a cursor. */
async function eventsOf(store: Store, cursor: string, tenant: string): Promise<JobEvent[]> {
  const found: JobEvent[] = [];
  for (let place = cursor; ; ) {
    const page = await store.tenantEventsAfter(tenant, place, 500);
    assert.ok(page);
    found.push(...page.events);
    if (page.cursor === place) return found;
    place = page.cursor;
  }
}

/** Creates a succeeded job of two segments, with one stored still and one that a node is making. */
async function succeeded(store: Store, node: NewNode, given: Partial<NewJob> = {}): Promise<NewJob> {
  const job = await plannedJob(store, node, 2, given);
  for (let n = 0; n < 2; n++) {
    const work = await take(store, node, [SCORE]);
    await store.recordSegment(fence(node, work), segmentRecord());
  }
  const stills = [{ segment: "segment 0", frames: [7] }];
  await store.succeed(job.id, 1, jobOutcome({ stills }));
  return job;
}

onBothDatabases((open) => {
  const countOf = async (database: Database, table: string, job: string): Promise<number> => {
    const column = table === "job" ? "id" : "job_id";
    const where = table === "piece" ? "work_id in (select id from work where job_id = $1)" : `${column} = $1`;
    const count = statement(`select count(*) as count from ${table} where ${where}`);
    const [row] = await database.query<{ count: number }>("fleet", count, [job]);
    return row?.count ?? 0;
  };

  describe("cancelling many", () => {
    test("cancels the jobs of a filter in batches, and none of other tenants or submitted later", async () => {
      const { store } = open();
      const [tenant, other] = [newTenant(), newTenant()];
      const kept = await submit(store, tenant, 3, { labels: { release: "6" } });
      const wanted = await submit(store, tenant, 250, { labels: { release: "7" } });
      const theirs = await submit(store, other, 5, { labels: { release: "7" } });
      const filter = { labels: { release: "7" } };
      const cursor = await store.eventCursor();
      const first = await store.cancelSome(tenant, filter, undefined);
      const ids = first.jobs.map(({ id }) => id);
      assert.deepEqual(ids.toSorted(), wanted.slice(-100).toSorted(), "newest first");
      assert.ok(first.jobs.every(({ state }) => state === "CANCELLED"));
      const [late] = await submit(store, tenant, 1, { labels: { release: "7" } });
      let after = first.next;
      const counts = [];
      for (; after !== undefined; ) {
        const step: JobsStep = await store.cancelSome(tenant, filter, after);
        counts.push(step.jobs.length);
        after = step.next;
      }
      assert.deepEqual(counts, [100, 50]);
      for (const id of [...kept, late ?? ""]) assert.equal((await store.job(tenant, id))?.state, "QUEUED");
      for (const id of theirs) assert.equal((await store.job(other, id))?.state, "QUEUED");
      assert.equal(await store.queued(tenant), 4);
      const ends = (await eventsOf(store, cursor, tenant)).filter(({ before }) => before === "QUEUED");
      assert.deepEqual(ends.map(({ job }) => job.id).toSorted(), wanted.toSorted());
      assert.deepEqual(
        await steps(cancelling(store, tenant), filter),
        [1],
        "again, for jobs submitted since",
      );
      assert.deepEqual(await steps(cancelling(store, tenant), filter), [0]);
    });

    test("stops running tasks, skips ended jobs, and applies states and ids exactly", async () => {
      const { store } = open();
      const tenant = newTenant();
      const node = await register(store, tenant);
      const done = await succeeded(store, node);
      const running = await plannedJob(store, node, 3);
      const scored = await take(store, node, [SCORE]);
      await store.recordSegment(fence(node, scored), segmentRecord());
      const work = await take(store, node, [SCORE]);
      const [queued = ""] = await submit(store, tenant, 1);
      assert.deepEqual(
        await steps(cancelling(store, tenant), { states: ["QUEUED"], ids: [running.id] }),
        [0],
      );
      assert.deepEqual(await steps(cancelling(store, tenant), { states: ["SUCCEEDED", "FAILED"] }), [0]);
      const { jobs, nodes } = await store.cancelSome(tenant, { ids: [done.id, running.id] }, undefined);
      assert.deepEqual(
        jobs.map(({ id, state }) => [id, state]),
        [[running.id, "CANCELLED"]],
      );
      assert.deepEqual(nodes, [node.id]);
      assert.equal((await store.recordSegment(fence(node, work), segmentRecord())).recorded, "STALE");
      const states = (await store.jobDetail(tenant, running.id))?.work.map(({ state }) => state);
      assert.deepEqual(states, ["DONE", "DONE", "CANCELLED", "CANCELLED"]);
      assert.equal((await store.parts(tenant, running.id, 0, 10)).length, 1, "existing scores are kept");
      assert.equal((await store.job(tenant, done.id))?.state, "SUCCEEDED");
      assert.equal((await store.job(tenant, queued))?.state, "QUEUED");
    });

    test("takes fewer jobs per batch the more tasks they have", async () => {
      const { store } = open();
      const tenant = newTenant();
      const node = await register(store, tenant);
      for (let film = 0; film < 3; film++) {
        await store.insertJobs(tenant, [newJob()]);
        const plan = {
          plan: "the plan",
          media: MEDIA,
          framesTotal: 70_000,
          segments: segments(700),
          workClass: SCORE,
        };
        await store.recordPlan(fence(node, await take(store, node, [PLAN])), plan);
      }
      await submit(store, tenant, 5);
      assert.deepEqual(await steps(cancelling(store, tenant), {}), [6, 1, 1]);
    });

    test("ends every job once under concurrent claims, reports and cancels", async () => {
      const { store } = open();
      const tenant = newTenant();
      const ids = await submit(store, tenant, 120);
      const nodes = await Promise.all(Array.from({ length: 4 }, () => register(store, tenant)));
      const cursor = await store.eventCursor();
      let busy = true;
      const works = nodes.map(async (node) => {
        while (busy) {
          const work = await claim(store, node, CLASSES);
          if (work?.kind === "PLAN") await recordPlan(store, node, work, 2);
          else if (work !== undefined) await store.recordSegment(fence(node, work), segmentRecord());
        }
      });
      const both = await Promise.all([1, 2].map(() => steps(cancelling(store, tenant), {})));
      busy = false;
      await Promise.all(works);
      assert.equal(sum(both.flat()), ids.length);
      const ends = (await eventsOf(store, cursor, tenant)).filter(
        ({ job, before }) => job.state === "CANCELLED" && before !== "CANCELLED",
      );
      assert.deepEqual(ends.map(({ job }) => job.id).toSorted(), ids.toSorted());
      const [node] = nodes;
      assert.ok(node);
      assert.equal(await claim(store, node, CLASSES), undefined, "none of their tasks is leased any more");
    });
  });

  describe("deleting", () => {
    test("deletes a job with its tasks, scores, stills and key, and adds an event", async () => {
      const { database, store } = open();
      const tenant = newTenant();
      const node = await register(store, tenant);
      const job = await succeeded(store, node, { idempotencyKey: "key", labels: { title: "a" } });
      const work = await take(store, node, [STILLS_CLASS]);
      const image = new Uint8Array([1]);
      for (const side of ["REFERENCE", "DISTORTED"] as const) {
        const still = { frame: 7, side, mediaType: "image/webp", width: 1, height: 1, image };
        await store.recordStill(fence(node, work), still, side === "DISTORTED");
      }
      await store.requestStills(tenant, job.id, [9]);
      const making = await take(store, node, [STILLS_CLASS]);
      const before = await Promise.all(
        ["work", "piece", "still"].map((table) => countOf(database, table, job.id)),
      );
      assert.ok(before.every((count) => count > 0));
      const last = await store.job(tenant, job.id);
      const cursor = await store.eventCursor();
      const outcome = await store.deleteJob(tenant, job.id, false);
      assert.deepEqual(outcome, { job: last, deleted: true, nodes: [node.id] });
      for (const table of ["job", "work", "piece", "still"])
        assert.equal(await countOf(database, table, job.id), 0, table);
      assert.equal(await store.tenantOf(job.id), undefined);
      assert.equal(await store.deleteJob(tenant, job.id, true), undefined);
      const { lost } = await store.renew(
        node.session,
        [{ itemId: making.id, attempt: making.attempt, framesDone: 0 }],
        LEASE_MS,
        false,
      );
      assert.equal(lost.length, 1, "its node loses the lease");
      const events = await eventsOf(store, cursor, tenant);
      assert.deepEqual(
        events.map((event) => [event.kind, event.job, event.labels]),
        [["DELETED", last, { title: "a" }]],
      );
      const again = newJob({ idempotencyKey: "key", fingerprint: "another" });
      assert.equal((await store.insertJobs(tenant, [again]))[0]?.created, true, "the key is free");
    });

    test("deletes a job that has not ended only if allowed", async () => {
      const { database, store } = open();
      const tenant = newTenant();
      const node = await register(store, tenant);
      const running = await plannedJob(store, node, 2);
      const work = await take(store, node, [SCORE]);
      const [queued = ""] = await submit(store, tenant, 1);
      for (const id of [running.id, queued]) {
        const outcome = await store.deleteJob(tenant, id, false);
        assert.deepEqual(
          [outcome?.deleted, outcome?.job.state],
          [false, id === queued ? "QUEUED" : "RUNNING"],
        );
        assert.ok(await store.job(tenant, id));
      }
      const outcome = await store.deleteJob(tenant, running.id, true);
      assert.deepEqual([outcome?.deleted, outcome?.nodes], [true, [node.id]]);
      assert.equal((await store.recordSegment(fence(node, work), segmentRecord())).recorded, "STALE");
      assert.equal(await store.recordChunk(fence(node, work), segmentRecord().last), "STALE");
      assert.equal(await countOf(database, "work", running.id), 0);
      assert.equal((await take(store, node)).jobId, queued, "other tasks are still claimed");
    });

    test("deletes many jobs by state, and none of another tenant", async () => {
      const { store } = open();
      const [tenant, other] = [newTenant(), newTenant()];
      const ended = await submit(store, tenant, 130, { labels: { release: "7" } });
      const theirs = await submit(store, other, 2, { labels: { release: "7" } });
      await steps(cancelling(store, tenant), {});
      await steps(cancelling(store, other), {});
      const queued = await submit(store, tenant, 2, { labels: { release: "7" } });
      const ids = [...theirs, ...ended, ...queued];
      const terminal = { states: ["SUCCEEDED", "FAILED", "CANCELLED"] } as const;
      const step = deleting(store, tenant);
      assert.equal(await store.countJobs(tenant, { ...terminal, ids }), 130);
      assert.deepEqual(await steps(step, { ...terminal, labels: { release: "6" } }), [0]);
      assert.equal(sum(await steps(step, { ...terminal, labels: { release: "7" } })), 130);
      assert.deepEqual(
        (await store.listJobs(tenant, {}, undefined, 10)).map(({ id }) => id),
        queued.toReversed(),
      );
      assert.deepEqual(await steps(step, {}), [2]);
      assert.equal((await store.listJobs(other, {}, undefined, 10)).length, 2);
    });

    test("deletes by end time also jobs that ended long after their submission", async () => {
      const { store } = open();
      const tenant = newTenant();
      const [early = "", late = ""] = await submit(store, tenant, 2);
      await nextMoment(store);
      await store.cancelJob(tenant, late);
      await nextMoment(store);
      const between = Math.floor(await store.now());
      await nextMoment(store);
      await store.cancelJob(tenant, early);
      assert.deepEqual(await steps(deleting(store, tenant), { endedSinceMs: between }), [1]);
      assert.equal(await store.job(tenant, early), undefined);
      assert.ok(await store.job(tenant, late));
    });
  });

  describe("labels", () => {
    test("change in the spec and in lists, and the event has the labels before", async () => {
      const { store } = open();
      const tenant = newTenant();
      const [id = ""] = await submit(store, tenant, 1, { labels: { release: "7" } });
      const cursor = await store.eventCursor();
      const outcome = await store.relabelJob(tenant, id, (spec) => {
        assert.equal(spec, newJob().spec);
        return { spec: '{"labels":{"release":"8"}}', labels: { release: "8" } };
      });
      assert.deepEqual(
        [outcome?.changed, outcome?.job.spec, outcome?.job.revision],
        [true, '{"labels":{"release":"8"}}', 2],
      );
      assert.deepEqual(await store.job(tenant, id), outcome?.job);
      assert.equal(await store.countJobs(tenant, { labels: { release: "8" } }), 1);
      assert.equal(await store.countJobs(tenant, { labels: { release: "7" } }), 0);
      const [event] = await eventsOf(store, cursor, tenant);
      assert.deepEqual(
        [event?.before, event?.labels, event?.labelsBefore, event?.job.revision],
        ["QUEUED", { release: "8" }, { release: "7" }, 2],
      );
    });

    test("do not change if they are equal or if the change is refused", async () => {
      const { store } = open();
      const tenant = newTenant();
      const [id = ""] = await submit(store, tenant, 1);
      const cursor = await store.eventCursor();
      const unchanged = await store.relabelJob(tenant, id, () => undefined);
      assert.deepEqual([unchanged?.changed, unchanged?.job.revision], [false, 1]);
      const refusal = new Error("too many");
      const refusing = store.relabelJob(tenant, id, () => {
        throw refusal;
      });
      await assert.rejects(refusing);
      assert.deepEqual(await eventsOf(store, cursor, tenant), []);
      assert.equal(await store.relabelJob(newTenant(), id, assert.fail), undefined);
      assert.equal(await store.relabelJob(tenant, randomUUID(), assert.fail), undefined);
      assert.equal(await store.relabelJob(tenant, "no id", assert.fail), undefined);
    });

    test("keep every one of many concurrent changes", async () => {
      const { store } = open();
      const tenant = newTenant();
      const [id = ""] = await submit(store, tenant, 1);
      const add = (key: string) =>
        store.relabelJob(tenant, id, (spec) => {
          const labels = { ...(JSON.parse(spec) as { labels?: object }).labels, [key]: "yes" };
          return { spec: JSON.stringify({ labels }), labels };
        });
      const keys = Array.from({ length: 12 }, (_, n) => `key-${n}`);
      await Promise.all(keys.map(add));
      const labels = Object.fromEntries(keys.map((key) => [key, "yes"]));
      assert.equal(await store.countJobs(tenant, { labels }), 1);
      assert.equal((await store.job(tenant, id))?.revision, 13);
    });
  });
});

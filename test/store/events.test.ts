/** Events: every change exactly once and in order for every reader, and cursors to resume from. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import type { JobEvent } from "../../src/store/contract/event-records.ts";
import type { JobCursor } from "../../src/store/contract/job-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
  fence,
  jobOutcome,
  LEASE_MS,
  MEDIA,
  newJob,
  newTenant,
  nextMoment,
  onBothStores,
  PLAN,
  plannedJob,
  recordPlan,
  register,
  segmentRecord,
  take,
} from "./stores.ts";

onBothStores((open) => {
  test("every change of a job is an event with the job as of that change", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const cursor = await store.eventCursor();
    const job = newJob({ labels: { title: "a" } });
    await store.insertJobs(tenant, [job]);
    await recordPlan(store, node, await take(store, node), 2);
    const [first, second] = [await take(store, node), await take(store, node)];
    await store.renew(node.session, [{ itemId: first.id, attempt: 1, framesDone: 30 }], LEASE_MS, false);
    await store.recordSegment(fence(node, first), segmentRecord());
    await store.recordFailure(fence(node, second), { code: "X", message: "x" }, () => ({
      kind: "retry",
      afterMs: 0,
    }));
    await store.promoteWaiting(1000);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    await store.succeed(job.id, 1, jobOutcome({ score: 12.5 }));
    const events = await readAll(store, cursor, tenant);
    assert.deepEqual(
      events.map(({ before, job: now }) => [
        before,
        now.state,
        now.framesDone,
        now.segmentsDone,
        now.retries,
      ]),
      [
        [undefined, "QUEUED", 0, 0, 0],
        ["QUEUED", "RUNNING", 0, 0, 0],
        ["RUNNING", "RUNNING", 0, 0, 0],
        ["RUNNING", "RUNNING", 30, 0, 0],
        ["RUNNING", "RUNNING", 100, 1, 0],
        ["RUNNING", "RUNNING", 100, 1, 1],
        ["RUNNING", "RUNNING", 200, 2, 1],
        ["RUNNING", "SUCCEEDED", 200, 2, 1],
      ],
    );
    assert.deepEqual(
      events.map(({ job: { revision } }) => revision),
      [1, 2, 3, 4, 5, 6, 7, 8],
    );
    assert.deepEqual(events.at(-1)?.job, await store.job(tenant, job.id));
    assert.deepEqual(events[0]?.labels, { title: "a" });
    for (const [place, { id }] of events.entries()) {
      const rest = await readAll(store, id, tenant);
      assert.deepEqual(rest, events.slice(place + 1), "a stream can resume after any event");
    }
  });

  test("a stream that starts while jobs change misses nothing: a snapshot, then newer events", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [old, changed] = [newJob(), newJob()];
    await store.insertJobs(tenant, [old, changed]);
    const cursor = await store.eventCursor();
    await store.cancelJob(tenant, changed.id);
    await nextMoment(store);
    const late = newJob();
    await store.insertJobs(tenant, [late]);
    const rows = await store.snapshot(tenant, {}, undefined, 10, cursor);
    assert.deepEqual(
      rows.map(({ job: { id, state }, ambiguous }) => [id, state, ambiguous]),
      [
        [late.id, "QUEUED", true],
        [changed.id, "CANCELLED", true],
        [old.id, "QUEUED", false],
      ],
    );
    const events = await readAll(store, cursor, tenant);
    assert.deepEqual(
      events.map(({ job: { id } }) => id),
      [changed.id, late.id],
    );
  });

  test("shortens pages of large jobs, and omits none", async () => {
    const { store } = open();
    const tenant = newTenant();
    const start = await store.eventCursor();
    const specs = [1, 20_000, 20_000, 300_000, ...Array.from({ length: 30 }, () => 20_000)];
    const jobs = specs.map((chars) => newJob({ spec: "x".repeat(chars) }));
    await store.insertJobs(tenant, jobs);
    const ids = jobs.map(({ id }) => id);
    const cursor = await store.eventCursor();

    const listed: string[] = [];
    for (let last: JobCursor | undefined, pages = 0; ; pages++) {
      const page = await store.snapshot(tenant, {}, last, 200, cursor);
      const end = page.at(-1)?.job;
      if (end === undefined) {
        assert.ok(pages > 5, `${pages} pages`);
        break;
      }
      assertSmall(page.map(({ job }) => job.spec));
      listed.push(...page.map(({ job }) => job.id));
      last = { atMicros: end.atMicros, id: end.id };
    }
    assert.deepEqual(listed, ids.toReversed());

    const returned: string[] = [];
    for (let place = start; ; ) {
      const page = await store.tenantEventsAfter(tenant, place, 200);
      if (page === undefined || page.cursor === place) break;
      assertSmall(page.events.map(({ job }) => job.spec));
      returned.push(...page.events.map(({ job }) => job.id));
      place = page.cursor;
    }
    assert.deepEqual(returned, ids);
  });

  test("a tenant's events are all events without those of other tenants, page by page", async () => {
    const { store } = open();
    const [tenant, other] = [newTenant(), newTenant()];
    const cursor = await store.eventCursor();
    for (let n = 0; n < 8; n++) {
      const job = newJob();
      await store.insertJobs(other, [newJob(), newJob()]);
      await store.insertJobs(tenant, [job]);
      if (n % 2 === 0) await store.cancelJob(tenant, job.id);
    }
    await store.deleteEnded(-1000, 100);
    const all = await readAll(store, cursor, tenant);
    assert.ok(all.length >= 8);
    const own: JobEvent[] = [];
    for (let place = cursor; ; ) {
      const page = await store.tenantEventsAfter(tenant, place, 3);
      assert.ok(page);
      own.push(...page.events);
      if (page.cursor === place) break;
      place = page.cursor;
    }
    assert.deepEqual(own, all);
    // The id of another tenant's event is a valid cursor and reveals nothing of the event.
    const theirs = (await store.eventsAfter(cursor, 1))?.events[0];
    assert.equal(theirs?.job.tenant, other);
    assert.deepEqual((await store.tenantEventsAfter(tenant, theirs.id, 100))?.events, own);
    assert.deepEqual((await store.tenantEventsAfter(newTenant(), cursor, 100))?.events, []);
    assert.equal(await store.tenantEventsAfter(tenant, "x", 100), undefined);
    while ((await store.deleteEvents(-1000, 1000)) > 0);
    assert.equal(await store.tenantEventsAfter(tenant, cursor, 10), undefined);
  });

  test("refuses cursors that are forged or of another store", async () => {
    const { store } = open();
    const cursor = await store.eventCursor();
    assert.match(cursor, /^[A-Za-z0-9_-]{32}$/);
    assert.ok(await store.eventsAfter(cursor, 10));
    const encoded = (text: string) => Buffer.from(text).toString("base64url");
    const bytes = Buffer.from(cursor, "base64url");
    const changed = [...bytes.keys()].map((at) => {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ 1;
      return other.toString("base64url");
    });
    const others = ["", "x", cursor.slice(1), `${cursor}A`, `${cursor.slice(0, -1)}=`, ...changed];
    // The former, unencrypted format of ids.
    others.push(encoded(`${randomUUID()}:${2n ** 40n}:5`));
    for (const other of others) {
      assert.equal(await store.eventsAfter(other, 10), undefined, other);
      assert.equal(await store.tenantEventsAfter(newTenant(), other, 10), undefined, other);
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 80 }), async (text) => {
        assert.equal(await store.eventsAfter(text, 10), undefined);
        assert.equal(await store.eventsAfter(encoded(text), 10), undefined);
      }),
      { numRuns: 50 },
    );
  });

  test("a reader concurrent with many writers misses no event and sees each job's events in order", async () => {
    const { store } = open();
    const tenant = newTenant();
    const cursor = await store.eventCursor();
    const writers = Array.from({ length: 8 }, async () => write(store, tenant));
    let written = false;
    const writing = Promise.all(writers).finally(() => {
      written = true;
    });
    const seen: JobEvent[] = [];
    let place = cursor;
    for (let last = false; ; last = written) {
      const page = await store.eventsAfter(place, 7);
      assert.ok(page);
      seen.push(...page.events.filter(({ job }) => job.tenant === tenant));
      if (last && page.cursor === place) break;
      place = page.cursor;
    }
    await writing;
    const rows = await store.listJobs(tenant, {}, undefined, 1000);
    assert.equal(rows.length, 8);
    for (const { id, revision, state } of rows) {
      const own = seen.filter(({ job }) => job.id === id);
      assert.deepEqual(
        own.map(({ job }) => job.revision),
        Array.from({ length: revision }, (_, n) => n + 1),
      );
      assert.deepEqual(
        own.slice(1).map(({ before }) => before),
        own.slice(0, -1).map(({ job }) => job.state),
      );
      assert.equal(own.at(-1)?.job.state, state);
    }
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length);
  });

  test("deletes old finished jobs in batches, with an event for each", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const kept = newJob();
    const done = await plannedJob(store, node, 1, { labels: { title: "b" } });
    await store.insertJobs(tenant, [kept]);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    await store.succeed(done.id, 1, jobOutcome({ score: 50, frameCount: 100 }));
    const before = await store.eventCursor();
    const last = await store.job(tenant, done.id);
    assert.equal(await store.deleteEnded(3_600_000, 100), 0);
    let steps = 0;
    while ((await store.deleteEnded(-1000, 1)) > 0) steps++;
    assert.ok(steps >= 1);
    assert.equal(await store.job(tenant, done.id), undefined);
    assert.equal(await store.tenantOf(done.id), undefined);
    assert.deepEqual(await store.allParts(done.id, 1), []);
    assert.ok(await store.job(tenant, kept.id));
    const events = await readAll(store, before, tenant);
    assert.deepEqual(
      events.map(({ kind, before, job, labels }) => [kind, before, job, labels]),
      [["DELETED", "SUCCEEDED", last, { title: "b" }]],
    );
    const [again] = await store.insertJobs(tenant, [newJob({ workClass: PLAN })]);
    assert.equal(again?.created, true);
  });

  test("deletes old events, and refuses a cursor from before them", async () => {
    const { store } = open();
    const tenant = newTenant();
    const old = await store.eventCursor();
    await store.insertJobs(tenant, [newJob(), newJob()]);
    assert.equal(await store.deleteEvents(3_600_000, 100), 0);
    assert.ok(await store.eventsAfter(old, 10));
    while ((await store.deleteEvents(-1000, 1000)) > 0);
    assert.equal(await store.eventsAfter(old, 10), undefined);
    const now = await store.eventCursor();
    await store.insertJobs(tenant, [newJob()]);
    assert.equal((await readAll(store, now, tenant)).length, 1);
    assert.equal(await store.deleteEvents(3_600_000, 100), 0);
    assert.equal((await readAll(store, now, tenant)).length, 1);
  });
});

/** Runs a job like a fleet: several tasks at once, so that changes of the job race. */
async function write(store: Store, tenant: string): Promise<void> {
  const classes = [`plan ${randomUUID()}`, `score ${randomUUID()}`] as const;
  const job = newJob({ workClass: classes[0] });
  const node = await register(store, tenant, { slots: 8 });
  await store.insertJobs(tenant, [job]);
  const plan = await take(store, node, classes);
  const cut = Array.from({ length: 6 }, (_, n) => ({
    firstFrame: n,
    frameCount: 100,
    segment: "s",
    cost: 1,
  }));
  await store.recordPlan(fence(node, plan), {
    plan: "p",
    framesTotal: 600,
    segments: cut,
    workClass: classes[1],
    media: MEDIA,
  });
  const works = await Promise.all(cut.map(async () => take(store, node, classes)));
  await Promise.all(
    works.map(async (work, n) => {
      await store.renew(node.session, [{ itemId: work.id, attempt: 1, framesDone: n * 10 }], LEASE_MS, false);
      await store.recordSegment(fence(node, work), segmentRecord());
    }),
  );
  await store.succeed(job.id, 1, jobOutcome({ frameCount: 600 }));
}

/** Returns the current events of a tenant after a cursor. */
async function readAll(store: Store, cursor: string, tenant: string): Promise<JobEvent[]> {
  const found: JobEvent[] = [];
  for (let place = cursor; ; ) {
    const page = await store.eventsAfter(place, 3);
    assert.ok(page, "the cursor is valid");
    found.push(...page.events.filter(({ job }) => job.tenant === tenant));
    if (page.cursor === place) return found;
    place = page.cursor;
  }
}

/** Asserts that the specs of a page, excluding the last one, are within the byte limit. */
function assertSmall(specs: readonly string[]): void {
  const before = specs.slice(0, -1).reduce((sum, { length }) => sum + length, 0);
  assert.ok(before < 128 * 1024, `${specs.length} jobs with ${before} bytes before the last`);
}

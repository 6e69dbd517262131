/** Jobs: stored once, visible only to their tenant, listed in pages, cancelled. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Failure } from "../../src/platform/failure.ts";
import type { JobCursor } from "../../src/store/contract/job-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
  claim,
  fence,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  plannedJob,
  register,
  segmentRecord,
  take,
} from "./stores.ts";

const conflict = (thrown: unknown) => thrown instanceof Failure && thrown.code === "IDEMPOTENCY_CONFLICT";

onBothStores((open) => {
  test("returns a job as it was stored", async () => {
    const { store } = open();
    const tenant = newTenant();
    const given = newJob({ spec: '{"b": 1, "a":  "ü \\u0001"}', submittedBy: "ann", labels: { title: "é" } });
    const [stored] = await store.insertJobs(tenant, [given]);
    assert.equal(stored?.created, true);
    const job = await store.job(tenant, given.id);
    assert.deepEqual(job, stored?.job);
    assert.equal(job?.spec, given.spec);
    assert.equal(job?.submittedBy, "ann");
    assert.deepEqual(
      [job?.state, job?.revision, job?.framesDone, job?.framesTotal],
      ["QUEUED", 1, 0, undefined],
    );
    assert.equal(await store.tenantOf(given.id), tenant);
    const detail = await store.jobDetail(tenant, given.id);
    assert.deepEqual(
      detail?.work.map(({ kind, state, attempt }) => [kind, state, attempt]),
      [["PLAN", "PENDING", 0]],
    );
    assert.deepEqual([detail?.plan, detail?.result], [undefined, undefined]);
  });

  test("finds no job for a malformed id", async () => {
    const { store } = open();
    for (const id of ["", "x", "'; drop table job", randomUUID(), `${randomUUID()}0`, "\0"]) {
      assert.equal(await store.job("t", id), undefined);
      assert.equal(await store.jobDetail("t", id), undefined);
      assert.equal(await store.cancelJob("t", id), undefined);
      assert.equal(await store.tenantOf(id), undefined);
      assert.deepEqual(await store.parts("t", id, 0, 10), []);
    }
  });

  test("returns the first stored job for a repeated call, and for the same key with the same request", async () => {
    const { store } = open();
    const tenant = newTenant();
    const first = newJob({ idempotencyKey: "k" });
    await store.insertJobs(tenant, [first]);
    const [again] = await store.insertJobs(tenant, [first]);
    assert.deepEqual([again?.job.id, again?.created], [first.id, true]);
    const [same] = await store.insertJobs(tenant, [newJob({ idempotencyKey: "k" })]);
    assert.deepEqual([same?.job.id, same?.created], [first.id, false]);
    const [other] = await store.insertJobs(newTenant(), [
      newJob({ idempotencyKey: "k", fingerprint: "other" }),
    ]);
    assert.equal(other?.created, true, "keys are per tenant");
  });

  test("refuses a used key with another request, and stores nothing of the batch", async () => {
    const { store } = open();
    const tenant = newTenant();
    await store.insertJobs(tenant, [newJob({ idempotencyKey: "k" })]);
    await assert.rejects(
      store.insertJobs(tenant, [newJob({ idempotencyKey: "k", fingerprint: "x" })]),
      conflict,
    );
    const batch = [
      newJob({ idempotencyKey: "new" }),
      newJob(),
      newJob({ idempotencyKey: "k", fingerprint: "x" }),
    ];
    await assert.rejects(store.insertJobs(tenant, batch), (thrown) => {
      assert.ok(conflict(thrown));
      assert.match(String(thrown), /jobs\[2\]/);
      return true;
    });
    assert.equal((await store.listJobs(tenant, {}, undefined, 10)).length, 1);
    const twice = [newJob({ idempotencyKey: "t" }), newJob({ idempotencyKey: "t", fingerprint: "x" })];
    await assert.rejects(store.insertJobs(tenant, twice), conflict);
    assert.equal((await store.listJobs(tenant, {}, undefined, 10)).length, 1);
  });

  test("stores one of twenty concurrent submissions with the same key, and returns it to all", async () => {
    const { store } = open();
    const tenant = newTenant();
    const given = Array.from({ length: 20 }, () => newJob({ idempotencyKey: "k" }));
    const stored = await Promise.all(given.map(async (job) => (await store.insertJobs(tenant, [job]))[0]));
    assert.equal(new Set(stored.map((one) => one?.job.id)).size, 1);
    assert.equal(stored.filter((one) => one?.created).length, 1);
    const batches = Array.from({ length: 6 }, (_, n) => {
      const keys = n % 2 === 0 ? ["x", "y", "z"] : ["z", "y", "x"];
      return keys.map((idempotencyKey) => newJob({ idempotencyKey }));
    });
    await Promise.all(batches.map(async (batch) => store.insertJobs(tenant, batch)));
    assert.equal((await store.listJobs(tenant, {}, undefined, 10)).length, 4);
  });

  test("concurrent submissions that conflict or cannot be stored do not affect the others", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [taken] = await store.insertJobs(tenant, [newJob({ idempotencyKey: "taken" })]);
    const good = Array.from({ length: 20 }, () => newJob());
    const bad = [
      newJob({ idempotencyKey: "taken", fingerprint: "another" }),
      newJob({ name: "a NUL: \u0000" }),
      newJob({ idempotencyKey: "taken" }),
    ];
    const answers = await Promise.allSettled(
      [...good.slice(0, 10), ...bad, ...good.slice(10)].map(async (job) => store.insertJobs(tenant, [job])),
    );
    const outcomes = answers.map((answer) =>
      answer.status === "rejected"
        ? answer.reason.code
        : answer.value.map(({ job, created }) => (created ? job.id : `known ${job.id}`)).join(),
    );
    const stored = good.map(({ id }) => id);
    const refusals = ["IDEMPOTENCY_CONFLICT", "INVALID_REQUEST", `known ${taken?.job.id}`];
    assert.deepEqual(outcomes, [...stored.slice(0, 10), ...refusals, ...stored.slice(10)]);
    assert.equal((await store.listJobs(tenant, {}, undefined, 100)).length, 21);
  });

  test("stores a thousand jobs in one call and lists them in pages, newest first, each once", async () => {
    const { store } = open();
    const tenant = newTenant();
    const given = Array.from({ length: 1000 }, (_, n) =>
      newJob({ name: String(n), labels: { even: String(n % 2 === 0) } }),
    );
    await store.insertJobs(tenant, given);
    const ids = given.map(({ id }) => id).toReversed();
    assert.deepEqual(await pages(store, tenant, {}, 77), ids);
    const even = given.filter(({ labels }) => labels["even"] === "true");
    assert.deepEqual(
      await pages(store, tenant, { labels: { even: "true" } }, 100),
      even.map(({ id }) => id).toReversed(),
    );
    assert.deepEqual(await pages(store, tenant, { states: ["RUNNING", "FAILED"] }, 100), []);
    const some = [ids[3] ?? "", ids[900] ?? "", randomUUID(), "no id"];
    assert.deepEqual(await pages(store, tenant, { ids: some, states: ["QUEUED"] }, 1), some.slice(0, 2));
  });

  test("stores nothing of a large batch with a conflict anywhere in it", async () => {
    const { store } = open();
    const tenant = newTenant();
    await store.insertJobs(tenant, [newJob({ idempotencyKey: "k" })]);
    const batch = Array.from({ length: 300 }, () => newJob());
    batch[250] = newJob({ idempotencyKey: "k", fingerprint: "x" });
    await assert.rejects(store.insertJobs(tenant, batch), (thrown) => {
      assert.match(String(thrown), /jobs\[250\]/);
      return conflict(thrown);
    });
    batch[250] = newJob({ name: "a NUL: \u0000" });
    await assert.rejects(store.insertJobs(tenant, batch));
    assert.equal((await store.listJobs(tenant, {}, undefined, 10)).length, 1);
  });

  test("cancels a job with its tasks, once", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 3);
    const done = await take(store, node);
    await store.recordSegment(fence(node, done), segmentRecord());
    const running = await take(store, node);
    const cancelled = await store.cancelJob(tenant, job.id);
    assert.equal(cancelled?.changed, true);
    assert.equal(cancelled?.job.state, "CANCELLED");
    assert.ok(cancelled?.job.endedAt);
    assert.deepEqual(cancelled?.nodes, [node.id]);
    assert.equal(await claim(store, node), undefined);
    assert.equal((await store.recordSegment(fence(node, running), segmentRecord())).recorded, "STALE");
    assert.equal(await store.recordChunk(fence(node, running), segmentRecord().last), "STALE");
    const states = (await store.jobDetail(tenant, job.id))?.work.map(({ state }) => state);
    assert.deepEqual(states, ["DONE", "DONE", "CANCELLED", "CANCELLED"]);
    const again = await store.cancelJob(tenant, job.id);
    assert.deepEqual([again?.changed, again?.job.revision], [false, cancelled?.job.revision]);
    assert.equal((await store.parts(tenant, job.id, 0, 10)).length, 1, "existing scores are kept");
  });

  test("a tenant cannot access another tenant's job", async () => {
    const { store } = open();
    const [owner, other] = [newTenant(), newTenant()];
    const node = await register(store, owner);
    const job = await plannedJob(store, node, 1);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    assert.equal(await store.job(other, job.id), undefined);
    assert.equal(await store.jobDetail(other, job.id), undefined);
    assert.equal(await store.cancelJob(other, job.id), undefined);
    assert.deepEqual(await store.parts(other, job.id, 0, 10), []);
    assert.deepEqual(await store.listJobs(other, { ids: [job.id] }, undefined, 10), []);
    const cursor = await store.eventCursor();
    assert.deepEqual(await store.snapshot(other, { ids: [job.id] }, undefined, 10, cursor), []);
    assert.equal((await store.job(owner, job.id))?.state, "RUNNING");
    assert.equal(await claim(store, await register(store, other), [PLAN]), undefined);
  });

  test("refuses a text that cannot be stored with INVALID_REQUEST", async () => {
    const { store } = open();
    const invalid = (thrown: unknown) => thrown instanceof Failure && thrown.code === "INVALID_REQUEST";
    await assert.rejects(store.insertJobs(newTenant(), [newJob({ name: "a\0b" })]), invalid);
    await assert.rejects(store.insertJobs(newTenant(), [newJob({ labels: { a: "\ud800" } })]), invalid);
    await assert.rejects(store.job("a\0b", randomUUID()), invalid);
  });
});

async function pages(
  store: Store,
  tenant: string,
  filter: Parameters<Store["listJobs"]>[1],
  limit: number,
): Promise<string[]> {
  const found: string[] = [];
  let after: JobCursor | undefined;
  do {
    const page = await store.listJobs(tenant, filter, after, limit);
    assert.ok(page.length <= limit);
    found.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    after = last && { atMicros: last.atMicros, id: last.id };
  } while (after !== undefined);
  return found;
}

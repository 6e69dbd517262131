/** Limits in the store: counts, and claims that never exceed a tenant's limit of leases. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { ClaimedWork, LimitedClaim } from "../../src/store/contract/task-records.ts";
import { openStore } from "../../src/store/open.ts";
import { until } from "../waiting.ts";
import {
  CLASSES,
  claim,
  fence,
  LEASE_MS,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  plannedJob,
  register,
  SILENT,
  segmentRecord,
  take,
} from "./stores.ts";

function claimWithin(store: Store, { session, tenant }: NewNode, most: number, workClasses = CLASSES) {
  return store.claimWithin({ session, tenant, workClasses, leaseMs: LEASE_MS }, most);
}

function jobs(count: number) {
  return Array.from({ length: count }, () => newJob());
}

const workOf = (claims: readonly LimitedClaim[]): readonly ClaimedWork[] =>
  claims.flatMap(({ work }) => work ?? []);

onBothStores((open) => {
  test("counts the queued jobs of one tenant, without running and cancelled ones", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [job, ...others] = jobs(3);
    assert.ok(job);
    assert.equal(await store.queued(tenant), 0);
    await store.insertJobs(tenant, [job, ...others]);
    assert.equal(await store.queued(tenant), 3);
    const node = await register(store, tenant);
    const work = await take(store, node);
    assert.equal(await store.queued(tenant), 2);
    await store.handBack(fence(node, work));
    assert.equal(await store.queued(tenant), 2, "one job is running");
    await store.cancelJob(tenant, others[0]?.id ?? "");
    assert.equal(await store.queued(tenant), 1);
    assert.equal(await store.queued(newTenant()), 0);
  });

  test("counts the leases of each given tenant", async () => {
    const { store } = open();
    const [one, two] = [newTenant(), newTenant()];
    for (const tenant of [one, two]) await store.insertJobs(tenant, jobs(3));
    const [first, second] = [await register(store, one), await register(store, two)];
    await take(store, first);
    const work = await take(store, second);
    await take(store, second);
    assert.deepEqual(await store.running([two, newTenant(), one, two]), [2, 0, 1, 2]);
    await store.handBack(fence(second, work));
    assert.deepEqual(await store.running([two]), [1]);
    assert.deepEqual(await store.running([]), []);
  });

  test("a claim within a limit returns the next task and whether the limit is reached", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await store.insertJobs(tenant, [newJob(), newJob({ priority: 5 })]);
    const urgent = await claimWithin(store, node, 2);
    assert.equal(urgent.full, false);
    assert.equal((await store.jobDetail(tenant, urgent.work?.jobId ?? ""))?.job.state, "RUNNING");
    const second = await claimWithin(store, node, 2);
    assert.ok(second.work && second.full);
    assert.deepEqual(await claimWithin(store, node, 2), { work: undefined, full: true });
    assert.deepEqual(
      await claimWithin(store, node, 3),
      { work: undefined, full: false },
      "no ready tasks are left",
    );
    assert.ok(urgent.work);
    await store.handBack(fence(node, urgent.work));
    assert.equal((await claimWithin(store, node, 1)).work, undefined, "the limit was lowered");
    assert.equal((await claimWithin(store, node, 2)).work?.id, urgent.work.id);
  });

  test("PLAN tasks count towards the limit, together with segments", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await plannedJob(store, node, 5);
    await store.insertJobs(tenant, jobs(1));
    await take(store, node, [PLAN]);
    assert.equal((await claimWithin(store, node, 1)).full, true);
    assert.ok((await claimWithin(store, node, 2)).work);
    assert.deepEqual(await claimWithin(store, node, 2), { work: undefined, full: true });
  });

  test("an ended session gets nothing, and does not block others", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [gone, here] = [await register(store, tenant), await register(store, tenant)];
    await store.insertJobs(tenant, jobs(3));
    await store.leaveNode(gone.session);
    const claims = await Promise.all([gone, here].map((node) => claimWithin(store, node, 1)));
    assert.equal(claims[0]?.work, undefined);
    assert.ok(workOf([...claims, await claimWithin(store, here, 1)]).length >= 1);
    assert.deepEqual(await store.running([tenant]), [1]);
  });

  test("many concurrent claims of several classes and stores never exceed the limit", async () => {
    const { store, target } = open();
    // The embedded database admits only one process: there both stores are the same.
    const others =
      "databaseUrl" in target ? [await openStore(target, SILENT), await openStore(target, SILENT)] : [];
    try {
      const tenant = newTenant();
      const node = await register(store, tenant, { slots: 100 });
      await store.insertJobs(
        tenant,
        Array.from({ length: 60 }, (_, n) => newJob({ workClass: `class ${n % 6}` })),
      );
      const stores = [store, ...others];
      const claims = Array.from({ length: 120 }, (_, n) => {
        const classes = [`class ${n % 6}`, `class ${(n + 1) % 6}`];
        return claimWithin(stores[n % stores.length] ?? store, node, 7, classes);
      });
      const got = workOf(await Promise.all(claims));
      assert.equal(new Set(got.map(({ id }) => id)).size, got.length);
      assert.deepEqual(await store.running([tenant]), [7]);
      assert.equal(got.length, 7);
    } finally {
      for (const other of others) await other.close();
    }
  });

  test("never exceeds the limit while tasks end and are claimed concurrently", async () => {
    const { store, target } = open();
    const other = "databaseUrl" in target ? await openStore(target, SILENT) : undefined;
    const tenant = newTenant();
    const most = 3;
    const seen: number[] = [];
    let left = 40;
    const run = async (on: Store) => {
      const node = await register(on, tenant);
      while (left > 0) {
        const { work } = await claimWithin(on, node, most, ["s"]);
        seen.push(...(await on.running([tenant])));
        if (work === undefined) continue;
        left--;
        // No task ends before the limit is reached, however slowly the others start.
        await until(async () => {
          seen.push(...(await on.running([tenant])));
          return seen.includes(most);
        }, `${most} leases`);
        await on.recordFailure(fence(node, work), { code: "SCORER_FAILED", message: "" }, () => ({
          kind: "fail",
        }));
      }
    };
    try {
      await store.insertJobs(
        tenant,
        Array.from({ length: 40 }, () => newJob({ workClass: "s" })),
      );
      await Promise.all(Array.from({ length: 8 }, (_, n) => run(n % 2 === 0 ? store : (other ?? store))));
      assert.ok(Math.max(...seen) <= most, `${Math.max(...seen)} ran at once`);
      assert.ok(seen.includes(most));
    } finally {
      await other?.close();
    }
  });

  test("a recorded segment or failure returns its tenant, a repeated one does not", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await plannedJob(store, node, 2);
    const [first, second] = [await take(store, node), await take(store, node)];
    const outcome = await store.recordSegment(fence(node, first), segmentRecord());
    assert.deepEqual([outcome.recorded, outcome.tenant], ["RECORDED", tenant]);
    const again = await store.recordSegment(fence(node, first), segmentRecord());
    assert.deepEqual([again.recorded, again.tenant], ["REPEATED", undefined]);
    const error = { code: "SCORER_FAILED", message: "it crashed" };
    const failed = await store.recordFailure(fence(node, second), error, () => ({
      kind: "retry",
      afterMs: 0,
    }));
    assert.deepEqual([failed.recorded, failed.tenant], ["RECORDED", tenant]);
    const stale = { session: node.session, itemId: randomUUID(), attempt: 1 };
    assert.equal((await store.recordFailure(stale, error, () => ({ kind: "fail" }))).tenant, undefined);
    assert.equal(await claim(store, node, []), undefined);
  });
});

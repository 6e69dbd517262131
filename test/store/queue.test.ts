import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Store } from "../../src/store/contract/store.ts";
import { until } from "../waiting.ts";
import {
  claim,
  fence,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  recordPlan,
  register,
  SCORE,
  take,
} from "./stores.ts";

onBothStores((open) => {
  describe("ready tasks", () => {
    test("are counted by tenant and class in the given order, up to the given maximum", async () => {
      const { store } = open();
      const [many, one, none] = [newTenant(), newTenant(), newTenant()];
      await store.insertJobs(many, [newJob(), newJob(), newJob()]);
      await store.insertJobs(one, [newJob()]);
      const pairs = [
        { tenant: one, workClass: PLAN, most: 10 },
        { tenant: many, workClass: PLAN, most: 2 },
        { tenant: many, workClass: PLAN, most: 10 },
        { tenant: many, workClass: SCORE, most: 10 },
        { tenant: none, workClass: PLAN, most: 10 },
      ];
      const counts = (await store.waiting(pairs)).map(({ count }) => count);
      assert.deepEqual(counts, [1, 2, 3, 0, 0]);
      assert.deepEqual(await store.waiting([]), []);
    });

    const aged = async (store: Store, tenant: string, workClass: string): Promise<number> =>
      (await store.waiting([{ tenant, workClass, most: 1 }]))[0]?.ageMs ?? 0;
    /** Waits until the age of ready tasks exceeds `ms`. */
    const waitedFor = (store: Store, tenant: string, ms: number, workClass = PLAN): Promise<void> =>
      until(async () => (await aged(store, tenant, workClass)) > ms, `more than ${ms} ms`);

    test("have an age, which is 0 without tasks", async () => {
      const { store } = open();
      const tenant = newTenant();
      await store.insertJobs(tenant, [newJob()]);
      const first = await aged(store, tenant, PLAN);
      assert.ok(first >= 0);
      await waitedFor(store, tenant, first);
      await take(store, await register(store, tenant));
      assert.equal(await aged(store, tenant, PLAN), 0);
    });

    test("have the age of the oldest, even behind a higher priority", async () => {
      const { store } = open();
      const tenant = newTenant();
      await store.insertJobs(tenant, [newJob()]);
      await waitedFor(store, tenant, 300);
      await store.insertJobs(tenant, [newJob({ priority: 1 }), newJob({ priority: 2 })]);
      assert.ok((await aged(store, tenant, PLAN)) >= 300);
    });

    test("have an age since they became ready, not since their job was created", async () => {
      const { store } = open();
      const tenant = newTenant();
      const node = await register(store, tenant);
      const job = newJob();
      await store.insertJobs(tenant, [job]);
      await waitedFor(store, tenant, 500);
      const since = async (workClass: string, ready: () => Promise<unknown>): Promise<void> => {
        // By the database clock, which the age is computed from.
        const before = await store.now();
        await ready();
        const age = await aged(store, tenant, workClass);
        const most = (await store.now()) - before;
        assert.ok(age <= most, `${age} ms, expected at most ${most}`);
        await waitedFor(store, tenant, 0, workClass);
      };
      const first = await take(store, node);
      await since(PLAN, () => store.handBack(fence(node, first)));
      const second = await take(store, node);
      await since(SCORE, () => recordPlan(store, node, second, 1));
      await since(PLAN, () => store.replan(job.id, 1));
    });
  });

  test("a job begins once: not again when a node hands it back, nor when it is replanned", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = newJob();
    await store.insertJobs(tenant, [job]);
    const unheard = await take(store, node);
    await store.handBack(fence(node, unheard), true);
    const first = await take(store, node);
    await store.handBack(fence(node, first));
    const second = await take(store, node);
    await recordPlan(store, node, second, 1);
    const segment = await take(store, node);
    await store.replan(job.id, 1);
    const replanned = await take(store, node);
    assert.deepEqual(
      [unheard, first, second, segment, replanned].map(({ kind, beginsJob }) => [kind, beginsJob]),
      [
        ["PLAN", true],
        ["PLAN", true],
        ["PLAN", false],
        ["SEGMENT", false],
        ["PLAN", false],
      ],
    );
  });

  test("counts leased tasks and tasks in back-off up to the given maximum", async () => {
    const { store } = open();
    const tenant = newTenant();
    await store.insertJobs(tenant, [newJob(), newJob(), newJob()]);
    const node = await register(store, tenant);
    const before = await store.inWork(1_000);
    const work = await take(store, node);
    await claim(store, node);
    assert.equal((await store.inWork(1_000)).leased, before.leased + 2);
    assert.equal((await store.inWork(1)).leased, 1);
    const error = { code: "SCORER_FAILED", message: "It failed." };
    await store.recordFailure(fence(node, work), error, () => ({ kind: "retry", afterMs: 60_000 }));
    const after = await store.inWork(1_000);
    assert.deepEqual([after.leased, after.backingOff], [before.leased + 1, before.backingOff + 1]);
  });
});

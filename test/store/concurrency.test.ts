/** Concurrency: no task is claimed twice or lost, and nothing deadlocks. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
  claim,
  fence,
  jobOutcome,
  LEASE_MS,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  plannedJob,
  recordPlan,
  register,
  SCORE,
  segmentRecord,
  take,
} from "./stores.ts";

onBothStores((open) => {
  test("sixteen concurrent claimers get every task once", async () => {
    const { store } = open();
    const tenant = newTenant();
    await store.insertJobs(
      tenant,
      Array.from({ length: 200 }, (_, n) => newJob({ priority: n % 3 })),
    );
    const claimed: string[] = [];
    const pull = async () => {
      const node = await register(store, tenant);
      for (let empty = 0; empty < 3; ) {
        const work = await claim(store, node);
        if (work === undefined) empty++;
        else claimed.push(work.id);
      }
    };
    await Promise.all(Array.from({ length: 16 }, pull));
    assert.equal(claimed.length, 200);
    assert.equal(new Set(claimed).size, 200);
  });

  test("serves concurrent claims first come, first served, and none of an ended session", async () => {
    const { store } = open();
    const tenant = newTenant();
    const jobs = Array.from({ length: 5 }, () => newJob());
    await store.insertJobs(tenant, jobs);
    const [here, gone, there] = await Promise.all([1, 2, 3].map(() => register(store, tenant)));
    assert.ok(here && gone && there);
    await store.leaveNode(gone.session);
    const claims = [here, gone, here, there, gone, here].map((node) => claim(store, node));
    const claimed = (await Promise.all(claims)).map((work) => jobs.findIndex(({ id }) => id === work?.jobId));
    assert.deepEqual(claimed, [0, -1, 1, 2, -1, 3]);
    const working = await store.listNodes([tenant]);
    const pieces = working.map(({ name, work }) => [name, work.length] as const);
    assert.deepEqual(new Map(pieces).get(here.name), 3);
    assert.deepEqual(new Map(pieces).get(there.name), 1);
  });

  test("counts concurrent duplicates of a report once", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 2);
    const work = await take(store, node);
    const reports = Array.from({ length: 10 }, async () =>
      store.recordSegment(fence(node, work), segmentRecord()),
    );
    const answers = (await Promise.all(reports)).map(({ recorded }) => recorded).sort();
    assert.deepEqual(answers, ["RECORDED", ...Array.from({ length: 9 }, () => "REPEATED")].sort());
    assert.equal((await store.job(tenant, job.id))?.segmentsDone, 1);
  });

  test("ends a job once under a concurrent cancel, reports and lost leases, and nothing runs after it", async () => {
    const { store } = open();
    const tenant = newTenant();
    for (let round = 0; round < 10; round++) {
      const node = await register(store, tenant, { slots: 8 });
      const job = await plannedJob(store, node, 5);
      const works = [
        await take(store, node),
        await take(store, node),
        await take(store, node),
        await take(store, node),
      ];
      const [first, second, third, fourth] = works;
      assert.ok(first && second && third && fourth);
      await Promise.all([
        store.recordSegment(fence(node, first), segmentRecord()),
        store.cancelJob(tenant, job.id),
        store.recordFailure(fence(node, second), { code: "X", message: "x" }, () => ({ kind: "fail" })),
        store.recordSegmentMismatch(fence(node, third)),
        store.handBack(fence(node, fourth)),
        store.renew(
          node.session,
          works.map(({ id }) => ({ itemId: id, attempt: 1, framesDone: 9 })),
          LEASE_MS,
          false,
        ),
        store.registerNode({ ...node, id: randomUUID(), session: randomUUID() }),
        claim(store, node),
      ]);
      const ended = await store.jobDetail(tenant, job.id);
      assert.ok(ended);
      assert.ok(["CANCELLED", "FAILED"].includes(ended.job.state), ended.job.state);
      const running = ended.work.filter(({ state }) => ["PENDING", "WAITING", "LEASED"].includes(state));
      assert.deepEqual(running, []);
      assert.equal(await claim(store, await register(store, tenant)), undefined);
    }
  });

  test("leases no task to a session that ends during the claim", async () => {
    const { store } = open();
    const tenant = newTenant();
    for (let round = 0; round < 10; round++) {
      const node = await register(store, tenant);
      await store.insertJobs(tenant, [newJob(), newJob()]);
      const next = { ...node, id: randomUUID(), session: randomUUID() };
      const end = async () =>
        round % 2 === 0 ? store.leaveNode(node.session) : store.registerNode(next).then(({ ready }) => ready);
      await Promise.all([claim(store, node), claim(store, node), end(), claim(store, node)]);
      const there = await register(store, tenant);
      assert.ok((await claim(store, there)) && (await claim(store, there)), `round ${round}`);
      assert.equal(await claim(store, there), undefined);
    }
  });

  test("a fleet with faults finishes every job and counts each segment once", async () => {
    const { store } = open();
    const tenant = newTenant();
    const jobs = Array.from({ length: 12 }, () => newJob());
    await store.insertJobs(tenant, jobs);
    const finished = new Set<string>();
    const nodes = await Promise.all(Array.from({ length: 6 }, async () => register(store, tenant)));
    await Promise.all(
      nodes.map(async (node, n) => work(store, node, n, () => finished.size === jobs.length, finished)),
    );
    for (const { id } of jobs) {
      const detail = await store.jobDetail(tenant, id);
      assert.equal(detail?.job.state, "SUCCEEDED");
      assert.deepEqual([detail.job.segmentsDone, detail.job.framesDone], [4, 400]);
      assert.deepEqual(
        detail.work.map(({ state }) => state),
        ["DONE", "DONE", "DONE", "DONE", "DONE"],
      );
      assert.equal((await store.allParts(id, 1)).length, 4);
    }
  });
});

/** A node that fails, forgets or hands back its task every few tasks. */
async function work(
  store: Store,
  node: NewNode,
  seed: number,
  over: () => boolean,
  finished: Set<string>,
): Promise<void> {
  for (let step = seed; !over(); step++) {
    await store.promoteWaiting(100);
    if (step % 5 === 0) await store.expireLeases(2, () => ({ kind: "retry", afterMs: 0 }));
    for (const { id, generation } of await store.takePoolable(10, LEASE_MS)) {
      if (await store.succeed(id, generation, jobOutcome({ frameCount: 400 }))) finished.add(id);
    }
    const got = await claim(store, node, [PLAN, SCORE], step % 7 === 0 ? -1 : LEASE_MS);
    if (got === undefined) continue;
    if (got.kind === "PLAN") await recordPlan(store, node, got, 4);
    else if (step % 3 === 0) await store.handBack(fence(node, got));
    else if (step % 11 === 0)
      await store.recordFailure(fence(node, got), { code: "X", message: "x" }, () => ({
        kind: "retry",
        afterMs: 0,
      }));
    else {
      const { poolable } = await store.recordSegment(fence(node, got), segmentRecord());
      if (
        poolable &&
        (await store.succeed(poolable.id, poolable.generation, jobOutcome({ frameCount: 400 })))
      )
        finished.add(poolable.id);
    }
  }
}

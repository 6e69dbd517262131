/** A controller holds the jobs that it pools, and releases them when it stops. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { Pooling } from "../../src/controller/maintenance/pooling.ts";
import { ResultMetrics } from "../../src/controller/results/metrics.ts";
import { ResultReader } from "../../src/controller/results/reader.ts";
import { ControllerMetrics } from "../../src/controller/telemetry/metrics.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { POOL_HOLD_MS, type Poolable } from "../../src/store/contract/task-records.ts";
import { openStore } from "../../src/store/open.ts";
import { fence, plannedJob, preparedTarget, register, SILENT, segmentRecord, take } from "../store/stores.ts";
import { until } from "../waiting.ts";
import { wrapped } from "./system.ts";

const NO_RESULTS = new ResultReader(undefined, new ResultMetrics(new Registry()));

/** A job whose segments are all scored, as its reporter gets it. */
async function scored(store: Store): Promise<Poolable> {
  const node = await register(store, "t");
  await plannedJob(store, node, 1);
  const work = await take(store, node);
  const { poolable } = await store.recordSegment(fence(node, work), segmentRecord());
  return poolable ?? assert.fail("it was the last segment");
}

test("jobs that are pooled or queued stay held, and are released when the controller stops", async (context) => {
  const { target, remove } = await preparedTarget();
  const store = await openStore(target, SILENT);
  const gate = Promise.withResolvers<void>();
  const held = Promise.withResolvers<readonly string[]>();
  const slow = wrapped(store, {
    allParts: async (...values) => {
      await gate.promise;
      return store.allParts(...values);
    },
    holdPoolable: async (ids, holdMs) => {
      await store.holdPoolable(ids, holdMs);
      if (holdMs > 0) held.resolve(ids);
    },
  });
  const metrics = new ControllerMetrics(new Registry());
  context.mock.timers.enable({ apis: ["setInterval"] });
  const pooling = new Pooling({ store: slow, results: NO_RESULTS, log: SILENT, metrics, segmentSeconds: 10 });
  const jobs = [await scored(store), await scored(store), await scored(store)];
  const ids = jobs.map(({ id }) => id);
  await store.holdPoolable(ids, -1);
  for (const job of jobs) pooling.offer(job);
  context.mock.timers.tick(POOL_HOLD_MS / 2);
  assert.deepEqual([...(await held.promise)].sort(), ids.toSorted(), "two are pooled, one waits");
  assert.deepEqual(await store.takePoolable(10, 1000), [], "no other controller gets them");

  const closed = pooling.close();
  gate.resolve();
  await closed;
  const left = await store.takePoolable(10, 1000);
  assert.deepEqual(
    left.map(({ id }) => id),
    ids.slice(2),
    "the queued job is free at once; the others have ended",
  );
  pooling.offer(jobs[2] as Poolable);
  await store.close();
  await remove();
});

test("a job whose pooling crashed its controller is pooled alone, and fails after three crashes", async () => {
  const { target, remove } = await preparedTarget();
  const store = await openStore(target, SILENT);
  const poolers = new Map<string, PromiseWithResolvers<void>>();
  const begun: string[] = [];
  const gated = wrapped(store, {
    allParts: async (id, generation) => {
      const gate = Promise.withResolvers<void>();
      poolers.set(id, gate);
      begun.push(id);
      await gate.promise;
      return store.allParts(id, generation);
    },
  });
  const jobs = [await scored(store), await scored(store), await scored(store), await scored(store)];
  const [suspect, poison, first, last] = jobs as [Poolable, Poolable, Poolable, Poolable];
  // What a controller does before the pooling that crashes it.
  assert.equal(await store.beginPooling(suspect.id, suspect.generation), true);
  for (let time = 0; time < 3; time++)
    assert.equal(await store.beginPooling(poison.id, poison.generation), true);
  await store.holdPoolable(
    jobs.map(({ id }) => id),
    0,
  );
  const taken = new Map((await store.takePoolable(10, 1000)).map((job) => [job.id, job]));
  const again = (job: Poolable) => taken.get(job.id) ?? assert.fail("it is available for pooling");
  const pooling = new Pooling({
    ...{ store: gated, results: NO_RESULTS, log: SILENT, metrics: new ControllerMetrics(new Registry()) },
    segmentSeconds: 10,
  });
  for (const job of [first, suspect, last, poison]) pooling.offer(again(job));
  const expected: string[] = [];
  for (const job of [first, suspect, last]) {
    expected.push(job.id);
    await until(async () => begun.length === expected.length, "the next one starts");
    assert.deepEqual(begun, expected, "one after the other");
    poolers.get(job.id)?.resolve();
  }
  const detail = async () => store.job(poison.tenant, poison.id);
  await until(async () => (await detail())?.state === "FAILED", "the crashing job fails");
  assert.equal((await detail())?.error?.code, "POOLING_FAILED");
  assert.ok(!begun.includes(poison.id));
  assert.equal(await store.beginPooling(poison.id, poison.generation), false, "it has ended");
  await pooling.close();
  await store.close();
  await remove();
});

/** Who pools a job holds it, and lets go of it when it stops. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Registry } from "prom-client";
import { ControllerMetrics } from "../../src/controller/metrics.ts";
import { Pooling } from "../../src/controller/pooling.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import type { Poolable } from "../../src/store/work-records.ts";
import { embeddedTarget, fence, plannedJob, register, SILENT, segmentRecord, take } from "../store/stores.ts";
import { wrapped } from "./system.ts";

/** A job whose every segment is scored, as its reporter gets it. */
async function scored(store: Store): Promise<Poolable> {
  const node = await register(store, "t");
  await plannedJob(store, node, 1);
  const work = await take(store, node);
  const { poolable } = await store.recordSegment(fence(node, work), segmentRecord());
  return poolable ?? assert.fail("it was the last segment");
}

test("jobs are held again while they are pooled or wait for it, and let go of when the controller stops", async () => {
  const { target, remove } = await embeddedTarget();
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
  const pooling = new Pooling({ store: slow, log: SILENT, metrics, holdEveryMs: 50 });
  const jobs = [await scored(store), await scored(store), await scored(store)];
  const ids = jobs.map(({ id }) => id);
  await store.holdPoolable(ids, -1);
  for (const job of jobs) pooling.offer(job);
  assert.deepEqual([...(await held.promise)].sort(), ids.toSorted(), "two are pooled, one waits");
  assert.deepEqual(await store.takePoolable(10, 1000), [], "nobody else's");

  const closed = pooling.close();
  gate.resolve();
  await closed;
  const left = await store.takePoolable(10, 1000);
  assert.deepEqual(
    left.map(({ id }) => id),
    ids.slice(2),
    "what waited is free at once; the others have ended",
  );
  pooling.offer(jobs[2] as Poolable);
  await store.close();
  await remove();
});

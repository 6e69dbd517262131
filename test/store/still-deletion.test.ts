/** Deletes stills that are made, pending, or being made by a node. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL, begin, code, eventsOf, make, PARTS, states, still, succeeded } from "./still-jobs.ts";
import { claim, fence, LEASE_MS, newTenant, onBothStores, register, take } from "./stores.ts";

onBothStores((open) => {
  test("of a made frame: deletes both images, keeps the others, and adds an event", async () => {
    const { store, tenant, node, job, cursor } = await begin(open().store);
    await make(store, node, await take(store, node, ALL));
    const before = await store.job(tenant, job.id);
    assert.deepEqual(await store.deleteStill(tenant, job.id, 99), { nodes: [] });
    const all = ["7 R READY", "7 D READY", "100 R READY", "100 D READY"];
    assert.deepEqual(await states(store, tenant, job.id), all);
    assert.equal(await store.still(tenant, job.id, 99, "REFERENCE"), undefined);
    const now = await store.job(tenant, job.id);
    assert.deepEqual(now, { ...before, revision: (before?.revision ?? 0) + 1 });
    assert.equal((await eventsOf(store, cursor, job.id)).at(-1)?.job.revision, now?.revision);
    const work = (await store.jobDetail(tenant, job.id))?.work.at(-1);
    assert.deepEqual(
      [work?.state, work?.frames, work?.frameCount, work?.framesDone],
      ["DONE", [7, 100], 2, 2],
    );
  });

  test("of the last frame: deletes the task too, and makes a frame again on request", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    await make(store, node, await take(store, node, ALL));
    for (const frame of [7, 99, 100]) await store.deleteStill(tenant, job.id, frame);
    assert.deepEqual(await store.listStills(tenant, job.id), []);
    const kinds = (await store.jobDetail(tenant, job.id))?.work.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["PLAN", "SEGMENT", "SEGMENT"]);
    assert.ok((await store.requestStills(tenant, job.id, [99]))?.ready);
    await make(store, node, await take(store, node, ALL));
    assert.deepEqual(await states(store, tenant, job.id), ["99 R READY", "99 D READY"]);
  });

  test("of a pending frame: its task makes only the others", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    await store.deleteStill(tenant, job.id, 7);
    const work = await take(store, node, ALL);
    assert.deepEqual(work.stills, [{ segment: "segment 0", frames: [99] }, PARTS[1]]);
    await make(store, node, work);
    assert.equal((await states(store, tenant, job.id)).length, 4);
    await store.requestStills(tenant, job.id, [3]);
    await store.deleteStill(tenant, job.id, 3);
    assert.equal(await claim(store, node, ALL), undefined);
  });

  test("of a frame that a node makes alone: ends the lease", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    await make(store, node, await take(store, node, ALL));
    await store.requestStills(tenant, job.id, [3]);
    const leased = await take(store, node, ALL);
    await store.recordStill(fence(node, leased), still(3, "REFERENCE"), false);
    assert.deepEqual(await store.deleteStill(tenant, job.id, 3), { nodes: [node.id] });
    assert.equal(
      (await store.recordStill(fence(node, leased), still(3, "DISTORTED"), true)).recorded,
      "STALE",
    );
    const running = [{ itemId: leased.id, attempt: leased.attempt, framesDone: 0 }];
    const { lost } = await store.renew(node.session, running, LEASE_MS, false);
    assert.deepEqual(lost, [{ itemId: leased.id, attempt: leased.attempt }]);
    assert.equal(await store.still(tenant, job.id, 3, "REFERENCE"), undefined);
    assert.equal((await store.listStills(tenant, job.id)).length, 6);
  });

  test("of a frame that a node makes with others: refuses until they are made, and changes nothing", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    const work = await take(store, node, ALL);
    await store.recordStill(fence(node, work), still(7, "REFERENCE"), false);
    const before = await store.job(tenant, job.id);
    await assert.rejects(store.deleteStill(tenant, job.id, 7), code("STILL_IN_PROGRESS", /frame 7 /));
    assert.deepEqual(await store.job(tenant, job.id), before);
    assert.ok(await store.still(tenant, job.id, 7, "REFERENCE"));
  });

  test("of a frame that failed and was requested again: removes it from both tasks", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    const first = await take(store, node, ALL);
    await store.recordFailure(fence(node, first), { code: "X", message: "x" }, () => ({ kind: "fail" }));
    await store.requestStills(tenant, job.id, [7]);
    assert.deepEqual(await store.deleteStill(tenant, job.id, 7), { nodes: [] });
    assert.deepEqual(await states(store, tenant, job.id), [
      "99 R FAILED",
      "99 D FAILED",
      "100 R FAILED",
      "100 D FAILED",
    ]);
    assert.equal(await claim(store, node, ALL), undefined);
  });

  test("of a job with 64 frames: makes room for others", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    await make(store, node, await take(store, node, ALL));
    const frames = Array.from({ length: 62 }, (_, frame) => frame).filter((frame) => frame !== 7);
    for (let first = 0; first < 61; first += 16)
      await store.requestStills(tenant, job.id, frames.slice(first, first + 16));
    await assert.rejects(store.requestStills(tenant, job.id, [150]), code("TOO_MANY_STILLS"));
    await store.deleteStill(tenant, job.id, 30);
    assert.ok((await store.requestStills(tenant, job.id, [150]))?.ready);
  });

  test("of another frame: a failed frame that is requested again has the state of its last task", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    await make(store, node, await take(store, node, ALL));
    const fail = async (frame: number) => {
      await store.requestStills(tenant, job.id, [frame]);
      const work = await take(store, node, ALL);
      await store.recordFailure(fence(node, work), { code: "X", message: "x" }, () => ({ kind: "fail" }));
    };
    for (const frame of [3, 4]) await fail(frame);
    await store.deleteStill(tenant, job.id, 3);
    await store.requestStills(tenant, job.id, [4]);
    const asked = (await states(store, tenant, job.id)).filter((text) => text.startsWith("4 "));
    assert.deepEqual(asked, ["4 R PENDING", "4 D PENDING"]);
  });

  test("of a frame not requested, or of another tenant's job: finds nothing to delete", async () => {
    const { store, tenant, node, job } = await begin(open().store);
    await make(store, node, await take(store, node, ALL));
    await assert.rejects(store.deleteStill(tenant, job.id, 8), code("STILL_NOT_FOUND", /frame 8/));
    const stranger = newTenant();
    const other = await succeeded(store, await register(store, stranger));
    assert.equal(await store.deleteStill(stranger, job.id, 7), undefined);
    assert.equal(await store.deleteStill(tenant, other.id, 7), undefined);
    assert.equal(await store.deleteStill(tenant, "no id", 7), undefined);
    assert.equal((await store.listStills(tenant, job.id)).length, 6);
    assert.equal((await store.listStills(stranger, other.id)).length, 6);
  });
});

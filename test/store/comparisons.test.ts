/** Comparisons: stored with their jobs, visible only to their tenant, changed cell by cell, deleted with their last job. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import type { NewCell, NewComparison } from "../../src/store/contract/comparison-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
  claim,
  fence,
  jobOutcome,
  MEDIA,
  newJob,
  newTenant,
  nextMoment,
  onBothStores,
  PLAN,
  recordPlan,
  register,
  SCORE,
  SCORED_BY,
  segmentRecord,
  take,
} from "./stores.ts";

const coded = (code: FailureCode) => (thrown: unknown) => thrown instanceof Failure && thrown.code === code;

function newComparison(given: Partial<NewComparison> = {}): NewComparison {
  return {
    ...{ id: randomUUID(), name: "codecs", anchor: "x264", settings: '{"models":["m"]}' },
    ...{ fingerprint: "fingerprint", idempotencyKey: undefined, submittedBy: "somebody" },
    groupBy: ["encoder", "size"],
    ...given,
  };
}

function newCells(...names: readonly string[]): NewCell[] {
  return names.map((name) => ({
    pair: { reference: "/r.mp4", distorted: `/${name}.mp4`, ladder: "x264", clip: "" },
    job: newJob({ name }),
  }));
}

async function insert(store: Store, tenant: string, cells = newCells("a", "b")) {
  const comparison = newComparison();
  await store.comparisons.insert(tenant, comparison, cells);
  return { id: comparison.id, cells };
}

async function cellsOf(store: Store, tenant: string, id: string) {
  const found = await store.comparisons.find(tenant, id);
  assert.ok(found);
  return found.cells;
}

onBothStores((open) => {
  test("returns a comparison as it was stored, with the states of its jobs", async () => {
    const { store } = open();
    const tenant = newTenant();
    const given = newComparison();
    const cells = newCells("a", "b");
    const { created, jobs } = await store.comparisons.insert(tenant, given, cells);
    assert.equal(created, true);
    assert.deepEqual(
      jobs.map((one) => [one?.job.id, one?.created]),
      cells.map(({ job }) => [job.id, true]),
    );
    const found = await store.comparisons.find(tenant, given.id);
    const { createdAt, ...comparison } = found?.comparison ?? {};
    const { fingerprint: _, idempotencyKey: __, ...stored } = given;
    assert.deepEqual(comparison, { ...stored, tenant });
    assert.ok(createdAt instanceof Date);
    assert.deepEqual(
      found?.cells.map(({ number, jobId, distorted, job }) => [number, jobId, distorted, job?.state]),
      cells.map(({ job, pair }, index) => [index + 1, job.id, pair.distorted, "QUEUED"]),
    );
    assert.equal((await store.job(tenant, cells[0]?.job.id ?? ""))?.state, "QUEUED");
    const node = await register(store, tenant);
    assert.ok(await claim(store, node, [PLAN]), "its jobs can be claimed");
  });

  test("reads of each job what it shows: error, media, scorer, pooled scores and gates", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { id, cells } = await insert(store, tenant);
    const [first, second] = cells.map(({ job }) => job.id);
    const streamSegments = [{ frameCount: 50, mean: 90.5, min: 88, worstFrame: 7 }];
    const given = { text: "vmaf.mean=93", metric: "vmaf", stat: "mean", limit: 93 } as const;
    const gate = { gate: given, verdict: "FAILED", value: 90.5 } as const;
    const result = JSON.stringify({ pooled: { vmaf: { mean: 90.5 } }, streamSegments, frames: [] });
    const node = await register(store, tenant);
    await recordPlan(store, node, await take(store, node, [PLAN]), 2);
    for (const _ of [1, 2])
      await store.recordSegment(fence(node, await take(store, node, [SCORE])), segmentRecord());
    assert.ok(await store.succeed(first ?? "", 1, jobOutcome({ result, gates: [gate] })));
    const [scored] = (await cellsOf(store, tenant, id)).map(({ job }) => job);
    assert.deepEqual([scored?.state, scored?.pooled], ["SUCCEEDED", { vmaf: { mean: 90.5 } }]);
    assert.deepEqual([scored?.media, scored?.scorer], [MEDIA, SCORED_BY]);
    assert.deepEqual(scored?.streamSegments, streamSegments);
    assert.deepEqual(scored?.gates, [gate]);
    await store.cancelJob(tenant, second ?? "");
    const [listed] = await store.comparisons.list(tenant, undefined, 10);
    const { cells: count, succeeded, cancelled, queued, framesDone, framesTotal } = listed ?? {};
    assert.deepEqual([count, succeeded, cancelled, queued], [2, 1, 1, 0]);
    assert.deepEqual([framesDone, framesTotal], [200, 200]);
  });

  test("returns the first comparison for a repeated call and for the same key, and stores no jobs again", async () => {
    const { store } = open();
    const tenant = newTenant();
    const first = newComparison({ idempotencyKey: "k" });
    await store.comparisons.insert(tenant, first, newCells("a"));
    for (const again of [first, newComparison({ idempotencyKey: "k" })]) {
      const { id, created, jobs } = await store.comparisons.insert(tenant, again, newCells("a"));
      assert.deepEqual([id, created, jobs], [first.id, again === first, [undefined]]);
    }
    assert.equal(await store.countJobs(tenant, {}), 1);
    const other = newComparison({ idempotencyKey: "k", fingerprint: "other" });
    const conflict = store.comparisons.insert(tenant, other, newCells("a"));
    await assert.rejects(conflict, coded("IDEMPOTENCY_CONFLICT"));
    assert.equal(await store.countJobs(tenant, {}), 1, "nothing of a refused one is stored");
    const known = await store.comparisons.withKey(tenant, "k");
    assert.deepEqual([known?.comparison.id, known?.fingerprint], [first.id, "fingerprint"]);
    assert.equal(await store.comparisons.withKey(newTenant(), "k"), undefined, "keys are per tenant");
  });

  test("adds cells that are not there, up to a limit", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { id } = await insert(store, tenant);
    const added = await store.comparisons.addCells(tenant, id, newCells("b", "c"), 3);
    assert.deepEqual(
      added?.jobs.map((one) => one?.created),
      [undefined, true],
    );
    const numbers = (await cellsOf(store, tenant, id)).map(({ number, distorted }) => [number, distorted]);
    assert.deepEqual(numbers, [
      [1, "/a.mp4"],
      [2, "/b.mp4"],
      [3, "/c.mp4"],
    ]);
    await assert.rejects(store.comparisons.addCells(tenant, id, newCells("d"), 3), coded("INVALID_REQUEST"));
    assert.equal(await store.countJobs(tenant, {}), 3);
  });

  test("numbers cells without gaps or repeats if they are added concurrently", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { id } = await insert(store, tenant);
    const names = ["c", "d", "e", "f"];
    await Promise.all(names.map((name) => store.comparisons.addCells(tenant, id, newCells(name), 10)));
    const cells = await cellsOf(store, tenant, id);
    assert.deepEqual(
      cells.map(({ number }) => number),
      [1, 2, 3, 4, 5, 6],
    );
    assert.equal(new Set(cells.map(({ jobId }) => jobId)).size, 6);
  });

  test("replaces the job of a cell, unless it was already replaced", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { id, cells } = await insert(store, tenant);
    const before = cells[1]?.job.id ?? "";
    const [one, other] = [newJob(), newJob()];
    const replaced = await store.comparisons.replaceJobs(tenant, id, [{ number: 2, before, job: one }]);
    assert.equal(replaced?.jobs[0]?.job.id, one.id);
    const late = await store.comparisons.replaceJobs(tenant, id, [{ number: 2, before, job: other }]);
    assert.deepEqual(late?.jobs, [undefined]);
    assert.equal(await store.job(tenant, other.id), undefined);
    const now = (await cellsOf(store, tenant, id)).map(({ jobId }) => jobId);
    assert.deepEqual(now, [cells[0]?.job.id, one.id]);
  });

  test("lists comparisons in pages, newest first", async () => {
    const { store } = open();
    const tenant = newTenant();
    const ids: string[] = [];
    for (const name of ["a", "b", "c"]) {
      ids.unshift((await insert(store, tenant, newCells(name))).id);
      await nextMoment(store);
    }
    const first = await store.comparisons.list(tenant, undefined, 2);
    const rest = await store.comparisons.list(tenant, first.at(-1), 2);
    assert.deepEqual(
      [...first, ...rest].map(({ id }) => id),
      ids,
    );
  });

  test("hides comparisons from other tenants, and changes nothing for them", async () => {
    const { store } = open();
    const [tenant, other] = [newTenant(), newTenant()];
    const { id, cells } = await insert(store, tenant);
    const { comparisons } = store;
    const before = cells[0]?.job.id ?? "";
    assert.equal(await comparisons.find(other, id), undefined);
    assert.equal(await comparisons.addCells(other, id, newCells("c"), 10), undefined);
    const job = newJob();
    assert.equal(await comparisons.replaceJobs(other, id, [{ number: 1, before, job }]), undefined);
    assert.deepEqual(await comparisons.list(other, undefined, 10), []);
    assert.equal(await store.countJobs(other, {}), 0);
    assert.equal(await comparisons.tenantOf(id), tenant);
    for (const odd of ["", "x", randomUUID(), "'; drop table comparison", "\0"]) {
      assert.equal(await comparisons.find(tenant, odd), undefined);
      assert.equal(await comparisons.addCells(tenant, odd, newCells("c"), 10), undefined);
      assert.equal(await comparisons.tenantOf(odd), undefined);
    }
  });

  test("is deleted only by its tenant, and without its jobs", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { id, cells } = await insert(store, tenant);
    for (const [caller, of] of [
      [newTenant(), id],
      [tenant, randomUUID()],
      [tenant, "'; drop table comparison"],
    ] as const)
      assert.equal(await store.comparisons.deleteComparison(caller, of), false);
    assert.ok(await store.comparisons.find(tenant, id));
    assert.equal(await store.comparisons.deleteComparison(tenant, id), true);
    assert.equal(await store.comparisons.find(tenant, id), undefined);
    assert.equal(await store.comparisons.deleteComparison(tenant, id), false);
    assert.equal(await store.countJobs(tenant, {}), cells.length);
  });

  test("shows that a job was deleted, and deletes a comparison with its last job", async () => {
    const { store } = open();
    const tenant = newTenant();
    const { id, cells } = await insert(store, tenant);
    const [first = "", second = ""] = cells.map(({ job }) => job.id);
    await store.deleteJob(tenant, first, true);
    assert.deepEqual(
      (await cellsOf(store, tenant, id)).map(({ job }) => job?.state),
      [undefined, "QUEUED"],
    );
    assert.equal((await store.comparisons.list(tenant, undefined, 1))[0]?.deleted, 1);
    await nextMoment(store);
    await store.comparisons.deleteEmpty(0, 1_000);
    assert.ok(await store.comparisons.find(tenant, id), "a job is left");
    await store.deleteJob(tenant, second, true);
    await store.comparisons.deleteEmpty(3_600_000, 1_000);
    assert.ok(await store.comparisons.find(tenant, id), "it is too new");
    assert.ok((await store.comparisons.deleteEmpty(0, 1_000)) > 0);
    assert.equal(await store.comparisons.find(tenant, id), undefined);
  });
});

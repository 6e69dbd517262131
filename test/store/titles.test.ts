/** Titles in the store: their job becomes that of the first rendition, and the others get jobs and cells like it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { MAX_CELLS } from "../../src/jobs/request-limits.ts";
import { TITLE_CLASS } from "../../src/jobs/work.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { NewCell } from "../../src/store/contract/comparison-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { TitleRecord } from "../../src/store/contract/task-records.ts";
import {
  fence,
  newJob,
  newTenant,
  onBothDatabases,
  PLAN,
  recordPlan,
  register,
  SCORE,
  take,
} from "./stores.ts";

const TITLE = "/title.m3u8";

function recordOf(...names: readonly string[]): TitleRecord {
  const jobs = names.map((name) => {
    const distorted = `${TITLE}#${name}`;
    const spec = JSON.stringify({ reference: "/r.mp4", distorted });
    return { id: randomUUID(), distorted, spec, fingerprint: `fingerprint of ${name}` };
  });
  return { jobs, workClass: PLAN };
}

function cellOf(distorted: string, given: Parameters<typeof newJob>[0] = {}): NewCell {
  return { pair: { reference: "/r.mp4", distorted, ladder: "web", clip: "" }, job: newJob(given) };
}

/** Stores a comparison of a title and of other videos, and leases the title's task. */
async function leased(store: Store, others: readonly NewCell[] = []) {
  const tenant = newTenant();
  const node = await register(store, tenant);
  const title = cellOf(TITLE, {
    ...{ workClass: TITLE_CLASS, name: "weekly", labels: { release: "7" }, priority: 3 },
  });
  const comparison = { id: randomUUID(), name: "", anchor: "", groupBy: [], settings: "{}" };
  const given = { ...comparison, fingerprint: "f", idempotencyKey: undefined, submittedBy: "somebody" };
  await store.comparisons.insert(tenant, given, [title, ...others]);
  const work = await take(store, node, [TITLE_CLASS]);
  assert.equal(work.jobId, title.job.id);
  return { tenant, node, title, work, id: comparison.id };
}

async function cellsOf(store: Store, tenant: string, id: string) {
  const { cells } = (await store.comparisons.find(tenant, id)) ?? assert.fail("the comparison is gone");
  return cells.map(({ number, distorted, ladder, jobId, job }) => ({
    number,
    distorted,
    ladder,
    jobId,
    job,
  }));
}

onBothDatabases((open) => {
  test("give each rendition a job like their own and a cell, and are planned", async () => {
    const { store } = open();
    const { tenant, node, title, work, id } = await leased(store, [cellOf("/other.mp4")]);
    const { recorded, added } = await store.recordTitle(fence(node, work), recordOf("low", "mid", "high"));
    assert.deepEqual([recorded, added], ["RECORDED", 2]);
    const cells = await cellsOf(store, tenant, id);
    assert.deepEqual(
      cells.map(({ number, distorted, ladder, job }) => [number, distorted, ladder, job?.state]),
      [
        [1, `${TITLE}#low`, "web", "RUNNING"],
        [2, "/other.mp4", "web", "QUEUED"],
        [3, `${TITLE}#mid`, "web", "QUEUED"],
        [4, `${TITLE}#high`, "web", "QUEUED"],
      ],
    );
    assert.equal(cells[0]?.jobId, title.job.id);
    for (const { jobId, distorted } of cells.filter(({ number }) => number !== 2)) {
      const { spec, submittedBy } = (await store.job(tenant, jobId)) ?? assert.fail();
      assert.equal((JSON.parse(spec) as { distorted: string }).distorted, distorted);
      assert.equal(submittedBy, "somebody");
    }
    const labelled = await store.listJobs(tenant, { labels: { release: "7" } }, undefined, 10);
    assert.equal(labelled.length, 3);
    // By priority, then in the order of the manifest.
    const next = [];
    for (let count = 0; count < 3; count++) next.push(await take(store, node, [PLAN]));
    assert.deepEqual(
      next.map(({ jobId }) => jobId),
      [cells[0], cells[2], cells[3]].map((cell) => cell?.jobId),
    );
    const [first] = next;
    assert.equal((await recordPlan(store, node, first ?? assert.fail(), 2)).recorded, "RECORDED");
    assert.equal((await take(store, node, [SCORE])).jobId, title.job.id);
  });

  test("are recorded once, only with a live lease, and not instead of a plan", async () => {
    const { store } = open();
    const { tenant, node, work, id } = await leased(store);
    const held = fence(node, work);
    assert.equal((await store.recordTitle({ ...held, attempt: 2 }, recordOf("low"))).recorded, "STALE");
    assert.equal((await recordPlan(store, node, work, 1)).recorded, "STALE");
    assert.equal((await store.recordTitle(held, recordOf("low", "high"))).recorded, "RECORDED");
    assert.equal((await store.recordTitle(held, recordOf("low", "high"))).recorded, "REPEATED");
    assert.equal((await cellsOf(store, tenant, id)).length, 2);
    const plan = await take(store, node, [PLAN]);
    assert.equal((await store.recordTitle(fence(node, plan), recordOf("low"))).recorded, "STALE");
    const cancelled = await leased(store);
    await store.cancelJob(cancelled.tenant, cancelled.work.jobId);
    const late = await store.recordTitle(fence(cancelled.node, cancelled.work), recordOf("low", "high"));
    assert.equal(late.recorded, "STALE");
    assert.equal((await cellsOf(store, cancelled.tenant, cancelled.id)).length, 1);
  });

  test("leave out renditions that the comparison has, and fail if it has all", async () => {
    const { store } = open();
    const { tenant, node, work, id } = await leased(store, [cellOf(`${TITLE}#low`)]);
    const all = store.recordTitle(fence(node, work), recordOf("low"));
    await assert.rejects(all, (error) => error instanceof Failure && error.code === "INVALID_REQUEST");
    const { added } = await store.recordTitle(fence(node, work), recordOf("low", "mid", "high"));
    assert.equal(added, 1);
    assert.deepEqual(
      (await cellsOf(store, tenant, id)).map(({ distorted }) => distorted),
      [`${TITLE}#mid`, `${TITLE}#low`, `${TITLE}#high`],
    );
  });

  test("of a comparison that was deleted are scored without cells", async () => {
    const { store } = open();
    const { tenant, node, work, id } = await leased(store);
    await store.comparisons.deleteComparison(tenant, id);
    assert.equal((await store.recordTitle(fence(node, work), recordOf("low", "high"))).recorded, "RECORDED");
    assert.equal((await store.listJobs(tenant, {}, undefined, 10)).length, 2);
  });

  test("never make a comparison larger than allowed, or change those of others", async () => {
    const { store } = open();
    const others = Array.from({ length: MAX_CELLS - 1 }, (_, index) => cellOf(`/${index}.mp4`));
    const { tenant, node, work, id } = await leased(store, others);
    await assert.rejects(
      store.recordTitle(fence(node, work), recordOf("low", "high")),
      /would have 2001 cells with all renditions/,
    );
    assert.equal((await store.recordTitle(fence(node, work), recordOf("low"))).recorded, "RECORDED");
    assert.equal((await cellsOf(store, tenant, id)).length, MAX_CELLS);
  });
});

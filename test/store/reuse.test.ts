/** Segments take the scores of segments with the same content, within a tenant. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewJob } from "../../src/store/contract/job-records.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { PlanReuse } from "../../src/store/contract/task-records.ts";
import {
  bytesOf,
  claim,
  FRAMES_EACH,
  fence,
  jobOutcome,
  MEDIA,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

const digest = (text: string) => Buffer.alloc(32, text);
const HERE = digest("these programs");
const ALLOWED: PlanReuse = { key: undefined, scoredBy: HERE, isAllowed: true };

/** Plans a job with a segment for each key; undefined: a segment without a key. */
async function plan(
  store: Store,
  node: NewNode,
  keys: readonly (string | undefined)[],
  { reuse = ALLOWED, job = newJob() }: { readonly reuse?: PlanReuse; readonly job?: NewJob } = {},
) {
  await store.insertJobs(node.tenant, [job]);
  const outcome = await store.recordPlan(fence(node, await take(store, node, [PLAN])), {
    plan: "the plan",
    framesTotal: keys.length * FRAMES_EACH,
    segments: segments(keys.length).map((one, n) => ({
      ...one,
      reuseKey: keys[n] === undefined ? undefined : digest(keys[n]),
    })),
    workClass: SCORE,
    media: MEDIA,
    reuse,
  });
  return { id: job.id, ...outcome };
}

/** Scores all ready segments with one row of the byte each. Returns the segments. */
async function scoreAll(store: Store, node: NewNode, byte: number, scoredBy: Uint8Array | null = HERE) {
  const scored: (string | undefined)[] = [];
  for (;;) {
    const work = await claim(store, node);
    if (work === undefined) return scored;
    const rows = new Uint8Array([byte, scored.length]);
    const last = { number: 0, rows, rowCount: FRAMES_EACH };
    await store.recordSegment(
      fence(node, work),
      segmentRecord({
        last,
        scoredBy: scoredBy ?? undefined,
        findings: `found ${byte}`,
        shots: `shots ${byte}`,
      }),
    );
    scored.push(work.segment);
  }
}

async function partsOf(store: Store, jobId: string, generation = 1) {
  const parts = await store.allParts(jobId, generation);
  return Promise.all(
    parts.map(async (part) => ({ rows: await bytesOf(part), findings: part.findings, shots: part.shots })),
  );
}

onBothStores((open) => {
  test("a job whose segments were all scored before reuses their scores and findings, and can be pooled", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await plan(store, node, ["a", "b", "c"]);
    assert.deepEqual([one.reused, one.poolable], [0, undefined]);
    await scoreAll(store, node, 7);
    const other = await plan(store, node, ["a", "b", "c"]);
    assert.equal(other.reused, 3);
    assert.equal(other.poolable?.id, other.id);
    assert.deepEqual(await partsOf(store, other.id), await partsOf(store, one.id));
    const job = await store.job(node.tenant, other.id);
    assert.deepEqual([job?.segmentsDone, job?.segmentsTotal, job?.framesDone], [3, 3, 3 * FRAMES_EACH]);
    assert.deepEqual(job?.reuse, { segments: 3, answer: undefined });
    const detail = await store.jobDetail(node.tenant, other.id);
    const [, ...scored] = detail?.work ?? [];
    assert.deepEqual(
      scored.map(({ state, reusedFrom, attempt }) => ({ state, reusedFrom, attempt })),
      Array.from({ length: 3 }, () => ({ state: "DONE", reusedFrom: one.id, attempt: 0 })),
    );
    assert.ok(await store.succeed(other.id, 1, jobOutcome({ frameCount: 3 * FRAMES_EACH })));
    assert.equal(await claim(store, node), undefined);
  });

  test("only segments with another key are scored, and the job is pooled after the last one", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await plan(store, node, ["a", "b", "c"]);
    await scoreAll(store, node, 7);
    const other = await plan(store, node, ["a", "changed", "c", undefined]);
    assert.deepEqual([other.reused, other.poolable], [2, undefined]);
    assert.deepEqual(await store.takePoolable(9, 1_000), [], "two segments are left");
    assert.deepEqual(await scoreAll(store, node, 8), ["segment 1", "segment 3"]);
    const [poolable] = await store
      .takePoolable(9, 60_000)
      .then((jobs) => jobs.filter(({ id }) => id === other.id));
    assert.equal(poolable, undefined, "it is held for the controller that recorded the last segment");
    const [a, , c] = await partsOf(store, one.id);
    const parts = await partsOf(store, other.id);
    assert.deepEqual([parts[0], parts[2]], [a, c]);
    assert.deepEqual(parts[1]?.rows, [[8, 0]]);
  });

  test("another tenant's scores are not reused", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    await plan(store, node, ["a", "b"]);
    await scoreAll(store, node, 7);
    const stranger = await register(store, newTenant());
    const other = await plan(store, stranger, ["a", "b"]);
    assert.deepEqual([other.reused, (await store.job(stranger.tenant, other.id))?.reuse], [0, undefined]);
    assert.deepEqual(await scoreAll(store, stranger, 9), ["segment 0", "segment 1"]);
  });

  test("scores of other or unknown programs are not reused, and none if the request forbids it", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const planned = async (reuse: PlanReuse) => (await plan(store, node, ["a"], { reuse })).reused;
    await plan(store, node, ["a"]);
    await scoreAll(store, node, 1, digest("other programs"));
    assert.equal(await planned(ALLOWED), 0, "scored by another node than the one that planned");
    await scoreAll(store, node, 2, null);
    assert.equal(await planned(ALLOWED), 0, "scored by unknown programs");
    await scoreAll(store, node, 3);
    assert.equal(await planned({ ...ALLOWED, scoredBy: digest("other programs") }), 1);
    assert.equal(await planned({ ...ALLOWED, scoredBy: digest("newer programs") }), 0);
    assert.equal(await planned({ ...ALLOWED, scoredBy: undefined }), 0);
    assert.equal(await planned({ ...ALLOWED, isAllowed: false }), 0);
    assert.equal(await planned(ALLOWED), 1);
  });

  test("reused scores can be reused again, also after the job that computed them was deleted", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await plan(store, node, ["a"]);
    await scoreAll(store, node, 7);
    const other = await plan(store, node, ["a"]);
    await store.deleteJob(node.tenant, one.id, true);
    const third = await plan(store, node, ["a"]);
    assert.equal(third.reused, 1);
    assert.deepEqual(await partsOf(store, third.id), await partsOf(store, other.id));
    const [, scored] = (await store.jobDetail(node.tenant, third.id))?.work ?? [];
    assert.equal(scored?.reusedFrom, one.id, "the job that scored it");
    await store.deleteJob(node.tenant, other.id, true);
    await store.deleteJob(node.tenant, third.id, true);
    assert.equal((await plan(store, node, ["a"])).reused, 0, "all copies are gone");
  });

  test("scores that were discarded, or are of another plan, are not reused", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const one = await plan(store, node, ["a", "b"]);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord({ scoredBy: HERE }));
    await store.recordSegmentMismatch(fence(node, await take(store, node)));
    const revised = { plan: "another plan", framesTotal: 2 * FRAMES_EACH, scoredBy: HERE };
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord(revised));
    assert.equal((await store.job(node.tenant, one.id))?.segmentsDone, 1);
    const other = await plan(store, node, ["a", "b"]);
    assert.equal(other.reused, 0);
    await store.cancelJob(node.tenant, other.id);
    const whole = await plan(store, node, ["w"]);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord(revised));
    assert.equal((await store.job(node.tenant, whole.id))?.segmentsDone, 1);
    assert.equal((await plan(store, node, ["w"])).reused, 0);
  });

  test("a job that reused scores starts again if its segments do not fit together", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    await plan(store, node, ["a", "b"]);
    await scoreAll(store, node, 7);
    const other = await plan(store, node, ["a", "b"]);
    assert.ok(await store.restartWhole(other.id, 1));
    const job = await store.job(node.tenant, other.id);
    assert.deepEqual([job?.reuse, job?.segmentsDone, job?.segmentsTotal], [undefined, 0, 1]);
    assert.equal((await take(store, node)).kind, "WHOLE");
  });
});

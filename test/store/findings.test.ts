/** What tasks find about a pair, and of its shots: kept with their scores, and with no plan but theirs. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { statement } from "../../src/store/connection/statement.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { MAX_READ } from "../../src/store/contract/task-records.ts";
import {
  FRAMES_EACH,
  fence,
  jobOutcome,
  MEDIA,
  newJob,
  newTenant,
  onBothDatabases,
  PLAN,
  plannedJob,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

const FOUND = '[{"code":"OFFSET","evidence":"ü"}]';
const KEPT = statement(
  "select count(*) as count from work where job_id = $1 and (findings is not null or shots is not null)",
);

/** Scores the next segments with these findings, and shots of the same text. */
async function score(store: Store, node: NewNode, ...findings: (string | undefined)[]): Promise<void> {
  for (const found of findings)
    await store.recordSegment(
      fence(node, await take(store, node)),
      segmentRecord({ findings: found, shots: found }),
    );
}

async function findingsOf(store: Store, jobId: string, generation = 1) {
  const parts = await store.allParts(jobId, generation);
  const findings = parts.map((part) => part.findings);
  assert.deepEqual(
    parts.map(({ shots }) => shots),
    findings,
  );
  return findings;
}

onBothDatabases((open) => {
  test("are read with the part in which they were found", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const job = await plannedJob(store, node, 3);
    await score(store, node, undefined, FOUND, undefined);
    assert.deepEqual(await findingsOf(store, job.id), [undefined, FOUND, undefined]);
  });

  test("are read up to a limit, those of the first parts", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const job = await plannedJob(store, node, 3);
    const half = "x".repeat(MAX_READ / 2);
    await score(store, node, half, half, "y");
    assert.deepEqual(await findingsOf(store, job.id), [half, half, undefined]);
  });

  test("are deleted when the job is scored whole or planned again", async () => {
    const { store, database } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const jobs = [await plannedJob(store, node, 2), await plannedJob(store, node, 2)];
    const [whole, replanned] = jobs.map(({ id }) => id) as [string, string];
    await score(store, node, FOUND, FOUND, FOUND);
    assert.ok(await store.restartWhole(whole, 1));
    assert.ok(await store.replan(replanned, 1));
    for (const id of [whole, replanned]) {
      assert.deepEqual(await database.query("owner", KEPT, [id]), [{ count: 0 }]);
      assert.deepEqual(await findingsOf(store, id, 2), []);
    }
    await score(store, node, '["whole"]');
    assert.deepEqual(await findingsOf(store, whole, 2), ['["whole"]']);
  });

  test("are copied with the scores of an estimate that is finished", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = newJob();
    await store.insertJobs(tenant, [job]);
    const [first, ...rest] = segments(3);
    assert.ok(first);
    await store.recordPlan(fence(node, await take(store, node, [PLAN])), {
      ...{ plan: "the plan", framesTotal: FRAMES_EACH, segments: [first], workClass: SCORE, media: MEDIA },
      sample: { frames: 3 * FRAMES_EACH, units: "unit 0" },
    });
    await score(store, node, FOUND);
    const estimate = { score: 93.5, low: 93, high: 94, scoredShare: 0.3 };
    await store.succeed(job.id, 1, jobOutcome({ estimate }));
    const { idempotencyKey: _, workClass: __, ...same } = newJob({ id: randomUUID() });
    const finished = await store.finishJob(tenant, job.id, () => ({ job: same, segments: rest }));
    await score(store, node, undefined, "[]");
    assert.deepEqual(await findingsOf(store, finished?.job.id ?? ""), [FOUND, undefined, "[]"]);
  });
});

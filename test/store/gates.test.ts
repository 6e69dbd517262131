/** Gates of jobs in the store: verdicts, the filter for missed ones, and answers to jobs with gates. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GateOutcome } from "../../src/jobs/gates/outcome.ts";
import type { NewNode } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import {
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

const GATE = { text: "vmaf.p5=85", metric: "vmaf", stat: "p5", limit: 85 } as const;
const PASSED: GateOutcome = { gate: GATE, verdict: "PASSED", value: 90.25 };
const FAILED: GateOutcome = { gate: GATE, verdict: "FAILED", value: 80.25 };
const UNDECIDED: GateOutcome = {
  gate: GATE,
  verdict: "UNDECIDED",
  value: 85,
  interval: { low: 84, high: 86 },
};
const KEY = Buffer.alloc(32, "the question");
const HERE = Buffer.alloc(32, "these programs");
const RESULT =
  '{"score":90,"models":[{"model":"m","metric":"vmaf","score":90}],"pooled":{"vmaf":{"p5":84}},"frames":{}}';

/** A job that succeeded with these gates. */
async function judgedJob(store: Store, node: NewNode, gates: readonly GateOutcome[]) {
  const job = newJob();
  await store.insertJobs(node.tenant, [job]);
  await store.recordPlan(fence(node, await take(store, node, [PLAN])), {
    plan: "the plan",
    framesTotal: FRAMES_EACH,
    segments: segments(1),
    workClass: SCORE,
    media: MEDIA,
    reuse: { key: KEY, scoredBy: HERE, isAllowed: false },
  });
  await store.recordSegment(fence(node, await take(store, node)), segmentRecord({ scoredBy: HERE }));
  assert.ok(await store.succeed(job.id, 1, jobOutcome({ result: RESULT, gates })));
  return job.id;
}

onBothStores((open) => {
  test("a job that succeeded has the verdicts on its gates, and one without gates has none", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const id = await judgedJob(store, node, [PASSED, UNDECIDED]);
    assert.deepEqual((await store.jobDetail(node.tenant, id))?.job.gates, [PASSED, UNDECIDED]);
    const none = await judgedJob(store, node, []);
    assert.equal((await store.jobDetail(node.tenant, none))?.job.gates, undefined);
  });

  test("the filter finds the jobs that miss a gate, with every order and beside other filters", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    await store.insertJobs(node.tenant, [newJob()]);
    await store.cancelJob(node.tenant, (await store.listJobs(node.tenant, {}, undefined, 1))[0]?.id ?? "");
    await judgedJob(store, node, []);
    await judgedJob(store, node, [PASSED]);
    const missed = [
      await judgedJob(store, node, [PASSED, FAILED]),
      await judgedJob(store, node, [UNDECIDED]),
    ];
    const found = async (filter: Parameters<Store["listJobs"]>[1], sort: "OLDEST" | "FIRST_ENDED") =>
      (await store.listJobs(node.tenant, filter, undefined, 10, sort)).map(({ id }) => id);
    for (const sort of ["OLDEST", "FIRST_ENDED"] as const) {
      assert.deepEqual(await found({ gatesMissed: true }, sort), missed);
      assert.deepEqual(await found({ gatesMissed: true, states: ["SUCCEEDED"] }, sort), missed);
      assert.deepEqual(await found({ gatesMissed: true, states: ["CANCELLED"] }, sort), []);
    }
    assert.equal(await store.countJobs(node.tenant, { gatesMissed: true }), 2);
    const other = await register(store, newTenant());
    assert.equal(await store.countJobs(other.tenant, { gatesMissed: true }), 0);
  });

  test("a reusable result has the values that gates judge if requested, and its job has its own verdicts", async () => {
    const { store } = open();
    const node = await register(store, newTenant());
    const first = await judgedJob(store, node, [PASSED]);
    const [plain, judged] = await store.findAnswers(node.tenant, [
      { key: KEY, isJudged: false },
      { key: KEY, isJudged: true },
    ]);
    assert.equal(plain?.judged, undefined);
    const { models, pooled } = JSON.parse(RESULT) as Record<string, unknown>;
    assert.deepEqual(JSON.parse(judged?.judged ?? ""), { models, pooled });
    const answered = newJob({ answeredBy: first, gates: [FAILED] });
    const ungated = newJob({ answeredBy: first });
    await store.insertJobs(node.tenant, [answered, ungated]);
    assert.deepEqual((await store.jobDetail(node.tenant, answered.id))?.job.gates, [FAILED]);
    assert.equal((await store.jobDetail(node.tenant, ungated.id))?.job.gates, undefined);
    const listed = await store.listJobs(node.tenant, { gatesMissed: true }, undefined, 10);
    assert.deepEqual(
      listed.map(({ id }) => id),
      [answered.id],
    );
  });
});

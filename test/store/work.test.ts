/** Tasks: claimed in order, reported once, fenced, retried. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_BACK_OFF_MS } from "../../src/jobs/retry.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { ClaimedWork, Fence } from "../../src/store/contract/task-records.ts";
import {
  bytesOf,
  claim,
  FRAMES_EACH,
  fence,
  jobOutcome,
  LEASE_MS,
  MEDIA,
  newJob,
  newTenant,
  onBothStores,
  PLAN,
  plannedJob,
  recordPlan,
  register,
  SCORE,
  segmentRecord,
  segments,
  take,
} from "./stores.ts";

const RETRY_NOW = () => ({ kind: "retry", afterMs: 0 }) as const;
const FAIL = () => ({ kind: "fail" }) as const;
const ERROR = { code: "SCORER_FAILED", message: "It crashed.", found: { exit: 139 } };

onBothStores((open) => {
  test("refuses an upper-case id; counts a report once, and the last one returns that the job is complete", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 2);
    const inCapitals = (lease: Fence): Fence => ({ ...lease, itemId: lease.itemId.toUpperCase() });
    const [first, last] = [fence(node, await take(store, node)), fence(node, await take(store, node))];
    const foreign = await store.recordSegment(inCapitals(first), segmentRecord());
    assert.deepEqual(foreign, { recorded: "STALE", poolable: undefined, tenant: undefined });
    const counted = await store.recordSegment(first, segmentRecord());
    assert.deepEqual(counted, { recorded: "RECORDED", poolable: undefined, tenant });
    const outcomes = await Promise.all(
      [last, last].map((lease) => store.recordSegment(lease, segmentRecord())),
    );
    assert.deepEqual(outcomes.map(({ recorded }) => recorded).sort(), ["RECORDED", "REPEATED"]);
    assert.deepEqual(
      outcomes.flatMap(({ poolable }) => poolable?.id ?? []),
      [job.id],
    );
  });

  test("a plan creates segments, and their rows are pooled to a result", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = newJob();
    await store.insertJobs(tenant, [job]);
    const plan = await take(store, node);
    assert.deepEqual(
      [plan.kind, plan.attempt, plan.spec, plan.plan, plan.segment],
      ["PLAN", 1, job.spec, undefined, undefined],
    );
    assert.equal((await store.job(tenant, job.id))?.state, "RUNNING");
    const answer = { tenant, poolable: undefined, reused: 0 };
    assert.deepEqual(await recordPlan(store, node, plan, 2), { ...answer, recorded: "RECORDED" });
    assert.deepEqual(await recordPlan(store, node, plan, 2), { ...answer, recorded: "REPEATED" });

    const first = await take(store, node);
    assert.deepEqual(
      [first.kind, first.plan, first.segment, first.cost],
      ["SEGMENT", "the plan", "segment 0", 5],
    );
    const second = await take(store, node);
    assert.equal(second.segment, "segment 1");
    assert.equal(
      await store.recordChunk(fence(node, second), { ...segmentRecord().last, number: 0 }),
      "RECORDED",
    );
    assert.equal(
      await store.recordChunk(fence(node, second), { ...segmentRecord().last, number: 0 }),
      "REPEATED",
    );
    const rest = segmentRecord({ last: { number: 1, rows: new Uint8Array([9]), rowCount: 1 } });
    assert.deepEqual(await store.recordSegment(fence(node, second), rest), {
      recorded: "RECORDED",
      poolable: undefined,
      tenant,
    });
    const { recorded, poolable } = await store.recordSegment(fence(node, first), segmentRecord());
    assert.equal(recorded, "RECORDED");
    assert.deepEqual([poolable?.id, poolable?.plan, poolable?.generation], [job.id, "the plan", 1]);
    const again = await store.recordSegment(fence(node, first), segmentRecord());
    assert.deepEqual(again, { recorded: "REPEATED", poolable: undefined, tenant: undefined });

    const found = await store.allParts(job.id, 1);
    assert.deepEqual(
      found.map(({ firstFrame, frameCount, segment }) => [firstFrame, frameCount, segment]),
      [
        [0, FRAMES_EACH, "segment 0"],
        [FRAMES_EACH, FRAMES_EACH, "segment 1"],
      ],
    );
    assert.deepEqual(await bytesOf(found[1]), [[1, 2, 3], [9]]);
    assert.deepEqual(
      (await store.parts(tenant, job.id, FRAMES_EACH, 5)).map(({ segment }) => segment),
      ["segment 1"],
    );
    assert.deepEqual(
      (await store.parts(tenant, job.id, 0, 1)).map(({ segment }) => segment),
      ["segment 0"],
    );

    assert.equal((await store.jobDetail(tenant, job.id))?.plan, "the plan");
    assert.equal(
      await store.succeed(job.id, 2, jobOutcome({ frameCount: 1 })),
      false,
      "an unknown generation",
    );
    assert.equal(
      await store.succeed(job.id, 1, jobOutcome({ score: 93.25, result: '{"score":93.25}' })),
      true,
    );
    assert.equal(
      await store.succeed(job.id, 1, jobOutcome({ score: 93.25, result: '{"score":93.25}' })),
      false,
    );
    const detail = await store.jobDetail(tenant, job.id);
    assert.equal(detail?.result, '{"score":93.25}');
    assert.equal(detail?.plan, undefined, "the plan is not returned with a result");
    assert.deepEqual(
      [detail?.job.state, detail?.job.score, detail?.job.framesDone, detail?.job.framesTotal],
      ["SUCCEEDED", 93.25, 200, 200],
    );
    assert.equal((await store.cancelJob(tenant, job.id))?.changed, false);
    assert.equal(await store.fail(job.id, 1, ERROR), false);
  });

  test("claims by priority, then the oldest job, then the first segment, across classes", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant, { slots: 20 });
    const [low, old] = [await plannedJob(store, node, 2, { priority: -5 }), await plannedJob(store, node, 2)];
    const [late, high] = [newJob(), newJob({ priority: 7 })];
    await store.insertJobs(tenant, [late]);
    await store.insertJobs(tenant, [high]);
    const order: (string | undefined)[] = [];
    for (let work = await claim(store, node); work !== undefined; work = await claim(store, node)) {
      order.push(`${work.jobId} ${work.segment ?? work.kind}`);
    }
    assert.deepEqual(order, [
      `${high.id} PLAN`,
      ...[0, 1].map((n) => `${old.id} segment ${n}`),
      `${late.id} PLAN`,
      ...[0, 1].map((n) => `${low.id} segment ${n}`),
    ]);
  });

  test("finds tasks that become ready before the last claimed one", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await plannedJob(store, node, 4);
    const [first, second] = [await take(store, node), await take(store, node)];
    assert.deepEqual(await store.handBack(fence(node, first)), {
      recorded: "RECORDED",
      ready: { tenant, workClass: SCORE },
    });
    const back = await take(store, node);
    assert.deepEqual([back.segment, back.attempt], ["segment 0", 2]);
    await store.recordFailure(fence(node, second), ERROR, RETRY_NOW);
    await store.promoteWaiting(1000);
    assert.equal((await take(store, node)).segment, "segment 1");
    await store.insertJobs(tenant, [newJob({ priority: 1 })]);
    assert.equal((await take(store, node)).kind, "PLAN");
  });

  test("does not batch claims of tenants whose names contain classes", async () => {
    const { store } = open();
    const tenant = newTenant();
    const odd = `${tenant} ${PLAN}`;
    const [node, other] = [await register(store, tenant), await register(store, odd)];
    await store.insertJobs(
      tenant,
      Array.from({ length: 4 }, () => newJob()),
    );
    for (const one of [
      (of: typeof node, classes: string[]) => claim(store, of, classes),
      async (of: typeof node, workClasses: string[]) =>
        (await store.claimWithin({ ...of, workClasses, leaseMs: LEASE_MS }, 4)).work,
    ]) {
      const [mine, theirs] = await Promise.all([one(node, [PLAN, "x"]), one(other, ["x"])]);
      assert.deepEqual([mine?.tenant, theirs], [tenant, undefined]);
    }
  });

  test("leases only tasks of the given classes and tenant, and only to live sessions", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await store.insertJobs(tenant, [newJob()]);
    assert.equal(await claim(store, node, ["another class"]), undefined);
    assert.equal(await claim(store, node, []), undefined);
    assert.equal(await claim(store, { ...node, tenant: newTenant() }), undefined);
    assert.equal(await claim(store, { ...node, session: "unknown" }), undefined);
    await store.drainNode(tenant, node.id);
    assert.equal(await claim(store, node), undefined);
    assert.ok((await store.ready()).some((ready) => ready.tenant === tenant && ready.workClass === PLAN));
    await take(store, await register(store, tenant));
    assert.ok(!(await store.ready()).some((ready) => ready.tenant === tenant));
  });

  test("accepts only the live lease: not another session's, an earlier attempt's or an unknown task's", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 1);
    const late = await take(store, node, [SCORE], -1);
    assert.deepEqual(await store.expireLeases(1000, RETRY_NOW), {
      expired: 1,
      failed: 0,
      ready: [{ tenant, workClass: SCORE }],
      nodes: [],
    });
    const live = await take(store, other, [SCORE]);
    assert.deepEqual([live.id, live.attempt], [late.id, 2]);
    const { revision } = (await store.job(tenant, job.id)) ?? {};
    const wrong = [
      fence(node, late),
      { ...fence(node, late), attempt: 2 },
      { ...fence(other, live), attempt: 1 },
      { ...fence(other, live), attempt: 3 },
      { ...fence(other, live), session: "unknown" },
      { ...fence(other, live), itemId: "no id" },
      { ...fence(other, live), itemId: job.id },
    ];
    for (const stale of wrong) {
      assert.equal(await store.recordChunk(stale, segmentRecord().last), "STALE");
      assert.equal((await store.recordSegment(stale, segmentRecord())).recorded, "STALE");
      assert.equal((await store.recordFailure(stale, ERROR, FAIL)).recorded, "STALE");
      assert.equal((await store.recordSegmentMismatch(stale)).recorded, "STALE");
      assert.equal((await store.handBack(stale)).recorded, "STALE");
      const plan = { plan: "other", framesTotal: 1, segments: segments(1), workClass: SCORE, media: MEDIA };
      assert.equal((await store.recordPlan(stale, plan)).recorded, "STALE");
    }
    assert.equal((await store.job(tenant, job.id))?.revision, revision, "nothing changed");
    const plan = { plan: "other", framesTotal: 1, segments: segments(1), workClass: SCORE, media: MEDIA };
    assert.equal(
      (await store.recordPlan(fence(other, live), plan)).recorded,
      "STALE",
      "a plan for a SEGMENT task",
    );
    assert.equal((await store.recordSegment(fence(other, live), segmentRecord())).recorded, "RECORDED");
  });

  test("never returns chunks of a lost attempt", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 1);
    const late = await take(store, node, [SCORE], -1);
    await store.recordChunk(fence(node, late), { number: 0, rows: new Uint8Array([66]), rowCount: 1 });
    await store.expireLeases(1000, RETRY_NOW);
    const live = await take(store, other);
    const second = segmentRecord({ last: { number: 1, rows: new Uint8Array([2]), rowCount: 1 } });
    const missing = (thrown: unknown) => thrown instanceof Failure && thrown.code === "INVALID_REQUEST";
    await assert.rejects(store.recordSegment(fence(other, live), second), missing);
    await store.recordChunk(fence(other, live), { number: 0, rows: new Uint8Array([1]), rowCount: 1 });
    assert.equal((await store.recordSegment(fence(other, live), second)).recorded, "RECORDED");
    const [part] = await store.allParts(job.id, 1);
    assert.deepEqual(await bytesOf(part), [[1], [2]]);
  });

  test("reads the chunks of many parts completely, in any order and concurrently", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const counts = [1, 1, 1, 9, 1, 8, 1, 2, 17, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3];
    const job = await plannedJob(store, node, counts.length);
    const written: number[][][] = [];
    for (const [part, count] of counts.entries()) {
      const work = await take(store, node);
      const piece = (number: number) => ({ number, rows: new Uint8Array([part, number]), rowCount: 1 });
      for (let number = 0; number < count - 1; number++)
        await store.recordChunk(fence(node, work), piece(number));
      await store.recordSegment(fence(node, work), segmentRecord({ last: piece(count - 1) }));
      written.push(Array.from({ length: count }, (_, number) => [part, number]));
    }
    const parts = await store.allParts(job.id, 1);
    const read: number[][][] = [];
    for (const part of parts) read.push(await bytesOf(part));
    assert.deepEqual(read, written);
    const backwards: number[][][] = [];
    for (const part of parts.toReversed()) backwards.push(await bytesOf(part));
    assert.deepEqual(backwards.toReversed(), written);
    assert.deepEqual(await Promise.all(parts.map(bytesOf)), written);
  });

  test("reads a part with more chunks than a page completely and in order, repeatedly", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    const work = await take(store, node);
    const piece = (number: number) => ({ number, rows: new Uint8Array([number]), rowCount: 1 });
    for (let number = 0; number < 24; number++) await store.recordChunk(fence(node, work), piece(number));
    await store.recordSegment(fence(node, work), segmentRecord({ last: piece(24) }));
    const expected = Array.from({ length: 25 }, (_, number) => [number]);
    const [part] = await store.parts(tenant, job.id, 0, 1);
    assert.deepEqual(await bytesOf(part), expected);
    assert.deepEqual(await bytesOf(part), expected);
    assert.deepEqual(await bytesOf((await store.allParts(job.id, 1))[0]), expected);
    await store.restartWhole(job.id, 1);
    assert.deepEqual(await bytesOf(part), [], "the scores of a replaced plan are deleted");
  });

  test("limits the rows of a task to its frames and context; a task that scores all frames may find more", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const refused = (thrown: unknown) =>
      thrown instanceof Failure && thrown.code === "INVALID_REQUEST" && /rows/.test(thrown.message);
    const job = await plannedJob(store, node, 2);
    const one = async (most: number) => {
      const lease = fence(node, await take(store, node));
      const piece = (number: number, rowCount: number) => ({ number, rowCount, rows: new Uint8Array([1]) });
      await assert.rejects(store.recordChunk(lease, piece(0, most + 1)), refused);
      assert.equal(await store.recordChunk(lease, piece(0, most - 10)), "RECORDED");
      assert.equal(await store.recordChunk(lease, piece(0, most - 10)), "REPEATED");
      await assert.rejects(store.recordChunk(lease, piece(1, 11)), refused);
      await assert.rejects(store.recordSegment(lease, segmentRecord({ last: piece(1, 11) })), refused);
      const { recorded } = await store.recordSegment(lease, segmentRecord({ last: piece(1, 10) }));
      assert.equal(recorded, "RECORDED");
    };
    await one(FRAMES_EACH + 64);
    await one(FRAMES_EACH + 64);
    await store.restartWhole(job.id, 1);
    await one(2 * 2 * FRAMES_EACH + 1024);
    await plannedJob(store, node, 1);
    await one(2 * FRAMES_EACH + 1024);
  });

  test("an expired lease can be renewed until it is ended", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    await plannedJob(store, node, 1);
    const work = await take(store, node, [SCORE], -1000);
    const running = [{ itemId: work.id, attempt: work.attempt, framesDone: 1 }];
    assert.deepEqual((await store.renew(node.session, running, LEASE_MS, false)).lost, []);
    assert.equal((await store.expireLeases(1000, FAIL)).expired, 0);
    assert.equal((await store.recordSegment(fence(node, work), segmentRecord())).recorded, "RECORDED");
  });

  test("retries a failed task after its back-off, and fails the job on a permanent failure", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 3);
    const works: ClaimedWork[] = [await take(store, node), await take(store, other)];
    const [first, second] = works;
    assert.ok(first && second);
    const seen: number[] = [];
    const later = (failures: number) => {
      seen.push(failures);
      return { kind: "retry", afterMs: LONGEST_BACK_OFF_MS } as const;
    };
    assert.deepEqual(await store.recordFailure(fence(node, first), ERROR, later), {
      ...{ recorded: "RECORDED", nodes: [], tenant, jobFailed: false },
    });
    assert.equal((await store.recordFailure(fence(node, first), ERROR, later)).recorded, "REPEATED");
    assert.deepEqual(seen, [1]);
    assert.deepEqual(await store.promoteWaiting(1000), []);
    assert.equal((await take(store, node)).segment, "segment 2");
    const outcome = await store.recordFailure(fence(other, second), ERROR, FAIL);
    assert.deepEqual(outcome, { recorded: "RECORDED", nodes: [node.id], tenant, jobFailed: true });
    assert.equal((await store.recordFailure(fence(other, second), ERROR, FAIL)).recorded, "REPEATED");
    const failed = await store.jobDetail(tenant, job.id);
    assert.deepEqual([failed?.job.state, failed?.job.error, failed?.job.retries], ["FAILED", ERROR, 1]);
    const states = failed?.work.map(({ state }) => state);
    assert.deepEqual(states, ["DONE", "CANCELLED", "FAILED", "CANCELLED"]);
  });

  test("expired leases count as failures, finally permanent", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    const seen: number[] = [];
    const twice = (failures: number) => {
      seen.push(failures);
      return failures > 2 ? FAIL() : RETRY_NOW();
    };
    for (const attempt of [1, 2, 3]) {
      assert.equal((await take(store, node, [SCORE], -1)).attempt, attempt);
      assert.equal((await store.expireLeases(1000, twice)).expired, 1);
    }
    assert.deepEqual(seen, [1, 2, 3]);
    const failed = await store.job(tenant, job.id);
    assert.deepEqual([failed?.state, failed?.error?.code, failed?.retries], ["FAILED", "LEASE_LOST", 2]);
  });

  test("a permanently lost lease fails the job and returns its other nodes", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 2);
    await take(store, node, [SCORE], -1);
    await take(store, other, [SCORE]);
    const outcome = await store.expireLeases(1000, FAIL);
    assert.deepEqual(outcome, { expired: 1, failed: 1, ready: [], nodes: [other.id] });
    assert.equal((await store.job(tenant, job.id))?.state, "FAILED");
  });

  test("a tenant with very many classes does not hide others", async () => {
    const { store } = open();
    const [many, other] = [newTenant(), newTenant()];
    const classes = Array.from({ length: 600 }, (_, n) => `class ${n}`);
    await store.insertJobs(
      many,
      classes.map((workClass) => newJob({ workClass })),
    );
    await store.insertJobs(other, [newJob()]);
    const found = await store.ready();
    assert.equal(found.filter(({ tenant }) => tenant === many).length, 512);
    assert.equal(found.filter(({ tenant }) => tenant === other).length, 1);
  });

  test("a segment mismatch replaces all segments by one WHOLE task of the same cost", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 3);
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    const [faulty, running] = [await take(store, node), await take(store, other)];
    const outcome = await store.recordSegmentMismatch(fence(node, faulty));
    assert.deepEqual(outcome, {
      recorded: "RECORDED",
      ready: { tenant, workClass: SCORE },
      nodes: [other.id],
    });
    assert.equal((await store.recordSegmentMismatch(fence(node, faulty))).recorded, "REPEATED");
    assert.equal((await store.recordSegment(fence(other, running), segmentRecord())).recorded, "STALE");
    assert.deepEqual(await store.allParts(job.id, 2), []);
    const begun = await store.job(tenant, job.id);
    assert.deepEqual([begun?.segmentsTotal, begun?.segmentsDone, begun?.framesDone], [1, 0, 0]);
    const whole = await take(store, other);
    assert.deepEqual(
      [whole.kind, whole.cost, whole.segment, whole.plan],
      ["WHOLE", 15, undefined, "the plan"],
    );
    assert.equal((await store.recordSegmentMismatch(fence(other, whole))).recorded, "STALE");
    const record = segmentRecord({ plan: "another plan", framesTotal: 298 });
    const { poolable } = await store.recordSegment(fence(other, whole), record);
    assert.deepEqual([poolable?.generation, poolable?.plan], [2, "another plan"]);
    const scored = await store.job(tenant, job.id);
    assert.deepEqual([scored?.framesTotal, scored?.framesDone], [298, 298]);
    assert.equal(await store.succeed(job.id, 1, jobOutcome({ frameCount: 1 })), false, "the previous plan");
    assert.equal(await store.succeed(job.id, 2, jobOutcome({ score: 50, frameCount: 298 })), true);
  });

  test("scores a job as a whole if its parts do not fit together", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    assert.equal(await store.restartWhole(job.id, 1), undefined, "not scored yet");
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    assert.deepEqual(await store.restartWhole(job.id, 1), { tenant, workClass: SCORE });
    assert.equal(await store.restartWhole(job.id, 1), undefined);
    assert.equal((await take(store, node)).kind, "WHOLE");
  });

  test("returns the trace context of a job with all of its tasks and its pooling", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const job = newJob({ traceparent });
    await store.insertJobs(tenant, [job, newJob()]);
    const plan = await take(store, node);
    assert.equal(plan.traceparent, traceparent);
    assert.ok(plan.jobAgeMs >= 0);
    assert.equal((await take(store, node)).traceparent, undefined, "the other job has none");
    await recordPlan(store, node, plan, 1);
    const segment = await take(store, node);
    assert.equal(segment.traceparent, traceparent);
    const { poolable } = await store.recordSegment(fence(node, segment), segmentRecord());
    assert.equal(poolable?.traceparent, traceparent);
    await store.holdPoolable([job.id], 0);
    const taken = await store.takePoolable(1000, LEASE_MS);
    assert.equal(taken.find(({ id }) => id === job.id)?.traceparent, traceparent);
  });

  test("gives a scored job to one pooler at a time", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    const mine = async (holdMs: number) => {
      const taken = await store.takePoolable(1000, holdMs);
      return taken.filter(({ id }) => id === job.id).length;
    };
    assert.equal(await mine(-1), 0, "not scored yet");
    await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
    assert.equal(await mine(-1), 0, "the recorder of the last segment pools it");
    await store.holdPoolable([job.id], 0);
    assert.equal(await mine(LEASE_MS), 1, "the hold was released");
    assert.equal(await mine(LEASE_MS), 0, "it is held");
    await store.holdPoolable([job.id], -1);
    await store.holdPoolable([job.id], LEASE_MS);
    assert.equal(await mine(LEASE_MS), 0, "it is held again");
    assert.equal(await mine(1), 1, "impossibly long hold: the clock was set back");
    await store.holdPoolable([job.id], LEASE_MS);
    assert.equal(await store.fail(job.id, 2, ERROR), false);
    assert.equal(await store.fail(job.id, 1, ERROR), true);
    await store.holdPoolable([job.id], 0);
    assert.equal(await mine(-1), 0);
    assert.equal((await store.job(tenant, job.id))?.error?.code, "SCORER_FAILED");
  });
});

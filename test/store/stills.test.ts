/** Stills: requested with the success of their job or later, made by leased tasks, without changing the job's state. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { STILLS_CLASS } from "../../src/jobs/work.ts";
import { ALL, BOTH, begin, code, eventsOf, make, PARTS, states, still } from "./still-jobs.ts";
import {
  CLASSES,
  claim,
  fence,
  jobOutcome,
  LEASE_MS,
  MEDIA,
  newTenant,
  onBothStores,
  plannedJob,
  register,
  segmentRecord,
  take,
} from "./stores.ts";

const ERROR = { code: "MEDIA_CHANGED", message: "It was written to." };
const GIVE_UP = () => ({ kind: "fail" }) as const;
const AGAIN = () => ({ kind: "retry", afterMs: 0 }) as const;

onBothStores((open) => {
  describe("stills", () => {
    test("cost the decoded share of their segments, at least 1", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      // Segments of 100 frames cost 5 each: the whole first one, and one frame of the second.
      const first = await take(store, node, ALL);
      assert.equal(first.cost, 5 + 5 / 100);
      await store.requestStills(tenant, job.id, [150, 3]);
      assert.equal((await take(store, node, ALL)).cost, (5 * (51 + 4)) / 100);
      await store.requestStills(tenant, job.id, [1]);
      assert.equal((await take(store, node, ALL)).cost, 1);
    });

    test("are requested with the success of their job, made, announced once and read", async () => {
      const { store, tenant, node, job, cursor } = await begin(open().store);
      const before = await store.jobDetail(tenant, job.id);
      assert.equal(before?.job.state, "SUCCEEDED");
      assert.deepEqual(
        before.work.map(({ kind, state, frameCount, frames }) => [kind, state, frameCount, frames]),
        [
          ["PLAN", "DONE", 0, []],
          ["SEGMENT", "DONE", 100, []],
          ["SEGMENT", "DONE", 100, []],
          ["STILLS", "PENDING", 3, [7, 99, 100]],
        ],
      );
      assert.ok((await store.ready()).some((one) => one.tenant === tenant && one.workClass === STILLS_CLASS));
      assert.equal(await claim(store, node, CLASSES), undefined, "not for a node without stills");
      const work = await take(store, node, ALL);
      assert.deepEqual(
        [work.kind, work.plan, work.segment, work.stills],
        ["STILLS", "the plan", undefined, PARTS],
      );
      assert.deepEqual(
        await states(store, tenant, job.id),
        [7, 99, 100].flatMap((frame) => [`${frame} R PENDING`, `${frame} D PENDING`]),
      );
      assert.equal(await store.still(tenant, job.id, 7, "REFERENCE"), undefined);
      await make(store, node, work);
      const after = await store.job(tenant, job.id);
      assert.deepEqual(after, { ...before.job, revision: before.job.revision + 1 });
      const events = await eventsOf(store, cursor, job.id);
      assert.deepEqual(
        events.slice(-2).map(({ kind, before: from, job: now }) => [kind, from, now.state, now.revision]),
        [
          ["CHANGE", "RUNNING", "SUCCEEDED", before.job.revision],
          ["CHANGE", "SUCCEEDED", "SUCCEEDED", before.job.revision + 1],
        ],
      );
      assert.deepEqual(
        (await store.listStills(tenant, job.id)).map(({ state, image }) => [
          state,
          image?.bytes,
          image?.width,
        ]),
        Array.from({ length: 6 }, () => ["READY", 4, 192]),
      );
      const read = await store.still(tenant, job.id, 99, "DISTORTED");
      assert.deepEqual(
        { ...read, image: [...(read?.image ?? [])] },
        { ...still(99, "DISTORTED"), image: [99, 9, 0, 255] },
      );
      assert.equal(await store.still(tenant, job.id, 8, "DISTORTED"), undefined);
      assert.deepEqual(
        (await store.parts(tenant, job.id, 0, 9)).length,
        2,
        "a STILLS task is not a scored part",
      );
      assert.equal((await store.jobDetail(tenant, job.id))?.work.at(-1)?.state, "DONE");
    });

    test("come after all other tasks of their tenant, of any priority", async () => {
      const { store, node } = await begin(open().store);
      const later = await plannedJob(store, node, 1, { priority: -100 });
      const works = [await take(store, node, ALL), await take(store, node, ALL)];
      assert.deepEqual(
        works.map(({ kind, jobId }) => [kind, jobId === later.id]),
        [
          ["SEGMENT", true],
          ["STILLS", false],
        ],
      );
    });

    test("count once and only with the live lease, and the last one only after the others", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      const work = await take(store, node, ALL);
      const live = fence(node, work);
      const other = await register(store, tenant);
      for (const stale of [
        { ...live, attempt: live.attempt + 1 },
        { ...live, session: other.session },
        { ...live, itemId: "no id" },
      ]) {
        assert.equal((await store.recordStill(stale, still(7, "REFERENCE"), false)).recorded, "STALE");
      }
      assert.equal((await store.recordStill(live, still(7, "REFERENCE"), false)).recorded, "RECORDED");
      assert.equal((await store.recordStill(live, still(7, "REFERENCE"), false)).recorded, "REPEATED");
      await assert.rejects(
        store.recordStill(live, still(8, "REFERENCE"), false),
        code("INVALID_REQUEST", /frame 8/),
      );
      await assert.rejects(
        store.recordStill(live, still(100, "DISTORTED"), true),
        code("INVALID_REQUEST", /last/),
      );
      assert.equal(
        await store.still(tenant, job.id, 100, "DISTORTED"),
        undefined,
        "the refused still is not stored",
      );
    });

    test("have one result if reported completely or twice", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      const work = await take(store, node, ALL);
      await make(store, node, work);
      const { revision } = (await store.job(tenant, job.id)) ?? {};
      const again = await store.recordStill(fence(node, work), still(100, "DISTORTED"), true);
      assert.equal(again.recorded, "REPEATED");
      assert.equal((await store.job(tenant, job.id))?.revision, revision);
    });

    test("accept no scores or plans for their tasks", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      const work = await take(store, node, ALL);
      const live = fence(node, work);
      assert.equal(await store.recordChunk(live, segmentRecord().last), "STALE");
      assert.equal((await store.recordSegment(live, segmentRecord())).recorded, "STALE");
      assert.equal((await store.recordSegmentMismatch(live)).recorded, "STALE");
      const plan = { plan: "p", framesTotal: 1, segments: [], workClass: "x", media: MEDIA };
      assert.equal((await store.recordPlan(live, plan)).recorded, "STALE");
      const running = [{ itemId: work.id, attempt: work.attempt, framesDone: 2 }];
      const before = await store.job(tenant, job.id);
      const renewal = await store.renew(node.session, running, LEASE_MS, false);
      assert.deepEqual([renewal.session, renewal.lost], ["LIVE", []]);
      assert.deepEqual(await store.job(tenant, job.id), before, "frames of stills are not scored frames");
      assert.equal(await store.replan(job.id, 1), undefined);
      assert.equal(await store.restartWhole(job.id, 1), undefined);
      assert.equal(await store.fail(job.id, 1, ERROR), false);
      assert.equal((await store.cancelJob(tenant, job.id))?.changed, false);
      assert.deepEqual(await store.job(tenant, job.id), before);
    });

    test("that fail are retried, then fail permanently with an event, and do not change their job's state", async () => {
      const { store, tenant, node, job, cursor } = await begin(open().store);
      const before = await store.job(tenant, job.id);
      const first = await take(store, node, ALL);
      await store.recordStill(fence(node, first), still(7, "REFERENCE"), false);
      const retried = await store.recordFailure(fence(node, first), ERROR, AGAIN);
      assert.deepEqual(retried, { recorded: "RECORDED", nodes: [], tenant, jobFailed: false });
      assert.deepEqual(await store.job(tenant, job.id), before, "the retry does not count for the job");
      await store.promoteWaiting(1000);
      const second = await take(store, node, ALL);
      assert.deepEqual([second.id, second.attempt], [first.id, 2]);
      const failed = await store.recordFailure(fence(node, second), ERROR, GIVE_UP);
      assert.deepEqual(failed, { recorded: "RECORDED", nodes: [], tenant, jobFailed: false });
      assert.equal((await store.recordFailure(fence(node, second), ERROR, GIVE_UP)).recorded, "REPEATED");
      const now = await store.job(tenant, job.id);
      assert.deepEqual(now, { ...before, revision: (before?.revision ?? 0) + 1 });
      assert.equal((await eventsOf(store, cursor, job.id)).at(-1)?.job.revision, now?.revision);
      const rows = await store.listStills(tenant, job.id);
      assert.deepEqual(
        rows.map(({ frame, side, state, error }) => [frame, side, state, error]),
        [
          [7, "REFERENCE", "READY", undefined],
          [7, "DISTORTED", "FAILED", ERROR],
          ...[99, 100].flatMap((frame) => BOTH.map((side) => [frame, side, "FAILED", ERROR])),
        ],
      );
      assert.equal((await store.jobDetail(tenant, job.id))?.work.at(-1)?.state, "FAILED");
    });

    test("are retried if their lease expires or their node leaves, and finally fail", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      const before = await store.job(tenant, job.id);
      const handed = await take(store, node, ALL);
      const { ready } = await store.handBack(fence(node, handed));
      assert.deepEqual(ready, { tenant, workClass: STILLS_CLASS });
      const other = await register(store, tenant);
      await take(store, other, ALL);
      assert.deepEqual(await store.leaveNode(other.session), [{ tenant, workClass: STILLS_CLASS }]);
      await take(store, node, ALL, -1);
      const outcome = await store.expireLeases(1000, AGAIN);
      assert.equal(outcome.failed, 0);
      assert.deepEqual(await store.job(tenant, job.id), before);
      await take(store, node, ALL, -1);
      assert.equal((await store.expireLeases(1000, GIVE_UP)).failed, 0, "no job has failed");
      const error = (await store.listStills(tenant, job.id))[0]?.error;
      assert.equal(error?.code, "LEASE_LOST");
      assert.match(error.message, /^The stills failed: /);
      assert.equal((await store.job(tenant, job.id))?.state, "SUCCEEDED");
    });

    test("of other frames are made once on request, and again if they failed", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      const revision = (await store.job(tenant, job.id))?.revision;
      assert.deepEqual(
        await store.requestStills(tenant, job.id, [7, 99]),
        { ready: undefined },
        "they are pending",
      );
      await make(store, node, await take(store, node, ALL));
      assert.deepEqual(
        await store.requestStills(tenant, job.id, [7, 99]),
        { ready: undefined },
        "they are ready",
      );
      const wanted = [150, 7, 20, 150, 199];
      assert.deepEqual(await store.requestStills(tenant, job.id, wanted), {
        ready: { tenant, workClass: STILLS_CLASS },
      });
      assert.deepEqual(await store.requestStills(tenant, job.id, [199]), { ready: undefined });
      assert.equal(
        (await store.job(tenant, job.id))?.revision,
        (revision ?? 0) + 1,
        "a request does not change the job",
      );
      const work = await take(store, node, ALL);
      assert.deepEqual(work.stills, [
        { segment: "segment 0", frames: [20] },
        { segment: "segment 1", frames: [150, 199] },
      ]);
      await store.recordFailure(fence(node, work), ERROR, GIVE_UP);
      assert.ok((await states(store, tenant, job.id)).includes("150 R FAILED"));
      assert.ok((await store.requestStills(tenant, job.id, [150]))?.ready, "requested again");
      assert.ok((await states(store, tenant, job.id)).includes("150 R PENDING"));
      await make(store, node, await take(store, node, ALL));
      assert.ok((await states(store, tenant, job.id)).includes("150 D READY"));
      const kinds = (await store.jobDetail(tenant, job.id))?.work.map(
        ({ kind, state }) => `${kind} ${state}`,
      );
      assert.deepEqual(kinds?.slice(3), ["STILLS DONE", "STILLS FAILED", "STILLS DONE"]);
    });

    test("are refused for jobs that have not succeeded, for unknown frames, and beyond the limit", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      await assert.rejects(
        store.requestStills(tenant, job.id, [3, 200]),
        code("INVALID_REQUEST", /0 to 199/),
      );
      assert.equal((await store.listStills(tenant, job.id)).length, 6, "a refused call adds none");
      const unfinished = await plannedJob(store, node, 1);
      await assert.rejects(
        store.requestStills(tenant, unfinished.id, [0]),
        code("JOB_NOT_SUCCEEDED", /RUNNING/),
      );
      for (let first = 0; first < 64; first += 16) {
        const frames = Array.from({ length: 16 }, (_, n) => first + n).filter((frame) => frame < 62);
        await store.requestStills(tenant, job.id, frames);
      }
      assert.equal((await store.listStills(tenant, job.id)).length / 2, 64);
      await assert.rejects(store.requestStills(tenant, job.id, [5, 150]), code("TOO_MANY_STILLS", /64/));
      assert.deepEqual(await store.requestStills(tenant, job.id, [5, 99]), { ready: undefined });
    });

    test("that always fail cannot be requested without limit", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      await make(store, node, await take(store, node, ALL));
      for (let n = 1; n < 128; n++) {
        await store.requestStills(tenant, job.id, [150]);
        await store.recordFailure(fence(node, await take(store, node, ALL)), ERROR, GIVE_UP);
      }
      await assert.rejects(store.requestStills(tenant, job.id, [150]), code("TOO_MANY_STILLS", /128/));
      assert.deepEqual(await store.requestStills(tenant, job.id, [7]), { ready: undefined });
    });

    test("requested concurrently become one task", async () => {
      const { store, tenant, job } = await begin(open().store);
      const asked = await Promise.all(
        Array.from({ length: 8 }, () => store.requestStills(tenant, job.id, [42])),
      );
      assert.equal(asked.filter((outcome) => outcome?.ready !== undefined).length, 1);
      assert.equal((await store.listStills(tenant, job.id)).filter(({ frame }) => frame === 42).length, 2);
    });

    test("of a job scored as a whole have no segment", async () => {
      const { store } = open();
      const tenant = newTenant();
      const node = await register(store, tenant);
      const job = await plannedJob(store, node, 2);
      await store.recordSegmentMismatch(fence(node, await take(store, node)));
      const whole = await take(store, node);
      await store.recordSegment(fence(node, whole), segmentRecord());
      assert.equal(await store.succeed(job.id, 2, jobOutcome({ stills: [{ frames: [3] }] })), true);
      assert.deepEqual((await take(store, node, ALL)).stills, [{ frames: [3] }]);
      await store.requestStills(tenant, job.id, [180]);
      assert.deepEqual((await take(store, node, ALL)).stills, [{ frames: [180] }]);
    });

    test("are visible only to their tenant, and are deleted with their job", async () => {
      const { store, tenant, node, job } = await begin(open().store);
      const work = await take(store, node, ALL);
      await make(store, node, work);
      const stranger = newTenant();
      assert.deepEqual(await store.listStills(stranger, job.id), []);
      assert.equal(await store.still(stranger, job.id, 7, "REFERENCE"), undefined);
      assert.equal(await store.requestStills(stranger, job.id, [1]), undefined);
      await store.requestStills(tenant, job.id, [1]);
      const leased = await take(store, node, ALL);
      while ((await store.deleteEnded(-60_000, 100)) > 0);
      assert.equal(await store.job(tenant, job.id), undefined);
      assert.deepEqual(await store.listStills(tenant, job.id), []);
      assert.equal(await store.still(tenant, job.id, 7, "REFERENCE"), undefined);
      assert.equal(
        (await store.recordStill(fence(node, leased), still(1, "REFERENCE"), false)).recorded,
        "STALE",
      );
      const renewal = await store.renew(
        node.session,
        [{ itemId: leased.id, attempt: leased.attempt, framesDone: 0 }],
        LEASE_MS,
        false,
      );
      assert.deepEqual(
        renewal.lost,
        [{ itemId: leased.id, attempt: leased.attempt }],
        "its node is returned",
      );
    });
  });
});

/** Every change announces its effect by itself; what changes nothing announces nothing. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { STILLS_CLASS } from "../../src/jobs/work.ts";
import type { Announcement, Store } from "../../src/store/contract/store.ts";
import type { ClaimedWork } from "../../src/store/contract/task-records.ts";
import {
  claim,
  fence,
  jobOutcome,
  newJob,
  newNode,
  newTenant,
  onBothStores,
  PLAN,
  plannedJob,
  recordPlan,
  register,
  SCORE,
  segmentRecord,
  take,
} from "./stores.ts";

/** What a store announces while something is done. */
async function announced(store: Store, change: () => Promise<unknown>): Promise<readonly Announcement[]> {
  const all: Announcement[] = [];
  const stop = store.onAnnouncement((announcement) => all.push(announcement));
  try {
    await change();
  } finally {
    stop();
  }
  return all;
}

const EVENTS: Announcement = { kind: "events" };

onBothStores((open) => {
  test("the steps of a job", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = newJob();
    const work = (workClass: string): Announcement => ({ kind: "work", ready: [{ tenant, workClass }] });
    const freed: Announcement = { kind: "freed", tenants: [tenant] };
    const submitted = await announced(store, () => store.insertJobs(tenant, [job]));
    assert.deepEqual(submitted, [EVENTS, work(PLAN)]);
    assert.deepEqual(await announced(store, () => store.insertJobs(tenant, [])), []);
    const taking = Promise.withResolvers<ClaimedWork>();
    const begun = await announced(store, async () => taking.resolve(await take(store, node)));
    assert.deepEqual(begun, [EVENTS], "the job is RUNNING");
    const plan = await taking.promise;
    const planned = await announced(store, () => recordPlan(store, node, plan, 1));
    assert.deepEqual(planned, [EVENTS, work(SCORE), freed]);
    const segment = await take(store, node);
    assert.deepEqual(await announced(store, () => claim(store, node)), []);
    const report = () => store.recordSegment(fence(node, segment), segmentRecord());
    assert.deepEqual(await announced(store, report), [EVENTS, freed]);
    assert.deepEqual(
      await announced(store, report),
      [EVENTS],
      "a repeated report announces what may be lost",
    );
    const outcome = jobOutcome({ frameCount: 100, stills: [{ segment: "segment 0", frames: [5] }] });
    const end = () => store.succeed(job.id, 1, outcome);
    assert.deepEqual(await announced(store, end), [EVENTS, work(STILLS_CLASS)]);
    assert.deepEqual(await announced(store, end), []);
  });

  test("leases that end early", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 2);
    const ready: Announcement = { kind: "work", ready: [{ tenant, workClass: SCORE }] };
    const news: Announcement = { kind: "news", nodeIds: [node.id] };
    const freed: Announcement = { kind: "freed", tenants: [tenant] };
    const work = await take(store, node);
    const back = () => store.handBack(fence(node, work));
    assert.deepEqual(await announced(store, back), [EVENTS, ready, freed]);
    assert.deepEqual(await announced(store, back), [EVENTS], "repeated");
    const stale = { ...fence(node, work), attempt: 7 };
    assert.deepEqual(await announced(store, () => store.handBack(stale)), []);
    await take(store, node);
    assert.deepEqual(await announced(store, () => store.drainNode(tenant, node.id)), [news]);
    assert.deepEqual(await announced(store, () => store.leaveNode(node.session)), [
      EVENTS,
      ready,
      news,
      freed,
    ]);
    const next = await register(store, tenant);
    await take(store, next);
    const cancel = () => store.cancelJob(tenant, job.id);
    const notified: Announcement = { kind: "news", nodeIds: [next.id] };
    assert.deepEqual(await announced(store, cancel), [EVENTS, notified, freed]);
    assert.deepEqual(await announced(store, cancel), []);
    assert.deepEqual(await announced(store, () => store.registerNode(newNode(tenant))), []);
  });

  test("revocations", async () => {
    const { store } = open();
    const tenant = newTenant();
    const thing = { kind: "TOKEN_ID", value: "one", issuedBefore: undefined, expiresAt: undefined } as const;
    const revocation = { id: randomUUID(), ...thing, reason: "", revokedBy: "somebody" };
    const revoke = (most: number) =>
      announced(store, () => store.revocations.revoke(tenant, revocation, most));
    assert.deepEqual(await revoke(0), [], "FULL");
    assert.deepEqual(await revoke(1), [{ kind: "revocations" }]);
    const lift = (id: string) => announced(store, () => store.revocations.lift(tenant, id));
    assert.deepEqual(await lift(randomUUID()), []);
    assert.deepEqual(await lift(revocation.id), [{ kind: "revocations" }]);
  });
});

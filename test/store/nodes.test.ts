/** Nodes: sessions, heartbeats, drains. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { MAX_FAILURES } from "../../src/jobs/retry.ts";
import {
  claim,
  fence,
  LEASE_MS,
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

onBothStores((open) => {
  test("lists the nodes of given tenants", async () => {
    const { store } = open();
    const [tenant, other] = [newTenant(), newTenant()];
    const own = await register(store, tenant);
    const theirs = await register(store, other);
    const ids = async (...of: string[]) => (await store.listNodes(of)).map(({ id }) => id);
    assert.deepEqual(await ids(tenant), [own.id]);
    assert.deepEqual(await ids(other), [theirs.id]);
    assert.deepEqual((await ids(tenant, other)).sort(), [own.id, theirs.id].sort());
    assert.deepEqual(await ids(), []);
    const row = await store.nodeOf(own.session);
    const { session: _, ...facts } = own;
    const { registeredAt, heartbeatAt, state, work, ...returned } = row ?? {};
    assert.deepEqual(returned, facts);
    assert.deepEqual([state, work], ["ONLINE", []]);
    assert.ok(registeredAt && heartbeatAt);
    await store.leaveNode(theirs.session);
    assert.equal(await store.nodeOf("unknown"), undefined);
  });

  test("registering a name again ends the previous session and requeues its tasks at once", async () => {
    const { store } = open();
    const tenant = newTenant();
    const before = await register(store, tenant);
    const job = await plannedJob(store, before, 2);
    const lost = await take(store, before);
    await store.renew(before.session, [{ itemId: lost.id, attempt: 1, framesDone: 40 }], LEASE_MS, false);
    const now = newNode(tenant, { name: before.name });
    const outcome = await store.registerNode(now);
    assert.deepEqual(outcome, { ready: [{ tenant, workClass: SCORE }], superseded: [before.id] });
    assert.deepEqual(await store.registerNode(now), { ready: [], superseded: [] }, "a retry of the call");
    assert.equal((await store.renew(before.session, [], LEASE_MS, false)).session, "SUPERSEDED");
    assert.equal(await store.nodeOf(before.session), undefined);
    assert.equal((await store.recordSegment(fence(before, lost), segmentRecord())).recorded, "STALE");
    assert.equal(await claim(store, before), undefined);
    const back = await take(store, now);
    assert.deepEqual([back.id, back.attempt], [lost.id, 2]);
    const row = await store.job(tenant, job.id);
    assert.deepEqual([row?.framesDone, row?.retries], [0, 1]);
    assert.deepEqual(
      (await store.listNodes([tenant])).filter((one) => one.tenant === tenant).map(({ id }) => id),
      [now.id],
    );
    const elsewhere = await store.registerNode(newNode(newTenant(), { name: before.name }));
    assert.deepEqual(elsewhere.superseded, [], "names are per tenant");
  });

  test("limits the live nodes of a tenant, and keeps only the latest offline nodes", async () => {
    const { store } = open();
    const tenant = newTenant();
    const names = async () => (await store.listNodes([tenant])).map(({ name }) => name);
    const add = async (name: string, nodes = 2, bytes = 10_000) => {
      const node = newNode(tenant, { name });
      await store.registerNode(node, { nodes, bytes });
      return node;
    };
    const [a, b] = [await add("a"), await add("b")];
    await assert.rejects(add("c"), { code: "TOO_MANY_NODES", found: { nodes: 2, bytes: 10_000 } });
    const c = await add("c", 3);
    await register(store, newTenant());
    const again = await add("a", 3);
    assert.deepEqual(await names(), ["a", "b", "c"], "a name registered again is not an additional node");
    assert.equal((await store.renew(a.session, [], LEASE_MS, false)).session, "SUPERSEDED");
    for (const name of ["d", "e", "f", "g"]) await store.leaveNode((await add(name, 4)).session);
    await store.leaveNode(again.session);
    await store.leaveNode(b.session);
    // The superseded session, then a and b, had the oldest heartbeats.
    await add("h", 4);
    assert.deepEqual(await names(), ["c", "d", "e", "f", "g", "h"]);
    assert.equal((await store.renew(a.session, [], LEASE_MS, false)).session, "UNKNOWN");
    const last = await register(store, tenant, { name: "i" });
    assert.deepEqual(await names(), ["c", "d", "e", "f", "g", "h", "i"], "without a limit none is deleted");
    const size = JSON.stringify(last.capabilities).length;
    await assert.rejects(add("j", 10, 2.5 * size), { code: "TOO_MANY_NODES" });
    await store.leaveNode(c.session);
    await store.leaveNode(last.session);
    await add("j", 10, 2.5 * size);
    assert.deepEqual(await names(), ["g", "h", "i", "j"], "two offline nodes are kept");
  });

  test("many concurrent registrations do not exceed the limit", async () => {
    const { store } = open();
    const tenant = newTenant();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => store.registerNode(newNode(tenant), { nodes: 3, bytes: 10_000 })),
    );
    const refusals = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
    assert.deepEqual(refusals, Array(5).fill("TOO_MANY_NODES"));
    assert.equal((await store.listNodes([tenant])).length, 3);
  });

  test("returns the distinct capabilities of the online nodes of tenants", async () => {
    const { store } = open();
    const [tenant, other] = [newTenant(), newTenant()];
    const able = (name: string) => ({
      capabilities: { ...newNode(tenant).capabilities, models: [{ name, digest: "" }] },
    });
    for (const name of ["same", "same", "another"]) await register(store, tenant, able(name));
    await store.leaveNode((await register(store, tenant, able("gone"))).session);
    await store.drainNode(tenant, (await register(store, tenant, able("drained"))).id);
    await register(store, other, able("theirs"));
    const models = async (...of: string[]) => {
      const names = (await store.capabilities(of)).flatMap((one) => one.models.map(({ name }) => name));
      return { count: names.length, names: new Set(names) };
    };
    assert.deepEqual(await models(tenant), { count: 2, names: new Set(["another", "same"]) });
    assert.deepEqual(await models(tenant, other), {
      count: 3,
      names: new Set(["another", "same", "theirs"]),
    });
    assert.deepEqual(await models(), { count: 0, names: new Set() });
  });

  test("fails a job if a task repeatedly crashes its node", async () => {
    const { store } = open();
    const tenant = newTenant();
    let node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    for (let failures = 1; failures < MAX_FAILURES; failures++) {
      await take(store, node, [SCORE]);
      node = await register(store, tenant, { name: node.name });
    }
    await take(store, node, [SCORE]);
    node = await register(store, tenant, { name: node.name });
    assert.equal(await claim(store, node), undefined, "the maintenance task fails it");
    const seen: number[] = [];
    await store.expireLeases(1000, (failures) => {
      seen.push(failures);
      return { kind: "fail" };
    });
    assert.deepEqual(seen, [MAX_FAILURES]);
    assert.equal((await store.job(tenant, job.id))?.error?.code, "LEASE_LOST");
  });

  test("requeues the tasks of a node that leaves, without counting a failure", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = await plannedJob(store, node, 1);
    await take(store, node);
    assert.deepEqual(await store.leaveNode(node.session), [{ tenant, workClass: SCORE }]);
    assert.deepEqual(await store.leaveNode(node.session), []);
    assert.equal((await store.renew(node.session, [], LEASE_MS, false)).session, "UNKNOWN");
    assert.equal((await store.job(tenant, job.id))?.retries, 0);
    const [left] = (await store.listNodes([tenant])).filter((one) => one.tenant === tenant);
    assert.equal(left?.state, "OFFLINE");
    const again = await register(store, tenant, { name: node.name });
    const listed = (await store.listNodes([tenant])).filter((one) => one.tenant === tenant);
    assert.deepEqual(
      listed.map(({ id, state }) => [id, state]),
      [[again.id, "ONLINE"]],
    );
  });

  test("a heartbeat renews leases, returns lost tasks, and counts frames", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 3);
    const [a, b, theirs] = [await take(store, node), await take(store, node), await take(store, other)];
    const cursor = await store.eventCursor();
    const running = [
      { itemId: a.id, attempt: 1, framesDone: 10 },
      { itemId: b.id, attempt: 1, framesDone: 1_000_000 },
      { itemId: b.id, attempt: 2, framesDone: 5 },
      { itemId: theirs.id, attempt: 1, framesDone: 5 },
      { itemId: randomUUID(), attempt: 1, framesDone: 5 },
      { itemId: "no id", attempt: 1, framesDone: 5 },
    ];
    const renewal = await store.renew(node.session, running, LEASE_MS, false);
    assert.deepEqual([renewal.session, renewal.node?.id, renewal.node?.state], ["LIVE", node.id, "ONLINE"]);
    assert.deepEqual(
      renewal.lost,
      running.slice(2).map(({ itemId, attempt }) => ({ itemId, attempt })),
    );
    assert.equal((await store.job(tenant, job.id))?.framesDone, 110);
    await store.renew(node.session, running.slice(0, 2), LEASE_MS, false);
    const events = (await store.eventsAfter(cursor, 1000))?.events.filter(({ job: { id } }) => id === job.id);
    assert.equal(events?.length, 1, "one event for all progress, none without progress");
    await store.renew(node.session, [{ itemId: a.id, attempt: 1, framesDone: 3 }], LEASE_MS, false);
    assert.equal((await store.job(tenant, job.id))?.framesDone, 103);
    const [row] = (await store.listNodes([tenant])).filter(({ id }) => id === node.id);
    assert.deepEqual(row?.work.map(({ framesDone }) => framesDone).sort(), [100, 3]);
    await store.handBack(fence(node, a));
    assert.equal((await store.job(tenant, job.id))?.framesDone, 100);
  });

  test("a heartbeat stores how far a fetch is, until a frame is scored", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    const job = await plannedJob(store, node, 3);
    const [own, theirs] = [await take(store, node), await take(store, other)];
    const cursor = await store.eventCursor();
    const total = 2 ** 33;
    const report = async (from: typeof node, itemId: string, done: number | undefined, framesDone = 0) => {
      const fetch = done === undefined ? undefined : { done, total };
      await store.renew(from.session, [{ itemId, attempt: 1, framesDone, fetch }], LEASE_MS, false);
      return (await store.job(tenant, job.id))?.fetch?.done;
    };
    assert.equal(await report(node, own.id, 0), 0);
    assert.equal(await report(node, own.id, 2 ** 32), 2 ** 32);
    assert.equal(await report(other, theirs.id, 5), 2 ** 32, "a node that is behind");
    assert.equal(await report(node, own.id, 2 ** 32), 2 ** 32, "no progress");
    const page = await store.eventsAfter(cursor, 1000);
    const fetched = page?.events.filter((event) => event.job.id === job.id).map((event) => event.job.fetch);
    assert.deepEqual(
      fetched,
      [0, 1].fill(2 ** 32).map((done) => ({ done, total })),
      "two changes",
    );
    assert.equal(await report(node, own.id, undefined), undefined, "the fetch ended");
    assert.equal(await report(other, theirs.id, 6), 6);
    await store.handBack(fence(other, theirs));
    assert.equal((await store.job(tenant, job.id))?.fetch, undefined, "its task was returned");
    assert.equal(await report(node, own.id, 7), 7);
    assert.equal(await report(node, own.id, undefined, 1), undefined, "a frame is scored");
    const late = await take(store, other);
    await store.renew(
      other.session,
      [{ itemId: late.id, attempt: late.attempt, framesDone: 0, fetch: { done: 9, total } }],
      LEASE_MS,
      false,
    );
    assert.equal((await store.job(tenant, job.id))?.fetch, undefined);
  });

  test("a plan ends the fetch of its task", async () => {
    const { store } = open();
    const tenant = newTenant();
    const node = await register(store, tenant);
    const job = newJob();
    await store.insertJobs(tenant, [job]);
    const plan = await take(store, node, [PLAN]);
    const running = [{ itemId: plan.id, attempt: 1, framesDone: 0, fetch: { done: 1, total: 2 } }];
    await store.renew(node.session, running, LEASE_MS, false);
    assert.deepEqual((await store.job(tenant, job.id))?.fetch, { done: 1, total: 2 });
    await recordPlan(store, node, plan, 3);
    assert.equal((await store.job(tenant, job.id))?.fetch, undefined);
  });

  test("a draining node gets no new tasks, whether drained by itself or by a caller", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, other] = [await register(store, tenant), await register(store, tenant)];
    await plannedJob(store, node, 2);
    const work = await take(store, node);
    assert.equal(await store.drainNode(newTenant(), node.id), undefined);
    assert.equal(await store.drainNode(tenant, "no id"), undefined);
    assert.equal((await store.drainNode(tenant, node.id))?.state, "DRAINING");
    assert.equal(await claim(store, node), undefined);
    assert.equal((await store.renew(node.session, [], LEASE_MS, false)).node?.state, "DRAINING");
    assert.equal((await store.recordSegment(fence(node, work), segmentRecord())).recorded, "RECORDED");
    assert.equal((await store.renew(other.session, [], LEASE_MS, true)).node?.state, "DRAINING");
    assert.equal(await claim(store, other), undefined);
  });

  test("a silent node becomes OFFLINE, returns to its state with a heartbeat, and is finally deleted", async () => {
    const { store } = open();
    const tenant = newTenant();
    const [node, drained] = [await register(store, tenant), await register(store, tenant)];
    await store.insertJobs(tenant, [newJob()]);
    const work = await take(store, node, [PLAN]);
    await store.drainNode(tenant, drained.id);
    const states = async () => {
      const rows = (await store.listNodes([tenant])).filter((one) => one.tenant === tenant);
      return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    };
    await store.expireNodes(-1000, 3_600_000);
    assert.deepEqual(await states(), { [node.id]: "OFFLINE", [drained.id]: "OFFLINE" });
    const running = [{ itemId: work.id, attempt: 1, framesDone: 0 }];
    assert.deepEqual((await store.renew(node.session, running, LEASE_MS, false)).lost, []);
    assert.equal((await store.renew(drained.session, [], LEASE_MS, false)).node?.state, "DRAINING");
    assert.deepEqual(await states(), { [node.id]: "ONLINE", [drained.id]: "DRAINING" });
    await store.expireNodes(-1000, -1000);
    assert.deepEqual(await states(), { [node.id]: "OFFLINE" }, "a node with a lease is kept");
    assert.equal((await store.renew(drained.session, [], LEASE_MS, false)).session, "UNKNOWN");
  });
});

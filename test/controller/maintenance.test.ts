import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Registry } from "prom-client";
import { Fleet } from "../../src/controller/scheduling/fleet.ts";
import { UnschedulableWork } from "../../src/controller/scheduling/unschedulable.ts";
import { ControllerMetrics } from "../../src/controller/telemetry/metrics.ts";
import { Job_State, StreamJobsResponse_Kind as Kind } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { ListNodesRequestSchema, Node_State } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { until } from "../waiting.ts";
import { caller, Peer } from "./peer.ts";
import { CAPABILITIES, planReport, SCORER } from "./scored.ts";
import { FLEET, LOG, refused, System, wrapped } from "./system.ts";

describe("maintenance tasks", () => {
  let system: System;
  /** Whether leases and nodes may expire now; not before a test has created those that may. */
  let expires = false;
  before(async () => {
    system = await System.open({ leaseMs: 3_000 }, (store) => ({
      expireLeases: async (limit, decide) =>
        expires ? store.expireLeases(limit, decide) : { expired: 0, failed: 0, ready: [], nodes: [] },
      expireNodes: async (...ages) => (expires ? store.expireNodes(...ages) : 0),
      // A lease that was renewed once lasts, however slow the machine is.
      renew: async (session, running, _, draining) => store.renew(session, running, 1_800_000, draining),
    }));
  });
  after(async () => system.close());

  test("retry the tasks of a silent node, whose late report no longer counts", async () => {
    const tenant = "silent";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const other = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    expires = true;
    const end = other.beat();
    await system.until(tenant, job.id, ({ retries }) => retries === 1);
    const stateOf = async (id: string): Promise<Node_State | undefined> => {
      const { nodes } = await system.nodes.listNodes(create(ListNodesRequestSchema), caller(tenant));
      return nodes.find((one) => one.id === id)?.state;
    };
    await until(async () => (await stateOf(node.nodeId)) === Node_State.OFFLINE, "the node to be offline");
    expires = false;
    await refused(node.plan(item, 40), "STALE_ATTEMPT");
    const again = await other.pullSome();
    assert.deepEqual([again.itemId, again.attempt], [item.itemId, item.attempt + 1]);
    await other.plan(again, 40);
    await other.work(40);
    await end();
    const { state } = await system.until(tenant, job.id, ({ endTime }) => endTime !== undefined);
    assert.equal(state, Job_State.SUCCEEDED);
    // It was only silent; with its next heartbeat it is online again, and is asked to stop.
    const { stop } = await node.heartbeat({ running: [{ itemId: item.itemId, attempt: item.attempt }] });
    assert.equal(stop.length, 1);
    assert.equal(await stateOf(node.nodeId), Node_State.ONLINE);
    assert.ok((await system.metric("svc_work_expired_total")) >= 1);
  });

  test("leave tasks of a node that renews in time alone, however long they take", async () => {
    const tenant = "alive";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    // Meanwhile a later lease of another node expires, which proves that the tasks run.
    const lost = await system.submit("lost");
    await (await Peer.register(system.nodes, "lost")).pullSome();
    assert.deepEqual((await node.heartbeat({ running })).stop, []);
    expires = true;
    const end = new AbortController();
    const seen = system.until("lost", lost.job.id, ({ retries }) => retries === 1).finally(() => end.abort());
    while (!end.signal.aborted) assert.deepEqual((await node.heartbeat({ running, holdMs: 100 })).stop, []);
    await seen;
    expires = false;
    await node.plan(item, 40);
    assert.equal((await system.job(tenant, job.id)).retries, 0);
  });

  test("delete jobs after their retention, with everything that belongs to them, and report it", async () => {
    const tenant = "old";
    const node = await Peer.register(system.nodes, tenant);
    const ended = await system.submit(tenant);
    await node.work(40);
    await system.until(tenant, ended.job.id, ({ state }) => state === Job_State.SUCCEEDED);
    const kept = await system.submit(tenant);
    const stream = system.stream(tenant)[Symbol.asyncIterator]();
    for (
      let response = await stream.next();
      response.value.kind !== Kind.SNAPSHOT_END;
      response = await stream.next()
    );
    const deleted = stream.next();
    const strict = new System(system.store, { retentionMs: 0 }, async () => {});
    const { value } = await deleted;
    assert.deepEqual([value.kind, value.job.id], [Kind.DELETED, ended.job.id]);
    await stream.return?.();
    await strict.close();
    await refused(system.job(tenant, ended.job.id), "JOB_NOT_FOUND");
    assert.equal((await system.job(tenant, kept.job.id)).state, Job_State.QUEUED);
  });

  test("delete only old records of the audit log", async () => {
    const { store } = system;
    const record = (id: string, timeMs: number) => ({
      ...{ id, timeMs, requestId: "r", transport: "grpc" as const, tenant: "audited", subject: "alice" },
      ...{ operation: "o", targets: [], outcome: "OK", peer: "", durationMs: 1, count: 1 },
    });
    const DAY_MS = 86_400_000;
    const [old, young] = [randomUUID(), randomUUID()];
    await store.insertAudit([record(old, Date.now() - 11 * DAY_MS), record(young, Date.now() - 9 * DAY_MS)]);
    const deleted = Promise.withResolvers<void>();
    const watched = wrapped(store, {
      deleteAudit: async (olderThanMs, limit) => {
        const count = await store.deleteAudit(olderThanMs, limit);
        if (count > 0) deleted.resolve();
        return count;
      },
    });
    const strict = new System(watched, { auditRetentionMs: 10 * DAY_MS }, async () => {});
    await deleted.promise;
    await strict.close();
    const { records } = await store.listAudit("audited", {}, undefined, 10);
    assert.deepEqual(
      records.map(({ id }) => id),
      [young],
    );
  });

  test("expire no lease before nodes could renew it after the start of a controller", async () => {
    let looks = 0;
    let atOnce = Number.POSITIVE_INFINITY;
    let judged = false;
    const looked = Promise.withResolvers<boolean>();
    const store = wrapped(system.store, {
      now: async () => {
        if (++looks > atOnce) looked.resolve(judged);
        return system.store.now();
      },
      expireLeases: async (limit, decide) => {
        judged = true;
        return system.store.expireLeases(limit, decide);
      },
    });
    const patient = new System(store, { leaseMs: 6_000 }, async () => {});
    // Every task that judges by age reads the clock first, all at once; the first to read it again judges leases.
    atOnce = looks;
    assert.ok(atOnce > 0);
    assert.equal(await looked.promise, false);
    await patient.close();
  });

  test("expire leases even if the store fails at other things", async () => {
    const judged = Promise.withResolvers<void>();
    const store = wrapped(system.store, {
      promoteWaiting: async () => {
        throw new Failure("STORE_UNAVAILABLE", "The table is locked.");
      },
      expireLeases: async (limit, decide) => {
        judged.resolve();
        return system.store.expireLeases(limit, decide);
      },
    });
    const troubled = new System(store, { leaseMs: 3_000 }, async () => {});
    await judged.promise;
    await troubled.close();
  });
});

describe("unserved work", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  const upgraded = { ...CAPABILITIES, scorer: { ...SCORER, version: "n8.0" } };
  const stranded = (afterMs: number): UnschedulableWork =>
    new UnschedulableWork({
      store: system.store,
      fleet: new Fleet(system.store, FLEET),
      log: LOG,
      metrics: new ControllerMetrics(new Registry()),
      afterMs,
    });

  test("plan a job again whose scorer was replaced, and have one version score all of it", async () => {
    const tenant = "upgrade";
    const sweep = stranded(0);
    const { job } = await system.submit(tenant);
    const old = await Peer.register(system.nodes, tenant, { name: "node" });
    await old.plan(await old.pullSome(), 40, 10);
    const done = await old.pullSome();
    await old.score(done, 40);
    const left = await old.pullSome();
    await sweep.check();
    // No node is online, so the next one may be the right one.
    await old.heartbeat({ leaving: true });
    assert.deepEqual([await sweep.check(), await sweep.check()], [0, 0]);
    const node = await Peer.register(system.nodes, tenant, { name: "node", capabilities: upgraded });
    assert.equal(await node.pull(), undefined);
    assert.deepEqual([await sweep.check(), await sweep.check(), await sweep.check()], [0, 1, 0]);
    await refused(old.score(left, 40), "STALE_ATTEMPT");
    const again = await system.job(tenant, job.id);
    assert.deepEqual([again.state, again.progress, again.segmentsDone], [Job_State.RUNNING, undefined, 0]);
    const plan = await node.pullSome();
    await node.report(plan, { case: "plan", value: planReport(40, 10, { ...SCORER, version: "n8.0" }) });
    await node.work(40);
    const { state } = await system.until(tenant, job.id, ({ endTime }) => endTime !== undefined);
    assert.equal(state, Job_State.SUCCEEDED);
    assert.equal((await system.frames(tenant, { id: job.id })).length, 40);
  });

  test("fail a job whose model no node has, once nodes have been online for a while", async () => {
    const tenant = "no such model";
    const { job } = await system.submit(tenant, { models: ["vmaf_v0.6.1neg"] });
    await Peer.register(system.nodes, tenant);
    const patient = stranded(600_000);
    const sweep = stranded(0);
    for (const one of [patient, patient, sweep]) assert.equal(await one.check(), 0);
    assert.equal(await sweep.check(), 1);
    const { state, error } = await system.job(tenant, job.id);
    assert.deepEqual([state, error?.code], [Job_State.FAILED, "UNKNOWN_MODEL"]);
    assert.match(error?.message ?? "", /vmaf_v0\.6\.1neg.*vmaf_v0\.6\.1/);
  });
});

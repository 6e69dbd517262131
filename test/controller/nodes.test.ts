import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { SubmitJobsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import {
  DrainNodeRequestSchema,
  ListNodesRequestSchema,
  Node_State,
} from "../../src/gen/proto/svc/v1/node_pb.ts";
import type { NodeRoom } from "../../src/store/contract/node-records.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { until } from "../waiting.ts";
import { caller, Peer } from "./peer.ts";
import { CAPABILITIES } from "./scored.ts";
import { FLEET, refused, System, submission, wrapped } from "./system.ts";

/** So long that a test that waits in vain reaches its time limit. */
const HOLD_MS = 20_000;

describe("nodes", () => {
  let system: System;
  let claims = 0;
  /** Work that the periodic read found ready; each wakes a pull too. */
  let found = 0;
  before(async () => {
    system = await System.open({}, (store) => ({
      claim: (claim: Parameters<Store["claim"]>[0]) => {
        claims++;
        return store.claim(claim);
      },
      ready: async () => {
        const ready = await store.ready();
        found += ready.length;
        return ready;
      },
    }));
  });
  after(async () => system.close());

  const drain = (tenant: string, id: string) =>
    system.nodes.drainNode(create(DrainNodeRequestSchema, { id }), caller(tenant));
  const list = async (tenant: string) =>
    (await system.nodes.listNodes(create(ListNodesRequestSchema), caller(tenant))).nodes;

  test("waiting pulls are woken, only a few per task", async () => {
    const tenant = "woken";
    const node = await Peer.register(system.nodes, tenant);
    const gone = new AbortController();
    const served: (string | undefined)[] = [];
    const pulls = Array.from({ length: 8 }, async () => {
      served.push((await node.pull(60_000, gone.signal))?.jobId);
    });
    const results = Promise.allSettled(pulls);
    const waiting = (count: number): Promise<void> =>
      until(async () => (await system.metric("svc_pulls_waiting")) === count, `${count} pulls to wait`);
    await waiting(8);
    const jobs = [(await system.submit(tenant)).job.id];
    // Pulls that were woken in vain wait again; their claims do not count for the second task.
    await until(() => served.length === 1, "the first task to be leased");
    await waiting(7);
    jobs.push((await system.submit(tenant)).job.id);
    await until(() => served.length === 2, "the second task to be leased");
    await waiting(6);
    gone.abort();
    await results;
    assert.deepEqual(served, jobs);
    assert.equal(await system.metric("svc_pulls_waiting"), 0);
    // A thundering herd would make 8 claims for the first task and 7 for the second.
    assert.ok(claims <= 9 + 2 * found, `${claims} claims for 2 tasks, ${found} found by periodic reads`);
  });

  test("serve only their own tenant; fleet nodes serve all tenants in turns", async () => {
    const tenants = ["turn a", "turn b", "turn c"];
    for (let job = 0; job < 4; job++) await system.submit("turn a");
    for (let job = 0; job < 2; job++) for (const tenant of tenants.slice(1)) await system.submit(tenant);
    const own = await Peer.register(system.nodes, "turn b");
    assert.equal((await own.pullSome()).tenantId, "turn b");
    const fleet = await Peer.register(system.nodes, FLEET);
    const served: string[] = [];
    for (let item = await fleet.pull(); item !== undefined; item = await fleet.pull()) {
      if (tenants.includes(item.tenantId)) served.push(item.tenantId);
    }
    assert.deepEqual(served.slice(0, 3).sort(), tenants);
    assert.deepEqual(served.toSorted(), [
      "turn a",
      "turn a",
      "turn a",
      "turn a",
      "turn b",
      "turn c",
      "turn c",
    ]);
    await fleet.heartbeat({ leaving: true });
  });

  test("serve 50 tenants equally while one of them submits most", async () => {
    const tenants = Array.from({ length: 50 }, (_, index) => `flood ${index}`);
    const capabilities = { ...CAPABILITIES, models: [{ name: "flooded_model", digest: "" }] };
    const node = await Peer.register(system.nodes, FLEET, { capabilities });
    await Promise.all(
      tenants.map(async (tenant, index) => {
        const jobs = Array.from({ length: index === 0 ? 400 : 6 }, () =>
          submission({ model: "flooded_model" }),
        );
        await system.jobs.submitJobs(create(SubmitJobsRequestSchema, { jobs }), caller(tenant));
      }),
    );
    const served = new Map<string, number>();
    // A few slots at a time; each tenant has more than its share of the first 250 tasks.
    const slot = async (): Promise<void> => {
      for (let count = 0; count < 25; count++) {
        const { tenantId } = await node.pullSome();
        served.set(tenantId, (served.get(tenantId) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 10 }, slot));
    const shares = tenants.map((tenant) => served.get(tenant) ?? 0);
    const sum = shares.reduce((total, share) => total + share, 0);
    const jain = sum ** 2 / (shares.length * shares.reduce((total, share) => total + share ** 2, 0));
    assert.equal(sum, 250);
    assert.ok(jain >= 0.98, `Jain index ${jain}`);
    await node.heartbeat({ leaving: true });
  });

  test("get higher priorities first, then older jobs, and segments of a job in order", async () => {
    const tenant = "order";
    const low = await system.submit(tenant, { priority: -5 });
    const normal = await system.submit(tenant);
    const later = await system.submit(tenant);
    const high = await system.submit(tenant, { priority: 7 });
    const node = await Peer.register(system.nodes, tenant);
    const first = await node.pullSome();
    assert.equal(first.jobId, high.job.id);
    await node.plan(first, 100, 25);
    const frames: number[] = [];
    for (let item = await node.pullSome(); item.jobId === high.job.id; item = await node.pullSome()) {
      assert.ok(item.work.case === "segment");
      frames.push((JSON.parse(item.work.value.segment) as { first: number }).first);
      if (frames.length < 4) continue;
      const rest = [await node.pullSome(), await node.pullSome(), await node.pullSome()];
      assert.deepEqual(
        rest.map(({ jobId }) => jobId),
        [normal.job.id, later.job.id, low.job.id],
      );
      break;
    }
    assert.deepEqual(
      frames,
      frames.toSorted((one, other) => one - other),
    );
    assert.equal(frames.length, 4);
  });

  test("learn of a cancelled job during a held heartbeat, and its task no longer counts", async () => {
    const tenant = "hear";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const quiet = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    const gone = new AbortController();
    const held = quiet.notifications(gone.signal);
    const heartbeat = node.heartbeat({ running, holdMs: HOLD_MS });
    await system.cancel(tenant, job.id);
    const answer = await Promise.race([heartbeat, held]);
    assert.deepEqual(
      answer.stop.map(({ itemId, attempt }) => ({ itemId, attempt })),
      running,
    );
    gone.abort();
    await refused(held, "SCORE_CANCELLED");
    await refused(node.plan(item, 30), "STALE_ATTEMPT");
    // A node that missed it learns it with the next heartbeat.
    assert.equal((await node.heartbeat({ running })).stop.length, 1);
  });

  test("learn what was announced during a broken connection once notifications work again", async () => {
    const tenant = "deaf";
    const { job } = await system.submit(tenant);
    const hearing = Promise.withResolvers<Parameters<Store["onAnnouncement"]>[0]>();
    const onAnnouncement: Store["onAnnouncement"] = (listener) => {
      hearing.resolve(listener);
      return () => {};
    };
    const deaf = new System(wrapped(system.store, { onAnnouncement }), {}, async () => {});
    const node = await Peer.register(deaf.nodes, tenant);
    const { itemId, attempt } = await node.pullSome();
    const held = node.heartbeat({ running: [{ itemId, attempt }], holdMs: HOLD_MS });
    await system.store.cancelJob(tenant, job.id);
    const hear = await hearing.promise;
    hear({ kind: "news", nodeIds: [] });
    assert.deepEqual(
      (await held).stop.map((one) => one.itemId),
      [itemId],
    );
    await deaf.close();
  });

  test("that drain end their pulls, are notified, finish their tasks and get no new ones", async () => {
    const tenant = "drain";
    const first = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    const waiting = node.pull(60_000);
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    const heartbeat = node.heartbeat({ running, holdMs: HOLD_MS });
    const { node: shown } = await drain(tenant, node.nodeId);
    assert.equal(shown?.state, Node_State.DRAINING);
    const heard = await heartbeat;
    assert.deepEqual([heard.drain, heard.stop], [true, []]);
    assert.equal(await waiting, undefined);
    await system.submit(tenant);
    assert.equal(await node.pull(), undefined);
    await node.plan(item, 30);
    assert.equal((await system.job(tenant, first.job.id)).segmentsTotal, 1);
    // Requested by the node itself, it is no notification: the heartbeat is held.
    const held = await node.heartbeat({ draining: true, holdMs: 10 });
    assert.equal(held.drain, true);
    await refused(drain(tenant, crypto.randomUUID()), "NODE_NOT_FOUND");
    await refused(drain(tenant, "x"), "NODE_NOT_FOUND");
  });

  test("of the same name end the earlier session, and its tasks go to the new one at once", async () => {
    const tenant = "name";
    await system.submit(tenant);
    const old = await Peer.register(system.nodes, tenant, { name: "same" });
    const item = await old.pullSome();
    const waiting = refused(old.pull(60_000), "NODE_SUPERSEDED");
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    const heartbeat = refused(old.heartbeat({ running, holdMs: HOLD_MS }), "NODE_SUPERSEDED");
    const next = await Peer.register(system.nodes, tenant, { name: "same" });
    await Promise.all([waiting, heartbeat]);
    await refused(old.pull(), "NODE_SUPERSEDED");
    await refused(old.plan(item, 30), "STALE_ATTEMPT");
    const again = await next.pullSome();
    assert.equal(again.itemId, item.itemId);
    assert.ok(again.attempt > item.attempt);
    await next.plan(again, 30);
  });

  test("that leave hand their tasks back at once", async () => {
    const tenant = "leave";
    await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    const other = await Peer.register(system.nodes, tenant);
    const waiting = other.pull(60_000);
    await node.heartbeat({ leaving: true, holdMs: HOLD_MS });
    assert.equal((await waiting)?.itemId, item.itemId);
    await refused(node.heartbeat(), "SESSION_UNKNOWN");
    await refused(node.pull(), "SESSION_UNKNOWN");
  });

  test("that are unregistered, and sessions of other tenants, are asked to register", async () => {
    const node = await Peer.register(system.nodes, "mine");
    await refused(node.heartbeat({ session: `${node.session}x` }), "SESSION_UNKNOWN");
    for (const tenant of ["yours", FLEET]) {
      const thief = node.as(tenant);
      await refused(thief.heartbeat(), "SESSION_UNKNOWN");
      await refused(thief.pull(), "SESSION_UNKNOWN");
      await refused(
        thief.heartbeat({ leaving: true }).then(() => thief.pull()),
        "SESSION_UNKNOWN",
      );
    }
    assert.deepEqual((await node.heartbeat()).stop, []);
  });

  test("are listed for the tenants they serve, and show tasks of others without details, to their own tenant only", async () => {
    const name = `shown ${crypto.randomUUID()}`;
    const capabilities = { ...CAPABILITIES, models: [{ name: "shown_model", digest: "" }] };
    const fleet = await Peer.register(system.nodes, FLEET, { name, capabilities });
    const { job } = await system.submit("shown a", { model: "shown_model" });
    await fleet.pullSome();
    const nodeOf = async (tenant: string) => (await list(tenant)).find((node) => node.name === name);
    const own = await nodeOf("shown a");
    assert.deepEqual([own?.work[0]?.jobId, own?.work[0]?.work?.node], [job.id, name]);
    const other = await nodeOf("shown b");
    // Not even their number is visible.
    assert.deepEqual([other?.slots, other?.work], [4, []]);
    const owner = await nodeOf(FLEET);
    assert.deepEqual([owner?.work.length, owner?.work[0]?.jobId, owner?.work[0]?.work], [1, "", undefined]);
    assert.equal(
      JSON.stringify(other, (_, value) => (typeof value === "bigint" ? String(value) : value)).includes(
        fleet.session,
      ),
      false,
    );
    await fleet.heartbeat({ leaving: true });
    const ofTenant = await Peer.register(system.nodes, "shown a");
    assert.ok((await list("shown a")).some(({ id }) => id === ofTenant.nodeId));
    assert.ok(!(await list("shown b")).some(({ id }) => id === ofTenant.nodeId));
  });

  test("get tasks only for their models and their exact scorer", async () => {
    const tenant = "fit";
    const { job } = await system.submit(tenant);
    const planner = await Peer.register(system.nodes, tenant);
    const without = await Peer.register(system.nodes, tenant, {
      capabilities: { ...CAPABILITIES, models: [{ name: "other", digest: "" }] },
    });
    const newer = await Peer.register(system.nodes, tenant, {
      capabilities: { ...CAPABILITIES, scorer: { ...CAPABILITIES.scorer, libvmafVersion: "3.0.1" } },
    });
    assert.equal(await without.pull(), undefined);
    await planner.plan(await planner.pullSome(), 40);
    assert.equal(await newer.pull(), undefined);
    assert.equal(await without.pull(), undefined);
    assert.equal((await planner.pullSome()).jobId, job.id);
    const failure = await refused(system.submit(tenant, { model: "third" }), "UNKNOWN_MODEL");
    assert.deepEqual(failure.found, { model: "third", models: ["other", "vmaf_v0.6.1"] });
  });

  test("that report more models than allowed are refused", async () => {
    const models = (count: number, length: number) =>
      Array.from({ length: count }, (_, n) => ({
        name: `m${n}`.padEnd(length, "x"),
        digest: "a".repeat(64),
      }));
    const add = (count: number, length: number) =>
      Peer.register(system.nodes, "models", {
        capabilities: { ...CAPABILITIES, models: models(count, length) },
      });
    await add(100, 30);
    const { message } = await refused(add(129, 4), "INVALID_REQUEST");
    assert.match(message, /129 models\. Use at most 128/);
    assert.match((await refused(add(128, 100), "INVALID_REQUEST")).message, /Use at most 16384/);
  });

  test("are limited per tenant, and unlimited for the fleet", async () => {
    const rooms: (NodeRoom | undefined)[] = [];
    const counting = await System.open({}, (store) => ({
      registerNode: (node, room) => {
        rooms.push(room);
        return store.registerNode(node, room && { ...room, nodes: 1 });
      },
    }));
    for (const tenant of [FLEET, FLEET, "one"]) await Peer.register(counting.nodes, tenant);
    await refused(Peer.register(counting.nodes, "one"), "TOO_MANY_NODES");
    const room = { nodes: 1_000, bytes: 2_097_152 };
    assert.deepEqual(rooms, [undefined, undefined, room, room]);
    await counting.close();
  });

  test("with many models are read once for concurrent submissions, and the error lists some models", async () => {
    const tenant = "many models";
    let looks = 0;
    const counting = await System.open({}, (store) => ({
      capabilities: (tenants) => {
        looks++;
        return store.capabilities(tenants);
      },
    }));
    const names = Array.from({ length: 50 }, (_, n) => `m${String(n).padStart(2, "0")}`);
    const capabilities = { ...CAPABILITIES, models: names.map((name) => ({ name, digest: "" })) };
    await Peer.register(counting.nodes, tenant, { capabilities });
    const failures = await Promise.all(
      Array.from({ length: 20 }, () => refused(counting.submit(tenant, { model: "none" }), "UNKNOWN_MODEL")),
    );
    // One read to fill the cache, and one that began after each request; two more if it is a second old by then.
    assert.ok(looks <= 5, `${looks} reads`);
    for (const { message, found } of failures) {
      assert.match(message, /Available models: m00, m01, .*, m19 and 30 more\.$/);
      assert.deepEqual(found, { model: "none", models: names.slice(0, 20) });
    }
    await counting.close();
  });

  test("that are offline let jobs wait, and calls that need a node at once are refused", async () => {
    const tenant = "away";
    const score = (key = "") =>
      system.jobs.submitAwaited(submission({}, key), { resultOnly: true }, caller(tenant));
    await refused(score(), "NO_NODE_ONLINE");
    const known = await system.submit(tenant, {}, "once");
    assert.equal((await score("once")).job?.id, known.job.id, "a job that was stored before needs no node");
    await system.cancel(tenant, known.job.id);
    const { job } = await system.submit(tenant, { model: "not_there_yet" });
    const node = await Peer.register(system.nodes, tenant);
    const { job: awaited } = await score();
    await system.cancel(tenant, awaited?.id ?? "");
    assert.equal(await node.pull(), undefined);
    await drain(tenant, node.nodeId);
    const capabilities = { ...CAPABILITIES, models: [{ name: "not_there_yet", digest: "" }] };
    const able = await Peer.register(system.nodes, tenant, { capabilities });
    assert.equal((await able.pullSome()).jobId, job.id);
  });

  test("that request too much or send invalid messages are refused", async () => {
    const node = await Peer.register(system.nodes, "nonsense");
    await refused(node.pull(60_001), "INVALID_REQUEST");
    await refused(node.heartbeat({ holdMs: 20_001 }), "INVALID_REQUEST");
    await refused(node.heartbeat({ running: [{ itemId: "x", attempt: 1 }] }), "INVALID_REQUEST");
    const unknown = { itemId: crypto.randomUUID(), attempt: 1, framesDone: 4_294_967_295 };
    assert.equal((await node.heartbeat({ running: [unknown] })).stop.length, 1);
  });

  test("a task claimed for a caller that disconnected goes to the next one at once", async () => {
    const gone = new AbortController();
    const store = wrapped(system.store, {
      claim: async (claim) => {
        const work = await system.store.claim(claim);
        if (work !== undefined) gone.abort();
        return work;
      },
    });
    const hasty = new System(store, {}, async () => {});
    const { job } = await hasty.submit("left");
    const node = await Peer.register(hasty.nodes, "left");
    await refused(node.pull(60_000, gone.signal), "SCORE_CANCELLED");
    const item = await node.pullSome();
    assert.deepEqual([item.jobId, item.attempt], [job.id, 2]);
    await hasty.close();
  });

  test("a stopping controller ends held calls and refuses to hold more", async () => {
    const stopping = new System(system.store, {}, async () => {});
    const node = await Peer.register(stopping.nodes, "stop");
    const { job } = await stopping.submit("other");
    const pull = node.pull(60_000);
    const heartbeat = node.heartbeat({ holdMs: HOLD_MS });
    const wait = refused(
      stopping.jobs.waitForJob(job.id, { waitMs: 60_000, keep: true }, caller("other")),
      "SHUTTING_DOWN",
    );
    const stream = refused(
      stopping.until("other", job.id, () => false),
      "SHUTTING_DOWN",
    );
    await stopping.until("other", job.id, () => true);
    stopping.controller.refuseNew();
    assert.equal(await pull, undefined);
    assert.deepEqual((await heartbeat).stop, []);
    await stream;
    stopping.controller.endWaits();
    await wait;
    await refused(node.pull(60_000), "SHUTTING_DOWN");
    await refused(stopping.controller.readiness(), "SHUTTING_DOWN");
    assert.equal((await stopping.job("other", job.id)).id, job.id);
    await stopping.close();
  });
});

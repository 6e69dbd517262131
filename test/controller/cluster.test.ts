/** Several controllers on one PostgreSQL: each serves any call, and changes at one reach the others at once. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ControllerSettings } from "../../src/controller/controller.ts";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { until } from "../waiting.ts";
import { Peer } from "./peer.ts";
import { scoreOf } from "./scored.ts";
import { FLEET, LIMITS, LOG, refused, System, wrapped } from "./system.ts";

const FRAMES = 60;
/** Longer than any test takes. */
const LONG_LEASE_MS = 1_800_000;

async function sum(systems: readonly System[], name: string, labels = {}): Promise<number> {
  const values = await Promise.all(systems.map(async (system) => system.metric(name, labels)));
  return values.reduce((total, value) => total + value, 0);
}

describe("two controllers on one PostgreSQL", () => {
  let cluster: PostgresCluster;
  let one: System;
  let other: System;
  const open = async (
    databaseUrl: string,
    settings: Partial<ControllerSettings> = {},
    instead: (store: Store) => Partial<Store> = () => ({}),
  ): Promise<System> => {
    const store = await openStore({ databaseUrl }, LOG);
    return new System(wrapped(store, instead(store)), settings, async () => store.close());
  };
  before(async () => {
    // One test kills the server.
    cluster = await PostgresCluster.start({ durable: true });
    const url = await cluster.createDatabase("svc");
    [one, other] = [await open(url), await open(url)];
  });
  after(async () => {
    await one.close();
    await other.close();
    await cluster[Symbol.asyncDispose]();
  });

  test("a job submitted at one wakes a pull at the other, and both streams report it", async () => {
    const tenant = "both";
    const node = await Peer.register(other.nodes, tenant);
    const pull = node.pullSome();
    const { job } = await one.submit(tenant);
    const item = await pull;
    assert.equal(item.jobId, job.id);
    await node.plan(item, FRAMES, 20);
    // A node may use either controller.
    const ends = [one, other].map(async (system) =>
      system.until(tenant, job.id, ({ endTime }) => endTime !== undefined),
    );
    assert.ok((await node.work(FRAMES)) >= 3);
    for (const { state, score } of await Promise.all(ends)) {
      assert.deepEqual([state, score?.toFixed(6)], [Job_State.SUCCEEDED, scoreOf(FRAMES).toFixed(6)]);
    }
  });

  test("a cancellation at one reaches a heartbeat held at the other; so do a drain and a new registration", async () => {
    const tenant = "news";
    const quiet = await Peer.register(other.nodes, tenant);
    const gone = new AbortController();
    const never = quiet.notifications(gone.signal);
    const node = await Peer.register(other.nodes, tenant, { name: "same" });
    const { job } = await one.submit(tenant);
    const item = await node.pullSome();
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    const heartbeat = node.heartbeat({ running, holdMs: 20_000 });
    await one.cancel(tenant, job.id);
    assert.equal((await Promise.race([heartbeat, never])).stop.length, 1);
    const superseded = refused(Promise.race([node.heartbeat({ holdMs: 20_000 }), never]), "NODE_SUPERSEDED");
    const pull = refused(node.pull(60_000), "NODE_SUPERSEDED");
    await Peer.register(one.nodes, tenant, { name: "same" });
    await superseded;
    await pull;
    gone.abort();
    await refused(never, "SCORE_CANCELLED");
  });

  test("the same task is leased only once, whichever controller is asked", async () => {
    const tenants = ["many a", "many b", "many c"];
    const ids: { tenant: string; id: string }[] = [];
    for (let index = 0; index < 30; index++) {
      const tenant = tenants[index % 3] as string;
      const { job } = await (index % 2 === 0 ? one : other).submit(tenant);
      ids.push({ tenant, id: job.id });
    }
    const given = new Set<string>();
    const nodes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => Peer.register((index % 2 === 0 ? one : other).nodes, FLEET)),
    );
    await Promise.all(
      nodes.map(async (node) => {
        for (let item = await node.pull(2_000); item !== undefined; item = await node.pull(2_000)) {
          const lease = `${item.itemId} ${item.attempt}`;
          assert.ok(!given.has(lease), "leased twice");
          given.add(lease);
          if (item.work.case === "plan") await node.plan(item, FRAMES, 30);
          else await node.score(item, FRAMES);
        }
      }),
    );
    for (const { tenant, id } of ids) {
      const { state, retries } = await one.until(tenant, id, ({ endTime }) => endTime !== undefined);
      assert.deepEqual([state, retries], [Job_State.SUCCEEDED, 0]);
    }
    // The end of a job is counted after it is reported.
    const ended = () => sum([one, other], "svc_jobs_ended_total", { state: "SUCCEEDED" });
    await until(async () => (await ended()) >= 31, "the last end to be counted");
    assert.equal(await ended(), 31);
  });

  test("a job whose controller died while pooling is pooled by the controller that finds it", async () => {
    const tenant = "pool";
    const died = Promise.withResolvers<void>();
    const succeed = async (): Promise<never> => {
      died.resolve();
      throw new Failure("STORE_UNAVAILABLE", "The connection is gone.");
    };
    // A dead controller releases no hold.
    const holdPoolable: Store["holdPoolable"] = async (ids, holdMs) => {
      if (holdMs > 0) await one.store.holdPoolable(ids, holdMs);
    };
    const dying = new System(wrapped(one.store, { succeed, holdPoolable }), {}, async () => {});
    const { job } = await dying.submit(tenant);
    const node = await Peer.register(dying.nodes, tenant);
    await node.plan(await node.pullSome(), FRAMES);
    await node.score(await node.pullSome(), FRAMES);
    await died.promise;
    assert.equal((await one.job(tenant, job.id)).state, Job_State.RUNNING);
    await dying.close();
    // Until then its controller could still be pooling it.
    await cluster.admin("update svc.job set pool_until = now() where state = 'RUNNING'", "svc");
    await other.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
  });

  test("an unavailable store is reported clearly, and leases continue when it is back", async () => {
    const tenant = "outage";
    const { job } = await one.submit(tenant);
    const node = await Peer.register(one.nodes, tenant);
    const item = await node.pullSome();
    // All connections have ended when it returns; some of a killed server still answer for a moment.
    await cluster.stop("SIGQUIT");
    await refused(one.submit(tenant), "STORE_UNAVAILABLE");
    await refused(one.controller.readiness(), "STORE_UNAVAILABLE");
    await refused(node.plan(item, FRAMES), "STORE_UNAVAILABLE");
    await cluster.run();
    await cluster.admin(
      "update svc.work set lease_until = now() - interval '1 hour' where state = 'LEASED'",
      "svc",
    );
    const ready = async (system: System): Promise<boolean> =>
      system.controller.readiness().then(
        () => true,
        () => false,
      );
    await until(async () => (await ready(one)) && (await ready(other)), "both to be ready");
    const running = [{ itemId: item.itemId, attempt: item.attempt }];
    assert.deepEqual((await node.heartbeat({ running })).stop, []);
    await node.plan(item, FRAMES);
    await node.work(FRAMES);
    const ended = await other.until(tenant, job.id, ({ endTime }) => endTime !== undefined);
    assert.deepEqual([ended.state, ended.retries], [Job_State.SUCCEEDED, 0]);
  });

  test("a tenant's limits apply to all controllers together", async (context) => {
    const url = await cluster.createDatabase("limits");
    const limitsOf = (tenant: string) => ({
      ...LIMITS,
      segmentsRunning: tenant === "narrow" ? 3 : LIMITS.segmentsRunning,
      jobsQueued: tenant === "narrow" ? 40 : LIMITS.jobsQueued,
    });
    const systems = [await open(url, { limitsOf }), await open(url, { limitsOf })];
    const [here, there] = systems as [System, System];
    context.after(async () => {
      for (const system of systems) await system.close();
    });
    for (let job = 0; job < 40; job++) await here.submit("narrow");
    for (const system of systems) await refused(system.submit("narrow"), "TENANT_QUEUE_FULL");
    const nodes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => Peer.register((systems[index % 2] as System).nodes, FLEET)),
    );
    const items = await Promise.all(nodes.map(async (node) => ({ node, item: await node.pull() })));
    const given = items.filter(({ item }) => item !== undefined);
    assert.equal(given.length, 3);
    assert.deepEqual(await here.store.running(["narrow"]), [3]);
    // A pull that waits at one is woken by a task that ends at the other, and other tenants are served meanwhile.
    const waiting = await Peer.register(there.nodes, FLEET);
    const wide = waiting.pullSome();
    await here.submit("wide");
    assert.equal((await wide).tenantId, "wide");
    const next = waiting.pullSome();
    const [{ item, node } = assert.fail()] = given;
    assert.ok(item);
    const reporter = Peer.at(here.nodes, FLEET, node);
    await reporter.report(item, { case: "handBack", value: {} });
    assert.equal((await next).tenantId, "narrow");
    assert.deepEqual(await there.store.running(["narrow"]), [3]);
  });

  test("an expired lease is ended by only one of them", async () => {
    const tenant = "once";
    const url = await cluster.createDatabase("short");
    // Only of leases: silent nodes stay online, and a renewed lease stays.
    const [first, second] = [
      await open(url, { leaseMs: 3_000 }, () => ({ expireNodes: async () => 0 })),
      await open(url, { leaseMs: 3_000 }, (store) => ({
        expireNodes: async () => 0,
        claim: async (claim) => store.claim({ ...claim, leaseMs: LONG_LEASE_MS }),
      })),
    ];
    const hasty = [first, second];
    const { job } = await first.submit(tenant);
    const node = await Peer.register(first.nodes, tenant);
    const item = await node.pullSome();
    const waiting = await Peer.register(second.nodes, tenant);
    const again = await waiting.pullSome();
    assert.deepEqual([again.itemId, again.attempt], [item.itemId, item.attempt + 1]);
    assert.equal((await first.job(tenant, job.id)).retries, 1);
    // A change is counted after others can see it.
    const expired = () => sum(hasty, "svc_work_expired_total");
    await until(async () => (await expired()) >= 1, "the expired lease to be counted");
    assert.equal(await expired(), 1);
    for (const system of hasty) await system.close();
  });
});

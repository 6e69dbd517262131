/**
 * A tenant's limits at a controller with a real store: what is refused, what waits, and that others are not affected.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { SubmitLimits } from "../../src/controller/jobs/submit-limits.ts";
import { SubmitJobsRequestSchema, type SubmitJobsResponse } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { GetTenantRequestSchema } from "../../src/gen/proto/svc/v1/tenant_pb.ts";
import type { Limits } from "../../src/jobs/limits.ts";
import { Failure } from "../../src/platform/failure.ts";
import { caller, Peer } from "./peer.ts";
import { FLEET, LIMITS, refused, System, submission } from "./system.ts";

const FRAMES = 60;

/** A controller whose tenants' limits may change at any time, like those in an operator's file. */
class Limited {
  readonly system: System;
  readonly limits: Map<string, Partial<Limits>>;

  private constructor(system: System, limits: Map<string, Partial<Limits>>) {
    this.system = system;
    this.limits = limits;
  }

  static async open(): Promise<Limited> {
    const limits = new Map<string, Partial<Limits>>();
    const limitsOf = (tenant: string): Limits => ({ ...LIMITS, ...limits.get(tenant) });
    return new Limited(await System.open({ limitsOf }), limits);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.system.close();
  }

  /** `key`: prefix of each job's own key. */
  batch(tenant: string, jobs: number, key = ""): Promise<SubmitJobsResponse> {
    const requests = Array.from({ length: jobs }, (_, n) => submission({}, key && `${key} ${n}`));
    return this.system.jobs.submitJobs(create(SubmitJobsRequestSchema, { jobs: requests }), caller(tenant));
  }

  async tenant(tenant: string) {
    const request = create(GetTenantRequestSchema);
    const { tenant: found } = await this.system.controller.tenants.getTenant(request, caller(tenant));
    assert.ok(found?.usage && found.limits);
    return { ...found, usage: found.usage, limits: found.limits };
  }

  async queued(tenant: string): Promise<number> {
    return (await this.tenant(tenant)).usage.jobsQueued;
  }

  async running(tenant: string): Promise<number> {
    return (await this.tenant(tenant)).usage.segmentsRunning;
  }
}

let limited: Limited;
let system: System;
before(async () => {
  limited = await Limited.open();
  system = limited.system;
});
after(() => limited[Symbol.asyncDispose]());

describe("a limit on submissions", () => {
  test("on queued jobs refuses excess jobs before anything is stored, a batch as a whole", async () => {
    const tenant = "queue";
    limited.limits.set(tenant, { jobsQueued: 5 });
    const { job } = await system.submit(tenant);
    await limited.batch(tenant, 3);
    const { found, retryAfterMs } = await refused(limited.batch(tenant, 2), "TENANT_QUEUE_FULL");
    assert.deepEqual(found, { limit: 5, queued: 4, submitted: 2 });
    assert.ok((retryAfterMs ?? 0) > 0);
    assert.equal(await limited.queued(tenant), 4);
    await system.submit(tenant);
    await refused(system.submit(tenant), "TENANT_QUEUE_FULL");
    // At once, not only after the next count.
    await system.cancel(tenant, job.id);
    await system.submit(tenant);
    await refused(system.submit(tenant), "TENANT_QUEUE_FULL");
    const node = await Peer.register(system.nodes, tenant);
    await node.pullSome();
    await system.submit(tenant);
    assert.equal(await limited.queued(tenant), 5);
    assert.equal(await system.metric("svc_submits_limited_total", { code: "TENANT_QUEUE_FULL" }), 3);
  });

  test("on queued jobs is exact when hundreds submit at once, and every place is used", async () => {
    const tenant = "crowd";
    limited.limits.set(tenant, { jobsQueued: 70 });
    const calls = Array.from({ length: 300 }, (_, n) =>
      n % 10 === 0 ? limited.batch(tenant, 3) : system.submit(tenant),
    );
    const stored = (await Promise.allSettled(calls)).map((call, n) => {
      if (call.status === "fulfilled") return n % 10 === 0 ? 3 : 1;
      assert.equal((call.reason as { code?: unknown }).code, "TENANT_QUEUE_FULL");
      return 0;
    });
    assert.equal(
      stored.reduce<number>((sum, jobs) => sum + jobs, 0),
      70,
    );
    assert.equal(await limited.queued(tenant), 70);
  });

  test("returns jobs that were stored before, and needs capacity only for new ones", async () => {
    const tenant = "again";
    limited.limits.set(tenant, { jobsQueued: 3 });
    const first = await system.submit(tenant, {}, "one");
    await limited.batch(tenant, 2, "some");
    const again = await system.submit(tenant, {}, "one");
    assert.deepEqual([again.existed, again.job.id], [true, first.job.id]);
    await refused(system.submit(tenant, { name: "another" }, "one"), "IDEMPOTENCY_CONFLICT");
    await refused(limited.batch(tenant, 3, "some"), "TENANT_QUEUE_FULL");
    limited.limits.set(tenant, { jobsQueued: 4 });
    const { jobs } = await limited.batch(tenant, 3, "some");
    assert.deepEqual(
      jobs.map(({ existed }) => existed),
      [true, true, false],
    );
    // Repeats need no capacity, and the known count stays right.
    limited.limits.set(tenant, { jobsQueued: 5 });
    for (let repeat = 0; repeat < 20; repeat++) await system.submit(tenant, {}, "one");
    await system.submit(tenant);
    await refused(system.submit(tenant), "TENANT_QUEUE_FULL");
  });

  test("per second admits a larger batch whole, then states when to retry", async () => {
    const tenant = "rate";
    limited.limits.set(tenant, { submitsPerSecond: 1 });
    await limited.batch(tenant, 1_000, "all");
    const { found, retryAfterMs = 0 } = await refused(system.submit(tenant), "TENANT_SUBMIT_RATE");
    assert.equal(found?.["limit"], 1);
    // 1,000 minus the one of the first second and the elapsed time.
    assert.ok(retryAfterMs > 500_000 && retryAfterMs <= 1_000_000, `${retryAfterMs} ms`);
    assert.equal(await limited.queued(tenant), 1_000);
    const { jobs } = await limited.batch(tenant, 1_000, "all");
    assert.ok(jobs.every(({ existed }) => existed));
    await system.submit("somebody else");
    // The operator raises the limit; it applies at once.
    limited.limits.set(tenant, { submitsPerSecond: 1_000_000 });
    await system.submit(tenant);
    assert.equal(await system.metric("svc_submits_limited_total", { code: "TENANT_SUBMIT_RATE" }), 1);
  });

  test("per second is not charged for jobs that another limit refuses", async () => {
    const tenant = "both";
    limited.limits.set(tenant, { submitsPerSecond: 2, jobsQueued: 1 });
    await system.submit(tenant);
    for (let call = 0; call < 10; call++) await refused(limited.batch(tenant, 5), "TENANT_QUEUE_FULL");
  });

  test("per second is not charged for jobs that the store refuses", async () => {
    const tenant = "conflict";
    await system.submit(tenant, { name: "another" }, "taken 299");
    limited.limits.set(tenant, { submitsPerSecond: 1 });
    for (let call = 0; call < 3; call++) {
      await refused(limited.batch(tenant, 300, "taken"), "IDEMPOTENCY_CONFLICT");
    }
    await system.submit(tenant);
    assert.equal(await limited.queued(tenant), 2);
  });

  test("per second is charged for jobs that may be stored: an unavailable store did not answer", async () => {
    const store = { queued: async () => 0 };
    const limits = new SubmitLimits({ store, limitsOf: () => ({ ...LIMITS, submitsPerSecond: 1 }) });
    const admission = await limits.admit("lost", 1_000);
    admission.failed(new Failure("STORE_UNAVAILABLE", "The connection is gone."));
    const { retryAfterMs = 0 } = await refused(limits.admit("lost", 1), "TENANT_SUBMIT_RATE");
    assert.ok(retryAfterMs > 60_000, `${retryAfterMs} ms for 999 jobs`);
  });

  test("is reported beside the usage", async () => {
    limited.limits.set("shown", { jobsQueued: 7, segmentsRunning: 2, submitsPerSecond: 100, weight: 5 });
    const { limits: some } = await limited.tenant("shown");
    const { jobsQueued, segmentsRunning, submitsPerSecond, weight } = some;
    assert.deepEqual([jobsQueued, segmentsRunning, submitsPerSecond, weight], [7, 2, 100, 5]);
    const { limits: none } = await limited.tenant("not shown");
    assert.deepEqual(
      [none.jobsQueued, none.segmentsRunning, none.submitsPerSecond, none.weight],
      [undefined, undefined, undefined, 1],
    );
  });
});

describe("a limit on running tasks", () => {
  test("lets other tasks wait and starts the next at once when one ends, however it ends", async () => {
    const tenant = "running";
    limited.limits.set(tenant, { segmentsRunning: 2 });
    await limited.batch(tenant, 8);
    const node = await Peer.register(system.nodes, tenant);
    // Its segments are ready before any pull waits, so the next task is always known.
    await node.plan(await node.pullSome(), FRAMES, 10);
    const [first, second] = [await node.pullSome(), await node.pullSome()];
    assert.equal(await node.pull(), undefined);
    assert.equal(await system.metric("svc_tenants_full"), 1);
    let waits = node.pullSome();
    await node.score(first, FRAMES);
    const third = await waits;
    assert.equal(await limited.running(tenant), 2);
    waits = node.pullSome();
    await node.report(third, { case: "handBack", value: {} });
    const fourth = await waits;
    assert.equal(fourth.itemId, third.itemId);
    waits = node.pullSome();
    // Both running tasks belong to the first job.
    assert.equal(second.jobId, fourth.jobId);
    await system.cancel(tenant, fourth.jobId);
    const fifth = await waits;
    const sixth = await node.pullNow();
    assert.equal(await limited.running(tenant), 2);
    assert.equal(await node.pull(), undefined);
    waits = node.pullSome();
    const value = { code: "MEDIA_CORRUPT", message: "The file is damaged.", found: "" };
    await node.report(fifth, { case: "failure", value });
    const seventh = await waits;
    assert.equal(await limited.running(tenant), 2);
    // The raised limit is not announced.
    waits = node.pullSome();
    limited.limits.set(tenant, { segmentsRunning: 3 });
    const eighth = await waits;
    assert.equal(await limited.running(tenant), 3);
    assert.equal(new Set([sixth, seventh, eighth].map(({ itemId }) => itemId)).size, 3);
    waits = node.pullSome();
    limited.limits.delete(tenant);
    await waits;
  });

  test("holds however many pull at once, and all tasks are done", async () => {
    const tenant = "narrow";
    limited.limits.set(tenant, { segmentsRunning: 3 });
    const ids = (await limited.batch(tenant, 4)).jobs.map(({ job }) => job?.id ?? "");
    const nodes = await Promise.all(Array.from({ length: 12 }, () => Peer.register(system.nodes, tenant)));
    const ended = Promise.all(
      ids.map((id) => system.until(tenant, id, ({ endTime }) => endTime !== undefined)),
    );
    const gone = new AbortController();
    let begun = 0;
    let most = 0;
    /** As many tasks run as allowed, and stay until that was observed. */
    const full = Promise.withResolvers<void>();
    const work = nodes.map(async (node) => {
      while (!gone.signal.aborted) {
        const item = await node.pull(60_000, gone.signal).catch((thrown: unknown) => {
          if (!gone.signal.aborted) throw thrown;
        });
        if (!item) continue;
        if (++begun === 3) full.resolve();
        await full.promise;
        most = Math.max(most, await limited.running(tenant));
        if (item.work.case === "plan") await node.plan(item, FRAMES, 10);
        else await node.score(item, FRAMES);
      }
    });
    await Promise.race([ended, Promise.all(work)]);
    gone.abort();
    await Promise.all(work);
    assert.equal(most, 3);
  });

  test("frees capacity when a node leaves", async () => {
    limited.limits.set("lost", { segmentsRunning: 1 });
    await limited.batch("lost", 2);
    const [leaving, next] = await Promise.all([1, 2].map(() => Peer.register(system.nodes, "lost")));
    assert.ok(leaving && next);
    const item = await leaving.pullSome();
    const waits = next.pullSome();
    await leaving.heartbeat({ leaving: true });
    assert.equal((await waits).itemId, item.itemId);
  });
});

describe("nodes that serve several tenants", () => {
  let limited: Limited;
  let system: System;
  before(async () => {
    limited = await Limited.open();
    system = limited.system;
  });
  after(() => limited[Symbol.asyncDispose]());

  test("are not held up by a tenant at its limit, whose own nodes get no more tasks", async () => {
    limited.limits.set("stuck", { segmentsRunning: 1 });
    await limited.batch("stuck", 20);
    const node = await Peer.register(system.nodes, FLEET);
    const own = await Peer.register(system.nodes, "stuck");
    const item = await own.pullSome();
    assert.equal(await own.pull(), undefined);
    await limited.batch("free", 20);
    for (let n = 0; n < 20; n++) assert.equal((await node.pullNow()).tenantId, "free");
    assert.equal(await node.pull(), undefined);
    const gone = new AbortController();
    const waits = [node, own].map((one) => one.pull(60_000, gone.signal));
    await own.report(item, { case: "handBack", value: {} });
    await Promise.race(waits);
    assert.equal(await limited.running("stuck"), 1);
    gone.abort();
    await Promise.allSettled(waits);
  });

  test("serve a tenant of weight 3 three times as much as one of weight 1", async () => {
    limited.limits.set("heavy", { weight: 3 });
    limited.limits.set("light", { weight: 1 });
    for (const tenant of ["heavy", "light"]) await limited.batch(tenant, 80);
    const node = await Peer.register(system.nodes, FLEET);
    const served: string[] = [];
    for (let n = 0; n < 80; n++) served.push((await node.pullSome()).tenantId);
    const share = (part: readonly string[]) => part.filter((tenant) => tenant === "heavy").length;
    assert.ok(Math.abs(share(served) - 60) <= 2, `${share(served)} of 80`);
    limited.limits.set("light", { weight: 3 });
    served.length = 0;
    for (let n = 0; n < 30; n++) served.push((await node.pullSome()).tenantId);
    assert.ok(Math.abs(share(served) - 15) <= 2, `${share(served)} of 30, by equal weights`);
  });
});

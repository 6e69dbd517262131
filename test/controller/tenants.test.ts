import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  CancelJobRequestSchema,
  GetJobFramesRequestSchema,
  GetJobRequestSchema,
  Job_State,
  ListJobsRequestSchema,
  SubmitJobsRequestSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { DrainNodeRequestSchema, ListNodesRequestSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { caller, Peer } from "./peer.ts";
import { refused, System, submission } from "./system.ts";

let system: System;
before(async () => {
  system = await System.open();
});
after(async () => system.close());

describe("a tenant", () => {
  const [mine, yours] = ["mine", "yours"];
  let id: string;
  let node: Peer;
  before(async () => {
    ({ id } = (await system.submit(mine, { labels: { secret: "plan" }, name: "secret" }, "the key")).job);
    node = await Peer.register(system.nodes, mine);
    await node.work(60, 20);
    await system.until(mine, id, ({ state }) => state === Job_State.SUCCEEDED);
  });

  test("is refused every operation on another tenant's job, without any details", async () => {
    const context = caller(yours);
    const untold = create(GetJobFramesRequestSchema, { id });
    const frames = async (): Promise<void> => {
      for await (const part of system.jobs.getJobFrames(untold, context))
        assert.fail(`got ${part.metrics.join()}`);
    };
    const operations = [
      () => system.jobs.getJob(create(GetJobRequestSchema, { id }), context),
      () => system.jobs.cancelJob(create(CancelJobRequestSchema, { id }), context),
      () => system.jobs.waitForJob(id, { waitMs: 0, keep: true }, context),
      frames,
    ];
    for (const operation of operations) {
      const { message, found } = await refused(operation(), "WRONG_TENANT");
      assert.equal(message, "The job belongs to another tenant.");
      assert.equal(found, undefined);
    }
    const gone = new AbortController();
    gone.abort();
    const wait = system.jobs.waitForJob(id, { waitMs: 60_000, keep: false }, caller(yours, gone.signal));
    await refused(wait, "WRONG_TENANT");
    assert.equal((await system.job(mine, id)).state, Job_State.SUCCEEDED);
  });

  test("learns only that a job does not exist if its id is unknown or invalid", async () => {
    for (const odd of [crypto.randomUUID(), "", "x", "' or 1=1 --", id.toUpperCase(), `${id} `, "\u0000"]) {
      const context = caller(yours);
      await refused(system.jobs.getJob(create(GetJobRequestSchema, { id: odd }), context), "JOB_NOT_FOUND");
      await refused(
        system.jobs.cancelJob(create(CancelJobRequestSchema, { id: odd }), context),
        "JOB_NOT_FOUND",
      );
    }
  });

  test("sees no jobs of another tenant in lists, streams and nodes", async () => {
    const context = caller(yours);
    const { jobs } = await system.jobs.listJobs(create(ListJobsRequestSchema), context);
    assert.deepEqual(jobs, []);
    const labelled = create(ListJobsRequestSchema, { labels: { secret: "plan" } });
    assert.deepEqual((await system.jobs.listJobs(labelled, context)).jobs, []);
    const { nodes } = await system.nodes.listNodes(create(ListNodesRequestSchema), context);
    assert.deepEqual(nodes, []);
    const drain = create(DrainNodeRequestSchema, { id: node.nodeId });
    await refused(system.nodes.drainNode(drain, context), "NODE_NOT_FOUND");
    // Changes of the other tenant pass by; its own arrive.
    const events: string[] = [];
    let own = "";
    for await (const { job } of system.stream(yours, { ids: [] })) {
      if (job === undefined) {
        await system.submit(mine);
        own = (await system.submit(yours)).job.id;
      } else {
        events.push(job.id);
        break;
      }
    }
    assert.deepEqual(events, [own]);
    for await (const { job } of system.stream(yours, { ids: [id, own] })) {
      assert.notEqual(job?.id, id);
      if (job === undefined) break;
    }
  });

  test("may use the same idempotency keys as others, and each only for the same request", async () => {
    const spec = { labels: { secret: "plan" }, name: "secret" };
    const again = await system.submit(mine, spec, "the key");
    assert.deepEqual([again.job.id, again.existed], [id, true]);
    assert.equal(again.job.state, Job_State.SUCCEEDED);
    const other = await system.submit(yours, spec, "the key");
    assert.deepEqual([other.existed, other.job.id === id], [false, false]);
    await refused(system.submit(mine, { ...spec, priority: 1 }, "the key"), "IDEMPOTENCY_CONFLICT");
    await refused(system.submit(mine, spec, "k".repeat(256)), "INVALID_REQUEST");
    await refused(system.submit(mine, spec, "tab\t"), "INVALID_REQUEST");
    const same = await Promise.all(Array.from({ length: 10 }, () => system.submit(mine, {}, "at once")));
    assert.equal(new Set(same.map(({ job }) => job.id)).size, 1);
    assert.equal(same.filter(({ existed }) => !existed).length, 1);
  });
});

describe("a batch of jobs", () => {
  const submit = (tenant: string, jobs: readonly ReturnType<typeof submission>[]) =>
    system.jobs.submitJobs(create(SubmitJobsRequestSchema, { jobs: [...jobs] }), caller(tenant));
  const count = async (tenant: string): Promise<number> =>
    (await system.jobs.listJobs(create(ListJobsRequestSchema, { pageSize: 500 }), caller(tenant))).jobs
      .length;

  test("of 1,000 is stored in order; one more, or none, is refused", async () => {
    const tenant = "batch";
    const jobs = Array.from({ length: 1_000 }, (_, index) => submission({ name: String(index) }));
    const stored = await submit(tenant, jobs);
    assert.deepEqual(
      stored.jobs.map(({ job, existed }) => [job?.spec?.name, existed]),
      jobs.map(({ job }) => [job?.name, false]),
    );
    assert.equal(new Set(stored.jobs.map(({ job }) => job?.id)).size, 1_000);
    await refused(submit(tenant, [...jobs, submission({})]), "INVALID_REQUEST");
    await refused(submit(tenant, []), "INVALID_REQUEST");
  });

  test("is stored whole or not at all, and the error names the job", async () => {
    const tenant = "whole";
    await submit(tenant, [submission({ name: "known" }, "key")]);
    const faulty = submission({ reference: "" });
    const conflicting = submission({ name: "changed" }, "key");
    const faults = [
      [faulty, "INVALID_REQUEST"],
      [conflicting, "IDEMPOTENCY_CONFLICT"],
    ] as const;
    for (const [fault, code] of faults) {
      const failure = await refused(submit(tenant, [submission({}), submission({}), fault]), code);
      assert.ok(failure instanceof Failure);
      assert.equal(failure.found?.["index"], 2);
      assert.match(failure.message, /jobs\[2\]/);
      assert.equal(await count(tenant), 1);
    }
    const twice = [submission({ name: "a" }, "new"), submission({ name: "b" }, "new")];
    assert.equal((await refused(submit(tenant, twice), "IDEMPOTENCY_CONFLICT")).found?.["index"], 1);
    assert.equal(await count(tenant), 1);
  });

  test("that fails names the job by its original index, also after a repeated key", async () => {
    const tenant = "named";
    await submit(tenant, [submission({ name: "known" }, "key")]);
    const before = [submission({}, "twice"), submission({}, "twice")];
    const conflict = submit(tenant, [...before, submission({ name: "changed" }, "key")]);
    const failure = await refused(conflict, "IDEMPOTENCY_CONFLICT");
    assert.equal(failure.found?.["index"], 2);
    assert.match(failure.message, /jobs\[2\]/);
    await Peer.register(system.nodes, tenant);
    const unknown = submit(tenant, [...before, submission({ models: ["vmaf_v0.6.1neg"] })]);
    const { found, message } = await refused(unknown, "UNKNOWN_MODEL");
    assert.deepEqual([found?.["index"], found?.["model"]], [2, "vmaf_v0.6.1neg"]);
    assert.match(message, /jobs\[2\]/);
    assert.equal(await count(tenant), 1);
  });

  test("that was stored before is returned unchanged even if no node has its model anymore", async () => {
    const tenant = "replayed";
    const gone = submission({ models: ["vmaf_v0.6.1neg"] }, "key");
    const first = await submit(tenant, [gone]);
    await Peer.register(system.nodes, tenant);
    const again = await submit(tenant, [gone, submission({})]);
    assert.deepEqual([again.jobs[0]?.existed, again.jobs[0]?.job?.id], [true, first.jobs[0]?.job?.id]);
    const other = submission({ models: ["vmaf_v0.6.1neg"] }, "other");
    await refused(submit(tenant, [gone, other]), "UNKNOWN_MODEL");
  });

  test("with more sets of models than may wait is refused, until some are planned", async () => {
    const tenant = "sets";
    const sets = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) =>
        submission({ models: [`m${from + index}`] }, `k${from + index}`),
      );
    await refused(submit(tenant, sets(0, 257)), "TOO_MANY_MODEL_SETS");
    await submit(tenant, sets(0, 256));
    const { found } = await refused(submit(tenant, sets(256, 257)), "TOO_MANY_MODEL_SETS");
    assert.deepEqual(found, { sets: 257, limit: 256 });
    assert.ok((await submit(tenant, sets(0, 256))).jobs.every(({ existed }) => existed));
    await submit(tenant, [submission({ models: ["m7"] })]);
    await submit("another", sets(256, 257));
  });

  test("with the same key twice stores one job for both", async () => {
    const tenant = "twice";
    const { jobs } = await submit(tenant, [
      submission({}, "key"),
      submission({ name: "other" }),
      submission({}, "key"),
    ]);
    assert.deepEqual(
      jobs.map(({ existed }) => existed),
      [false, false, true],
    );
    assert.equal(jobs[0]?.job?.id, jobs[2]?.job?.id);
    assert.equal(await count(tenant), 2);
  });
});

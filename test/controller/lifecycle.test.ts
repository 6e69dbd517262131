import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import type { FramePart } from "../../src/controller/api/operations.ts";
import {
  GetJobFramesRequestSchema,
  Job_State,
  JobWork_Kind,
  JobWork_State,
  ListJobsRequestSchema,
  SubmitJobsRequestSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Failure } from "../../src/platform/failure.ts";
import { until, WAIT_LIMIT_MS } from "../waiting.ts";
import { caller, Peer } from "./peer.ts";
import { failureReport, METRICS, planReport, scoreOf, valueAt } from "./scored.ts";
import { FLEET, refused, System, submission, wrapped } from "./system.ts";

describe("the lifecycle of a job", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  test("plans, cuts, scores out of order and joins a job to the exact scores", async () => {
    const tenant = "way";
    const frames = 230;
    const { job } = await system.submit(tenant, { name: "trailer", labels: { title: "a" }, priority: 3 });
    assert.deepEqual([job.state, job.revision, job.tenantId], [Job_State.QUEUED, 1, tenant]);
    assert.equal(job.submittedBy, "user of way");
    assert.equal(job.progress, undefined);

    const node = await Peer.register(system.nodes, tenant);
    const plan = await node.pullSome();
    assert.equal(plan.request?.reference, "/media/r.mp4");
    assert.deepEqual(plan.work, { case: "plan", value: { ...plan.work.value, segmentSeconds: 10 } });
    assert.equal((await system.job(tenant, job.id)).state, Job_State.RUNNING);
    await node.plan(plan, frames, 50);
    const count = planReport(frames, 50).segments.length;
    assert.ok(count >= 4);

    const segments = [];
    for (let index = 0; index < count; index++) segments.push(await node.pullSome());
    assert.equal(await node.pull(), undefined);
    await node.heartbeat({
      running: segments.map(({ itemId, attempt }) => ({ itemId, attempt, framesDone: 7 })),
    });
    const running = await system.job(tenant, job.id);
    assert.equal(running.segmentsTotal, count);
    assert.equal(running.progress?.framesDone, 7 * count);
    assert.equal(running.progress?.framesTotal, frames);

    for (const segment of segments.toReversed().slice(0, -1)) await node.score(segment, frames);
    const partial = await system.frames(tenant, { id: job.id });
    assert.ok(partial.length > 0 && partial.length < frames && (partial[0]?.frame ?? 0) > 0);
    await node.score(segments[0] as (typeof segments)[number], frames);

    const done = await system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
    assert.equal(done.score?.toFixed(6), scoreOf(frames).toFixed(6));
    const { result, work, progress } = await system.job(tenant, job.id);
    assert.equal(result?.frameCount, frames);
    assert.equal(result?.frames.length, 0);
    assert.equal(result?.pooled["vmaf"]?.mean, done.score);
    assert.equal(progress?.framesDone, frames);
    assert.deepEqual(
      work.map(({ kind, state }) => [kind, state]),
      [
        ...[JobWork_Kind.PLAN, ...segments.map(() => JobWork_Kind.SEGMENT)].map((kind) => [
          kind,
          JobWork_State.DONE,
        ]),
        // Its stills, which this node does not make.
        [JobWork_Kind.STILLS, JobWork_State.PENDING],
      ],
    );
  });

  test("returns per-frame scores in order, from any frame, as many as requested", async () => {
    const tenant = "frames";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.work(130, 30);
    await system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
    const all = await system.frames(tenant, { id: job.id });
    assert.deepEqual(
      all,
      Array.from({ length: 130 }, (_, frame) => ({
        frame,
        metrics: Object.fromEntries(METRICS.map((metric) => [metric, valueAt(metric, frame)])),
      })),
    );
    for (const [firstFrame, frameCount] of [
      [0, 1],
      [29, 3],
      [45, 0],
      [129, 5],
      [130, 0],
      [4_000_000_000, 1],
    ] as const) {
      const some = await system.frames(tenant, { id: job.id, firstFrame, frameCount });
      assert.deepEqual(some, all.slice(firstFrame, frameCount === 0 ? undefined : firstFrame + frameCount));
    }
  });

  test("ends a read of per-frame scores with an error if they are deleted meanwhile", async () => {
    const tenant = "cut short";
    const node = await Peer.register(system.nodes, tenant);
    const read = (id: string) => {
      const request = create(GetJobFramesRequestSchema, { id });
      return system.jobs.getJobFrames(request, caller(tenant))[Symbol.asyncIterator]();
    };
    const restarted = await system.submit(tenant);
    await node.plan(await node.pullSome(), 60, 30);
    await node.score(await node.pullSome(), 60);
    const running = read(restarted.job.id);
    const rows = async (parts: AsyncIterator<FramePart>) =>
      [...((await parts.next()).value?.rows() ?? [])].length;
    assert.ok((await rows(running)) < 60);
    const value = failureReport("SCORER_FAILED", { cutFault: true });
    await node.report(await node.pullSome(), { case: "failure", value });
    await refused(running.next(), "JOB_RESTARTED");
    await node.work(60, 30);
    const deleted = await system.submit(tenant);
    await node.work(60, 30);
    await system.until(tenant, deleted.job.id, ({ state }) => state === Job_State.SUCCEEDED);
    const ended = read(deleted.job.id);
    assert.ok((await rows(ended)) < 60);
    // Includes jobs that ended at this very moment of the store's clock.
    while ((await system.store.deleteEnded(-1, 100)) > 0);
    await refused(ended.next(), "JOB_NOT_FOUND");
  });

  test("waits through a short outage of the store, at most as long as requested", async () => {
    const tenant = "outage";
    const { job } = await system.submit(tenant);
    let faults = 0;
    const store = wrapped(system.store, {
      job: async (...args) => {
        if (faults++ < 2) throw new Failure("STORE_UNAVAILABLE", "The connection is gone.");
        return system.store.job(...args);
      },
    });
    const other = new System(store, {}, async () => {});
    await (await Peer.register(system.nodes, tenant)).work(40);
    await system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
    const context = caller(tenant);
    const late = other.jobs.waitForJob(job.id, { waitMs: 0, keep: true }, context);
    await refused(late, "STORE_UNAVAILABLE");
    assert.ok((await other.jobs.waitForJob(job.id, { waitMs: WAIT_LIMIT_MS, keep: true }, context)).done);
    assert.equal(faults, 3);
    await other.close();
  });

  test("waits for the end of a job and returns its result, its failure, or neither at the deadline", async () => {
    const tenant = "wait";
    const node = await Peer.register(system.nodes, tenant);
    const good = await system.submit(tenant);
    const context = caller(tenant);
    const late = await system.jobs.waitForJob(good.job.id, { waitMs: 0, keep: true }, context);
    assert.deepEqual(late, { done: false, jobId: good.job.id });
    const waiting = system.jobs.waitForJob(good.job.id, { waitMs: WAIT_LIMIT_MS, keep: true }, context);
    await node.work(40);
    const waited = await waiting;
    assert.ok(waited.done);
    assert.equal(waited.result.score.toFixed(6), scoreOf(40).toFixed(6));

    const bad = await system.submit(tenant);
    const wait = system.jobs.waitForJob(bad.job.id, { waitMs: WAIT_LIMIT_MS, keep: true }, context);
    const failing = refused(wait, "FRAME_COUNT_MISMATCH");
    const found = '{"reference":{"frames":48},"distorted":{"frames":50}}';
    const value = { code: "FRAME_COUNT_MISMATCH", message: "48 frames and 50 frames.", found };
    await node.report(await node.pullSome(), { case: "failure", value });
    const failure = await failing;
    assert.deepEqual(failure.found, JSON.parse(found));
  });

  test("cancels the job of a waiting caller that disconnects, unless it asked to keep it", async () => {
    const tenant = "gone";
    for (const keep of [true, false]) {
      const { job } = await system.submit(tenant);
      const gone = new AbortController();
      const options = { waitMs: WAIT_LIMIT_MS, keep };
      const waiting = system.jobs.waitForJob(job.id, options, caller(tenant, gone.signal));
      gone.abort();
      await refused(waiting, "SCORE_CANCELLED");
      const { state } = await system.job(tenant, job.id);
      assert.equal(state, keep ? Job_State.QUEUED : Job_State.CANCELLED);
    }
  });

  test("cancels for good, returns the same again, and refuses to cancel a job that ended otherwise", async () => {
    const tenant = "cancel";
    const { job } = await system.submit(tenant);
    const cancelled = await system.cancel(tenant, job.id);
    assert.deepEqual(await system.cancel(tenant, job.id), cancelled);
    const node = await Peer.register(system.nodes, tenant);
    assert.equal(await node.pull(), undefined);
    const other = await system.submit(tenant);
    await node.work(30);
    await system.until(tenant, other.job.id, ({ state }) => state === Job_State.SUCCEEDED);
    await refused(system.cancel(tenant, other.job.id), "JOB_FINISHED");
  });

  test("lists jobs newest first, in pages, by state and label", async () => {
    const tenant = "list";
    const ids: string[] = [];
    for (let index = 0; index < 7; index++) {
      const labels = { parity: index % 2 === 0 ? "even" : "odd" };
      ids.unshift((await system.submit(tenant, { name: `job ${index}`, labels })).job.id);
      // Jobs of the same moment are listed by id.
      const moment = await system.store.now();
      await until(async () => (await system.store.now()) > moment, "the store's clock to advance");
    }
    await system.cancel(tenant, ids[0] as string);
    const pages = async (over: object): Promise<string[]> => {
      const found: string[] = [];
      let pageToken = "";
      do {
        const request = create(ListJobsRequestSchema, { ...over, pageToken });
        const page = await system.jobs.listJobs(request, caller(tenant));
        found.push(...page.jobs.map(({ id }) => id));
        pageToken = page.nextPageToken;
      } while (pageToken !== "");
      return found;
    };
    for (const pageSize of [0, 1, 3, 7]) assert.deepEqual(await pages({ pageSize }), ids);
    assert.deepEqual(await pages({ pageSize: 2, states: [Job_State.CANCELLED] }), [ids[0]]);
    const odd = ids.filter((_, index) => index % 2 === 1);
    assert.deepEqual(await pages({ pageSize: 2, labels: { parity: "odd" } }), odd);
    const first = await system.jobs.listJobs(create(ListJobsRequestSchema, { pageSize: 2 }), caller(tenant));
    const other = create(ListJobsRequestSchema, {
      pageToken: first.nextPageToken,
      states: [Job_State.QUEUED],
    });
    await refused(system.jobs.listJobs(other, caller(tenant)), "INVALID_REQUEST");
    const huge = create(ListJobsRequestSchema, { pageSize: 501 });
    await refused(system.jobs.listJobs(huge, caller(tenant)), "INVALID_REQUEST");
  });

  test("lists long jobs in shorter pages than requested", async () => {
    const tenant = "long";
    const labels = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`l${n}`, "😀".repeat(255)]));
    const jobs = Array.from({ length: 140 }, () => submission({ labels }));
    await system.jobs.submitJobs(create(SubmitJobsRequestSchema, { jobs }), caller(tenant));
    const sizes: number[] = [];
    const ids = new Set<string>();
    for (let pageToken = ""; sizes.length === 0 || pageToken !== ""; ) {
      const request = create(ListJobsRequestSchema, { pageSize: 500, pageToken });
      const page = await system.jobs.listJobs(request, caller(tenant));
      sizes.push(page.jobs.length);
      for (const { id } of page.jobs) ids.add(id);
      pageToken = page.nextPageToken;
    }
    assert.equal(ids.size, 140);
    // Each spec has some 16,700 characters, and a page at most 2,097,152.
    assert.deepEqual(sizes, [125, 15]);
  });

  test("counts its work in the metrics", async () => {
    await Peer.register(system.nodes, FLEET).then((node) => node.heartbeat());
    assert.ok((await system.metric("svc_jobs_submitted_total")) > 10);
    assert.ok((await system.metric("svc_jobs_ended_total", { state: "SUCCEEDED" })) >= 4);
    assert.ok((await system.metric("svc_jobs_ended_total", { state: "FAILED" })) >= 1);
    assert.ok((await system.metric("svc_jobs_ended_total", { state: "CANCELLED" })) >= 2);
    assert.ok((await system.metric("svc_work_claimed_total")) >= 10);
    assert.ok(
      (await system.metric("svc_work_reports_total", { report: "segment", recorded: "RECORDED" })) >= 5,
    );
    assert.ok((await system.metric("svc_nodes", { state: "ONLINE" })) >= 1);
    assert.equal(await system.metric("svc_streams"), 0);
  });
});

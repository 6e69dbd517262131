import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { recordQueueWait } from "../../src/controller/telemetry/tracing.ts";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { RecordingTracer } from "../../src/tracing/tracer.ts";
import { Peer } from "../controller/peer.ts";
import { scoreOf } from "../controller/scored.ts";
import { refused, System, wrapped } from "../controller/system.ts";
import { newJob, recordPlan, register, take } from "../store/stores.ts";

const FRAMES = 40;

/** Value of one series as exposed. */
async function sampleOf({ registry }: System, series: string): Promise<number | undefined> {
  const lines = (await registry.metrics()).split("\n");
  const line = lines.find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

describe("a controller's metrics of jobs", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  const sample = (series: string) => sampleOf(system, series);

  test("report wait, duration, frames and score by model for a job that succeeded", async () => {
    const { job } = await system.submit("scored");
    const node = await Peer.register(system.nodes, "scored");
    await node.work(FRAMES, 10);
    await system.until("scored", job.id, ({ state }) => state === Job_State.SUCCEEDED);
    assert.equal(await sample("svc_job_wait_seconds_count"), 1);
    assert.equal(await sample("svc_job_duration_seconds_count"), 1);
    assert.equal(await sample("svc_job_frames_total"), FRAMES);
    assert.equal(await sample('svc_job_score_count{model="vmaf_v0.6.1"}'), 1);
    const score = await sample('svc_job_score_sum{model="vmaf_v0.6.1"}');
    assert.ok(score !== undefined && Math.abs(score - scoreOf(FRAMES)) < 1e-6, `${score}`);
    assert.equal(await sample('svc_jobs_ended_total{state="SUCCEEDED"}'), 1);
  });

  test("report the code, but no score, for a job that failed", async () => {
    const { job } = await system.submit("failing");
    const node = await Peer.register(system.nodes, "failing");
    const value = { code: "MEDIA_NOT_FOUND", message: "There is no such file.", found: "", cutFault: false };
    for (let failed = false; !failed; failed = (await system.job("failing", job.id)).endTime !== undefined) {
      await node.report(await node.pullSome(), { case: "failure", value });
    }
    assert.equal(await sample('svc_jobs_failed_total{code="MEDIA_NOT_FOUND"}'), 1);
    assert.equal(await sample('svc_jobs_ended_total{state="FAILED"}'), 1);
    assert.equal(await sample('svc_job_score_count{model="vmaf_v0.6.1"}'), 1);
  });

  test("count the wait of a job once, even if it is planned again", async () => {
    const before = await sample("svc_job_wait_seconds_count");
    const { job } = await system.submit("anew");
    const node = await Peer.register(system.nodes, "anew");
    await node.plan(await node.pullSome(), FRAMES, 10);
    assert.ok(await system.store.replan(job.id, 1));
    await node.work(FRAMES, 10);
    await system.until("anew", job.id, ({ state }) => state === Job_State.SUCCEEDED);
    assert.equal(await sample("svc_job_wait_seconds_count"), (before ?? 0) + 1);
  });

  test("count a lease only once a node receives it", async () => {
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
    const counted = async () => [
      await hasty.metric("svc_work_claimed_total"),
      await sampleOf(hasty, "svc_job_wait_seconds_count"),
    ];
    assert.deepEqual(await counted(), [0, 0]);
    assert.equal((await node.pullSome()).jobId, job.id);
    assert.deepEqual(await counted(), [1, 1]);
    await hasty.close();
  });

  test("match its span: a job waits once, however often it is planned", async () => {
    const { store } = system;
    const spans: string[] = [];
    const ended = ({ name }: { readonly name: string }) => spans.push(name);
    const tracer = new RecordingTracer({ ratio: 1, resource: {}, version: "1", ended, force: () => false });
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const job = newJob({ traceparent });
    await store.insertJobs("traced", [job]);
    const node = await register(store, "traced");
    const plan = await take(store, node);
    recordQueueWait(tracer, plan);
    await recordPlan(store, node, plan, 1);
    await store.replan(job.id, 1);
    const anew = await take(store, node);
    assert.deepEqual([anew.kind, anew.attempt], ["PLAN", 1]);
    recordQueueWait(tracer, anew);
    assert.deepEqual(spans, ["wait in queue"]);
  });

  test("report that the store answers", async () => {
    assert.equal(await sample("svc_store_up"), 1);
    assert.ok(((await sample("svc_store_round_trip_seconds_count")) ?? 0) > 0);
  });
});

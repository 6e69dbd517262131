import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { estimateMean } from "../../src/engine/estimate/mean.ts";
import { samplingPlan } from "../../src/engine/estimate/sampling-plan.ts";
import {
  FinishJobRequestSchema,
  type Job,
  Job_State,
  JobWork_Kind,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { caller, Peer } from "../controller/peer.ts";
import { failureReport, planReport, segmentReport, valueAt } from "../controller/scored.ts";
import { refused, System } from "../controller/system.ts";

/** About 1,000 units. */
const FRAMES = 16_000;
const UNIT = 16;
const ESTIMATE = { tolerance: 2, seed: 7 };
/** What every task of an estimate finds. */
const FOUND = { code: "BLACK", confidence: "possible", evidence: "All is black." };

/** The values of frames of two scenes, which are so different that no sample is precise. */
function unlike(metric: string, frame: number): number {
  return valueAt(metric, frame) - (Math.floor(frame / 40) % 2 === 0 ? 50 : 0);
}

describe("estimates of jobs", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  async function finish(tenant: string, id: string) {
    const request = create(FinishJobRequestSchema, { id });
    const { job, existed } = await system.jobs.finishJob(request, caller(tenant));
    assert.ok(job);
    return { job, existed };
  }

  /** Does the tasks of a job until it has ended, and returns it with the frames of its scoring tasks. */
  async function work(
    tenant: string,
    id: string,
    score: (peer: Peer, item: WorkItem) => Promise<void> = (peer, item) => peer.score(item, FRAMES),
  ): Promise<{ job: Job; frames: number[]; states: Job[] }> {
    const peer = await Peer.register(system.nodes, tenant);
    const states: Job[] = [];
    const done = new AbortController();
    const frames: number[] = [];
    const ending = system
      .until(tenant, id, (job) => states.push(job) > 0 && job.endTime !== undefined)
      .finally(() => done.abort());
    while (!done.signal.aborted) {
      const item = await peer.pull(60_000, done.signal).catch(() => undefined);
      if (item === undefined) continue;
      if (item.work.case === "plan") {
        await peer.plan(item, FRAMES, item.work.value.units ? UNIT : 250);
        continue;
      }
      assert.ok(item.work.case === "segment");
      const { first = 0, count = FRAMES } = item.work.value.segment
        ? JSON.parse(item.work.value.segment)
        : {};
      frames.push(...Array.from({ length: count }, (_, index) => first + index));
      await score(peer, item);
    }
    await ending;
    return { job: await system.job(tenant, id), frames: frames.sort((one, other) => one - other), states };
  }

  const estimated = async (tenant: string) => {
    const { job } = await system.submit(tenant, {
      name: "film",
      labels: { title: "film" },
      estimate: ESTIMATE,
    });
    return work(tenant, job.id, async (peer, item) => {
      assert.ok(item.work.case === "segment");
      const value = segmentReport(item.work.value.segment, FRAMES, valueAt, { findings: [FOUND] });
      await peer.report(item, { case: "segment", value });
    });
  };

  test("score units of the plan in rounds until the interval is narrow enough", async () => {
    const { job, frames, states } = await estimated("rounds");
    assert.equal(job.state, Job_State.SUCCEEDED);
    const units = planReport(FRAMES, UNIT).segments;
    const { estimate } = job.result ?? {};
    assert.ok(estimate && job.estimate);
    const drawing = samplingPlan(units.length, ESTIMATE.seed);
    const { mean, halfWidth } = estimateMean(drawing, estimate.units, (unit) => {
      const { firstFrame = 0, frameCount = 0 } = units[unit] ?? {};
      const values = Array.from({ length: frameCount }, (_, index) => valueAt("vmaf", firstFrame + index));
      return { frames: frameCount, sum: values.reduce((sum, value) => sum + value, 0) };
    });
    assert.equal(job.score, Number(mean.toFixed(6)));
    assert.ok(halfWidth <= ESTIMATE.tolerance && estimate.units < units.length / 3);
    assert.ok(Math.abs(estimate.high - estimate.low - 2 * halfWidth) < 1e-5);
    assert.equal(estimate.totalUnits, units.length);
    assert.equal(estimate.seed, ESTIMATE.seed);
    const drawn = [...drawing.order.slice(0, estimate.units)].flatMap((unit) => {
      const { firstFrame = 0, frameCount = 0 } = units[unit] ?? {};
      return Array.from({ length: frameCount }, (_, index) => firstFrame + index);
    });
    assert.deepEqual(
      frames,
      drawn.sort((one, other) => one - other),
    );
    const { score, low, high, scoredShare } = job.estimate;
    assert.deepEqual(
      { score, low, high, scoredShare },
      { score: job.score, low: estimate.low, high: estimate.high, scoredShare: estimate.scoredShare },
    );
    assert.equal(job.progress?.framesTotal, frames.length);
    // The first rounds of units show an estimate that is less precise.
    const before = states.find(({ estimate: shown, endTime }) => shown && endTime === undefined)?.estimate;
    assert.ok(before && before.high - before.low > high - low);
    assert.deepEqual(
      job.work.filter(({ kind }) => kind === JobWork_Kind.STILLS),
      [],
    );
    const rows = await system.frames("rounds", { id: job.id });
    assert.deepEqual(
      rows.map(({ frame }) => frame),
      frames,
    );
  });

  test("are finished by a job that scores only the rest, with exactly the scores of a full run", async () => {
    const tenant = "finishing";
    const { job: estimate, frames } = await estimated(tenant);
    const { job: submitted, existed } = await finish(tenant, estimate.id);
    assert.equal(existed, false);
    assert.equal(submitted.state, Job_State.QUEUED);
    assert.equal(submitted.finishes, estimate.id);
    assert.equal(submitted.progress?.framesDone, frames.length);
    assert.equal(submitted.spec?.estimate, undefined);
    assert.deepEqual(submitted.spec?.labels, { title: "film" });
    assert.deepEqual(await finish(tenant, estimate.id).then(({ job, existed }) => [job.id, existed]), [
      submitted.id,
      true,
    ]);
    const { job: full, frames: rest } = await work(tenant, submitted.id);
    const all = Array.from({ length: FRAMES }, (_, frame) => frame);
    assert.deepEqual(
      [...frames, ...rest].sort((one, other) => one - other),
      all,
    );
    const { job } = await system.submit(tenant);
    const { job: whole } = await work(tenant, job.id);
    assert.equal(full.state, Job_State.SUCCEEDED);
    assert.equal(full.score, whole.score);
    assert.equal(full.estimate, undefined);
    assert.deepEqual(full.result?.pooled, whole.result?.pooled);
    assert.deepEqual(full.result?.warnings, whole.result?.warnings);
    for (const { result } of [estimate, full])
      assert.deepEqual(
        result?.findings.map(({ code }) => code),
        [FOUND.code],
      );
    assert.deepEqual(whole.result?.findings, []);
    assert.deepEqual(
      await system.frames(tenant, { id: full.id }),
      await system.frames(tenant, { id: whole.id }),
    );
    const { low = 0, high = 0 } = estimate.estimate ?? {};
    assert.ok(low <= (whole.score ?? 0) && (whole.score ?? 0) <= high);
    assert.equal((await system.job(tenant, estimate.id)).revision, estimate.revision);
    await refused(finish(tenant, full.id), "JOB_NOT_ESTIMATED");
  });

  test("are finished again after that job was cancelled, but not by others", async () => {
    const tenant = "again";
    const { job } = await estimated(tenant);
    await refused(finish("stranger", job.id), "WRONG_TENANT");
    await refused(finish(tenant, "no id"), "JOB_NOT_FOUND");
    const first = await finish(tenant, job.id);
    await system.cancel(tenant, first.job.id);
    const second = await finish(tenant, job.id);
    assert.notEqual(second.job.id, first.job.id);
    const { job: full } = await work(tenant, second.job.id);
    assert.equal(full.result?.frameCount, FRAMES);
  });

  test("are not finished before they have succeeded", async () => {
    const { job } = await system.submit("early", { estimate: ESTIMATE });
    const failure = await refused(finish("early", job.id), "JOB_NOT_SUCCEEDED");
    assert.equal(failure.found?.["state"], "QUEUED");
  });

  test("score all frames, each once, if no sample is precise", async () => {
    const tenant = "imprecise";
    const { job: submitted } = await system.submit(tenant, { estimate: { tolerance: 1, seed: 7 } });
    const { job, frames } = await work(tenant, submitted.id, async (peer, item) => {
      assert.ok(item.work.case === "segment");
      const value = segmentReport(item.work.value.segment, FRAMES, unlike);
      await peer.report(item, { case: "segment", value });
    });
    assert.deepEqual(
      frames,
      Array.from({ length: FRAMES }, (_, frame) => frame),
    );
    assert.equal(job.estimate, undefined);
    assert.equal(job.result?.estimate, undefined);
    assert.equal(job.result?.frameCount, FRAMES);
    assert.deepEqual(
      job.result?.warnings.map(({ code }) => code),
      ["ALL_FRAMES_SCORED"],
    );
    const long = job.work.filter(({ frameCount }) => frameCount > 100);
    assert.ok(long.length > 60, `${long.length} tasks have more than 100 frames`);
    await refused(finish(tenant, job.id), "JOB_NOT_ESTIMATED");
  });

  test("score short videos in ordinary segments", async () => {
    const tenant = "short";
    const { job: submitted } = await system.submit(tenant, { estimate: { tolerance: 0.2 } });
    const { job } = await work(tenant, submitted.id);
    assert.equal(job.result?.frameCount, FRAMES);
    assert.deepEqual(
      job.result?.warnings.map(({ code }) => code),
      ["ALL_FRAMES_SCORED"],
    );
    assert.ok(job.segmentsTotal <= FRAMES / 200, `${job.segmentsTotal} segments`);
  });

  test("are the same after failures of units", async () => {
    const tenant = "retried";
    const failed = new Set<string>();
    const { job: submitted } = await system.submit(tenant, { estimate: ESTIMATE });
    const { job } = await work(tenant, submitted.id, async (peer, item) => {
      if (failed.size >= 3 || failed.has(item.itemId)) return peer.score(item, FRAMES);
      failed.add(item.itemId);
      return peer.report(item, { case: "failure", value: failureReport("SCORER_FAILED") });
    });
    assert.equal(job.retries, 3);
    assert.equal(job.score, (await estimated(tenant)).job.score);
  });

  test("score the pair whole if a unit does not match the plan", async () => {
    const tenant = "mismatch";
    const { job: submitted } = await system.submit(tenant, { estimate: ESTIMATE });
    let scored = 0;
    const { job } = await work(tenant, submitted.id, async (peer, item) => {
      // In the second round, so that scores are discarded.
      if (scored++ !== 85) return peer.score(item, FRAMES);
      return peer.report(item, {
        case: "failure",
        value: failureReport("SCORER_FAILED", { cutFault: true }),
      });
    });
    assert.equal(job.result?.frameCount, FRAMES);
    assert.equal(job.estimate, undefined);
    assert.deepEqual(
      job.result?.warnings.map(({ code }) => code),
      ["ALL_FRAMES_SCORED"],
    );
  });

  test("have a random seed that is stored, and stays the same for a repeated request", async () => {
    const spec = { estimate: { tolerance: 1 } };
    const { job } = await system.submit("seeds", spec, "key");
    const seed = job.spec?.estimate?.seed;
    assert.ok(seed !== undefined && Number.isInteger(seed));
    const again = await system.submit("seeds", spec, "key");
    assert.equal(again.existed, true);
    assert.equal(again.job.spec?.estimate?.seed, seed);
    await refused(
      system.submit("seeds", { estimate: { tolerance: 1, seed: 1 } }, "key"),
      "IDEMPOTENCY_CONFLICT",
    );
  });

  for (const [what, spec] of Object.entries({
    "a subsample": { estimate: ESTIMATE, subsample: 2 },
    "no tolerance": { estimate: {} },
    "a tolerance that is no number": { estimate: { tolerance: Number.NaN } },
    "a tolerance of more than 10 points": { estimate: { tolerance: 10.1 } },
  })) {
    test(`are refused with ${what}`, async () => {
      await refused(system.submit("refused", spec), "INVALID_REQUEST");
    });
  }
});

/** Trends through the controller: which jobs count, what is compared, and what is refused. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  GetTrendRequestSchema,
  type Trend,
  TrendDelta_Verdict as Verdict,
} from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { type JobSpecSchema, ListJobsRequestSchema } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { caller, Peer } from "./peer.ts";
import { segmentReport, valueAt } from "./scored.ts";
import { refused, System } from "./system.ts";

const FRAMES = 20;
const CLIPS = 8;

let system: System;
before(async () => {
  system = await System.open();
  for (const release of ["9", "10", "8"]) {
    for (let clip = 0; clip < CLIPS; clip++) await submit("team", release, `clip${clip}`);
  }
  await submit("team", "10", "new");
  await submit("team", "10", "clip0", { labels: { release: "10", codec: "av1" } });
  await scoreAll("team");
});
after(async () => system.close());

async function submit(
  tenant: string,
  release: string,
  clip: string,
  over: MessageInitShape<typeof JobSpecSchema> = {},
): Promise<void> {
  const names = { reference: `/masters/${clip}.mov`, distorted: `/r${release}/${clip}.mp4` };
  await system.submit(tenant, { ...names, labels: { release }, noCache: true, ...over });
}

/** Release 10 loses a point and more in every clip. */
async function scoreAll(tenant: string): Promise<void> {
  const node = await Peer.register(system.nodes, tenant);
  for (let item = await node.pull(); item !== undefined; item = await node.pull()) {
    if (item.work.case === "plan") await node.plan(item, FRAMES);
    else if (item.work.case === "segment") {
      const { distorted } = item.request ?? assert.fail("a task without its request");
      const loss = distorted.startsWith("/r10/") ? 1 + Number(/clip(\d)/.exec(distorted)?.[1] ?? 0) / 10 : 0;
      const value = (metric: string, frame: number) => valueAt(metric, frame) / 2 + 20 - loss;
      const report = segmentReport(item.work.value.segment, FRAMES, value);
      await node.report(item, { case: "segment", value: report });
    }
  }
  const { jobs } = await system.jobs.listJobs(
    create(ListJobsRequestSchema, { pageSize: 200 }),
    caller(tenant),
  );
  await Promise.all(jobs.map(({ id }) => system.until(tenant, id, ({ endTime }) => endTime !== undefined)));
}

async function trend(
  tenant: string,
  request: MessageInitShape<typeof GetTrendRequestSchema> = {},
): Promise<Trend> {
  const asked = create(GetTrendRequestSchema, { by: "release", ...request });
  const { trend: found } = await system.controller.comparisons.getTrend(asked, caller(tenant));
  return found ?? assert.fail("no trend");
}

test("compares the last release with the one before it, over the clips that both have", async () => {
  const { metric, statistic, threshold, releases, clips, delta, leftOut, metrics } = await trend("team");
  assert.deepEqual([metric, statistic, threshold, leftOut], ["vmaf", "mean", 0.5, 0]);
  assert.deepEqual(metrics, ["vmaf", "psnr_y"]);
  assert.deepEqual(
    releases.map(({ name, clips: count, scorers }) => [name, count, scorers.length]),
    [
      ["8", 8, 1],
      ["9", 8, 1],
      ["10", 9, 1],
    ],
  );
  assert.equal(clips.length, 9);
  assert.deepEqual([delta?.baseline, delta?.candidate, delta?.worse, delta?.better], ["9", "10", 8, 0]);
  assert.equal(delta?.verdict, Verdict.WORSE);
  const { mean = 0, halfWidth = 0, clips: both } = delta?.statistics["mean"] ?? {};
  assert.deepEqual([both, mean.toFixed(3), halfWidth.toFixed(3)], [8, "-1.350", "0.205"]);
  assert.equal(releases[2]?.change?.mean?.toFixed(3), "-1.350");
  assert.equal(releases[1]?.change, undefined);
});

test("only the latest job of each pair and release counts, among the jobs with the requested labels", async () => {
  const { clips, releases } = await trend("team", { labels: { codec: "av1" } });
  assert.deepEqual([clips.length, releases.map(({ name }) => name)], [1, ["10"]]);
  const all = await trend("team");
  const scored = all.clips.find(({ name }) => name === "clip0.mov")?.scores;
  const latest = clips[0]?.scores[0]?.jobId;
  assert.equal(scored?.find(({ release }) => release === "10")?.jobId, latest);
});

test("compares the requested releases by the requested metric and statistic", async () => {
  const { delta } = await trend("team", { baseline: "10", candidate: "8", statistic: "p5", threshold: 1.25 });
  assert.deepEqual([delta?.baseline, delta?.candidate, delta?.verdict], ["10", "8", Verdict.BETTER]);
  assert.deepEqual([delta?.better, delta?.worse], [5, 0]);
  assert.equal((await trend("team", { metric: "psnr_y" })).metric, "psnr_y");
});

test("is empty without jobs, and for another tenant", async () => {
  for (const [tenant, by] of [
    ["stranger", "release"],
    ["team", "unknown"],
  ] as const) {
    const { releases, clips, delta, metrics, metric } = await trend(tenant, { by });
    assert.deepEqual([releases, clips, delta, metrics, metric], [[], [], undefined, [], ""]);
  }
});

describe("refuses", () => {
  for (const [what, request] of [
    ["a label that is none", { by: "" }],
    ["a key that cannot be one", { by: "a b" }],
    ["an unknown statistic", { statistic: "median" }],
    ["a threshold below 0", { threshold: -1 }],
    ["a threshold that is no number", { threshold: Number.NaN }],
  ] as const) {
    test(what, async () => {
      await refused(trend("team", request), "INVALID_REQUEST");
    });
  }

  for (const [what, request] of [
    ["an unknown metric", { metric: "ssim" }],
    ["a metric that every object has", { metric: "constructor" }],
    ["an unknown baseline", { baseline: "7" }],
    ["an unknown candidate", { candidate: "11" }],
  ] as const) {
    test(what, async () => {
      await refused(trend("team", request), "SCORES_NOT_FOUND");
    });
  }

  test("a release that only other tenants have, without naming theirs", async () => {
    const { message } = await refused(trend("stranger", { baseline: "9" }), "SCORES_NOT_FOUND");
    assert.match(message, /Releases: none/);
  });
});

/** Reports of a tenant's own node that try to harm the controller. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { Peer } from "./peer.ts";
import { failureReport, planReport, segmentReport, valueAt } from "./scored.ts";
import { refused, System } from "./system.ts";

const FRAMES = 120;
const LENGTH = 30;
const ENDED: readonly Job_State[] = [Job_State.SUCCEEDED, Job_State.FAILED];

describe("hostile reports", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  /** A job that is scored whole with these scores, after its end. */
  async function scoredAs(tenant: string, value: (metric: string, frame: number) => number) {
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.plan(await node.pullSome(), FRAMES);
    const item = await node.pullSome();
    assert.ok(item.work.case === "segment");
    const report = segmentReport(item.work.value.segment, FRAMES, value);
    await node.report(item, { case: "segment", value: report });
    return system.until(tenant, job.id, ({ state }) => ENDED.includes(state));
  }

  test("refuses a plan whose segments need more context frames than allowed", async () => {
    const tenant = "context";
    await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    const good = planReport(FRAMES, LENGTH);
    const changed = (change: object) => ({
      ...good,
      segments: good.segments.map((one, index) =>
        index === 0 ? one : { ...one, segment: JSON.stringify({ ...JSON.parse(one.segment), ...change }) },
      ),
    });
    for (const change of [{ before: 6 }, { after: 2 }])
      await refused(node.report(item, { case: "plan", value: changed(change) }), "INVALID_REQUEST");
    const every7th = { ...changed({ before: 5 }), plan: good.plan.replace('"subsample":1', '"subsample":7') };
    await refused(node.report(item, { case: "plan", value: every7th }), "INVALID_REQUEST");
    await node.report(item, { case: "plan", value: changed({ before: 5 }) });
  });

  test("inflates many scores only for a leased task, and a few at once", async () => {
    const tenant = "values";
    await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.plan(await node.pullSome(), FRAMES);
    const item = await node.pullSome();
    assert.ok(item.work.case === "segment");
    // Scores that are fewer than the header says.
    const broken = (rowCount: number) => {
      const head = Buffer.from([1, 1, 1, 0, 0, 0, 0, 0, 4, 4, ...Buffer.from("vmaf")]);
      head.writeUInt32LE(rowCount, 4);
      const rows = new Uint8Array(Buffer.concat([head, deflateRawSync(Buffer.alloc(10_000))]));
      return { number: 0, rows, rowCount };
    };
    const value = broken(8 * 1024 + 1);
    for (const stale of [
      { ...item, attempt: item.attempt + 1 },
      { ...item, itemId: crypto.randomUUID() },
    ]) {
      await refused(node.report(stale, { case: "piece", value }), "STALE_ATTEMPT");
      await refused(
        node.report(stale, { case: "segment", value: { last: value, durationMs: 1 } }),
        "STALE_ATTEMPT",
      );
      await refused(node.report(stale, { case: "piece", value: broken(8 * 1024) }), "INVALID_REQUEST");
    }
    await refused(node.report(item, { case: "piece", value }), "INVALID_REQUEST");
    await refused(
      node.report(item, { case: "segment", value: { last: value, durationMs: 1 } }),
      "INVALID_REQUEST",
    );
  });

  test("counts a failure with any facts, and drops facts that cannot be stored", async () => {
    const tenant = "facts";
    const node = await Peer.register(system.nodes, tenant);
    const kept = { at: "\u{1F3AC}", levels: [[[1]]] };
    const facts = [
      `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
      '{"a":"\\ud800"}',
      '{"\\udc00":1}',
      '{"a":["\\u0000"]}',
      '{"a":1,"a":2}',
      JSON.stringify(kept),
    ];
    for (const found of facts) {
      const { job } = await system.submit(tenant);
      const value = failureReport("MEDIA_CORRUPT", { found });
      await node.report(await node.pullSome(), { case: "failure", value });
      const { state, error } = await system.job(tenant, job.id);
      assert.deepEqual([state, error?.code], [Job_State.FAILED, "MEDIA_CORRUPT"], found.slice(0, 40));
      assert.deepEqual(error?.found, found === facts.at(-1) ? kept : undefined, found.slice(0, 40));
    }
  });

  test("fails a job whose scores sum to no finite number, for models and features", async () => {
    for (const huge of ["vmaf", "psnr_y"]) {
      const { state, error } = await scoredAs(`huge ${huge}`, (metric, frame) =>
        metric === huge ? 1e308 : valueAt(metric, frame),
      );
      assert.deepEqual([state, error?.code], [Job_State.FAILED, "SCORER_FAILED"]);
      assert.match(error?.message ?? "", new RegExp(huge));
    }
  });

  test("keeps an impossible score for the tenant, but out of the operator's metrics", async () => {
    const scores = () => system.registry.getSingleMetricAsString("svc_job_score");
    await scoredAs("ordinary", () => 90);
    const ordinary = await scores();
    assert.match(ordinary, /svc_job_score_sum\{[^}]*\} 90$/m);
    for (const score of [1e100, -5, 111]) {
      const { state } = await scoredAs(`score ${score}`, () => score);
      assert.equal(state, Job_State.SUCCEEDED);
    }
    assert.equal(await scores(), ordinary);
  });
});

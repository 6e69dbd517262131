import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Job_State, JobWork_Kind, JobWork_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { Peer } from "./peer.ts";
import {
  CAPABILITIES,
  failureReport,
  piecesOf,
  planReport,
  scoreOf,
  segmentReport,
  tableOf,
  valueAt,
} from "./scored.ts";
import { refused, System, wrapped } from "./system.ts";

const FRAMES = 120;
const LENGTH = 30;

describe("reports", () => {
  let system: System;
  /** Whether elapsed back-offs are ignored. */
  let isHeld = false;
  before(async () => {
    system = await System.open({}, (store) => ({
      promoteWaiting: async (limit) => (isHeld ? [] : store.promoteWaiting(limit)),
      // The controller that gets the last segment's report pools the job, however long that takes.
      takePoolable: async () => [],
    }));
  });
  after(async () => system.close());

  /** A planned job of its own tenant, with every segment leased to the node. */
  async function leased(tenant: string): Promise<{ id: string; node: Peer; segments: WorkItem[] }> {
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.plan(await node.pullSome(), FRAMES, LENGTH);
    const segments: WorkItem[] = [];
    for (let item = await node.pull(); item !== undefined; item = await node.pull()) segments.push(item);
    assert.ok(segments.length >= 3);
    return { id: job.id, node, segments };
  }
  const [succeeded, failed] = [Job_State.SUCCEEDED, Job_State.FAILED];

  test("sent again count once, and those of another attempt or session are refused", async () => {
    const tenant = "again";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const stranger = await Peer.register(system.nodes, tenant);
    const plan = await node.pullSome();
    await refused(stranger.plan(plan, FRAMES, LENGTH), "STALE_ATTEMPT");
    await refused(node.plan({ ...plan, attempt: plan.attempt + 1 }, FRAMES, LENGTH), "STALE_ATTEMPT");
    await refused(node.plan({ ...plan, itemId: crypto.randomUUID() }, FRAMES, LENGTH), "STALE_ATTEMPT");
    await node.plan(plan, FRAMES, LENGTH);
    await node.plan(plan, FRAMES, LENGTH);
    const segment = await node.pullSome();
    await node.score(segment, FRAMES);
    await node.score(segment, FRAMES);
    assert.equal((await system.job(tenant, job.id)).segmentsDone, 1);
    await node.work(FRAMES, LENGTH);
    const done = await system.until(tenant, job.id, ({ state }) => state === succeeded);
    assert.equal(done.score?.toFixed(6), scoreOf(FRAMES).toFixed(6));
    await node.score(segment, FRAMES);
    assert.equal((await system.job(tenant, job.id)).revision, done.revision);
  });

  test("in chunks are joined in order, and a gap between them is refused", async () => {
    const tenant = "pieces";
    const { id, node, segments } = await leased(tenant);
    const [first, ...rest] = segments as [WorkItem, ...WorkItem[]];
    assert.ok(first.work.case === "segment");
    const chunks = piecesOf(tableOf(first.work.value.segment, FRAMES), 160);
    assert.ok(chunks.length > 3);
    const last = chunks.at(-1) as (typeof chunks)[number];
    const report = { case: "segment", value: { last, durationMs: 5 } } as const;
    await refused(node.report(first, report), "INVALID_REQUEST");
    for (const chunk of [...chunks.slice(0, -1), ...chunks.slice(0, 2)]) {
      await node.report(first, { case: "piece", value: chunk });
    }
    await node.report(first, report);
    for (const segment of rest) await node.score(segment, FRAMES);
    await system.until(tenant, id, ({ state }) => state === succeeded);
    const rows = await system.frames(tenant, { id });
    assert.deepEqual(
      rows.map(({ metrics }) => metrics["vmaf"]),
      Array.from({ length: FRAMES }, (_, frame) => valueAt("vmaf", frame)),
    );
  });

  test("of transient failures cause a retry, others fail the job with the reason", async () => {
    const tenant = "faults";
    const { id, node, segments } = await leased(tenant);
    const [first, second] = segments as [WorkItem, WorkItem];
    isHeld = true;
    await node.report(first, { case: "failure", value: failureReport("SCORER_FAILED") });
    await node.report(first, { case: "failure", value: failureReport("SCORER_FAILED") });
    const waiting = await system.job(tenant, id);
    assert.deepEqual([waiting.state, waiting.retries], [Job_State.RUNNING, 1]);
    assert.ok(waiting.work.some(({ state }) => state === JobWork_State.WAITING));
    isHeld = false;
    // Its back-off elapses, and the pull is woken.
    const again = await node.pullSome();
    assert.deepEqual([again.itemId, again.attempt], [first.itemId, first.attempt + 1]);
    await refused(node.score(first, FRAMES), "STALE_ATTEMPT");
    await node.report(second, {
      case: "failure",
      value: failureReport("MEDIA_CORRUPT", { found: '{"frame":7}' }),
    });
    const ended = await system.job(tenant, id);
    assert.deepEqual(
      [ended.state, ended.error?.code, ended.error?.found],
      [failed, "MEDIA_CORRUPT", { frame: 7 }],
    );
    await refused(node.score(again, FRAMES), "STALE_ATTEMPT");
    assert.deepEqual(await node.pull(), undefined);
  });

  test("of repeated failures fail the job with the last reason, sanitized and shortened", async () => {
    const tenant = "newer";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const facts = ["not json", "[1]", `{"a":"${"x".repeat(20_000)}"}`, '{"a":"\\u0000"}'];
    for (const [attempt, found] of facts.entries()) {
      const message = `${attempt}\u0000b\n${"x".repeat(9_000)}`;
      const value = failureReport("FROM_THE_FUTURE", { message, found });
      await node.report(await node.pullSome(), { case: "failure", value });
      const { state } = await system.job(tenant, job.id);
      assert.equal(state, attempt < facts.length - 1 ? Job_State.RUNNING : failed);
    }
    const { error, retries } = await system.job(tenant, job.id);
    assert.deepEqual([error?.code, error?.found, retries], ["INTERNAL", undefined, 3]);
    assert.match(error?.message ?? "", /^3 b x+$/);
    assert.ok((error?.message.length ?? 0) <= 2_000);
  });

  test("of a handed-back task leave it unchanged and available at once", async () => {
    const tenant = "back";
    const { id, node, segments } = await leased(tenant);
    const [first] = segments as [WorkItem];
    const other = await Peer.register(system.nodes, tenant);
    const waiting = other.pull(60_000);
    await node.report(first, { case: "handBack", value: {} });
    assert.equal((await waiting)?.itemId, first.itemId);
    assert.equal((await system.job(tenant, id)).retries, 0);
    await refused(node.score(first, FRAMES), "STALE_ATTEMPT");
  });

  test("of a wrong segment boundary end all segments, and the pair is scored whole", async () => {
    const tenant = "cut";
    const { id, node, segments } = await leased(tenant);
    const [first, second, third] = segments as [WorkItem, WorkItem, WorkItem];
    await node.score(first, FRAMES);
    const other = await Peer.register(system.nodes, tenant);
    // All that it holds; tasks that a node does not list for long are taken back.
    const running = segments.slice(1).map(({ itemId, attempt }) => ({ itemId, attempt }));
    const heartbeat = node.heartbeat({ running, holdMs: 20_000 });
    const fault = failureReport("SCORER_FAILED", { cutFault: true });
    await node.report(second, { case: "failure", value: fault });
    assert.equal((await heartbeat).stop.length, running.length);
    await refused(node.score(third, FRAMES), "STALE_ATTEMPT");
    assert.deepEqual(await system.frames(tenant, { id }), []);
    const whole = await other.pullSome();
    assert.ok(whole.work.case === "segment" && whole.work.value.segment === "");
    // A whole pair has no boundaries that could be wrong, so this counts like any other failure.
    await other.report(whole, { case: "failure", value: fault });
    assert.equal((await system.job(tenant, id)).retries, 1);
    await other.score(await other.pullSome(), FRAMES);
    const done = await system.until(tenant, id, ({ state }) => state === succeeded);
    assert.equal(done.score?.toFixed(6), scoreOf(FRAMES).toFixed(6));
    const kinds = (await system.job(tenant, id)).work.map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(-2), [JobWork_Kind.WHOLE, JobWork_Kind.STILLS]);
    assert.equal((await system.frames(tenant, { id })).length, FRAMES);
  });

  test("whose segments disagree about a shared frame also lead to scoring the pair whole", async () => {
    const tenant = "disagree";
    const { id, node, segments } = await leased(tenant);
    const [first, ...rest] = segments as [WorkItem, ...WorkItem[]];
    assert.ok(first.work.case === "segment");
    const wrong = segmentReport(
      first.work.value.segment,
      FRAMES,
      (metric, frame) => valueAt(metric, frame) + 1,
    );
    await node.report(first, { case: "segment", value: wrong });
    for (const segment of rest) await node.score(segment, FRAMES);
    const whole = await node.pullSome();
    assert.ok(whole.work.case === "segment" && whole.work.value.segment === "");
    await node.score(whole, FRAMES);
    const done = await system.until(tenant, id, ({ state }) => state === succeeded);
    assert.equal(done.score?.toFixed(6), scoreOf(FRAMES).toFixed(6));
  });

  test("of a whole pair with another number of frames include the plan that it was scored by", async () => {
    const tenant = "recount";
    const { id, node, segments } = await leased(tenant);
    const cutFault = failureReport("SCORER_FAILED", { cutFault: true });
    await node.report(segments[0] as WorkItem, { case: "failure", value: cutFault });
    const whole = await node.pullSome();
    const report = segmentReport("", 100);
    const { plan } = planReport(100);
    const value = { ...report, plan, frameCount: 99 };
    await refused(node.report(whole, { case: "segment", value }), "INVALID_REQUEST");
    await node.report(whole, { case: "segment", value: { ...value, frameCount: 100 } });
    const done = await system.until(tenant, id, ({ state }) => state === succeeded);
    assert.deepEqual([done.progress?.framesTotal, done.score?.toFixed(6)], [100, scoreOf(100).toFixed(6)]);
  });

  test("that are invalid change nothing", async () => {
    const tenant = "poison";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    const item = await node.pullSome();
    const good = planReport(FRAMES, LENGTH);
    const segments = good.segments;
    const plans = [
      { ...good, plan: "" },
      { ...good, plan: "{}" },
      { ...good, plan: good.plan.replace('"width":1280', '"width":"1280 -i /etc/passwd"') },
      { ...good, plan: planReport(FRAMES + 1).plan },
      { ...good, plan: good.plan.replace("n7.0", "n7.1") },
      { ...good, frameCount: FRAMES + 1 },
      { ...good, pixels: 0 },
      { ...good, pixels: good.pixels - 1 },
      { ...good, segments: [] },
      { ...good, segments: segments.slice(1) },
      { ...good, segments: segments.toReversed() },
      { ...good, segments: segments.map((segment) => ({ ...segment, segment: "{}" })) },
      { ...good, segments: segments.map((segment) => ({ ...segment, frameCount: 1 })) },
    ];
    for (const value of plans) await refused(node.report(item, { case: "plan", value }), "INVALID_REQUEST");
    await node.report(item, { case: "plan", value: good });
    const segment = await node.pullSome();
    assert.ok(segment.work.case === "segment");
    const { last } = segmentReport(segment.work.value.segment, FRAMES);
    const chunk = last as { rows: Uint8Array<ArrayBuffer>; rowCount: number };
    const chunks = [
      { ...chunk, rowCount: chunk.rowCount + 1 },
      { ...chunk, rows: chunk.rows.slice(1) },
      { ...chunk, rows: new Uint8Array(0) },
      { ...chunk, rows: new Uint8Array(901 * 1024) },
      { ...chunk, number: 5_000 },
    ];
    for (const value of chunks) {
      await refused(node.report(segment, { case: "piece", value }), "INVALID_REQUEST");
      await refused(
        node.report(segment, { case: "segment", value: { last: value, durationMs: 1 } }),
        "INVALID_REQUEST",
      );
    }
    for (const durationMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await refused(
        node.report(segment, { case: "segment", value: { last: chunk, durationMs } }),
        "INVALID_REQUEST",
      );
    }
    await refused(node.report(segment, { case: undefined }), "INVALID_REQUEST");
    await refused(
      node.report({ itemId: "x", attempt: 1 }, { case: "handBack", value: {} }),
      "INVALID_REQUEST",
    );
    await node.score(segment, FRAMES);
    await node.work(FRAMES, LENGTH);
    const done = await system.until(tenant, job.id, ({ state }) => state === succeeded);
    assert.equal(done.score?.toFixed(6), scoreOf(FRAMES).toFixed(6));
  });

  test("of a plan with models that the node did not register are refused", async () => {
    const tenant = "models";
    await system.submit(tenant);
    const capabilities = { ...CAPABILITIES, models: [{ name: "vmaf_v0.6.1", digest: "ab".repeat(32) }] };
    const node = await Peer.register(system.nodes, tenant, { capabilities });
    await refused(node.plan(await node.pullSome(), FRAMES), "INVALID_REQUEST");
  });

  test("whose scores cannot be joined fail the job with the reason", async () => {
    const tenant = "misfit";
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.plan(await node.pullSome(), 50);
    const [last] = piecesOf(tableOf("", 49));
    await node.report(await node.pullSome(), { case: "segment", value: { last: last ?? {}, durationMs: 1 } });
    // The boundaries of a plan's only segment may be wrong; those of a whole pair cannot be.
    const whole = await node.pullSome();
    await node.report(whole, { case: "segment", value: { last: last ?? {}, durationMs: 1 } });
    const { error } = await system.until(tenant, job.id, ({ state }) => state === failed);
    assert.equal(error?.code, "SCORER_FAILED");
  });

  test("whose scores cannot be joined when scored whole fail the job", async () => {
    const tenant = "no other way";
    const settled = Promise.withResolvers<void>();
    const store = wrapped(system.store, {
      restartWhole: async () => undefined,
      fail: async (...args) => system.store.fail(...args).finally(settled.resolve),
    });
    const other = new System(store, {}, async () => {});
    const { job } = await other.submit(tenant);
    const node = await Peer.register(other.nodes, tenant);
    await node.plan(await node.pullSome(), 50);
    const [last] = piecesOf(tableOf("", 49));
    await node.report(await node.pullSome(), { case: "segment", value: { last: last ?? {}, durationMs: 1 } });
    await settled.promise;
    const { state, error } = await other.job(tenant, job.id);
    assert.deepEqual([state, error?.code], [failed, "SCORER_FAILED"]);
    await other.close();
  });
});

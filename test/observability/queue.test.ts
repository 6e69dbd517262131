import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Registry } from "prom-client";
import { showQueue } from "../../src/controller/scheduling/queue-metrics.ts";
import { type PendingWork, QueueStats, type QueueView } from "../../src/controller/scheduling/queue-stats.ts";
import { scorerNames } from "../../src/controller/scheduling/scorer-names.ts";
import { DIAGNOSIS_CLASS, needOf, planClass, STILLS_CLASS, scoreClass } from "../../src/jobs/work.ts";
import { MAX_READY_OF_TENANT } from "../../src/store/contract/task-records.ts";
import { Peer } from "../controller/peer.ts";
import { CAPABILITIES, planReport, SCORER } from "../controller/scored.ts";
import { LIMITS, System, wrapped } from "../controller/system.ts";
import { newJob } from "../store/stores.ts";

describe("the queue statistics", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  const lookOf = async (look: QueueStats): Promise<QueueView> => {
    await look.refresh();
    assert.ok(look.view);
    return look.view;
  };
  const count = ({ pending }: QueueView, fits: Partial<PendingWork>): number =>
    pending
      .filter((work) => Object.entries(fits).every(([key, value]) => Reflect.get(work, key) === value))
      .reduce((sum, work) => sum + work.count, 0);

  test("count waiting tasks by kind and scorer, and running tasks", async () => {
    const look = new QueueStats(system.store, () => LIMITS);
    assert.equal(look.view, undefined, "there was no read yet");
    const empty = await lookOf(look);
    assert.deepEqual(
      empty.pending.map(({ kind, count: waiting }) => [kind, waiting]),
      [
        ["PLAN", 0],
        ["SCORE", 0],
        ["STILLS", 0],
      ],
    );
    await system.submit("queue");
    await system.submit("queue");
    const node = await Peer.register(system.nodes, "queue");
    const item = await node.pullSome();
    const claimed = await lookOf(look);
    assert.equal(count(claimed, { kind: "PLAN", waitsFor: "node" }), 1);
    assert.equal(claimed.leased, 1);
    assert.ok((claimed.oldestMs.get("PLAN") ?? 0) > 0);
    await node.plan(item, 40, 10);
    const planned = await lookOf(look);
    assert.equal(count(planned, { kind: "PLAN" }), 1);
    const scored = planned.pending.filter(({ kind, count: waiting }) => kind === "SCORE" && waiting > 0);
    assert.deepEqual(
      scored.map(({ scorer, count: waiting }) => [scorer, waiting]),
      [["ffmpeg n7.0", 4]],
    );
  });

  test("separate tasks whose tenant is at its limit, which another node would not help", async () => {
    await system.submit("limited");
    await system.submit("limited");
    await system.submit("limited");
    const node = await Peer.register(system.nodes, "limited");
    await node.pullSome();
    const look = new QueueStats(system.store, (tenant) => ({
      ...LIMITS,
      segmentsRunning: tenant === "limited" ? 2 : Number.POSITIVE_INFINITY,
    }));
    const view = await lookOf(look);
    assert.equal(count(view, { waitsFor: "limit" }), 1);
  });

  test("are counted up to a common budget, of which short queues leave more to long ones", async () => {
    const workClass = planClass(["vmaf_v0.6.1"]);
    const queues = new Map([
      ["short", 10],
      ["long", 1_000_000],
      ["longer", 2_000_000],
    ]);
    const store = wrapped(system.store, {
      ready: async () => [...queues.keys()].map((tenant) => ({ tenant, workClass })),
      waiting: async (pairs) =>
        pairs.map(({ tenant, most }) => ({ count: Math.min(most, queues.get(tenant) ?? 0), ageMs: 0 })),
    });
    assert.equal(count(await lookOf(new QueueStats(store, () => LIMITS)), {}), 100_000);
    queues.delete("longer");
    queues.set("long", 99_989);
    assert.equal(count(await lookOf(new QueueStats(store, () => LIMITS)), {}), 99_999);
  });

  test("report that they are incomplete if a tenant has more work classes than are read", async () => {
    const look = new QueueStats(system.store, () => LIMITS);
    assert.equal((await lookOf(look)).cut, false);
    const jobs = Array.from({ length: MAX_READY_OF_TENANT + 1 }, (_, n) =>
      newJob({ workClass: planClass([`model ${n}`]) }),
    );
    await system.store.insertJobs("classes", jobs);
    const view = await lookOf(look);
    assert.equal(view.cut, true);
    const registry = new Registry();
    showQueue(registry, () => view);
    assert.match(await registry.metrics(), /^svc_work_look_cut 1$/m);
  });

  test("name at most sixteen scorers, of currently waiting tasks", async () => {
    const look = new QueueStats(system.store, () => LIMITS);
    const planned = async (tenant: string, version: string): Promise<Peer> => {
      const { job } = await system.submit(tenant);
      const scorer = { ...SCORER, version };
      const node = await Peer.register(system.nodes, tenant, { capabilities: { ...CAPABILITIES, scorer } });
      const item = await node.pullSome();
      assert.equal(item.jobId, job.id);
      await node.report(item, { case: "plan", value: planReport(40, undefined, scorer) });
      return node;
    };
    const many: Peer[] = [];
    for (let version = 10; version < 28; version++) many.push(await planned("many", `n${version}`));
    const first = await lookOf(look);
    assert.equal(new Set(first.pending.map(({ scorer }) => scorer)).size, 18, "with none and other");
    assert.ok(count(first, { scorer: "other", waitsFor: "node" }) >= 2);
    for (const node of many) await node.work(40);
    for (const tenant of ["late", "later"]) await planned(tenant, "n99");
    const second = await lookOf(look);
    assert.equal(count(second, { scorer: "ffmpeg n99", waitsFor: "node" }), 2);
    assert.equal(count(second, { scorer: "ffmpeg n10" }), 0);
    assert.equal(count(second, { scorer: "other" }), 0);
  });
});

describe("the named scorers", () => {
  const waiting = (tenant: string, scorer: string, pieces = 1) => ({ tenant, scorer, count: pieces });
  const sixteen = Array.from({ length: 16 }, (_, n) => waiting("greedy", `made up ${n + 10}`, 1_000));

  test("are those that most tenants wait for, then most tasks, then the first by name", () => {
    const nameOf = scorerNames([
      ...sixteen,
      waiting("a", "vmaf 3"),
      waiting("b", "vmaf 3"),
      waiting("c", "vmaf 2"),
    ]);
    assert.equal(nameOf("vmaf 3"), "vmaf 3", "one tenant cannot take all names");
    assert.equal(nameOf("vmaf 2"), "other");
    assert.equal(nameOf("made up 10"), "made up 10");
    assert.equal(nameOf("made up 25"), "other");
    assert.equal(nameOf(""), "");
  });

  test("are the same in any order of input", () => {
    const wanted = [...sixteen, waiting("a", "vmaf 3", 1_000)];
    const [one, other] = [scorerNames(wanted), scorerNames(wanted.toReversed())];
    for (const { scorer } of wanted) assert.equal(one(scorer), other(scorer), scorer);
  });
});

test("the needs of each work class", () => {
  assert.deepEqual(needOf(planClass(["m"])), { kind: "PLAN", scorer: "" });
  assert.deepEqual(needOf(STILLS_CLASS), { kind: "STILLS", scorer: "" });
  assert.deepEqual(needOf(DIAGNOSIS_CLASS), { kind: "PLAN", scorer: "" });
  const scorer = { program: "vmaf", version: "3.0.0", libvmafVersion: "3.0.0" };
  assert.deepEqual(needOf(scoreClass(scorer, [])), { kind: "SCORE", scorer: "vmaf 3.0.0" });
});

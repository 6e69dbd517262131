/** Comparisons through the controller: submitted as one, scored by nodes, compared, run again and cancelled. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { stateName } from "../../src/cli/jobs/state.ts";
import {
  AddCellsRequestSchema,
  CancelComparisonRequestSchema,
  type Comparison,
  type ComparisonPair,
  type ComparisonPairSchema,
  DeleteComparisonRequestSchema,
  GetComparisonRequestSchema,
  ListComparisonsRequestSchema,
  RetryCellsRequestSchema,
  SubmitComparisonRequestSchema,
} from "../../src/gen/proto/svc/v1/comparison_pb.ts";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { caller, Peer } from "./peer.ts";
import { failureReport, segmentReport, valueAt } from "./scored.ts";
import { refused, System } from "./system.ts";

const FRAMES = 20;
const REFERENCE = "/media/r.mp4";

let system: System;
before(async () => {
  system = await System.open();
});
after(async () => system.close());

type Pair = MessageInitShape<typeof ComparisonPairSchema>;

/** Pairs of the ladders a and b, by rung. */
function pairs(...names: readonly string[]): Pair[] {
  return names.map((name) => ({
    reference: REFERENCE,
    distorted: `/media/${name}.mp4`,
    ladder: name[0] ?? "",
  }));
}

async function submit(
  tenant: string,
  given: MessageInitShape<typeof SubmitComparisonRequestSchema>,
): Promise<Comparison & { readonly existed: boolean }> {
  const request = create(SubmitComparisonRequestSchema, given);
  const { comparison, existed } = await system.controller.comparisons.submitComparison(
    request,
    caller(tenant),
  );
  assert.ok(comparison);
  return { ...comparison, existed };
}

async function get(tenant: string, id: string): Promise<Comparison> {
  const request = create(GetComparisonRequestSchema, { id });
  const { comparison } = await system.controller.comparisons.getComparison(request, caller(tenant));
  return comparison ?? assert.fail("no comparison");
}

/** Scores all tasks of a tenant: the pair of rung n of a ladder has `lift` n points more; fails pairs named bad. */
async function scoreAll(node: Peer): Promise<void> {
  for (let item = await node.pull(); item !== undefined; item = await node.pull()) {
    const { distorted } = item.request ?? assert.fail("a task without its request");
    if (item.work.case === "plan" && distorted.includes("bad"))
      await node.report(item, { case: "failure", value: failureReport("MEDIA_NOT_FOUND") });
    else if (item.work.case === "plan") await node.plan(item, FRAMES);
    else if (item.work.case === "segment") {
      const rung = Number(/\d/.exec(distorted)?.[0] ?? 0);
      const value = (metric: string, frame: number) => valueAt(metric, frame) / 2 + rung;
      await node.report(item, {
        case: "segment",
        value: segmentReport(item.work.value.segment, FRAMES, value),
      });
    }
  }
}

const states = ({ cells }: Comparison) => cells.map(({ state }) => stateName(state));

describe("a comparison", () => {
  test("has a job for each pair, with its settings and the tenant's defaults", async () => {
    const settings = { features: ["psnr"], labels: { release: "7" }, priority: 3 };
    const submitted = await submit("jobs", { name: "codecs", settings, pairs: pairs("a1", "b1") });
    const { cells, progress } = submitted;
    assert.deepEqual(
      cells.map(({ number, ladder, clip, distorted }) => [number, ladder, clip, distorted]),
      [
        [1, "a", "r.mp4", "/media/a1.mp4"],
        [2, "b", "r.mp4", "/media/b1.mp4"],
      ],
    );
    assert.deepEqual([progress?.cells, progress?.queued, submitted.anchor], [2, 2, "a"]);
    for (const { jobId, distorted } of cells) {
      const { spec, state } = await system.job("jobs", jobId);
      assert.deepEqual([spec?.reference, spec?.distorted, state], [REFERENCE, distorted, Job_State.QUEUED]);
      assert.deepEqual([spec?.features, spec?.labels, spec?.priority], [["psnr"], { release: "7" }, 3]);
    }
  });

  test("compares its ladders once their jobs have succeeded", async () => {
    const tenant = "compared";
    const names = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"];
    const { id } = await submit(tenant, { pairs: pairs(...names), anchor: "b" });
    const early = await get(tenant, id);
    assert.deepEqual([early.anchor, early.deltas, early.metrics], ["b", [], []]);
    await scoreAll(await Peer.register(system.nodes, tenant));
    await Promise.all(
      early.cells.map(({ jobId }) => system.until(tenant, jobId, ({ endTime }) => endTime !== undefined)),
    );
    const done = await get(tenant, id);
    assert.equal(done.progress?.succeeded, 8);
    assert.deepEqual(
      done.ladders.map(({ name, cells, scored }) => [name, cells, scored]),
      [
        ["a", 4, 4],
        ["b", 4, 4],
      ],
    );
    assert.deepEqual(
      done.metrics.map(({ name }) => name),
      ["vmaf", "psnr_y"],
    );
    const job = await system.jobs.getJob({ id: done.cells[0]?.jobId ?? "" } as never, caller(tenant));
    assert.deepEqual(done.cells[0]?.pooled["vmaf"], job.job?.result?.pooled["vmaf"]);
    // The invented tracks all have one rate: the curves are refused, by every method with its reason.
    const [delta] = done.deltas;
    assert.deepEqual(
      [delta?.ladder, delta?.metric, delta?.method, delta?.scale],
      ["a", "vmaf", "pchip", "linear"],
    );
    assert.deepEqual([delta?.clips, delta?.refused, delta?.byClip[0]?.refusal?.code], [0, 1, "SAME_POINT"]);
    assert.match(delta?.byClip[0]?.refusal?.message ?? "", /^b has two points with the same rate or vmaf/);
  });

  test("says why a cell failed, and runs it again alone", async () => {
    const tenant = "retried";
    const node = await Peer.register(system.nodes, tenant);
    const { id, cells } = await submit(tenant, { pairs: pairs("a1", "a-bad") });
    await scoreAll(node);
    const [good, bad] = cells.map(({ jobId }) => jobId);
    await system.until(tenant, good ?? "", ({ endTime }) => endTime !== undefined);
    const failed = await get(tenant, id);
    assert.deepEqual(states(failed), ["SUCCEEDED", "FAILED"]);
    assert.equal(failed.cells[1]?.error?.code, "MEDIA_NOT_FOUND");
    const retry = (given: number[]) =>
      system.controller.comparisons.retryCells(
        create(RetryCellsRequestSchema, { id, cells: given }),
        caller(tenant),
      );
    assert.equal((await retry([1])).retried, 0, "a scored cell stays as it is");
    const { retried, comparison } = await retry([]);
    assert.ok(comparison);
    assert.deepEqual([retried, states(comparison)], [1, ["SUCCEEDED", "QUEUED"]]);
    assert.deepEqual([comparison.cells[0]?.jobId, comparison.cells[1]?.jobId === bad], [good, false]);
    assert.equal((await retry([])).retried, 0, "it is queued");
    assert.equal((await retry([3])).retried, 0, "there is none");
  });

  test("keeps what its ladders are named after, in their order", async () => {
    const groupBy = ["size", "encoder"];
    const { id } = await submit("grouped", { pairs: pairs("a1"), groupBy });
    assert.deepEqual((await get("grouped", id)).groupBy, groupBy);
    const plain = await submit("grouped", { pairs: pairs("a1") });
    assert.deepEqual((await get("grouped", plain.id)).groupBy, []);
  });

  test("gets more cells, each once, with its settings", async () => {
    const tenant = "grown";
    const { id } = await submit(tenant, { pairs: pairs("a1"), settings: { models: ["vmaf_v0.6.1neg"] } });
    const add = (given: Pair[]) =>
      system.controller.comparisons.addCells(
        create(AddCellsRequestSchema, { id, pairs: given as ComparisonPair[] }),
        caller(tenant),
      );
    for (const expected of [1, 0]) {
      const { added, comparison } = await add(pairs("a1", "b1"));
      assert.deepEqual([added, comparison?.cells.length], [expected, 2]);
      const job = await system.job(tenant, comparison?.cells[1]?.jobId ?? "");
      assert.deepEqual(job.spec?.models, ["vmaf_v0.6.1neg"]);
    }
    await refused(add([]), "INVALID_REQUEST");
    const { message } = await refused(add([...pairs("a1"), { reference: "/r" }]), "INVALID_REQUEST");
    assert.match(message, /^pairs\[1\]: /);
  });

  test("cancels the jobs that have not ended", async () => {
    const tenant = "cancelled";
    const { id } = await submit(tenant, { pairs: pairs("a1", "a2") });
    const cancel = () =>
      system.controller.comparisons.cancelComparison(
        create(CancelComparisonRequestSchema, { id }),
        caller(tenant),
      );
    const { cancelled, comparison } = await cancel();
    assert.ok(comparison);
    assert.deepEqual([cancelled, states(comparison)], [2, ["CANCELLED", "CANCELLED"]]);
    assert.equal((await cancel()).cancelled, 0);
  });

  test("shows which jobs were deleted, and runs them again", async () => {
    const tenant = "deleted";
    const { id, cells } = await submit(tenant, { pairs: pairs("a1", "a2") });
    await system.jobs.deleteJob({ id: cells[0]?.jobId ?? "", cancel: true } as never, caller(tenant));
    const left = await get(tenant, id);
    assert.deepEqual(
      [left.cells[0]?.error?.code, left.cells[0]?.distorted, left.progress?.deleted],
      ["JOB_NOT_FOUND", "/media/a1.mp4", 1],
    );
    const request = create(RetryCellsRequestSchema, { id });
    const { retried } = await system.controller.comparisons.retryCells(request, caller(tenant));
    assert.equal(retried, 1);
  });

  test("is deleted without its jobs, and its key is free again", async () => {
    const tenant = "no longer";
    const given = { pairs: pairs("a1", "a2"), idempotencyKey: "k" };
    const { id, cells } = await submit(tenant, given);
    const remove = (of: string) =>
      system.controller.comparisons.deleteComparison(
        create(DeleteComparisonRequestSchema, { id: of }),
        caller(tenant),
      );
    const { comparison } = await remove(id);
    assert.deepEqual([comparison?.id, comparison?.cells.length], [id, 2]);
    await refused(remove(id), "COMPARISON_NOT_FOUND");
    await refused(remove("x"), "COMPARISON_NOT_FOUND");
    for (const { jobId } of cells) assert.equal((await system.job(tenant, jobId)).state, Job_State.QUEUED);
    const again = await submit(tenant, given);
    assert.deepEqual([again.existed, again.id === id], [false, false]);
  });

  test("is stored once for a key, and its key refuses another request", async () => {
    const tenant = "keyed";
    const given = { pairs: pairs("a1", "a2"), idempotencyKey: "k" };
    const first = await submit(tenant, given);
    const again = await Promise.all([submit(tenant, given), submit(tenant, given)]);
    assert.deepEqual(
      again.map(({ id, existed }) => [id, existed]),
      [
        [first.id, true],
        [first.id, true],
      ],
    );
    assert.equal(await system.store.countJobs(tenant, {}), 2);
    await refused(submit(tenant, { ...given, name: "other" }), "IDEMPOTENCY_CONFLICT");
    await refused(submit(tenant, { ...given, idempotencyKey: "\u0001" }), "INVALID_REQUEST");
  });

  test("is refused whole, with the fault and its place", async () => {
    const tenant = "faulty";
    const bad: [MessageInitShape<typeof SubmitComparisonRequestSchema>, RegExp][] = [
      [{ pairs: [] }, /pairs is empty/],
      [
        { pairs: Array.from({ length: 2001 }, (_, n) => ({ reference: "/r", distorted: `/${n}` })) },
        /2001 pairs/,
      ],
      [{ pairs: pairs("a1", "a1") }, /pairs\[1\] has the same videos as pairs\[0\]/],
      [{ pairs: [...pairs("a1"), { reference: "/r", distorted: "" }] }, /^pairs\[1\]: /],
      [{ pairs: [...pairs("a1"), { ...pairs("a2")[0], ladder: "x".repeat(101) }] }, /pairs\[1\]\.ladder/],
      [{ pairs: pairs("a1"), anchor: "z" }, /anchor is "z"/],
      [
        { pairs: pairs("a1"), groupBy: ["size", "bitrate"] },
        /groupBy has "bitrate"\. Use codec, encoder, size/,
      ],
      [{ pairs: pairs("a1"), groupBy: ["size", "size"] }, /groupBy has a value twice/],
      [{ pairs: pairs("a1"), name: "x".repeat(201) }, /name is longer/],
      [{ pairs: pairs("a1"), settings: { reference: "/r" } }, /settings\.reference/],
      [{ pairs: pairs("a1"), settings: { diagnoseOnly: true } }, /settings\.diagnoseOnly/],
      [{ pairs: pairs("a1"), settings: { estimate: { tolerance: 1 } } }, /settings\.estimate/],
      [{ pairs: pairs("a1"), settings: { features: ["beauty"] } }, /^(?!pairs).*beauty/],
    ];
    for (const [given, message] of bad) {
      const failure = await refused(submit(tenant, given), "INVALID_REQUEST", "UNKNOWN_FEATURE");
      assert.match(failure.message, message);
    }
    assert.equal(await system.store.countJobs(tenant, {}), 0);
  });

  test("is seen only by its tenant", async () => {
    const { id } = await submit("owner", { name: "secret", pairs: pairs("a1") });
    const { comparisons } = system.controller;
    const context = caller("stranger");
    const attempts = [
      (of: string) => comparisons.getComparison(create(GetComparisonRequestSchema, { id: of }), context),
      (of: string) =>
        comparisons.cancelComparison(create(CancelComparisonRequestSchema, { id: of }), context),
      (of: string) => comparisons.retryCells(create(RetryCellsRequestSchema, { id: of }), context),
      (of: string) =>
        comparisons.addCells(create(AddCellsRequestSchema, { id: of, pairs: pairs("a2") }), context),
    ];
    for (const attempt of attempts) {
      const { message, found } = await refused(attempt(id), "WRONG_TENANT");
      assert.deepEqual([message, found], ["The comparison belongs to another tenant.", undefined]);
      for (const odd of [crypto.randomUUID(), "", "x", "' or 1=1 --"])
        await refused(attempt(odd), "COMPARISON_NOT_FOUND");
    }
    const listed = await comparisons.listComparisons(create(ListComparisonsRequestSchema), context);
    assert.deepEqual(listed.comparisons, []);
    const [own] = (await comparisons.listComparisons(create(ListComparisonsRequestSchema), caller("owner")))
      .comparisons;
    assert.deepEqual([own?.id, own?.name, own?.progress?.queued, own?.cells], [id, "secret", 1, []]);
  });
});

test("a tenant's limit of queued jobs holds for comparisons", async () => {
  const limited = await System.open({
    limitsOf: () => ({
      ...{ jobsQueued: 3, segmentsRunning: Number.POSITIVE_INFINITY },
      ...{ submitsPerSecond: Number.POSITIVE_INFINITY, weight: 1 },
    }),
  });
  try {
    const request = create(SubmitComparisonRequestSchema, { pairs: pairs("a1", "a2", "a3", "a4") });
    const work = limited.controller.comparisons.submitComparison(request, caller("small"));
    await refused(work, "TENANT_QUEUE_FULL");
    assert.equal(await limited.store.countJobs("small", {}), 0);
  } finally {
    await limited.close();
  }
});

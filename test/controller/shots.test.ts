/** What nodes report of the shots of a reference: checked, joined into the result, and absent if a part is not known. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Job_State } from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { SegmentShotsSchema, WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import type { ScoreResult } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { Peer } from "./peer.ts";
import { segmentReport, valueAt } from "./scored.ts";
import { refused, System } from "./system.ts";

type ShotsInit = MessageInitShape<typeof SegmentShotsSchema>;

const FRAMES = 120;
const LENGTH = 30;
const NONE = { starts: [], lastChange: 1 };

describe("shots that nodes report", () => {
  let system: System;
  before(async () => {
    system = await System.open();
  });
  after(async () => system.close());

  async function planned(tenant: string): Promise<{ id: string; node: Peer }> {
    const { job } = await system.submit(tenant);
    const node = await Peer.register(system.nodes, tenant);
    await node.plan(await node.pullSome(), FRAMES, LENGTH);
    return { id: job.id, node };
  }

  async function score(node: Peer, item: WorkItem, shots: ShotsInit | undefined): Promise<void> {
    assert.ok(item.work.case === "segment");
    const value = segmentReport(item.work.value.segment, FRAMES, valueAt, shots && { shots });
    await node.report(item, { case: "segment", value });
  }

  async function resultOf(
    tenant: string,
    { id, node }: { readonly id: string; readonly node: Peer },
    ...parts: (ShotsInit | undefined)[]
  ): Promise<ScoreResult> {
    for (const shots of parts) await score(node, await node.pullNow(), shots);
    await system.until(tenant, id, ({ state }) => state === Job_State.SUCCEEDED);
    return (await system.job(tenant, id)).result ?? assert.fail("it has no result");
  }

  test("are in the result with their scores, also one that begins with a segment", async () => {
    const segments = [
      { starts: [10], lastChange: 2 },
      { starts: [], firstChange: 30, lastChange: 25 },
      { starts: [61, 80], firstChange: 26, lastChange: 1 },
      NONE,
    ];
    const { shots } = await resultOf("joined", await planned("joined"), ...segments);
    assert.deepEqual(
      shots.map(({ firstFrame, frameCount }) => [firstFrame, frameCount]),
      [
        [0, 10],
        [10, 21],
        [31, 30],
        [61, 19],
        [80, 40],
      ],
    );
    const scores = Array.from({ length: 21 }, (_, at) => valueAt("vmaf", 10 + at));
    const mean = scores.reduce((sum, score) => sum + score, 0) / 21;
    const min = Math.min(...scores);
    assert.ok(Math.abs((shots[1]?.mean ?? 0) - mean) < 1e-6);
    assert.deepEqual([shots[1]?.min, shots[1]?.worstFrame], [min, 10 + scores.indexOf(min)]);
  });

  test("are not in the result if an older node scored one of the segments", async () => {
    const { shots } = await resultOf("older", await planned("older"), NONE, undefined, NONE, NONE);
    assert.deepEqual(shots, []);
  });

  const refusals: Record<string, { shots: ShotsInit; names: RegExp }> = {
    "10,001 shots": {
      shots: { starts: Array.from({ length: 10_001 }, (_, index) => index + 1), lastChange: 0 },
      names: /10001 frames/,
    },
    "frames out of order": { shots: { starts: [5, 4], lastChange: 0 }, names: /starts\[1\] is 4/ },
    "a frame twice": { shots: { starts: [5, 5], lastChange: 0 }, names: /starts\[1\] is 5/ },
    "the first frame": { shots: { starts: [0], lastChange: 0 }, names: /starts\[0\] is 0/ },
    "a change that is no number": {
      shots: { starts: [], lastChange: Number.NaN },
      names: /lastChange is NaN/,
    },
    "a change over 100 %": {
      shots: { starts: [], firstChange: 101, lastChange: 0 },
      names: /firstChange is 101/,
    },
  };

  test("are refused if no engine finds them, and change nothing", async () => {
    const job = await planned("hostile");
    const item = await job.node.pullNow();
    for (const [what, { shots, names }] of Object.entries(refusals)) {
      const failure = await refused(score(job.node, item, shots), "INVALID_REQUEST");
      assert.match(failure.message, names, what);
    }
    assert.equal((await system.job("hostile", job.id)).segmentsDone, 0);
    await score(job.node, item, NONE);
    const { shots } = await resultOf("hostile", job, NONE, NONE, NONE);
    assert.deepEqual(
      shots.map(({ frameCount }) => frameCount),
      [FRAMES],
    );
  });

  test("of frames of another segment are a fault of cutting: the video is scored whole", async () => {
    const { id, node } = await planned("foreign");
    for (const shots of [{ starts: [40], lastChange: 0 }, NONE, NONE, NONE])
      await score(node, await node.pullNow(), shots);
    await score(node, await node.pullSome(), { starts: [100], lastChange: 0 });
    const { shots } = await resultOf("foreign", { id, node });
    assert.deepEqual(
      shots.map(({ firstFrame }) => firstFrame),
      [0, 100],
    );
  });
});

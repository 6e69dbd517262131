/** What nodes report of the shots of a reference: checked, joined into the result, and absent if a part is not known. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SegmentShotsSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import type { Peer } from "./peer.ts";
import { planned, resultOf } from "./planned.ts";
import { valueAt } from "./scored.ts";
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

  /** Scores the next segments with these shots. */
  async function score(node: Peer, ...parts: (ShotsInit | undefined)[]): Promise<void> {
    for (const shots of parts) await node.score(await node.pullNow(), FRAMES, shots && { shots });
  }

  test("are in the result with their scores, also one that begins with a segment", async () => {
    const segments = [
      { starts: [10], lastChange: 2 },
      { starts: [], firstChange: 30, lastChange: 25 },
      { starts: [61, 80], firstChange: 26, lastChange: 1 },
      NONE,
    ];
    const { id, node } = await planned(system, "joined", FRAMES, LENGTH);
    await score(node, ...segments);
    const { shots } = await resultOf(system, "joined", id);
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
    const { id, node } = await planned(system, "older", FRAMES, LENGTH);
    await score(node, NONE, undefined, NONE, NONE);
    const { shots } = await resultOf(system, "older", id);
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
    const { id, node } = await planned(system, "hostile", FRAMES, LENGTH);
    const item = await node.pullNow();
    for (const [what, { shots, names }] of Object.entries(refusals)) {
      const failure = await refused(node.score(item, FRAMES, { shots }), "INVALID_REQUEST");
      assert.match(failure.message, names, what);
    }
    assert.equal((await system.job("hostile", id)).segmentsDone, 0);
    await node.score(item, FRAMES, { shots: NONE });
    await score(node, NONE, NONE, NONE);
    const { shots } = await resultOf(system, "hostile", id);
    assert.deepEqual(
      shots.map(({ frameCount }) => frameCount),
      [FRAMES],
    );
  });

  test("outside of their segment's frames are a mismatch: the video is scored whole", async () => {
    const { id, node } = await planned(system, "foreign", FRAMES, LENGTH);
    await score(node, { starts: [40], lastChange: 0 }, NONE, NONE, NONE);
    await node.score(await node.pullSome(), FRAMES, { shots: { starts: [100], lastChange: 0 } });
    const { shots } = await resultOf(system, "foreign", id);
    assert.deepEqual(
      shots.map(({ firstFrame }) => firstFrame),
      [0, 100],
    );
  });
});

/** What a node does with the tasks that it pulls: plans, segments, whole pairs, and invalid tasks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { toBinary } from "@bufbuild/protobuf";
import { pairRequest } from "../../src/engine/contract/request.ts";
import type { StoredPart, WorkEngine } from "../../src/engine/contract/work.ts";
import { joinParts } from "../../src/engine/results/parts.ts";
import { Still_Side } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { ReportResultRequestSchema } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { encode, LOSSY, SCENE } from "../media/clips.ts";
import { NodeFixture, planWork, RunningNode, rowsOf, segmentWork, stillsWork } from "../worker/fixture.ts";
import { Peer } from "../worker/peer.ts";

let fixture: NodeFixture;

before(async () => {
  fixture = await NodeFixture.open();
});
after(() => fixture.close());

test("registers with its capabilities, and sends its token with every call", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slots: 3 });
  await node.node.started;
  const [registration] = peer.registrations;
  assert.equal(registration?.name, "test-node");
  assert.equal(registration.slots, 3);
  assert.equal(registration.capabilities?.version, "1.2.3");
  assert.deepEqual(
    { ...registration.capabilities.scorer, $typeName: undefined },
    { ...fixture.engine.scorer, $typeName: undefined },
  );
  assert.equal(registration.capabilities.stills, true);
  assert.ok(registration.capabilities.models.some(({ name }) => name === "vmaf_v0.6.1"));
  await peer.until(() => peer.calls.includes("pull") && peer.calls.includes("heartbeat"), "its other calls");
  assert.deepEqual([...peer.tokens], ["Bearer a.test.token"]);
});

test("planned, scored in segments and joined, a pair has exactly the scores of a single run", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slots: 2 });
  const plan = await fixture.plan(peer, fixture.film);
  assert.equal(plan.frameCount, 70);
  assert.ok(plan.segments.length > 1, `${plan.segments.length} segments`);
  assert.ok(plan.models.some(({ name }) => name === "vmaf_v0.6.1"));
  const items = plan.segments.map((_, index) => peer.offer(segmentWork(fixture.film, plan, index)));
  const parts: StoredPart[] = [];
  for (const [index, item] of items.entries()) {
    const report = await peer.reported(item);
    assert.equal(report.case, "segment");
    assert.ok(report.value.durationMs > 0);
    assert.equal(report.value.plan, "");
    const pieces = [report.value.last?.rows ?? new Uint8Array()];
    parts.push({ segment: plan.segments[index]?.segment, chunks: pieces });
  }
  const joined = await joinParts(plan.plan, parts, 1);
  const whole = await fixture.engine.score(pairRequest(fixture.film));
  assert.deepEqual(joined.pooled, whole.pooled);
  await node.ended("SEGMENT", "done", items.length);
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("scores a pair whole", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  const plan = await fixture.plan(peer, fixture.film);
  const item = peer.offer(segmentWork(fixture.film, plan));
  assert.equal((await peer.reported(item)).case, "segment");
  assert.equal(rowsOf(peer.reports, item).length, 70);
  await node.ended("WHOLE", "done");
});

test("reports stills of both sides one by one, and marks the last one", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  const plan = await fixture.plan(peer, fixture.film);
  const [first, , third] = plan.segments;
  assert.ok(first && third);
  const parts = [
    { segment: first.segment, frames: [0, 3] },
    { segment: third.segment, frames: [third.firstFrame] },
  ];
  const item = peer.offer(stillsWork(fixture.film, plan.plan, parts));
  await node.ended("STILLS", "done");
  const reports = peer.reports.filter(({ itemId }) => itemId === item.itemId).map(({ report }) => report);
  const reported = reports.map((report) => {
    assert.ok(report.case === "still");
    const { frame, side, mediaType, width, height, image, last } = report.value;
    assert.equal(Buffer.from(image.subarray(8, 12)).toString(), "WEBP");
    return [frame, side, mediaType, width, height, last];
  });
  const expected = [0, 3, third.firstFrame].flatMap((frame) =>
    [Still_Side.REFERENCE, Still_Side.DISTORTED].map((side) => [frame, side, "image/webp", 192, 108, false]),
  );
  expected.at(-1)?.splice(-1, 1, true);
  assert.deepEqual(reported, expected);
  assert.deepEqual(await fixture.media.leftovers(), []);
});

test("reports invalid media with its code and facts", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  await node.node.started;
  const report = await peer.reported(
    peer.offer(planWork({ ...fixture.film, distorted: "/no/such/file.mp4" })),
  );
  assert.equal(report.case, "failure");
  assert.equal(report.value.code, "MEDIA_NOT_FOUND");
  assert.match(report.value.message, /no\/such\/file/);
  assert.equal(report.value.cutFault, false);
});

const hostile = {
  "no request": { work: { case: "plan", value: { segmentSeconds: 10 } } },
  "no work": { request: { reference: "/a", distorted: "/b" } },
  "a path with a control character": planWork({ reference: "/a\n-i /etc/passwd", distorted: "/b" }),
  "no seconds": planWork({ reference: "/a", distorted: "/b" }, 0),
  "endless seconds": planWork({ reference: "/a", distorted: "/b" }, 4_000_000_000),
  "a plan that is not JSON": {
    request: { reference: "/a", distorted: "/b" },
    work: { case: "segment", value: { plan: "{", segment: "{}" } },
  },
  "stills of no frames": stillsWork({ reference: "/a", distorted: "/b" }, "{}", []),
  "stills of too many frames": stillsWork({ reference: "/a", distorted: "/b" }, "{}", [
    { segment: "", frames: Array.from({ length: 17 }, (_, frame) => frame) },
  ]),
  "stills without a plan": stillsWork({ reference: "/a", distorted: "/b" }, "{", [
    { segment: "", frames: [1] },
  ]),
  "a plan with injected options": {
    request: { reference: "/a", distorted: "/b" },
    work: { case: "segment", value: { plan: '{"tracks":{"inputOptions":["-f","lavfi"]}}', segment: "" } },
  },
} as const;

test("reports an invalid task as a failure, and continues", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  await node.node.started;
  for (const [what, work] of Object.entries(hostile)) {
    const report = await peer.reported(peer.offer(work));
    assert.equal(report.case, "failure", what);
    assert.equal(report.value.code, "INVALID_REQUEST", what);
  }
  const plan = await fixture.plan(peer, fixture.film);
  assert.equal(plan.frameCount, 70);
  const broken = {
    ...segmentWork(fixture.film, plan, 0),
    work: { case: "segment", value: { plan: plan.plan, segment: '{"first":-1}' } },
  } as const;
  const report = await peer.reported(peer.offer(broken));
  assert.equal(report.case, "failure");
  assert.equal(report.value.code, "INVALID_REQUEST");
});

test("runs as many tasks at once as it has slots", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer, { slots: 2, slow: true });
  await node.node.started;
  const plan = await fixture.plan(peer, fixture.long);
  const items = [0, 1, 2].map(() => peer.offer(segmentWork(fixture.long, plan)));
  await peer.until(() => peer.heartbeats.at(-1)?.running.length === 2, "two running tasks");
  for (const item of items.slice(0, 2)) await peer.running(item, 1);
  assert.equal(peer.left, 1, "the third waits at the controller");
  for (const item of items) peer.stopWork(item);
});

test("takes the next task while the pictures of a scored segment are looked at", async () => {
  await using peer = await Peer.open();
  const { engine, film } = fixture;
  const { promise: looked, resolve: endLook } = Promise.withResolvers<void>();
  const longLooking: WorkEngine = {
    scorer: engine.scorer,
    canDiagnose: engine.canDiagnose,
    scorers: () => engine.scorers(),
    makesStills: () => engine.makesStills(),
    makesClips: () => engine.makesClips(),
    plan: (...given) => engine.plan(...given),
    diagnose: (...given) => engine.diagnose(...given),
    stills: (...given) => engine.stills(...given),
    clip: (...given) => engine.clip(...given),
    scoreSegment: async (...given) => {
      const scored = await engine.scoreSegment(...given);
      await looked;
      return scored;
    },
  };
  await using node = new RunningNode(peer.address, longLooking, 1);
  node.node.start();
  await node.node.started;
  const plan = await fixture.plan(peer, film);
  const items = [0, 1, 2].map(() => peer.offer(segmentWork(film, plan)));
  await peer.until(
    () => peer.heartbeats.at(-1)?.running.length === 2,
    "a task in the slot beside the one that is looked at",
  );
  assert.equal(peer.left, 1, "no third one while both have to be reported");
  endLook();
  for (const item of items) assert.equal((await peer.reported(item)).case, "segment");
});

test("reports scores that exceed one message in chunks", async () => {
  await using peer = await Peer.open();
  await using node = await fixture.node(peer);
  await node.node.started;
  const scene = { ...SCENE, width: 64, height: 64, frames: 11_000 };
  const flood = {
    reference: await encode(fixture.media, "flood-reference.mp4", scene, LOSSY.mpeg4),
    distorted: await encode(fixture.media, "flood-distorted.mp4", { ...scene, seed: 2 }, LOSSY.mpeg4),
  };
  const plan = await fixture.plan(peer, flood);
  const item = peer.offer(segmentWork(flood, plan));
  await peer.reported(item);
  const sizes = peer.reports.map((report) => toBinary(ReportResultRequestSchema, report).length);
  assert.ok(Math.max(...sizes) < 900 * 1024, `messages of ${sizes.join(", ")} bytes`);
  assert.ok(peer.reports.some(({ report }) => report.case === "piece"));
  assert.deepEqual(
    rowsOf(peer.reports, item).map(({ frame }) => frame),
    Array.from({ length: 11_000 }, (_, frame) => frame),
  );
});

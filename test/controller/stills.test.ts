/**
 * Tasks for stills at the controller: which nodes get them, what is accepted of their reports, and what callers see.
 */
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Fleet } from "../../src/controller/scheduling/fleet.ts";
import { UnschedulableWork } from "../../src/controller/scheduling/unschedulable.ts";
import { worstFrames } from "../../src/controller/stills/worst-frames.ts";
import {
  GetStillRequestSchema,
  Job_State,
  JobWork_Kind,
  StreamJobsResponse_Kind as Kind,
  ListJobsRequestSchema,
  ListStillsRequestSchema,
  RequestStillsRequestSchema,
  type Still,
  Still_Side,
  Still_State,
  type StreamJobsResponse,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { StillReportSchema, WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { framesApart, worstMoments } from "../../src/jobs/scores/moments.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { caller, Peer } from "./peer.ts";
import { CAPABILITIES, failureReport, tableOf, valueAt } from "./scored.ts";
import { LOG, refused, System } from "./system.ts";

const FRAMES = 300;
const LENGTH = 100;
const DRAWS = { capabilities: { ...CAPABILITIES, stills: true } };
const { REFERENCE, DISTORTED } = Still_Side;
const BOTH = [REFERENCE, DISTORTED];

describe("stills", () => {
  let system: System;
  let image: Uint8Array<ArrayBuffer>;

  before(async () => {
    system = await System.open();
    const path = join(tmpdir(), "still.webp");
    await ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x36", "-frames:v", "1", "-c:v", "libwebp", path]);
    image = new Uint8Array(await readFile(path));
    await rm(path);
  });
  after(() => system.close());

  const report = (
    frame: number,
    side: Still_Side,
    over: MessageInitShape<typeof StillReportSchema> = {},
  ) => ({
    case: "still" as const,
    value: { frame, side, mediaType: "image/webp", width: 64, height: 36, image, ...over },
  });

  async function list(tenant: string, id: string): Promise<readonly Still[]> {
    const { stills } = await system.jobs.listStills(create(ListStillsRequestSchema, { id }), caller(tenant));
    return stills;
  }

  /** Waits until a job has stills and all are in this state. */
  async function assertAll(tenant: string, id: string, expected: Still_State): Promise<void> {
    assert.deepEqual(new Set((await list(tenant, id)).map(({ state }) => state)), new Set([expected]));
  }

  async function ask(tenant: string, id: string, frames: number[]): Promise<readonly Still[]> {
    const request = create(RequestStillsRequestSchema, { id, frames });
    return (await system.jobs.requestStills(request, caller(tenant))).stills;
  }

  /** A job that succeeded, scored by a node that makes no stills. */
  async function scored(tenant: string): Promise<string> {
    const node = await Peer.register(system.nodes, tenant);
    const { job } = await system.submit(tenant);
    await node.work(FRAMES, LENGTH);
    await system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
    assert.equal(
      await node.pull(),
      undefined,
      "a node that does not report that it makes stills gets no task",
    );
    return job.id;
  }

  async function begun(tenant: string) {
    const id = await scored(tenant);
    const node = await Peer.register(system.nodes, tenant, DRAWS);
    const item = await node.pullSome();
    return { id, node, item, frames: framesOf(item) };
  }

  function framesOf({ work }: WorkItem): number[] {
    assert.ok(work.case === "stills");
    return work.value.parts.flatMap((part) => part.frames);
  }

  async function make(node: Peer, item: WorkItem): Promise<void> {
    const all = framesOf(item).flatMap((frame) => BOTH.map((side) => ({ frame, side })));
    for (const [index, { frame, side }] of all.entries())
      await node.report(item, report(frame, side, { last: index === all.length - 1 }));
  }

  test("of the five worst moments are made, grouped by scored segment", async () => {
    const { item, frames } = await begun("moments");
    const worst = Array.from({ length: FRAMES }, (_, frame) => frame).sort(
      (a, b) => valueAt("vmaf", a) - valueAt("vmaf", b),
    );
    const expected: number[] = [];
    for (const frame of worst) {
      if (expected.length < 5 && expected.every((other) => Math.abs(other - frame) >= 50))
        expected.push(frame);
    }
    assert.deepEqual(
      frames.toSorted((a, b) => a - b),
      expected.toSorted((a, b) => a - b),
    );
    assert.ok(item.work.case === "stills");
    for (const { segment, frames: own } of item.work.value.parts) {
      const { first, count } = JSON.parse(segment);
      assert.ok(own.every((frame) => frame >= first && frame < first + count));
    }
    assert.match(item.work.value.plan, /^\{"version":6,/);
  });

  test("are returned once all are ready, byte for byte", async () => {
    const { id, node, item, frames } = await begun("made");
    const before = await system.job("made", id);
    await assertAll("made", id, Still_State.PENDING);
    const stream = system.stream("made", { ids: [id] })[Symbol.asyncIterator]();
    for (const kind of [Kind.SNAPSHOT, Kind.SNAPSHOT_END])
      assert.equal((await stream.next()).value?.kind, kind);
    await make(node, item);
    const { value: change } = await stream.next();
    await stream.return?.();
    const { kind, job: after } = change as StreamJobsResponse;
    assert.deepEqual(
      [kind, after?.state, after?.revision],
      [Kind.CHANGE, Job_State.SUCCEEDED, before.revision + 1],
    );
    const stills = await list("made", id);
    assert.equal(stills.length, 2 * frames.length);
    for (const { frame, side, state, mediaType, width, height, bytes } of stills) {
      assert.deepEqual(
        [state, mediaType, width, height, bytes],
        [Still_State.READY, "image/webp", 64, 36, image.length],
      );
      const request = create(GetStillRequestSchema, { id, frame, side });
      const answer = await system.jobs.getStill(request, caller("made"));
      assert.deepEqual(Buffer.from(answer.image), Buffer.from(image));
    }
  });

  test("that are not images, or not of this task, are refused, and nothing is stored", async () => {
    const { id, node, item, frames } = await begun("hostile");
    const [frame = 0] = frames;
    const changed = (at: number, byte: number) =>
      Uint8Array.from(image, (old, index) => (index === at ? byte : old));
    const html = new TextEncoder().encode("<script>alert(1)</script>".padEnd(100));
    const hostile: Readonly<Record<string, MessageInitShape<typeof StillReportSchema>>> = {
      "no image": { image: new Uint8Array() },
      "a page": { image: html },
      "a page declared as a page": { image: html, mediaType: "text/html" },
      "an image declared as a page": { mediaType: "text/html" },
      "an image declared as another type": { mediaType: "image/svg+xml" },
      "a media type with parameters": { mediaType: "image/webp; charset=x" },
      "another width": { width: 65 },
      "another height": { height: 35 },
      "no size": { width: 0, height: 0 },
      "an impossible size": { width: 5000 },
      "a truncated image": { image: image.slice(0, -2) },
      "an image with trailing bytes": { image: Uint8Array.from([...image, 60, 115]) },
      "another container": { image: changed(0, 0x58) },
      "another image codec": { image: changed(15, 0x4c) },
      "another start code": { image: changed(24, 0) },
      "too many bytes": { image: new Uint8Array(3 * 2 ** 20 + 1) },
      "no side": { side: Still_Side.SIDE_UNSPECIFIED },
      "another frame": { frame: frame + 1 },
      "the last one before the others": { last: true },
    };
    for (const [what, over] of Object.entries(hostile)) {
      await assert.rejects(
        node.report(item, report(frame, REFERENCE, over)),
        { code: "INVALID_REQUEST" },
        what,
      );
    }
    await assertAll("hostile", id, Still_State.PENDING);
    const other = await Peer.register(system.nodes, "hostile", DRAWS);
    await refused(other.report(item, report(frame, REFERENCE)), "STALE_ATTEMPT");
    await make(node, item);
    await node.report(item, report(frames.at(-1) ?? 0, DISTORTED, { last: true }));
    await refused(node.report({ ...item, attempt: 2 }, report(frame, REFERENCE)), "STALE_ATTEMPT");
  });

  test("that fail are reported with the reason and can be requested again; the job stays SUCCEEDED", async () => {
    const { id, node, item, frames } = await begun("failing");
    const failed = await system.metric("svc_jobs_ended_total", { state: "FAILED" });
    await node.report(item, { case: "failure", value: failureReport("MEDIA_CHANGED") });
    const stills = await list("failing", id);
    assert.deepEqual(
      [...new Set(stills.map(({ state, error }) => `${state} ${error?.code}`))],
      ["3 MEDIA_CHANGED"],
    );
    assert.deepEqual(stills[0]?.error?.found, { fact: 1 });
    assert.equal(await system.metric("svc_jobs_ended_total", { state: "FAILED" }), failed);
    const { state, error } = await system.job("failing", id);
    assert.deepEqual([state, error], [Job_State.SUCCEEDED, undefined]);
    const again = await ask("failing", id, frames.slice(0, 1));
    assert.equal(again.filter((still) => still.state === Still_State.PENDING).length, 2);
    assert.deepEqual(framesOf(await node.pullSome()), frames.slice(0, 1));
  });

  test("can be requested within limits, of existing frames", async () => {
    const { id, node } = await begun("asking");
    const frames = Array.from({ length: 17 }, (_, frame) => frame);
    for (const wrong of [[], frames, [FRAMES]]) await refused(ask("asking", id, wrong), "INVALID_REQUEST");
    await ask("asking", id, [1, 1, 1]);
    assert.deepEqual(framesOf(await node.pullSome()), [1]);
    const open = (await system.submit("asking")).job.id;
    await refused(ask("asking", open, [0]), "JOB_NOT_SUCCEEDED");
    const noSide = create(GetStillRequestSchema, { id, frame: 1 });
    await refused(system.jobs.getStill(noSide, caller("asking")), "INVALID_REQUEST");
    const notYet = create(GetStillRequestSchema, { id, frame: 1, side: REFERENCE });
    await refused(system.jobs.getStill(notYet, caller("asking")), "STILL_NOT_FOUND");
    await refused(system.jobs.getStill(notYet, caller("strange")), "WRONG_TENANT");
  });

  test("wait for a node that makes them, and do not fail as unschedulable", async () => {
    const tenant = "old";
    const id = await scored(tenant);
    const { store } = system;
    const metrics = { jobFailed: () => assert.fail("no job ends because of it") } as never;
    const stranded = new UnschedulableWork({
      store,
      fleet: new Fleet(store, undefined),
      log: LOG,
      metrics,
      afterMs: 0,
    });
    assert.deepEqual([await stranded.check(), await stranded.check()], [0, 0]);
    await assertAll(tenant, id, Still_State.PENDING);
    const late = await Peer.register(system.nodes, tenant, DRAWS);
    await make(late, await late.pullSome());
    await assertAll(tenant, id, Still_State.READY);
  });
});

test("are made of the number of worst moments that the pooling controller is set to, and of requested frames", async () => {
  // The other controllers leave the job alone, however long pooling takes.
  const five = await System.open({}, () => ({ takePoolable: async () => [] }));
  const other = (worstStills: number) => new System(five.store, { worstStills }, async () => {});
  const [two, none] = [other(2), other(0)];
  const counts: Readonly<Record<string, readonly [pooling: System, count: number]>> = {
    five: [five, 5],
    two: [two, 2],
    none: [none, 0],
  };
  for (const [tenant, [pooling, count]] of Object.entries(counts)) {
    const node = await Peer.register(pooling.nodes, tenant, DRAWS);
    const { job } = await five.submit(tenant);
    await node.plan(await node.pullSome(), FRAMES);
    await node.score(await node.pullSome(), FRAMES);
    const ended = await five.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
    const { stills } = await five.jobs.listStills(
      create(ListStillsRequestSchema, { id: job.id }),
      caller(tenant),
    );
    const frames = [...new Set(stills.map(({ frame }) => frame))];
    const moments = worstMoments(tableOf("", FRAMES), "vmaf", framesApart(25), count);
    assert.deepEqual(new Set(frames), new Set(moments.map(({ frame }) => frame)));
    assert.equal(frames.length, count);
    const { work, revision } = await five.job(tenant, job.id);
    assert.equal(work.filter(({ kind }) => kind === JobWork_Kind.STILLS).length, count > 0 ? 1 : 0);
    assert.equal(revision, ended.revision);
  }
  const node = await Peer.register(none.nodes, "none", DRAWS);
  assert.equal(await node.pull(), undefined, "nothing is left to do");
  const [job] = (await none.jobs.listJobs(create(ListJobsRequestSchema, {}), caller("none"))).jobs;
  assert.ok(job);
  const request = create(RequestStillsRequestSchema, { id: job.id, frames: [7] });
  assert.equal((await none.jobs.requestStills(request, caller("none"))).stills.length, 2);
  const { work } = await node.pullSome();
  assert.ok(work.case === "stills");
  assert.deepEqual(
    work.value.parts.flatMap((part) => part.frames),
    [7],
  );
  await Promise.all([two.close(), none.close()]);
  await five.close();
});

test("the worst frames are the CLI's worst moments, grouped by the part that contains each", () => {
  const frames = tableOf("", 200);
  const models = [
    {
      model: "vmaf_v0.6.1",
      metric: "vmaf",
      score: 1,
      name: "vmaf_v0.6.1",
      reason: "",
      maxScore: 100,
      bitDepth: 8,
    },
  ];
  const media = (frameRate: string) => ({ frameRate }) as never;
  const parts = [
    { firstFrame: 0, frameCount: 120, segment: "a" },
    { firstFrame: 120, frameCount: 80, segment: undefined },
  ];
  for (const [reference, distorted, rate] of [
    ["25/1", "25/1", 25],
    ["", "", undefined],
    ["50/1", "25/1", 25],
  ] as const) {
    const shown = worstFrames(
      { frames, models, reference: media(reference), distorted: media(distorted) },
      parts,
    );
    const moments = worstMoments(frames, "vmaf", framesApart(rate)).map(({ frame }) => frame);
    assert.deepEqual(new Set(shown.flatMap((part) => part.frames)), new Set(moments));
    for (const { segment, frames: own } of shown)
      assert.ok(own.every((frame) => frame < 120 === (segment === "a")));
  }
  assert.deepEqual(
    worstFrames({ frames, models: [], reference: media(""), distorted: media("") }, parts),
    [],
  );
});

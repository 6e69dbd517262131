/** Tasks for clips at the controller: which nodes get them, what is accepted of their reports, and what callers see. */
import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Fleet } from "../../src/controller/scheduling/fleet.ts";
import { UnschedulableWork } from "../../src/controller/scheduling/unschedulable.ts";
import {
  type Clip,
  DeleteClipRequestSchema,
  GetClipRequestSchema,
  type GetClipResponse,
  Job_State,
  ListClipsRequestSchema,
  ListStillsRequestSchema,
  RequestClipsRequestSchema,
  Still_State,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import type { ClipReportSchema, WorkItem } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { CLIP_PIECE_BYTES, MAX_CLIP_BYTES } from "../../src/jobs/clips.ts";
import { ffmpeg } from "../media/ffmpeg.ts";
import { caller, Peer } from "./peer.ts";
import { CAPABILITIES, failureReport } from "./scored.ts";
import { LOG, refused, System } from "./system.ts";

const FRAMES = 300;
const LENGTH = 100;
const FILMS = { capabilities: { ...CAPABILITIES, clips: true } };

type Facts = MessageInitShape<typeof ClipReportSchema>;

describe("clips", () => {
  let system: System;
  /** Of 1.2 MiB, so that it is reported in two parts. */
  let video: Uint8Array<ArrayBuffer>;

  before(async () => {
    system = await System.open();
    video = await encoded(["-c:v", "libx264", "-pix_fmt", "yuv420p", "-qp", "0"]);
    assert.ok(video.length > CLIP_PIECE_BYTES && video.length < 2 * CLIP_PIECE_BYTES, `${video.length}`);
  });
  after(() => system.close());

  const part = (frame: number, number: number, over: Facts = {}) => ({
    case: "clip" as const,
    value: {
      ...{ frame, firstFrame: frame, frameCount: 1, mediaType: "video/mp4", width: 640, height: 720 },
      ...{ bytes: video.length, number },
      piece: video.slice(number * CLIP_PIECE_BYTES, (number + 1) * CLIP_PIECE_BYTES),
      ...over,
    },
  });

  async function list(tenant: string, id: string): Promise<readonly Clip[]> {
    return (await system.jobs.listClips(create(ListClipsRequestSchema, { id }), caller(tenant))).clips;
  }

  async function ask(tenant: string, id: string, frames: number[]): Promise<readonly Clip[]> {
    const request = create(RequestClipsRequestSchema, { id, frames });
    return (await system.jobs.requestClips(request, caller(tenant))).clips;
  }

  async function read(tenant: string, id: string, frame: number): Promise<GetClipResponse[]> {
    const parts: GetClipResponse[] = [];
    const request = create(GetClipRequestSchema, { id, frame });
    for await (const part of system.jobs.getClip(request, caller(tenant))) parts.push(part);
    return parts;
  }

  /** A job that succeeded, scored by a node that makes no clips. */
  async function scored(tenant: string): Promise<string> {
    const node = await Peer.register(system.nodes, tenant);
    const { job } = await system.submit(tenant);
    await node.work(FRAMES, LENGTH);
    await system.until(tenant, job.id, ({ state }) => state === Job_State.SUCCEEDED);
    return job.id;
  }

  async function begun(tenant: string, frame = 120) {
    const id = await scored(tenant);
    await ask(tenant, id, [frame]);
    const node = await Peer.register(system.nodes, tenant, FILMS);
    return { id, node, frame, item: await node.pullSome() };
  }

  function framesOf({ work }: WorkItem): readonly (readonly number[])[] {
    assert.ok(work.case === "clip");
    return work.value.parts.map(({ frames }) => frames);
  }

  test("have the two seconds around their frame, by scored segment, within the video", async () => {
    const { id, node, item } = await begun("window", 95);
    assert.ok(item.work.case === "clip");
    assert.equal(item.work.value.frame, 95);
    assert.equal(framesOf(item).length, 2);
    assert.deepEqual(framesOf(item).flat(), range(70, 50));
    await ask("window", id, [0, 299]);
    assert.deepEqual(framesOf(await node.pullSome()), [range(0, 50)]);
    assert.deepEqual(framesOf(await node.pullSome()), [range(250, 50)]);
    const stills = create(ListStillsRequestSchema, { id });
    const { stills: listed } = await system.jobs.listStills(stills, caller("window"));
    assert.ok(listed.length <= 10, "frames of clips are no stills");
  });

  test("are returned in parts once all are reported, byte for byte, and announced", async () => {
    const { id, node, item, frame } = await begun("made");
    const before = await system.job("made", id);
    await node.report(item, part(frame, 0));
    await node.report(item, part(frame, 0));
    assert.deepEqual(
      (await list("made", id)).map(({ state, bytes }) => [state, bytes]),
      [[Still_State.PENDING, 0]],
    );
    await refused(read("made", id, frame), "CLIP_NOT_FOUND");
    await node.report(item, part(frame, 1));
    await node.report(item, part(frame, 1));
    const [clip] = await list("made", id);
    assert.deepEqual(
      [clip?.state, clip?.firstFrame, clip?.frameCount, clip?.width, clip?.height, clip?.bytes],
      [Still_State.READY, 120, 1, 640, 720, video.length],
    );
    const parts = await read("made", id, frame);
    assert.deepEqual(
      parts.map(({ clip: facts, piece }) => [facts?.bytes, piece.length]),
      [
        [video.length, CLIP_PIECE_BYTES],
        [undefined, video.length - CLIP_PIECE_BYTES],
      ],
    );
    assert.ok(Buffer.concat(parts.map(({ piece }) => piece)).equals(video));
    const after = await system.job("made", id);
    assert.deepEqual([after.state, after.revision], [Job_State.SUCCEEDED, before.revision + 1]);
    assert.equal(after.work.at(-1)?.clipFrame, frame);
    await refused(read("strange", id, frame), "WRONG_TENANT");
    await refused(list("strange", id), "WRONG_TENANT");
    await refused(ask("strange", id, [1]), "WRONG_TENANT");
  });

  test("that are not such videos, or not of this task, are refused, and nothing is served", async () => {
    const { id, node, item, frame } = await begun("hostile");
    const changed = (from: string, to: string) => {
      const bytes = Buffer.from(part(frame, 0).value.piece);
      bytes.write(to, bytes.indexOf(from), "latin1");
      return new Uint8Array(bytes);
    };
    const html = new TextEncoder().encode("<script>alert(1)</script>".padEnd(100));
    const mpeg4 = await encoded(["-c:v", "mpeg4", "-frames:v", "1"]);
    const tracks = await encoded(["-c:v", "libx264", "-pix_fmt", "yuv420p", "-map", "0", "-map", "0"]);
    const slow = await encoded(["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "0"]);
    const hostile: Readonly<Record<string, Facts>> = {
      nothing: { piece: new Uint8Array() },
      "no bytes": { bytes: 0, piece: new Uint8Array() },
      "a page": { piece: html, bytes: html.length },
      "a page declared as a page": { piece: html, bytes: html.length, mediaType: "text/html" },
      "a video declared as a page": { mediaType: "text/html" },
      "another width": { width: 642 },
      "another height": { height: 718 },
      "no size": { width: 0, height: 0 },
      "an impossible size": { width: 10_000, height: 5_000 },
      "too many bytes": { bytes: MAX_CLIP_BYTES + 1 },
      "another number of bytes": { bytes: video.length + 1 },
      "a truncated part": { piece: part(frame, 0).value.piece.slice(1) },
      "no frame": { frameCount: 0 },
      "too many frames": { frameCount: 121 },
      "other frames": { firstFrame: 200 },
      "frames without its own": { firstFrame: frame + 1 },
      "another frame": { frame: frame + 1, firstFrame: frame + 1 },
      "another container": { piece: changed("ftyp", "junk") },
      "another codec by name": { piece: changed("avc1\0\0\0\0\0", "hvc1\0\0\0\0\0") },
      "another codec": { piece: mpeg4, bytes: mpeg4.length },
      "two tracks": { piece: tracks, bytes: tracks.length },
      "the index at the end": { piece: slow.slice(0, CLIP_PIECE_BYTES), bytes: slow.length },
      "a later part first": part(frame, 1).value,
      "a part after the last": { number: 2, piece: new Uint8Array() },
      "a part far behind": { number: 4_294_967_295 },
    };
    for (const [what, over] of Object.entries(hostile)) {
      await assert.rejects(node.report(item, part(frame, 0, over)), { code: "INVALID_REQUEST" }, what);
    }
    assert.deepEqual(
      (await list("hostile", id)).map(({ state }) => state),
      [Still_State.PENDING],
    );
    await refused(read("hostile", id, frame), "CLIP_NOT_FOUND");
    const other = await Peer.register(system.nodes, "hostile", FILMS);
    await refused(other.report(item, part(frame, 0)), "STALE_ATTEMPT");
    await node.report(item, part(frame, 0));
    await refused(
      node.report(
        item,
        part(frame, 1, { bytes: video.length - 1, piece: video.slice(CLIP_PIECE_BYTES + 1) }),
      ),
      "INVALID_REQUEST",
    );
    await node.report(item, part(frame, 1));
    assert.equal((await read("hostile", id, frame)).length, 2);
  });

  test("that fail are listed with the reason and can be requested again; the job stays SUCCEEDED", async () => {
    const { id, node, item, frame } = await begun("failing");
    await node.report(item, part(frame, 0));
    await node.report(item, { case: "failure", value: failureReport("MEDIA_CHANGED") });
    const [failed] = await list("failing", id);
    assert.deepEqual([failed?.state, failed?.error?.code], [Still_State.FAILED, "MEDIA_CHANGED"]);
    assert.equal((await system.job("failing", id)).state, Job_State.SUCCEEDED);
    const [again] = await ask("failing", id, [frame]);
    assert.equal(again?.state, Still_State.PENDING);
    const next = await node.pullSome();
    await refused(node.report(next, part(frame, 1)), "INVALID_REQUEST");
    for (const number of [0, 1]) await node.report(next, part(frame, number));
    assert.equal((await list("failing", id))[0]?.state, Still_State.READY);
  });

  test("can be requested within limits, of existing frames, and deleted", async () => {
    const id = await scored("asking");
    for (const wrong of [[], range(0, 17), [FRAMES]])
      await refused(ask("asking", id, wrong), "INVALID_REQUEST");
    assert.equal((await ask("asking", id, [1, 1])).length, 1);
    assert.equal((await ask("asking", id, range(0, 16))).length, 16);
    await refused(ask("asking", id, [16]), "TOO_MANY_CLIPS");
    const remove = async (frame: number, tenant = "asking") => {
      const request = create(DeleteClipRequestSchema, { id, frame });
      return (await system.jobs.deleteClip(request, caller(tenant))).clips.length;
    };
    await refused(remove(3, "strange"), "WRONG_TENANT");
    assert.equal(await remove(3), 15);
    await refused(remove(3), "CLIP_NOT_FOUND");
    assert.equal((await ask("asking", id, [16])).length, 16);
    const open = (await system.submit("asking")).job.id;
    await refused(ask("asking", open, [0]), "JOB_NOT_SUCCEEDED");
    await refused(list("asking", "0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10"), "JOB_NOT_FOUND");
  });

  test("that are deleted while a node makes them end its lease", async () => {
    const { id, node, item, frame } = await begun("ending");
    await node.report(item, part(frame, 0));
    await system.jobs.deleteClip(create(DeleteClipRequestSchema, { id, frame }), caller("ending"));
    await refused(node.report(item, part(frame, 1)), "STALE_ATTEMPT");
    assert.deepEqual(await list("ending", id), []);
  });

  test("wait for a node with an encoder, and do not fail as unschedulable", async () => {
    const tenant = "old";
    const id = await scored(tenant);
    await ask(tenant, id, [5]);
    const without = await Peer.register(system.nodes, tenant, {
      capabilities: { ...CAPABILITIES, stills: true },
    });
    for (let item = await without.pull(); item !== undefined; item = await without.pull())
      assert.equal(item.work.case, "stills");
    const { store } = system;
    const metrics = { jobFailed: () => assert.fail("no job ends because of it") } as never;
    const fleet = new Fleet(store, undefined);
    const stranded = new UnschedulableWork({ store, fleet, log: LOG, metrics, afterMs: 0 });
    assert.deepEqual([await stranded.check(), await stranded.check()], [0, 0]);
    assert.deepEqual(
      (await list(tenant, id)).map(({ state }) => state),
      [Still_State.PENDING],
    );
    const late = await Peer.register(system.nodes, tenant, FILMS);
    assert.equal((await late.pullSome()).work.case, "clip");
  });
});

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Encodes one frame of noise, 1280x720, as an MP4 with its index first. */
async function encoded(options: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const path = join(tmpdir(), "clip.mp4");
  const noise = "color=gray:s=1280x720,noise=all_seed=1:alls=60";
  await ffmpeg([
    ...["-f", "lavfi", "-i", noise, "-frames:v", "1", "-movflags", "+faststart", ...options, path],
  ]);
  const bytes = new Uint8Array(await readFile(path));
  await rm(path);
  return bytes;
}

/** Stills from the request to the pixel: a real controller, database, node, scorer and decoder. */
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { FFMPEG } from "../media/ffmpeg.ts";
import { decode } from "../media/truth.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import type { Result } from "../server/rest-client.ts";
import { type SidePlanes, StillsClient, worstOf } from "../server/stills-client.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

/** Twelve seconds: room for five moments two seconds apart, in segments of two seconds. */
const FILM = { ...SCENE, width: 160, height: 90, frames: 300 };

let clips: Clips;
let pair: { readonly reference: string; readonly distorted: string; readonly noCache: boolean };
let planes: SidePlanes;

before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  pair = {
    reference: await pristine(directory, "film.y4m", FILM),
    distorted: await encode(directory, "film.mp4", FILM, LOSSY.h264),
    noCache: true,
  };
  planes = {
    REFERENCE: await decode(directory, pair.reference, FILM),
    DISTORTED: await decode(directory, pair.distorted, FILM),
  };
});
after(() => clips[Symbol.asyncDispose]());

describe("with svc up", () => {
  let up: ControllerProcess;
  let jobs: JobsClient;
  let stills: StillsClient;

  before(async () => {
    const dataDir = clips.directory.file("data");
    up = await ControllerProcess.up({ dataDir, args: ["--segment-seconds", "2"] });
    jobs = await JobsClient.of(up);
    stills = new StillsClient(up, jobs, planes);
  });
  after(async () => up[Symbol.asyncDispose]());

  test("a successful job gets stills of its five worst moments, and its stream reports them", async () => {
    using stream = await EventStream.open(`${up.rest}/v1/jobs:stream`);
    await stream.find(({ event }) => event === "snapshotEnd");
    const { id } = (await jobs.submit(pair)).body;
    const changes: Job[] = [];
    while (changes.filter(({ state }) => state === "SUCCEEDED").length < 2) {
      const { data } = await stream.find(({ event }) => event === "change");
      changes.push(JSON.parse(data).job);
    }
    const [ended, shown] = changes.slice(-2);
    assert.ok(ended && shown);
    assert.deepEqual(
      shown,
      { ...ended, revision: ended.revision + 1 },
      "nothing else of the job has changed",
    );
    const listed = await stills.list(id);
    const { body } = await jobs.call<Pick<Result, "frames">>("getJobFrames", `/v1/jobs/${id}/frames`);
    const worst = worstOf(body.frames, 5);
    assert.equal(worst.length, 5);
    assert.deepEqual(
      listed.map(({ frame, side }) => [frame, side]),
      worst.flatMap((frame) => [
        [frame, "REFERENCE"],
        [frame, "DISTORTED"],
      ]),
    );
    await stills.exact(id, listed);
    const { work = [], segmentsTotal } = (await jobs.get(id)).body;
    assert.ok(segmentsTotal > 1, "the job was split");
    assert.deepEqual(
      work.filter(({ kind }) => kind === "STILLS").map(({ state, attempt }) => [state, attempt]),
      [["DONE", 1]],
    );
  });

  test("stills of any other frame can be requested, and are made once", async () => {
    const { id } = (await jobs.submit(pair)).body;
    await jobs.until(id, "SUCCEEDED");
    const worst = (await stills.settled(id)).map(({ frame }) => frame);
    const other = [0, 1, 299].filter((frame) => !worst.includes(frame));
    const asked = await stills.ask(id, [...other, ...worst.slice(0, 1)]);
    assert.equal(asked.status, 202);
    assert.equal(asked.body.stills.length, worst.length + 2 * other.length);
    assert.equal((await stills.ask(id, other)).status, 202);
    const all = await stills.settled(id);
    await stills.exact(
      id,
      all.filter(({ frame }) => other.includes(frame)),
    );
    const { work = [] } = (await jobs.get(id)).body;
    assert.equal(work.filter(({ kind }) => kind === "STILLS").length, 2, "requested twice, made once");
  });

  test("a frame's stills can be deleted, ready or pending, and requested again", async () => {
    const { id } = (await jobs.submit(pair)).body;
    await jobs.until(id, "SUCCEEDED");
    const worst = await stills.settled(id);
    const [free = Number.NaN] = [0, 1, 2].filter((at) => worst.every(({ frame }) => frame !== at));
    await stills.ask(id, [free]);
    await stills.settled(id);
    const { status, body } = await stills.delete(id, free);
    assert.deepEqual([status, body.stills], [200, worst]);
    assert.equal(await stills.refused(id, `${free}/reference`), "404 STILL_NOT_FOUND");
    const { work = [] } = (await jobs.get(id)).body;
    const [made, ...others] = work.filter(({ kind }) => kind === "STILLS");
    assert.deepEqual([made?.frames, others], [[...new Set(worst.map(({ frame }) => frame))], []]);
    for (const [frame, reported] of [
      [free, "404 STILL_NOT_FOUND"],
      ["x", "400 INVALID_REQUEST"],
      ["4294967296", "400 INVALID_REQUEST"],
    ] as const) {
      const refused = await stills.delete(id, frame);
      assert.equal(`${refused.status} ${refused.body.code}`, reported);
    }
    await stills.ask(id, [free]);
    assert.equal((await stills.delete(id, free)).status, 200, "whether or not a node has started");
    await stills.ask(id, [free]);
    const again = (await stills.settled(id)).filter(({ frame }) => frame === free);
    await stills.exact(id, again);
  });

  test("reports missing stills clearly", async () => {
    const { id } = (await jobs.submit(clips.longPair)).body;
    assert.deepEqual(await stills.list(id), []);
    const early = await stills.ask(id, [0]);
    assert.deepEqual([early.status, early.body.code], [409, "JOB_NOT_SUCCEEDED"]);
    assert.equal(await stills.refused(id, "0/reference"), "404 STILL_NOT_FOUND");
    await jobs.cancel(id);
    assert.equal((await stills.ask(id, [0])).body.code, "JOB_NOT_SUCCEEDED");
    const done = (await jobs.submit(pair)).body.id;
    await jobs.until(done, "SUCCEEDED");
    for (const frames of [[], [300], [-1], [1.5], ["1"], Array.from({ length: 17 }, (_, n) => n)]) {
      const { status, body } = await stills.ask(done, frames);
      assert.deepEqual([status, body.code], [400, "INVALID_REQUEST"], JSON.stringify(frames));
    }
    for (const place of ["x/reference", "0/middle", "4294967296/reference", "0/REFERENCE", "0/__proto__"])
      assert.equal(await stills.refused(done, place), "400 INVALID_REQUEST", place);
    const nobody = "0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10";
    assert.equal(await stills.refused(nobody, "0/reference"), "404 JOB_NOT_FOUND");
    await stills.settled(done);
  });

  test("if the media changed, the stills fail with the reason, and the job is unchanged", async () => {
    const distorted = await encode(clips.directory, "changing.mp4", FILM, LOSSY.h264);
    const { id } = (await jobs.submit({ ...pair, distorted })).body;
    await jobs.until(id, "SUCCEEDED");
    await stills.settled(id);
    await encode(clips.directory, "changing.mp4", { ...FILM, seed: 2 }, LOSSY.h264);
    const free = [3, 103, 203];
    await stills.ask(id, free);
    const failed = (await stills.settled(id)).filter(({ state }) => state === "FAILED");
    assert.ok(failed.length > 0);
    assert.deepEqual([...new Set(failed.map(({ error }) => error?.code))], ["MEDIA_CHANGED"]);
    assert.equal((await jobs.get(id)).body.state, "SUCCEEDED");
  });
});

test("another node makes the stills of a killed node", async () => {
  const dataDir = clips.directory.file("other-data");
  await using controller = await ControllerProcess.start({ dataDir, args: ["--lease", "30"] });
  const jobs = await JobsClient.of(controller);
  const stills = new StillsClient(controller, jobs, planes);
  // The bundled ffmpeg, which makes no image while a file exists.
  const scorer = clips.directory.file("patient-scorer");
  const held = clips.directory.file("patient-scorer.held");
  const waits = `while [ -e '${held}' ]; do sleep 0.05; done`;
  const script = `#!/bin/sh\ncase "$*" in *still-%d.webp*) ${waits} ;; esac\nexec '${FFMPEG}' "$@"\n`;
  await writeFile(scorer, script, { mode: 0o755 });
  const start = (name: string): SvcProcess => {
    const called = ["--slots", "1", "--name", name, "--vmaf-binary", scorer];
    return new SvcProcess("node", {
      args: ["--controller", controller.grpc, "--metrics-port", "0", ...called],
    });
  };
  await using first = start("first");
  const { id } = (await jobs.submit(pair)).body;
  await jobs.until(id, "SUCCEEDED");
  await stills.settled(id);
  await writeFile(held, "");
  await stills.ask(id, [4]);
  await until(async () => {
    const { work = [] } = (await jobs.get(id)).body;
    return work.at(-1)?.state === "LEASED";
  }, "the lease");
  first.signal("SIGKILL");
  await first.exited();
  await rm(held);
  await using second = start("second");
  await second.logged("registered");
  const made = (await stills.settled(id)).filter(({ frame }) => frame === 4);
  await stills.exact(id, made);
  const { work = [], retries, state } = (await jobs.get(id)).body;
  assert.deepEqual([work.at(-1)?.kind, work.at(-1)?.attempt, retries, state], ["STILLS", 2, 0, "SUCCEEDED"]);
});

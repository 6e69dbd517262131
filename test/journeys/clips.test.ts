/** Clips from the request to the frame: a real controller, database, node, decoder and encoder; over REST and by the command. */
import assert from "node:assert/strict";
import { access, readFile, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Up } from "../cli/up.ts";
import { encode, LOSSY, pristine, SCENE } from "../media/clips.ts";
import { FFMPEG, ffmpeg } from "../media/ffmpeg.ts";
import { decode, type Planes, pick } from "../media/truth.ts";
import { halvesOf, psnrOf } from "../media/video-halves.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { SvcProcess } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

const FILM = { ...SCENE, width: 160, height: 90, frames: 150 };
/** Decibels: what the encoding loses. Another frame of the film is below 30 dB. */
const LEAST_PSNR = 38;

interface Clip {
  readonly frame: number;
  readonly state: string;
  readonly firstFrame: number;
  readonly frameCount: number;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly error?: { readonly code: string };
}

interface ClipList {
  readonly clips: readonly Clip[];
}

let clips: Clips;
let pair: { readonly reference: string; readonly distorted: string; readonly noCache: boolean };
let planes: Readonly<Record<"reference" | "distorted", Planes>>;

before(async () => {
  clips = await makeClips();
  const { directory } = clips;
  pair = {
    reference: await pristine(directory, "film.y4m", FILM),
    distorted: await encode(directory, "film.mp4", FILM, LOSSY.h264),
    noCache: true,
  };
  planes = {
    reference: await asVideo(await decode(directory, pair.reference, FILM)),
    distorted: await asVideo(await decode(directory, pair.distorted, FILM)),
  };
});
after(() => clips[Symbol.asyncDispose]());

function clientOf(jobs: JobsClient) {
  const path = (id: string) => `/v1/jobs/${id}/clips`;
  const list = async (id: string) => (await jobs.call<ClipList>("listClips", path(id))).body.clips;
  return {
    list,
    ask: (id: string, frames: readonly unknown[]) =>
      jobs.post<ClipList>("requestClips", path(id), { frames }),
    remove: (id: string, frame: number | string) =>
      jobs.call<ClipList>("deleteClip", `${path(id)}/${frame}`, { method: "DELETE" }),
    async refused(id: string, frame: number | string): Promise<string> {
      const { status, body } = await jobs.call<object>("getClip", `${path(id)}/${frame}`);
      return `${status} ${body.code}`;
    },
    async settled(id: string, frame: number): Promise<Clip> {
      let found: Clip | undefined;
      await until(async () => {
        found = (await list(id)).find((clip) => clip.frame === frame);
        return found !== undefined && found.state !== "PENDING";
      }, "the clip");
      return found ?? assert.fail();
    },
  };
}

describe("with svc up", () => {
  let up: Up;
  let jobs: JobsClient;
  let client: ReturnType<typeof clientOf>;

  before(async () => {
    up = await Up.start();
    jobs = await JobsClient.of(up);
    client = clientOf(jobs);
  });
  after(() => up[Symbol.asyncDispose]());

  async function scored(): Promise<string> {
    const { id } = (await jobs.submit(pair)).body;
    await jobs.until(id, "SUCCEEDED");
    return id;
  }

  test("a clip has the compared frames of both sides, over REST and by the command", async () => {
    const id = await scored();
    const asked = await client.ask(id, [70]);
    assert.equal(asked.status, 202);
    assert.equal(asked.body.clips.length, 1);
    const clip = await client.settled(id, 70);
    assert.deepEqual(
      [clip.state, clip.firstFrame, clip.frameCount, clip.mediaType, clip.width, clip.height],
      ["READY", 45, 50, "video/mp4", 160, 90],
    );
    const response = await fetch(`${up.rest}/v1/jobs/${id}/clips/70`);
    const video = Buffer.from(await response.arrayBuffer());
    const header = (name: string) => response.headers.get(name) ?? "";
    assert.deepEqual([response.status, header("content-type"), video.length], [200, "video/mp4", clip.bytes]);
    assert.equal(header("x-content-type-options"), "nosniff");
    assert.match(header("cache-control"), /^private, max-age=\d+, immutable$/);
    assert.equal(header("vary"), "authorization");
    const halves = await halvesOf(clips.directory, { ...clip, video });
    for (const side of ["reference", "distorted"] as const) {
      const own = await pick(planes[side], { first: 45, count: 50 });
      for (let index = 0; index < 50; index++) {
        const psnr = psnrOf(halves[side], own, index);
        assert.ok(psnr > LEAST_PSNR, `frame ${45 + index} of the ${side} side has ${psnr} dB`);
      }
      assert.ok(psnrOf(halves[side], own, 25, 26) < 35, "frames are numbered");
    }

    const file = clips.directory.file("saved.mp4");
    const { code, stdout, stderr } = await up.svc(["jobs", "clip", id, "70", "-o", file]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Frames 45 to 94 written to .*saved\.mp4.*\.\n$/);
    assert.ok((await readFile(file)).equals(video));
    const { work = [] } = (await jobs.get(id)).body;
    assert.equal(work.filter(({ kind }) => kind === "STILLS").length, 2, "requested twice, made once");
    const page = await up.svc(["jobs", "get", id]);
    assert.equal(page.code, 0, page.stderr);
  });

  test("the command makes a clip first, and says why there is none", async () => {
    const id = await scored();
    const file = clips.directory.file("first.mp4");
    const made = await up.svc(["jobs", "clip", id, "0", "--output", file]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^Frames 0 to 49 /);
    assert.equal((await client.list(id))[0]?.state, "READY");
    for (const [args, message] of [
      [[id, "150"], /There is no frame 150/],
      [[id, "-1"], /./],
      [[id, "x"], /./],
      [["0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10", "1"], /There is no job/],
      [[id, "1", "-o", "/nowhere/clip.mp4"], /folder/],
    ] as const) {
      const { code, stderr } = await up.svc(["jobs", "clip", ...args]);
      assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, message);
    }
    await assert.rejects(access("/nowhere/clip.mp4"));
  });

  test("a clip can be deleted and requested again; what is wrong is refused", async () => {
    const id = await scored();
    await client.ask(id, [3]);
    await client.settled(id, 3);
    const removed = await client.remove(id, 3);
    assert.deepEqual([removed.status, removed.body.clips], [200, []]);
    assert.equal(await client.refused(id, 3), "404 CLIP_NOT_FOUND");
    assert.equal((await client.remove(id, 3)).body.code, "CLIP_NOT_FOUND");
    for (const frames of [[], [150], [-1], [1.5], ["1"], Array.from({ length: 17 }, (_, n) => n)]) {
      const { status, body } = await client.ask(id, frames);
      assert.deepEqual([status, body.code], [400, "INVALID_REQUEST"], JSON.stringify(frames));
    }
    for (const place of ["x", "4294967296", "-1", "__proto__"]) {
      assert.equal(await client.refused(id, place), "400 INVALID_REQUEST", place);
    }
    assert.equal(await client.refused("0b7f3c1e-52a4-4e0c-9a57-1f7b2e6f9d10", 1), "404 JOB_NOT_FOUND");
    const diagnosed = (await jobs.submit({ ...pair, diagnoseOnly: true })).body.id;
    await jobs.until(diagnosed, "SUCCEEDED");
    assert.equal((await client.ask(diagnosed, [0])).body.code, "JOB_NOT_SCORED");
    const open = (await jobs.submit(clips.longPair)).body.id;
    assert.equal((await client.ask(open, [0])).body.code, "JOB_NOT_SUCCEEDED");
    await jobs.cancel(open);
  });

  test("if the media changed, the clip fails with the reason, and the job is unchanged", async () => {
    const distorted = await encode(clips.directory, "changing.mp4", FILM, LOSSY.h264);
    const { id } = (await jobs.submit({ ...pair, distorted })).body;
    await jobs.until(id, "SUCCEEDED");
    await encode(clips.directory, "changing.mp4", { ...FILM, seed: 2 }, LOSSY.h264);
    await client.ask(id, [7]);
    const { state, error } = await client.settled(id, 7);
    assert.deepEqual([state, error?.code], ["FAILED", "MEDIA_CHANGED"]);
    assert.equal((await jobs.get(id)).body.state, "SUCCEEDED");
    const { code, stderr } = await up.svc(["jobs", "clip", id, "7", "-o", clips.directory.file("no.mp4")]);
    assert.equal(code, 2);
    assert.match(stderr, /modified/);
  });
});

test("a clip waits while no node has the encoder", async () => {
  const dataDir = clips.directory.file("other-data");
  await using controller = await ControllerProcess.start({ dataDir });
  const jobs = await JobsClient.of(controller);
  const client = clientOf(jobs);
  const script = clips.directory.file("ffmpeg-without-x264");
  await writeFile(script, `#!/bin/sh\ncase "$*" in *libx264*) exit 1;; esac\nexec '${FFMPEG}' "$@"\n`, {
    mode: 0o755,
  });
  const start = (name: string, scorer: string): SvcProcess => {
    const called = ["--slots", "1", "--name", name, "--vmaf-binary", scorer];
    const args = ["--controller", controller.grpc, "--metrics-port", "0", ...called];
    return new SvcProcess("node", { args });
  };
  await using without = start("without", script);
  await without.logged("registered");
  const { id } = (await jobs.submit(pair)).body;
  await jobs.until(id, "SUCCEEDED");
  await client.ask(id, [70]);
  await until(async () => {
    const { work = [] } = (await jobs.get(id)).body;
    return work.some(({ kind, state }) => kind === "STILLS" && state === "DONE");
  }, "the stills, which come before it");
  assert.equal((await client.list(id))[0]?.state, "PENDING");
  await using full = start("full", FFMPEG);
  await full.logged("registered");
  assert.equal((await client.settled(id, 70)).state, "READY");
});

/** Converts planes to the colours of a video. Small video without tags is limited range and BT.601's matrix. */
async function asVideo(planes: Planes): Promise<Planes> {
  const path = `${planes.path}.video`;
  const exactly = "flags=bicubic+accurate_rnd+full_chroma_int:sws_dither=none";
  await ffmpeg([
    ...["-f", "rawvideo", "-video_size", `${planes.width}x${planes.height}`],
    ...["-pixel_format", planes.pixels, "-i", planes.path],
    ...["-vf", `scale=in_color_matrix=smpte170m:out_color_matrix=bt709:${exactly}`, "-f", "rawvideo", path],
  ]);
  return { ...planes, path };
}

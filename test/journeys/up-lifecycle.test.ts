/** `svc up` from start to end: how it stops, and where it continues. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { startOnTerminal } from "../cli/program.ts";
import { type Clips, emptyRaw, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { ask } from "../server/rest-client.ts";
import { SVC, SvcProcess, svc } from "../server/svc-process.ts";
import { until } from "../waiting.ts";

const FRAMES = 250;
const SIZE = { width: 640, height: 360 };
/** Ten tasks of less than a second each. */
const SEGMENTS = ["--segment-seconds", "1", "--threads", "1"];

let clips: Clips;
let dataDir: string;
let film: { readonly reference: string; readonly distorted: string; readonly rawVideo: typeof SIZE };
before(async () => {
  clips = await makeClips();
  dataDir = clips.directory.file("data");
  const path = (name: string) => emptyRaw(clips.directory.file(name), SIZE.width, SIZE.height, FRAMES);
  film = { reference: await path("r.yuv"), distorted: await path("d.yuv"), rawVideo: SIZE };
});
after(() => clips[Symbol.asyncDispose]());

/** Returns the job once at least that many segments are done. */
async function scored(jobs: JobsClient, id: string, segments: number): Promise<Job> {
  for (;;) {
    const job = await jobs.until(id, "QUEUED", "RUNNING", "SUCCEEDED");
    if (job.segmentsDone >= segments) return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Occupies the default port of /metrics, once a test that runs at the same time has released it. */
async function occupyMetricsPort(): Promise<Disposable> {
  for (;;) {
    const server = createServer();
    const listening = once(server, "listening").then(
      () => true,
      () => false,
    );
    server.listen(9464, "127.0.0.1");
    if (await listening) return { [Symbol.dispose]: () => server.close() };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("svc up", () => {
  test("serves metrics on a free port when another program has 9464, and prints it", async () => {
    using _ = await occupyMetricsPort();
    const args = ["--data-dir", dataDir, "--port", "0", "--grpc-port", "0", "--drain-timeout", "0"];
    await using up = new SvcProcess("up", { args });
    const { metrics } = await up.addresses();
    assert.match(metrics ?? "", /^http:\/\/127\.0\.0\.1:(?!9464$)\d+$/);
    assert.equal((await fetch(`${metrics}/metrics`)).status, 200);
    assert.equal(await up.stop(), 0);
  });

  test("does not start if another program has the requested metrics port", async () => {
    using _ = await occupyMetricsPort();
    const ports = ["--port", "0", "--grpc-port", "0", "--log-level", "fatal"];
    for (const asked of [
      { args: ["--metrics-port", "9464"], env: {} },
      { args: [], env: { SVC_METRICS_PORT: "9464" } },
    ]) {
      const { code, stderr } = await svc(["up", "--data-dir", dataDir, ...ports, ...asked.args], asked.env);
      assert.equal(code, 1);
      assert.match(stderr, /cannot listen on 127\.0\.0\.1:9464: another program.* with --metrics-port /);
    }
  });

  test("continues after kill -9: scored segments stay, and the scores are exactly those of svc score", async () => {
    await using killed = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const submitted = await (await JobsClient.of(killed)).submit(film);
    const before = await scored(await JobsClient.of(killed), submitted.body.id, 2);
    killed.signal("SIGKILL");
    assert.equal(await killed.exited(), "SIGKILL");
    await using up = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const jobs = await JobsClient.of(up);
    const there = (await jobs.get(submitted.body.id)).body;
    assert.ok(there.segmentsDone >= before.segmentsDone, "no scored segment is lost");
    const job = await jobs.until(submitted.body.id, "SUCCEEDED");
    const { work = [] } = job;
    assert.ok(work.length > 10 && work.every(({ attempt }) => attempt <= 2), JSON.stringify(work));
    const { rawVideo, ...files } = film;
    const size = `${rawVideo.width}x${rawVideo.height}`;
    const here = await svc(["score", files.reference, files.distorted, "--size", size, "--json"]);
    assert.deepEqual({ ...job.result, durationMs: 0 }, { ...JSON.parse(here.stdout), durationMs: 0 });
    assert.equal(await up.stop(), 0);
  });

  test("refuses a data directory in use, names it, and disturbs nothing", async () => {
    await using up = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0", "--log-level", "fatal"];
    const second = await svc(["up", "--data-dir", dataDir, ...ports]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`^svc up: The data directory .* is in use by process ${up.pid} `));
    assert.doesNotMatch(second.stderr, /^\s+at /m, "no stack");
    assert.equal((await ask(up, "/readyz")).status, 200);
    assert.equal(await up.stop(), 0);
  });

  test("Ctrl-C lets running tasks finish; after --drain-timeout they are handed back, and continue at the next start", async () => {
    await using first = await ControllerProcess.up({
      dataDir,
      args: [...SEGMENTS, "--drain-timeout", "300"],
    });
    const { id } = (await (await JobsClient.of(first)).submit({ ...clips.longPair, subsample: 2 })).body;
    await scored(await JobsClient.of(first), id, 1);
    first.signal("SIGINT");
    assert.equal(await first.exited(), 0);
    await using second = await ControllerProcess.up({ dataDir, args: [...SEGMENTS, "--drain-timeout", "0"] });
    const jobs = await JobsClient.of(second);
    const drained = (await jobs.get(id)).body;
    assert.ok(drained.segmentsDone >= 1);
    const { work = [] } = drained;
    assert.ok(work.length > 1 && work.every(({ attempt }) => attempt <= 1), "running tasks were finished");
    await second.scorerRuns();
    assert.equal(await second.stop(), 0);
    await using third = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const { body } = await (await JobsClient.of(third)).get(id);
    assert.equal(body.state, "RUNNING");
    assert.equal(body.retries, 0, "tasks that were handed back did not fail");
    await (await JobsClient.of(third)).cancel(id);
    await third.scorerGone();
    assert.equal(await third.stop(), 0);
  });

  test("prints its addresses on a terminal, opens the console, and says that nothing is lost", async () => {
    const opened = clips.directory.file("opened");
    const browser = clips.directory.file("browser");
    await writeFile(
      browser,
      `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
      {
        mode: 0o755,
      },
    );
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0"];
    await using running = startOnTerminal([SVC, "up", "--data-dir", dataDir, ...ports], 120, {
      BROWSER: browser,
    });
    await running.printed(
      /console +http:\/\/127\.0\.0\.1:\d+\/console\s+REST +http:\/\/127\.0\.0\.1:\d+\s+page +http.*\/ui\s+gRPC.*\s+metrics.*\s+data +.*data/,
    );
    await running.printed(/svc jobs submit REFERENCE DISTORTED --wait --server 127\.0\.0\.1:\d+/);
    await until(async () => (await stat(opened).catch(() => undefined)) !== undefined, "the browser");
    assert.match(await readFile(opened, "utf8"), /^http:\/\/127\.0\.0\.1:\d+\/console$/);
    running.child.stdin?.write("\x03");
    const { code, stdout } = await running.ended();
    assert.match(stdout, /Finishing running tasks.*Nothing is lost/);
    assert.equal(code, 0);
  });
});

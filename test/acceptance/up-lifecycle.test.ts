/** `svc up` and `svc controller` from start to end: what they refuse, how they stop, and where they go on. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { startOnTerminal } from "../cli/program.ts";
import { type Clips, emptyRaw, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { type Job, JobsClient } from "../server/jobs-client.ts";
import { ask, score } from "../server/rest-client.ts";
import { SVC, svc } from "../server/svc-process.ts";

const FRAMES = 250;
const SIZE = { width: 640, height: 360 };
/** Ten pieces of work, of a part of a second each. */
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

/** The first look at a job that has at least so many segments. */
async function scored(jobs: JobsClient, id: string, segments: number): Promise<Job> {
  for (;;) {
    const job = await jobs.until(id, "QUEUED", "RUNNING", "SUCCEEDED");
    if (job.segmentsDone >= segments) return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("svc up", () => {
  test("goes on where kill -9 ended it: what was scored stays, and the digits are those of svc score", async () => {
    const killed = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const submitted = await (await JobsClient.of(killed)).submit(film);
    const before = await scored(await JobsClient.of(killed), submitted.body.id, 2);
    killed.signal("SIGKILL");
    assert.equal(await killed.exited(), "SIGKILL");
    await using up = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const jobs = await JobsClient.of(up);
    const there = (await jobs.get(submitted.body.id)).body;
    assert.ok(there.segmentsDone >= before.segmentsDone, "no scored segment is lost");
    const job = await jobs.until(submitted.body.id, "SUCCEEDED");
    assert.ok((job.work ?? []).every(({ attempt }) => attempt <= 2));
    const { rawVideo, ...files } = film;
    const size = `${rawVideo.width}x${rawVideo.height}`;
    const here = await svc(["score", files.reference, files.distorted, "--size", size, "--json"]);
    assert.deepEqual({ ...job.result, durationMs: 0 }, { ...JSON.parse(here.stdout), durationMs: 0 });
    assert.equal(await up.stop(), 0);
  });

  test("refuses a data directory that another one uses, by name, and disturbs nothing", async () => {
    await using up = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0", "--log-level", "fatal"];
    const second = await svc(["up", "--data-dir", dataDir, ...ports]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, new RegExp(`^svc up: The data directory .* is in use by process ${up.pid} `));
    assert.doesNotMatch(second.stderr, /^\s+at /m, "no stack");
    assert.equal((await ask(up, "/readyz")).status, 200);
    assert.equal(await up.stop(), 0);
  });

  test("Ctrl-C lets running work finish; past --drain-timeout it is handed back, and goes on at the next start", async () => {
    const first = await ControllerProcess.up({ dataDir, args: [...SEGMENTS, "--drain-timeout", "30"] });
    const { id } = (await (await JobsClient.of(first)).submit({ ...clips.longPair, subsample: 2 })).body;
    await scored(await JobsClient.of(first), id, 1);
    first.signal("SIGINT");
    assert.equal(await first.exited(), 0);
    const second = await ControllerProcess.up({ dataDir, args: [...SEGMENTS, "--drain-timeout", "0"] });
    const jobs = await JobsClient.of(second);
    const drained = (await jobs.get(id)).body;
    assert.ok(drained.segmentsDone >= 1);
    assert.ok(
      (drained.work ?? []).every(({ attempt }) => attempt <= 1),
      "what ran was finished",
    );
    await second.scorerRuns();
    assert.equal(await second.stop(), 0);
    await using third = await ControllerProcess.up({ dataDir, args: SEGMENTS });
    const { body } = await (await JobsClient.of(third)).get(id);
    assert.equal(body.state, "RUNNING");
    assert.equal(body.retries, 0, "work that was handed back did not fail");
    await (await JobsClient.of(third)).cancel(id);
    await third.scorerGone();
    assert.equal(await third.stop(), 0);
  });

  test("tells people on a terminal where things are, and that nothing is lost", async () => {
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0"];
    await using running = startOnTerminal([SVC, "up", "--data-dir", dataDir, ...ports], 120);
    await running.printed(
      /REST +http:\/\/127\.0\.0\.1:\d+\s+page +http.*\/ui\s+gRPC.*\s+metrics.*\s+data +.*data/,
    );
    await running.printed(/svc jobs submit REFERENCE DISTORTED --wait --server 127\.0\.0\.1:\d+/);
    running.child.stdin?.write("\x03");
    const { code, stdout } = await running.ended();
    assert.match(stdout, /Finishing what runs.*Nothing is lost/);
    assert.equal(code, 0);
  });
});

describe("svc controller", () => {
  test("stopping ends streams and waits with SHUTTING_DOWN; the jobs stay", async () => {
    await using controller = await ControllerProcess.up({ dataDir, args: ["--drain-timeout", "0"] });
    const jobs = await JobsClient.of(controller);
    using stream = await EventStream.open(`${controller.rest}/v1/jobs:stream`);
    await stream.find(({ event }) => event === "snapshotEnd");
    const waiting = score(controller, clips.longPair);
    await stream.find(({ event, data }) => event === "change" && JSON.parse(data).job.state === "RUNNING");
    const [job] = (await jobs.list("?pageSize=1")).body.jobs;
    controller.signal("SIGTERM");
    const last = await stream.find(({ event }) => event === "error");
    assert.equal(JSON.parse(last.data).code, "SHUTTING_DOWN");
    assert.equal(await stream.next(), undefined);
    const { status, body } = await waiting;
    assert.deepEqual([status, body.code], [503, "SHUTTING_DOWN"]);
    assert.equal(await controller.exited(), 0);
    await using again = await ControllerProcess.start({ dataDir });
    const after = await JobsClient.of(again);
    assert.equal((await after.get(job?.id ?? "")).body.state, "RUNNING");
    await after.cancel(job?.id ?? "");
    assert.equal(await again.stop(), 0);
  });

  test("a database that cannot be reached: alive, not ready, and every call is told why", async () => {
    const databaseUrl = "postgres://svc:secret@127.0.0.1:1/svc";
    await using controller = await ControllerProcess.start({
      ready: false,
      env: { SVC_DATABASE_URL: databaseUrl, SVC_AUTH_DISABLED: "true" },
    });
    assert.equal((await ask(controller, "/v1/health")).status, 200);
    for (const path of ["/v1/ready", "/v1/jobs", "/v1/nodes"]) {
      const { status, headers, body } = await ask(controller, path);
      assert.deepEqual([status, body.code], [503, "STORE_UNAVAILABLE"], path);
      assert.ok(Number(headers.get("retry-after")) >= 1);
    }
    await controller.logged("store not ready", { code: "STORE_UNAVAILABLE" });
    assert.doesNotMatch(JSON.stringify(controller.log), /secret/, "the password is told to nobody");
    assert.equal(await controller.stop(), 0);
  });

  test("that authentication is disabled is said loudly", async () => {
    await using controller = await ControllerProcess.start({
      ready: false,
      dataDir,
      args: ["--host", "0.0.0.0"],
    });
    const line = await controller.logged(
      "AUTHENTICATION IS DISABLED: every caller may do everything; not for production",
    );
    assert.equal(line["level"], "warn");
    await controller.logged("no authentication: whoever reaches this address can score", { level: "warn" });
    assert.equal(await controller.stop(), 0);
  });
});

describe("what cannot start says why", () => {
  const refused: [what: string, args: readonly string[], message: RegExp][] = [
    ["without --auth-disabled", ["controller"], /authentication is not configured.* --auth-disabled/],
    [
      "two stores",
      ["controller", "--auth-disabled", "--data-dir", "/tmp/x", "--database-url", "postgres://h/d"],
      /--data-dir and --database-url are both given/,
    ],
    [
      "a lease of nothing",
      ["controller", "--auth-disabled", "--lease", "0"],
      /--lease: "0" is not a whole number from 1/,
    ],
    ["a host for svc up", ["up", "--host", "0.0.0.0"], /unknown option '--host'/],
    [
      "a model directory that is not there",
      ["up", "--model-dir", "/no/such"],
      /--model-dir: "\/no\/such" does not exist/,
    ],
  ];
  for (const [what, args, message] of refused) {
    test(`${what}: exit code 2`, async () => {
      const ended = await svc(args);
      assert.match(ended.stderr, message);
      assert.doesNotMatch(ended.stderr, /^\s+at /m, "no stack");
      assert.equal(ended.code, 2);
    });
  }

  test("a data directory that is a file: exit code 2", async () => {
    const file = clips.pair.reference;
    const ended = await svc(["up", "--data-dir", file]);
    assert.match(ended.stderr, /--data-dir: ".*" cannot be used \(EEXIST\)/);
    assert.equal(ended.code, 2);
  });

  test("a port that is taken: exit code 1, which flag to change, and the store is let go", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = String(typeof address === "object" && address !== null ? address.port : 0);
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", port, "--log-level", "fatal"];
    const ended = await svc(["up", "--data-dir", dataDir, ...ports]);
    assert.match(
      ended.stderr,
      new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: another.*with --metrics-port `),
    );
    assert.equal(ended.code, 1);
    await new Promise((resolve) => taken.close(resolve));
  });
});

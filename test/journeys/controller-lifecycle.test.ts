/** Start and stop of `svc controller`: refusals, messages, and what ends with it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { JobsClient, type NodeList } from "../server/jobs-client.ts";
import { ask, score } from "../server/rest-client.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { until, withTimeout } from "../waiting.ts";

let clips: Clips;
let dataDir: string;
before(async () => {
  clips = await makeClips();
  dataDir = clips.directory.file("data");
});
after(() => clips[Symbol.asyncDispose]());

describe("svc controller", () => {
  test("a signal while the store is being opened ends it, because nothing is running", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const database = ["--database-url", `postgres://svc@127.0.0.1:${port}/jobs`];
    const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", "0"];
    const asked = once(silent, "connection");
    await using controller = new SvcProcess("controller", {
      args: ["--auth-disabled", ...ports, ...database],
    });
    await withTimeout(asked, "a connection to the database");
    assert.equal(await controller.stop(), "SIGTERM");
    await controller.logged("stopped before startup was complete");
    silent.close();
  });

  test("a stop ends streams and waiting requests with SHUTTING_DOWN; the jobs stay", async () => {
    await using controller = await ControllerProcess.up({ dataDir, args: ["--drain-timeout", "0"] });
    const jobs = await JobsClient.of(controller);
    using stream = await EventStream.open(`${controller.rest}/v1/jobs:stream`);
    await stream.find(({ event }) => event === "snapshotEnd");
    const headers = { "content-type": "application/json", "idempotency-key": "kept" };
    const waiting = score(controller, clips.longPair, { headers });
    await stream.find(({ event, data }) => event === "change" && JSON.parse(data).job.state === "RUNNING");
    const [job] = (await jobs.list("?pageSize=1")).body.jobs;
    controller.signal("SIGTERM");
    const last = await stream.find(({ event }) => event === "error");
    assert.equal(JSON.parse(last.data).code, "SHUTTING_DOWN");
    assert.equal(await stream.next(), undefined);
    const { status, body } = await waiting;
    assert.deepEqual([status, body.code, body.found], [503, "SHUTTING_DOWN", { jobId: job?.id }]);
    assert.equal(await controller.exited(), 0);
    await using again = await ControllerProcess.start({ dataDir });
    const after = await JobsClient.of(again);
    assert.equal((await after.get(job?.id ?? "")).body.state, "RUNNING");
    const isAway = async () => {
      const { nodes } = (await after.call<NodeList>("listNodes", "/v1/nodes")).body;
      return nodes.every(({ state }) => state !== "ONLINE");
    };
    await until(isAway, "the node to be OFFLINE, if it didn't sign off");
    const prefer = "respond-async";
    const other = { ...headers, "idempotency-key": "new", prefer };
    const refused = await score(again, clips.longPair, { headers: other });
    assert.deepEqual([refused.status, refused.body.code], [503, "NO_NODE_ONLINE"]);
    const found = await score(again, clips.longPair, { headers: { ...headers, prefer } });
    assert.deepEqual([found.status, found.headers.get("location")], [202, `/v1/jobs/${job?.id}`]);
    await after.cancel(job?.id ?? "");
    assert.equal(await again.stop(), 0);
  });

  test("a score repeated with its key gets the existing job, which continues without the client that left", async () => {
    await using controller = await ControllerProcess.up({ dataDir: clips.directory.file("again") });
    const headers = { "content-type": "application/json", "idempotency-key": "once" };
    const gone = new AbortController();
    using stream = await EventStream.open(`${controller.rest}/v1/jobs:stream`);
    await stream.find(({ event }) => event === "snapshotEnd");
    const first = score(controller, clips.longPair, { headers, signal: gone.signal });
    await stream.find(({ event, data }) => event === "change" && JSON.parse(data).job.state === "RUNNING");
    gone.abort();
    await assert.rejects(first, { name: "AbortError" });
    const jobs = await JobsClient.of(controller);
    const { status } = await score(controller, clips.longPair, {
      headers: { ...headers, prefer: "respond-async" },
    });
    assert.equal(status, 202);
    const [only, ...others] = (await jobs.list("?pageSize=10")).body.jobs;
    assert.deepEqual([only?.state, others], ["RUNNING", []]);
    const { status: other, body: problem } = await score(controller, clips.pair, { headers });
    assert.deepEqual([other, problem.code], [409, "IDEMPOTENCY_CONFLICT"]);
    await jobs.cancel(only?.id ?? "");
    assert.equal(await controller.stop(), 0);
  });

  test("without a database it is alive, not ready, and every call says why", async () => {
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
    const probes = ["/v1/health", "/healthz", "/v1/ready", "/readyz"].map(
      (path) => controller.metrics + path,
    );
    const answers = await Promise.all(probes.map((url) => fetch(url)));
    const reported = answers.map(({ status, headers }) => [status, headers.get("retry-after")]);
    const expected = [
      [200, null],
      [200, null],
      [503, "1"],
      [503, "1"],
    ];
    assert.deepEqual(reported, expected, "the metrics port says the same");
    const listed = await svc(["jobs", "list", "--server", controller.grpc, "--json"]);
    assert.match(listed.stderr, /STORE_UNAVAILABLE/);
    await controller.logged("store not ready", { code: "STORE_UNAVAILABLE" });
    assert.doesNotMatch(JSON.stringify(controller.log), /secret/, "the password is not logged");
    assert.equal(await controller.stop(), 0);
  });

  test("logs prominently that authentication is disabled", async () => {
    await using controller = await ControllerProcess.start({
      ready: false,
      dataDir,
      args: ["--host", "0.0.0.0"],
    });
    const line = await controller.logged(
      "AUTHENTICATION IS DISABLED: every caller has full access; not for production",
    );
    assert.equal(line["level"], "warn");
    await controller.logged("no authentication: anyone who can reach this address can score", {
      level: "warn",
    });
    assert.equal(await controller.stop(), 0);
  });
});

describe("refuses to start and says why", () => {
  const refused: [what: string, args: readonly string[], message: RegExp][] = [
    ["without --auth-disabled", ["controller"], /authentication is not configured.* --auth-disabled/],
    [
      "two stores",
      ["controller", "--auth-disabled", "--data-dir", "/tmp/x", "--database-url", "postgres://h/d"],
      /--data-dir and --database-url cannot be used together/,
    ],
    [
      "a lease of 0",
      ["controller", "--auth-disabled", "--lease", "0"],
      /--lease: "0" is not a whole number from 1/,
    ],
    ["a host for svc up", ["up", "--host", "0.0.0.0"], /unknown option '--host'/],
    [
      "a missing model directory",
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

  test("a port in use: exit code 1, which flag to change, and the store is released", async () => {
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

/**
 * Two controllers on one PostgreSQL, with a node on one of them: either answers any call, also after a database outage.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { freePort } from "../server/free-port.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { ask, score } from "../server/rest-client.ts";
import { SvcProcess, svc } from "../server/svc-process.ts";
import { PostgresCluster } from "../store/postgres.ts";
import { until } from "../waiting.ts";

let clips: Clips;
let cluster: PostgresCluster;
let controllers: readonly [ControllerProcess, ControllerProcess];
let node: SvcProcess;
before(async () => {
  clips = await makeClips();
  cluster = await PostgresCluster.start();
  const env = { SVC_DATABASE_URL: await cluster.createDatabase("jobs") };
  const first = await ControllerProcess.start({ env });
  controllers = [first, await ControllerProcess.start({ env })];
  node = new SvcProcess("node", { args: ["--controller", first.grpc, "--metrics-port", "0"] });
  await node.logged("registered");
});
after(async () => {
  for (const process of [node, ...controllers]) await process[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

test("a job of one controller is scored exactly as by svc score, and is streamed and read at the other", async () => {
  const [first, second] = controllers;
  using stream = await EventStream.open(`${first.rest}/v1/jobs:stream`);
  await stream.find(({ event }) => event === "snapshotEnd");
  const { status, body } = await score(second, { ...clips.pair, frames: true });
  assert.equal(status, 200);
  const { stdout } = await svc(["score", clips.pair.reference, clips.pair.distorted, "--json", "--frames"]);
  assert.deepEqual({ ...body, durationMs: 0 }, { ...JSON.parse(stdout), durationMs: 0 });
  const reported = await stream.find(({ data }) => JSON.parse(data).job.state === "SUCCEEDED");
  const there = await (await JobsClient.of(second)).get(JSON.parse(reported.data).job.id);
  assert.equal(there.body.score, body.score);
});

test("a cancel at one controller kills the scorer on the other's node", async () => {
  const [first, second] = controllers;
  const { id } = (await (await JobsClient.of(first)).submit(clips.longPair)).body;
  await node.scorerRuns();
  await (await JobsClient.of(second)).cancel(id);
  await node.scorerGone();
});

test("during a database outage every call says so; afterwards both recover without a restart", async () => {
  const { id } = (await (await JobsClient.of(controllers[0])).submit(clips.longPair)).body;
  await node.scorerRuns();
  await cluster.stop();
  for (const controller of controllers) {
    for (const path of ["/v1/ready", `/v1/jobs/${id}`]) {
      const { status, body } = await ask(controller, path);
      assert.deepEqual([status, body.code], [503, "STORE_UNAVAILABLE"], path);
    }
    assert.equal((await ask(controller, "/v1/health")).status, 200);
  }
  await cluster.run();
  for (const controller of controllers) {
    await until(async () => (await ask(controller, "/v1/ready")).status === 200, "the store to be back");
    assert.equal((await (await JobsClient.of(controller)).get(id)).body.state, "RUNNING");
  }
  await (await JobsClient.of(controllers[1])).cancel(id);
  await node.scorerGone();
});

/** Finds waits for the migration lock. */
const MIGRATION_LOCK = 0x73_76_63;
const WAITS = "select from pg_locks where locktype = 'advisory' and not granted";

test("while another process migrates, a controller is alive and not ready, on the metrics port", async (t) => {
  const url = await cluster.createDatabase("migrating");
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.after(() => other.end());
  await other.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
  const port = await freePort();
  const ports = ["--port", "0", "--grpc-port", "0", "--metrics-port", String(port)];
  const args = ["--auth-disabled", "--host", "127.0.0.1", ...ports, "--database-url", url];
  await using controller = new SvcProcess("controller", { args });
  const probe = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  await until(async () => (await probe("/v1/health"))?.status === 200, "it to be alive");
  await until(async () => (await other.query(WAITS)).rowCount === 1, "it to wait for the other process");
  assert.equal((await probe("/v1/health"))?.status, 200);
  const refused = await probe("/v1/ready");
  assert.equal(refused?.status, 503);
  assert.match(await refused.text(), /The store is still being opened.*STORE_UNAVAILABLE/);
  await other.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  const { rest } = await controller.addresses();
  await until(async () => (await probe("/v1/ready"))?.status === 200, "it to be ready");
  assert.equal((await fetch(`${rest}/v1/ready`)).status, 200);
  assert.equal(await controller.stop(), 0);
});

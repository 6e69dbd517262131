/** Two controllers on one PostgreSQL, a node of one of them: any of them answers any call, through an outage of the database. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Clips, makeClips } from "../server/clips.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { EventStream } from "../server/event-stream.ts";
import { JobsClient } from "../server/jobs-client.ts";
import { ask, score } from "../server/rest-client.ts";
import { SvcProcess, svc, until } from "../server/svc-process.ts";
import { PostgresCluster } from "../store/postgres.ts";

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

test("a job of one controller is scored, told and read at the other, with the digits of svc score", async () => {
  const [first, second] = controllers;
  using stream = await EventStream.open(`${first.rest}/v1/jobs:stream`);
  await stream.find(({ event }) => event === "snapshotEnd");
  const { status, body } = await score(second, { ...clips.pair, frames: true });
  assert.equal(status, 200);
  const { stdout } = await svc(["score", clips.pair.reference, clips.pair.distorted, "--json", "--frames"]);
  assert.deepEqual({ ...body, durationMs: 0 }, { ...JSON.parse(stdout), durationMs: 0 });
  const told = await stream.find(({ data }) => JSON.parse(data).job.state === "SUCCEEDED");
  const there = await (await JobsClient.of(second)).get(JSON.parse(told.data).job.id);
  assert.equal(there.body.score, body.score);
});

test("cancelled at one controller, the scorer of the other's node is killed", async () => {
  const [first, second] = controllers;
  const { id } = (await (await JobsClient.of(first)).submit(clips.longPair)).body;
  await node.scorerRuns();
  await (await JobsClient.of(second)).cancel(id);
  await node.scorerGone();
});

test("while the database is away every call is told so, and afterwards both go on by themselves", async () => {
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

/** REST and gRPC provide the same services of the controller, for the tenant of the token. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { after, before, describe, test } from "node:test";
import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import type { Connection } from "../../src/client/connection/connection.ts";
import {
  type GetJobFramesResponse,
  JobPlanSchema,
  JobSchema,
  JobService,
  JobSpecSchema,
  StreamJobsResponse_Kind,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { Failure, type FailureCode } from "../../src/platform/failure.ts";
import { Peer } from "../controller/peer.ts";
import { EventStream } from "./event-stream.ts";
import { bearing, GrpcClient } from "./grpc-client.ts";
import { dial } from "./rest-client.ts";
import { Transports } from "./transports.ts";

const FRAMES = 60;
const SEGMENT = 20;
const PAIR = { reference: "/media/r.mp4", distorted: "/media/d.mp4" };

let transports: Transports;
let mine: Connection;
let node: Peer;
/** How often part of a job's scores was read from the store. */
let partsRead = 0;
before(async () => {
  transports = await Transports.open((store) => ({
    parts: (...call) => {
      partsRead++;
      return store.parts(...call);
    },
  }));
  mine = transports.connect("mine");
  node = await Peer.register(transports.system.nodes, "mine");
});
after(async () => {
  mine[Symbol.dispose]();
  await transports[Symbol.asyncDispose]();
});

async function submit(spec: MessageInitShape<typeof JobSpecSchema> = {}): Promise<string> {
  const { job } = await mine.call(JobService.method.submitJob, {
    job: create(JobSpecSchema, { ...PAIR, ...spec }),
  });
  return job?.id ?? "";
}

/** Creates a job with all its per-frame scores. */
async function scored(spec: MessageInitShape<typeof JobSpecSchema> = {}): Promise<string> {
  const id = await submit(spec);
  await node.work(FRAMES, SEGMENT);
  await transports.system.until("mine", id, ({ endTime }) => endTime !== undefined);
  return id;
}

async function codeOf(work: Promise<unknown>): Promise<FailureCode> {
  try {
    await work;
  } catch (thrown) {
    return Failure.from(thrown).code;
  }
  return assert.fail("not refused");
}

async function read<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

test("a job has the same members over both transports", async () => {
  const id = await scored({ labels: { a: "b" }, priority: -3, name: "both" });
  const { job } = await mine.call(JobService.method.getJob, { id });
  assert.ok(job?.spec && job.result);
  const { frames: _, ...result } = toJson(JobSchema, job, { alwaysEmitImplicit: true }) as Record<
    string,
    unknown
  > & {
    frames?: unknown;
  };
  const { body } = await transports.ask("mine", `/v1/jobs/${id}`);
  assert.deepEqual(body["spec"], toJson(JobSpecSchema, job.spec));
  const { spec: _spec, result: restResult, ...rest } = body;
  const { spec: _own, result: grpcResult, ...grpc } = result;
  assert.deepEqual(rest, grpc);
  assert.deepEqual({ ...(restResult as object), frames: [] }, grpcResult);
});

test("a plan is returned over both transports until there is a result, but not in lists and streams", async () => {
  const id = await submit();
  const grpc = async () => (await mine.call(JobService.method.getJob, { id })).job;
  const rest = async () => (await transports.ask("mine", `/v1/jobs/${id}`)).body;
  assert.equal((await grpc())?.plan, undefined, "not planned yet");
  await node.plan(await node.pullSome(), FRAMES, SEGMENT);
  const plan = (await grpc())?.plan;
  assert.ok(plan);
  const { width, frameRate, frames, bytes, duration } = plan.reference ?? {};
  assert.deepEqual(
    { width, frameRate, frames, bytes, duration },
    {
      ...{ width: 1280, frameRate: "25/1", frames: FRAMES, bytes: 1000, duration: FRAMES / 25 },
    },
  );
  assert.deepEqual((await rest())["plan"], toJson(JobPlanSchema, plan, { alwaysEmitImplicit: true }));
  const { jobs } = await mine.call(JobService.method.listJobs, {});
  assert.deepEqual([jobs[0]?.id, jobs[0]?.plan], [id, undefined]);
  for await (const { job } of mine.stream(JobService.method.streamJobs, { ids: [id] })) {
    assert.equal(job?.plan, undefined);
    break;
  }
  await node.work(FRAMES, SEGMENT);
  await transports.system.until("mine", id, ({ endTime }) => endTime !== undefined);
  const ended = await grpc();
  assert.deepEqual([ended?.plan, ended?.result?.reference], [undefined, plan.reference]);
  assert.equal((await rest())["plan"], undefined);
});

test("frames are the same over both transports, in order, all or a range", async () => {
  const id = await scored();
  const rows = (batches: readonly GetJobFramesResponse[]) =>
    batches.flatMap(({ frames }) => frames?.frames.map(({ frame, metrics }) => ({ frame, metrics })) ?? []);
  const whole = rows(await read(mine.stream(JobService.method.getJobFrames, { id })));
  assert.deepEqual(
    whole.map(({ frame }) => frame),
    Array.from({ length: FRAMES }, (_, index) => index),
  );
  assert.deepEqual((await transports.ask("mine", `/v1/jobs/${id}/frames`)).body["frames"], whole);
  const range = { id, firstFrame: SEGMENT - 1, frameCount: 3 };
  assert.deepEqual(rows(await read(mine.stream(JobService.method.getJobFrames, range))), whole.slice(19, 22));
  const path = `/v1/jobs/${id}/frames?firstFrame=19&frameCount=3`;
  assert.deepEqual((await transports.ask("mine", path)).body["frames"], whole.slice(19, 22));
});

test("frames are read from the store only as fast as the client reads", async () => {
  const [frames, segment] = [200_000, 5_000];
  const id = await submit();
  await node.work(frames, segment);
  await transports.system.until("mine", id, ({ endTime }) => endTime !== undefined);
  const path = `/v1/jobs/${id}/frames`;
  partsRead = 0;
  const socket = dial(transports);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer mine\r\n\r\n`);
  await once(socket, "data");
  socket.pause();
  const other = await transports.ask("mine", path);
  assert.equal((other.body["frames"] as unknown[]).length, frames);
  const wholeReads = frames / segment;
  assert.ok(partsRead >= wholeReads, `${partsRead} reads`);
  assert.ok(partsRead < 2 * wholeReads - 2, `${partsRead} reads: frames were read ahead of the client`);
  socket.destroy();
  await once(socket, "close");
});

test("a caller without a tenant can only use the probes", async () => {
  using nobody = transports.connect(undefined);
  assert.equal(await codeOf(nobody.call(JobService.method.listJobs, {})), "TOKEN_MISSING");
  assert.equal(await codeOf(read(nobody.stream(JobService.method.streamJobs, {}))), "TOKEN_MISSING");
  assert.equal((await fetch(`${transports.rest}/v1/jobs`)).status, 401);
  assert.equal((await fetch(`${transports.rest}/ui/spec.json`)).status, 401);
  for (const path of ["/v1/health", "/healthz", "/v1/ready", "/readyz"]) {
    assert.equal((await fetch(transports.rest + path)).status, 200, path);
  }
});

describe("streams", () => {
  test("a gRPC stream sends the snapshot and each change, and ends when its caller leaves", async () => {
    const id = await submit();
    const kinds: StreamJobsResponse_Kind[] = [];
    for await (const { kind, job } of mine.stream(JobService.method.streamJobs, { ids: [id] })) {
      kinds.push(kind);
      if (kind === StreamJobsResponse_Kind.SNAPSHOT_END) await mine.call(JobService.method.cancelJob, { id });
      if (kind === StreamJobsResponse_Kind.CHANGE) {
        assert.equal(job?.id, id);
        break;
      }
    }
    const { SNAPSHOT, SNAPSHOT_END, CHANGE } = StreamJobsResponse_Kind;
    assert.deepEqual(kinds, [SNAPSHOT, SNAPSHOT_END, CHANGE]);
    await transports.system.store.ping();
    while ((await transports.system.metric("svc_streams")) > 0) await transports.system.store.ping();
  });

  test("an event stream is closed when its client leaves", async () => {
    {
      using stream = await EventStream.open(`${transports.rest}/v1/jobs:stream`, {
        authorization: "Bearer mine",
      });
      await stream.find(({ event }) => event === "snapshotEnd");
      assert.equal(await transports.system.metric("svc_streams"), 1);
    }
    while ((await transports.system.metric("svc_streams")) > 0) await transports.system.store.ping();
  });

  test("an invalid stream request gets an error status", async () => {
    const { status, body } = await transports.ask("mine", "/v1/jobs:stream?id=x", {
      headers: { "last-event-id": "~ ~" },
    });
    assert.deepEqual([status, body["code"]], [400, "INVALID_REQUEST"]);
  });
});

test("a score that takes too long is 504 with the job id, and the job continues", async () => {
  const { status, body } = await transports.ask("mine", "/v1/score", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(PAIR),
  });
  assert.deepEqual([status, body["code"]], [504, "SCORE_TIMEOUT"]);
  const { jobId } = body["found"] as { readonly jobId: string };
  const { job } = await mine.call(JobService.method.getJob, { id: jobId });
  assert.equal(job?.endTime, undefined);
  await mine.call(JobService.method.cancelJob, { id: jobId });
});

test("a pull is ended when its caller leaves, and frees its place", async () => {
  await node.work(FRAMES, SEGMENT);
  const leave = new AbortController();
  const request = { session: node.session, waitMs: 60_000 };
  const pull = codeOf(
    mine.call(NodeService.method.pullWork, request, { signal: leave.signal, timeoutMs: 90_000 }),
  );
  while ((await transports.system.metric("svc_pulls_waiting")) === 0) await transports.system.store.ping();
  leave.abort();
  assert.equal(await pull, "SCORE_CANCELLED");
  while ((await transports.system.metric("svc_pulls_waiting")) > 0) await transports.system.store.ping();
  const late = mine.call(NodeService.method.pullWork, request, { timeoutMs: 200 });
  await assert.rejects(late);
  while ((await transports.system.metric("svc_pulls_waiting")) > 0) await transports.system.store.ping();
});

test("at most 100 concurrent calls are allowed on one connection", async () => {
  const session = connect(`http://${transports.grpc}`);
  const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
    session.once("remoteSettings", resolve),
  );
  assert.equal(settings.maxConcurrentStreams, 100);
  session.close();
});

test("health covers each service by name, and reflection describes them with all imports", async () => {
  using client = new GrpcClient(transports);
  const named = (name: string) => Buffer.from([0x0a, name.length, ...Buffer.from(name)]);
  for (const name of ["svc.v1.JobService", "svc.v1.NodeService"]) {
    const [answer] = await client.bytesCall("/grpc.health.v1.Health/Check", named(name)).take(1).toArray();
    assert.deepEqual(answer, Buffer.from([0x08, 1]), name);
  }
  const ask = async (request: Buffer): Promise<string> => {
    const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const stream = client.bytesCall(path, request, bearing("mine~none"));
    const [answer] = (await stream.take(1).toArray()) as Buffer[];
    return answer?.toString("latin1") ?? "";
  };
  const symbol = (name: string) => ask(Buffer.from([0x22, name.length, ...Buffer.from(name)]));
  assert.match(await ask(Buffer.from([0x3a, 1, 0x2a])), /svc\.v1\.JobService.*svc\.v1\.NodeService/s);
  assert.match(await symbol("svc.v1.NodeService"), /svc\/v1\/node\.proto/);
  assert.match(await symbol("svc.v1.JobService"), /google\/protobuf\/timestamp\.proto/);
});

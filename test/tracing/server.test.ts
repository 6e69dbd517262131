/** Spans of a scoring server over both transports; an unreachable collector harms nothing. */
import assert from "node:assert/strict";
import { constants } from "node:http2";
import { after, before, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Metadata } from "@grpc/grpc-js";
import { ScoreRequestSchema } from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { type Clips, makeClips } from "../server/clips.ts";
import { failureOf, GrpcClient } from "../server/grpc-client.ts";
import { CHECK, endOf, part, RawGrpc } from "../server/raw-grpc.ts";
import { ask } from "../server/rest-client.ts";
import { ServerProcess } from "../server/server-process.ts";
import { Collector, type ReceivedSpan } from "./collector.ts";
import { branch, treeOf } from "./tree.ts";

const OVER_REST = "4bf92f3577b34da6a3ce929d0e0e4736";
const OVER_GRPC = "5bf92f3577b34da6a3ce929d0e0e4736";

let clips: Clips;
before(async () => {
  clips = await makeClips();
});
after(() => clips[Symbol.asyncDispose]());

const parent = (traceId: string) => `00-${traceId}-00f067aa0ba902b7-01`;

function score(server: ServerProcess, pair: object, traceId: string) {
  const headers = { "content-type": "application/json", traceparent: parent(traceId) };
  return ask(server, "/v1/score", { method: "POST", headers, body: JSON.stringify(pair) });
}

test("a score is part of its caller's trace, over REST and gRPC", async () => {
  await using collector = await Collector.open();
  await using server = await ServerProcess.start({ args: ["--otlp-endpoint", collector.url] });
  using client = new GrpcClient(server);
  const metadata = new Metadata();
  metadata.set("traceparent", parent(OVER_GRPC));
  assert.equal((await score(server, clips.pair, OVER_REST)).status, 200);
  await client.score(create(ScoreRequestSchema, clips.pair), { metadata });
  const missing = create(ScoreRequestSchema, { ...clips.pair, distorted: "/nowhere.mp4" });
  await failureOf(client.score(missing, { metadata }));
  await ask(server, "/v1/health");
  const isCall = ({ traceId, name }: ReceivedSpan) =>
    traceId === OVER_GRPC && name === "svc.v1.ScoringService/Score";
  const calls = () => collector.spans.filter(isCall);
  // Spans left for the end have little time, so earlier ones are awaited first.
  await collector.until(() => calls()[1], "the spans of both calls");
  await server.stop();
  assert.deepEqual(treeOf(collector.trace(OVER_REST)), branch("POST /v1/score", branch("run scorer")));
  const ended = (code: string) =>
    calls().find(({ attributes }) => attributes["rpc.response.status_code"] === code);
  const [done, failed] = [ended("OK"), ended("FAILED_PRECONDITION")];
  assert.deepEqual([failed?.status, failed?.attributes["svc.error.code"]], [0, "MEDIA_NOT_FOUND"]);
  assert.equal(done?.kind, 2);
  assert.ok(
    collector.spans.every(({ traceId }) => [OVER_REST, OVER_GRPC].includes(traceId)),
    "probes are not recorded",
  );
  const finished = await server.logged("score finished", { trace_id: OVER_REST });
  assert.ok(finished["span_id"]);
});

test("calls that never reach their handlers also end as spans", async () => {
  await using collector = await Collector.open();
  await using server = await ServerProcess.start({ args: ["--otlp-endpoint", collector.url] });
  await using client = await RawGrpc.open(server.grpc);
  const path = "/svc.v1.ScoringService/Score";
  const begin = (n: number) => client.begin(path, ["traceparent", parent(String(n).repeat(32))]);
  const ended = async (n: number) => {
    const { attributes } = await collector.span(
      ({ traceId }) => traceId === String(n).repeat(32),
      `call ${n}`,
    );
    return attributes["rpc.response.status_code"];
  };
  // Field 1 announces more bytes than there are.
  begin(1).end(Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f]));
  begin(2).write(part(64 * 1024 * 1024, 0));
  begin(3).end();
  const left = begin(4);
  left.write(part(10, 1));
  // The next call on the connection has been answered, so this one has arrived.
  await endOf(client.begin(CHECK).end(part(0, 0)));
  left.close(constants.NGHTTP2_CANCEL);
  for (const n of [1, 2]) assert.equal(await ended(n), "CANCELLED", String(n));
  // grpc-js does not distinguish a missing message from a client that disconnected.
  for (const n of [3, 4]) assert.match(String(await ended(n)), /^(UNIMPLEMENTED|CANCELLED)$/);
});

test("with an unreachable collector scores work, the failure is logged once, and the process ends in time", async () => {
  // Nothing listens on the port of "discard".
  await using server = await ServerProcess.start({ args: ["--otlp-endpoint", "http://127.0.0.1:9"] });
  for (let n = 0; n < 3; n++) assert.equal((await score(server, clips.pair, OVER_REST)).status, 200);
  await server.logged("failed to export spans");
  const metrics = await (await fetch(`${server.rest}/metrics`)).text();
  assert.match(metrics, /^svc_trace_spans_waiting [1-9]/m);
  assert.equal(await server.stop(), 0);
  // Only warnings about spans: a frozen machine may cause others.
  assert.equal(server.log.filter(({ level, msg }) => level === "warn" && /span/.test(String(msg))).length, 1);
});

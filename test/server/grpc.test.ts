/** The gRPC API of the scoring server: results equal to REST, progress, errors, limits, health, reflection. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { status } from "@grpc/grpc-js";
import {
  type Mismatch_Policy,
  ScoreRequestSchema,
  ScoreResultSchema,
  type ScoreStreamResponse,
} from "../../src/gen/proto/svc/v1/scoring_pb.ts";
import { type Clips, emptyRaw, FRAMES, makeClips } from "./clips.ts";
import { detailsOf, failureOf, GrpcClient, named } from "./grpc-client.ts";
import { score } from "./rest-client.ts";
import { ServerProcess } from "./server-process.ts";

let clips: Clips;
let server: ServerProcess;
let client: GrpcClient;
before(async () => {
  clips = await makeClips();
  server = await ServerProcess.start({ args: ["--concurrency", "1", "--threads", "2"] });
  client = new GrpcClient(server);
});
after(async () => {
  client[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
  await clips[Symbol.asyncDispose]();
});

const requestOf = (init: MessageInitShape<typeof ScoreRequestSchema>) => create(ScoreRequestSchema, init);

async function eventsOf(stream: AsyncIterable<ScoreStreamResponse>) {
  const events: ScoreStreamResponse["event"][] = [];
  for await (const { event } of stream) events.push(event);
  return events;
}

describe("results", () => {
  test("have the same members and values as over REST", async () => {
    const request = { ...clips.pair, features: ["psnr", "float_ssim"], frames: true };
    const rest = (await score(server, request)).body;
    const { result } = await client.score(requestOf(request));
    assert.ok(result);
    const json = toJson(ScoreResultSchema, result, { alwaysEmitImplicit: true });
    assert.deepEqual({ ...(json as object), durationMs: 0 }, { ...rest, durationMs: 0 });
    assert.equal(result.frames.length, FRAMES);
  });

  test("a stream sends progress, then frames, then the result, with exactly the same scores", async () => {
    const { result } = await client.score(requestOf({ ...clips.pair, frames: true }));
    const events = await eventsOf(client.scoreStream(requestOf({ ...clips.pair, frames: true })));
    const order = events.map((event) => event.case).filter((each, index, all) => each !== all[index - 1]);
    assert.deepEqual(order, ["progress", "frames", "result"]);
    const frames = events.flatMap((event) => (event.case === "frames" ? event.value.frames : []));
    assert.deepEqual(frames, result?.frames);
    const last = events.at(-1);
    assert.ok(last?.case === "result");
    assert.deepEqual(last.value.pooled, result?.pooled);
    const progress = events.flatMap((event) => (event.case === "progress" ? [event.value] : []));
    assert.equal(progress.at(-1)?.framesDone, FRAMES);
    assert.ok(progress.every(({ framesTotal }) => framesTotal === FRAMES));
  });

  test("a stream without frames sends no frames", async () => {
    const events = await eventsOf(client.scoreStream(requestOf(clips.pair)));
    assert.ok(events.every((event) => event.case !== "frames"));
    assert.equal(events.at(-1)?.case, "result");
  });
});

describe("errors", () => {
  const cases: [
    name: string,
    change: MessageInitShape<typeof ScoreRequestSchema>,
    code: status,
    reason: string,
  ][] = [
    ["no reference", { reference: "" }, status.INVALID_ARGUMENT, "INVALID_REQUEST"],
    ["an unknown model", { model: "vmaf_v9" }, status.INVALID_ARGUMENT, "UNKNOWN_MODEL"],
    ["an unknown feature", { features: ["x"] }, status.INVALID_ARGUMENT, "UNKNOWN_FEATURE"],
    ["subsample 1001", { subsample: 1001 }, status.INVALID_ARGUMENT, "INVALID_REQUEST"],
    ["raw video without a size", { rawVideo: {} }, status.INVALID_ARGUMENT, "INVALID_REQUEST"],
    [
      "an unknown policy",
      { onFrameRateMismatch: 77 as Mismatch_Policy },
      status.INVALID_ARGUMENT,
      "INVALID_REQUEST",
    ],
    ["a URL", { reference: "s3://bucket/a.mp4" }, status.INVALID_ARGUMENT, "URL_NOT_SUPPORTED"],
    ["a missing file", { distorted: "/no/such.mp4" }, status.FAILED_PRECONDITION, "MEDIA_NOT_FOUND"],
  ];
  for (const [name, change, code, reason] of cases) {
    test(`${name}: ${status[code]} ${reason}`, async () => {
      const error = await failureOf(client.score(requestOf({ ...clips.pair, ...change })));
      const { status: details, info } = detailsOf(error);
      assert.equal(error.code, code);
      assert.equal(info?.reason, reason);
      assert.equal(info?.domain, "svc");
      assert.equal(details.code, code);
      assert.equal(details.message, error.details);
    });
  }

  test("contain the facts, flattened, and the message of REST", async () => {
    const pair = { ...clips.longPair, distorted: clips.pair.distorted };
    const rest = (await score(server, pair)).body;
    const error = await failureOf(client.score(requestOf(pair)));
    const { info } = detailsOf(error);
    assert.equal(error.code, status.FAILED_PRECONDITION);
    assert.equal(info?.reason, rest.code);
    assert.equal(error.details, rest.detail);
    const facts = info?.metadata ?? {};
    const { reference, distorted, remedy } = rest.found as Record<string, Record<string, unknown>>;
    assert.equal(facts["referenceFrames"], String(reference?.["frames"]));
    assert.equal(facts["distortedFrames"], String(distorted?.["frames"]));
    assert.equal(facts["remedyOption"], remedy?.["option"]);
    assert.equal(facts["remedyOnlyIf"], remedy?.["onlyIf"]);
    const names = Object.keys(facts);
    assert.equal(
      names.length,
      [reference, distorted, remedy].flatMap((side) => Object.keys(side ?? {})).length,
    );
    assert.ok(names.every((name) => /^[a-z][\w-]{0,63}$/.test(name)));
  });

  test("that are cut within a character are well-formed Unicode, and only end their call", async () => {
    for (const lead of ["", "a"]) {
      const reference = `/${lead}${"😀".repeat(900)}`;
      const error = await failureOf(client.score(requestOf({ ...clips.pair, reference })));
      const { status: details, info } = detailsOf(error);
      assert.deepEqual([error.code, info?.reason], [status.FAILED_PRECONDITION, "MEDIA_NOT_READABLE"]);
      assert.ok(error.details.length === 1024 && error.details.isWellFormed());
      assert.equal(details.message, error.details);
    }
  });

  test("are also sent to streams", async () => {
    const stream = client.scoreStream(requestOf({ ...clips.pair, distorted: "/no/such.mp4" }));
    const error = await failureOf(eventsOf(stream));
    assert.equal(detailsOf(error).info?.reason, "MEDIA_NOT_FOUND");
  });

  test("refuses frames that cannot fit into one message before scoring", async () => {
    const reference = await emptyRaw(clips.directory.file("many.yuv"), 64, 64, 200_000);
    const request = requestOf({
      reference,
      distorted: reference,
      rawVideo: { width: 64, height: 64 },
      frames: true,
    });
    const error = await failureOf(client.score(request));
    assert.equal(error.code, status.RESOURCE_EXHAUSTED);
    assert.equal(detailsOf(error).info?.reason, "RESPONSE_TOO_LARGE");
    assert.match(error.details, /ScoreStream/);
    await server.scorerGone();
  });
});

describe("while a score runs", () => {
  test("another one is RESOURCE_EXHAUSTED with a retry delay, and cancelling kills the scorer", async () => {
    const stop = new AbortController();
    const metadata = named("cancelled-1");
    const long = failureOf(client.score(requestOf(clips.longPair), { cancelled: stop.signal, metadata }));
    await server.logged("score started", { requestId: "cancelled-1" });
    await server.scorerRuns();
    const error = await failureOf(client.score(requestOf(clips.pair)));
    assert.equal(error.code, status.RESOURCE_EXHAUSTED);
    const { info, retry } = detailsOf(error);
    assert.equal(info?.reason, "TOO_MANY_SCORES");
    assert.deepEqual(info?.metadata, { running: "1", limit: "1" });
    assert.equal(retry?.retryDelay?.seconds, 1n);
    stop.abort();
    assert.equal((await long).code, status.CANCELLED);
    await server.scorerGone();
    await server.logged("score refused", { requestId: "cancelled-1", code: "SCORE_CANCELLED" });
  });

  test("the caller's deadline aborts it", async () => {
    const error = await failureOf(
      client.score(requestOf(clips.longPair), { deadline: Date.now() + 5_000, metadata: named("late-1") }),
    );
    assert.equal(error.code, status.DEADLINE_EXCEEDED);
    await server.scorerGone();
    await server.logged("score refused", { requestId: "late-1" });
  });

  test("it is aborted when the client leaves the stream", async () => {
    const stream = client.scoreStream(requestOf(clips.longPair), named("left-1"));
    const ended = failureOf(eventsOf(stream));
    await server.scorerRuns();
    stream.cancel();
    assert.equal((await ended).code, status.CANCELLED);
    await server.scorerGone();
    await server.logged("score refused", { requestId: "left-1" });
  });
});

describe("limits", () => {
  test("refuses a message over 4 MiB", async () => {
    const error = await failureOf(client.score(requestOf({ reference: "x".repeat(5_000_000) })));
    assert.equal(error.code, status.RESOURCE_EXHAUSTED);
  });

  test("refuses a small message that decompresses to 100 MB", async () => {
    const session = connect(`http://${server.grpc}`);
    const packed = gzipSync(Buffer.alloc(100_000_000));
    const head = Buffer.alloc(5);
    head.writeUInt8(1, 0);
    head.writeUInt32BE(packed.length, 1);
    const stream = session.request({
      ":method": "POST",
      ":path": "/svc.v1.ScoringService/Score",
      "content-type": "application/grpc",
      "grpc-encoding": "gzip",
      te: "trailers",
    });
    const received = new Promise<string>((resolve) => {
      const look = (headers: IncomingHttpHeaders) => {
        const code = headers["grpc-status"];
        if (typeof code === "string") resolve(code);
      };
      stream.on("response", look).on("trailers", look);
    });
    stream.resume();
    stream.end(Buffer.concat([head, packed]));
    assert.equal(await received, String(status.RESOURCE_EXHAUSTED));
    session.close();
    assert.ok((await server.residentBytes()) < 200e6);
  });

  test("allows at most 100 concurrent calls on one connection", async () => {
    const session = connect(`http://${server.grpc}`);
    const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
      session.once("remoteSettings", resolve),
    );
    assert.equal(settings.maxConcurrentStreams, 100);
    session.close();
  });
});

test("returns a valid request id in the metadata and replaces any other", async () => {
  const echoOf = async (requestId: string) => {
    const stream = client.scoreStream(requestOf(clips.pair), named(requestId));
    const [[metadata]] = await Promise.all([once(stream, "metadata"), eventsOf(stream)]);
    return String(metadata.get("x-request-id"));
  };
  assert.equal(await echoOf("trace-7"), "trace-7");
  await server.logged("score finished", { requestId: "trace-7" });
  assert.match(await echoOf("has space"), /^[0-9a-f-]{36}$/);
});

/**
 * grpc.health.v1: the request {service: ""} is about the server; the response has {status: SERVING = 1, NOT_SERVING =
 * 2}.
 */
const NO_NAME = Buffer.alloc(0);
const SERVING = Buffer.from([0x08, 1]);
const NOT_SERVING = Buffer.from([0x08, 2]);

test("health is NOT_SERVING until the scorer is ready, then SERVING, and NOT_SERVING when the server stops", async () => {
  await using other = await ServerProcess.start({ ready: false });
  using watcher = new GrpcClient(other);
  const received: Buffer[] = [];
  const watch = watcher.bytesCall("/grpc.health.v1.Health/Watch", NO_NAME);
  const ended = failureOf(
    (async () => {
      for await (const message of watch) {
        received.push(message);
        if (message.equals(SERVING)) other.signal("SIGTERM");
      }
    })(),
  );
  assert.equal(await other.exited(), 0);
  await ended;
  assert.deepEqual(received.slice(-2), [SERVING, NOT_SERVING]);
});

for (const version of ["v1", "v1alpha"]) {
  test(`reflection ${version} lists and describes the services`, async () => {
    const path = `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
    const ask = async (request: Buffer): Promise<string> => {
      const stream = client.bytesCall(path, request);
      const [answer] = (await stream.take(1).toArray()) as Buffer[];
      return answer?.toString("latin1") ?? "";
    };
    const services = await ask(Buffer.from([0x3a, 1, 0x2a]));
    assert.match(services, /svc\.v1\.ScoringService/);
    assert.match(services, /grpc\.health\.v1\.Health/);
    const name = "svc.v1.ScoringService";
    const file = await ask(Buffer.from([0x22, name.length, ...Buffer.from(name)]));
    assert.match(file, /svc\/v1\/scoring\.proto/);
    assert.match(file, /on_frame_count_mismatch/);
  });
}

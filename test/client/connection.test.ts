/** Calls to a real gRPC server: responses, failures of the server and of the connection, and streams that end early. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  status,
} from "@grpc/grpc-js";
import { Connection } from "../../src/client/connection/connection.ts";
import {
  type GetJobRequest,
  GetJobResponseSchema,
  JobService,
  type StreamJobsRequest,
  StreamJobsResponseSchema,
} from "../../src/gen/proto/svc/v1/job_pb.ts";
import { statusOf } from "../../src/grpc/status.ts";
import { definitionOf } from "../../src/messages/definition.ts";
import { Failure } from "../../src/platform/failure.ts";
import { withTimeout } from "../waiting.ts";

let server: Server;
let address: string;
/** Streams that their caller cancelled. */
const left: Promise<void>[] = [];

before(async () => {
  server = new Server();
  server.addService(definitionOf(JobService), {
    getJob,
    streamJobs: (call: ServerWritableStream<StreamJobsRequest, unknown>) => void streamJobs(call),
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_error, port) => resolve(port));
  address = `127.0.0.1:${await promise}`;
});
after(() => server.forceShutdown());

const REFUSED = new Failure("JOB_NOT_FOUND", "There is no such job.", { found: { id: "refused", pages: 3 } });

type Answer = (error: object | null, value?: unknown) => void;

/** The id determines the result of the call. */
function getJob({ request, metadata }: ServerUnaryCall<GetJobRequest, unknown>, answer: Answer): void {
  if (request.id === "never") return;
  if (request.id === "newer") answer(newer());
  else if (request.id === "bare")
    answer({ code: status.PERMISSION_DENIED, details: "not for you", metadata: new Metadata() });
  else if (request.id === "refused") answer(statusOf(REFUSED));
  else if (request.id === "expired") answer(statusOf(new Failure("TOKEN_EXPIRED", "It is over.")));
  else answer(null, create(GetJobResponseSchema, { job: { id: String(metadata.get("authorization")[0]) } }));
}

/** A status of a later version, with a code unknown to this one. */
function newer() {
  const known = statusOf(new Failure("INTERNAL", "Something new."));
  const [bytes] = known.metadata?.get("grpc-status-details-bin") ?? [];
  assert.ok(bytes instanceof Buffer);
  const renamed = Buffer.from(bytes.toString("latin1").replace("INTERNAL", "NEWCODE!"), "latin1");
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", renamed);
  return { ...known, metadata };
}

async function streamJobs(call: ServerWritableStream<StreamJobsRequest, unknown>): Promise<void> {
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  call.once("cancelled", resolve);
  left.push(gone);
  for (let event = 0; ; event++) {
    if (call.cancelled) return;
    if (event === 3 && call.request.afterEventId === "fail") {
      call.emit("error", statusOf(new Failure("STREAM_TOO_SLOW", "Read faster.")));
      return;
    }
    if (call.write(create(StreamJobsResponseSchema, { eventId: String(event) })))
      await new Promise(setImmediate);
    else await Promise.race([once(call, "drain"), gone]);
  }
}

const { getJob: GET, streamJobs: STREAM } = JobService.method;

describe("a call", () => {
  test("returns the response and sends the token", async () => {
    using connection = new Connection({ address, token: async () => "t.0" });
    assert.equal((await connection.call(GET, { id: "a" })).job?.id, "Bearer t.0");
  });

  test("throws the server's own failure, with its facts", async () => {
    using connection = new Connection({ address });
    const failure = await failureOf(connection.call(GET, { id: "refused" }));
    assert.equal(failure.code, "JOB_NOT_FOUND");
    assert.equal(failure.message, "There is no such job.");
    assert.deepEqual(failure.found, { id: "refused", pages: "3" });
  });

  test("throws INTERNAL for an unknown code, with the code as a fact", async () => {
    using connection = new Connection({ address });
    const failure = await failureOf(connection.call(GET, { id: "newer" }));
    assert.equal(failure.code, "INTERNAL");
    assert.equal(failure.message, "Something new.");
    assert.deepEqual(failure.found, { code: "NEWCODE!" });
  });

  test("throws INTERNAL for a status without a code", async () => {
    using connection = new Connection({ address });
    const failure = await failureOf(connection.call(GET, { id: "bare" }));
    assert.equal(failure.code, "INTERNAL");
    assert.match(failure.message, /PERMISSION_DENIED: not for you/);
  });

  test("without a response ends at its timeout", async () => {
    using connection = new Connection({ address });
    const failure = await failureOf(connection.call(GET, { id: "never" }, { timeoutMs: 50 }));
    assert.equal(failure.code, "SERVER_UNREACHABLE");
  });

  test("to a closed port reports that the server cannot be reached", async () => {
    using connection = new Connection({ address: "127.0.0.1:1" });
    const failure = await failureOf(connection.call(GET, { id: "a" }));
    assert.equal(failure.code, "SERVER_UNREACHABLE");
    assert.match(failure.message, /127\.0\.0\.1:1 /);
  });

  test("ends when its caller aborts it, before or during the call", async () => {
    using connection = new Connection({ address });
    const signal = AbortSignal.abort();
    assert.equal(
      (await failureOf(connection.call(GET, { id: "never" }, { signal }))).code,
      "SCORE_CANCELLED",
    );
    const cancel = new AbortController();
    const call = failureOf(connection.call(GET, { id: "never" }, { signal: cancel.signal }));
    await connection.call(GET, { id: "a" });
    cancel.abort();
    assert.equal((await call).code, "SCORE_CANCELLED");
  });

  test("is not made if the token cannot be read", async () => {
    const token = async () => {
      throw new Failure("INVALID_REQUEST", "no token");
    };
    using connection = new Connection({ address, token });
    assert.equal((await failureOf(connection.call(GET, { id: "a" }))).code, "INVALID_REQUEST");
  });

  test("reports a token only if it was refused for it", async () => {
    const refused: string[] = [];
    let count = 0;
    const token = async () => `t.${++count}`;
    using connection = new Connection({ address, token, onRefused: (one) => refused.push(one) });
    await connection.call(GET, { id: "a" });
    assert.equal((await failureOf(connection.call(GET, { id: "expired" }))).code, "TOKEN_EXPIRED");
    assert.equal((await failureOf(connection.call(GET, { id: "refused" }))).code, "JOB_NOT_FOUND");
    assert.deepEqual(refused, ["t.2"]);
  });

  test("whose token is pending can be cancelled, and ends at its timeout", async () => {
    const token = () => Promise.withResolvers<string>().promise;
    using connection = new Connection({ address, token });
    const cancel = new AbortController();
    const call = failureOf(connection.call(GET, { id: "a" }, { signal: cancel.signal }));
    cancel.abort();
    assert.equal((await call).code, "SCORE_CANCELLED");
    const late = await failureOf(connection.call(GET, { id: "a" }, { timeoutMs: 20 }));
    assert.equal(late.code, "SERVER_UNREACHABLE");
    const stream = connection.stream(STREAM, {}, { signal: AbortSignal.abort() });
    assert.equal((await failureOf(stream.next())).code, "SCORE_CANCELLED");
  });

  test("fails soon if the peer vanishes silently, and works again when it is back", async () => {
    await using line = await Line.to(address);
    using connection = new Connection({ address: line.address });
    await connection.call(GET, { id: "a" });
    line.fallSilent();
    const failure = await failureOf(connection.call(GET, { id: "never" }, { timeoutMs: 300_000 }));
    assert.equal(failure.code, "SERVER_UNREACHABLE");
    line.speak();
    await connection.call(GET, { id: "a" });
  });
});

describe("a stream", () => {
  test("arrives in order, and ends when the caller leaves the loop", async () => {
    using connection = new Connection({ address });
    const seen: string[] = [];
    for await (const { eventId } of connection.stream(STREAM, {})) {
      seen.push(eventId);
      if (seen.length === 5) break;
    }
    assert.deepEqual(seen, ["0", "1", "2", "3", "4"]);
    await withTimeout(Promise.resolve(left.at(-1)), "the server to see the cancellation");
  });

  test("throws the failure that ends it, after the earlier messages", async () => {
    using connection = new Connection({ address });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { eventId } of connection.stream(STREAM, { afterEventId: "fail" })) seen.push(eventId);
    })();
    assert.equal((await failureOf(reading)).code, "STREAM_TOO_SLOW");
    assert.deepEqual(seen, ["0", "1", "2"]);
  });

  test("ends when its caller aborts it", async () => {
    using connection = new Connection({ address });
    const cancel = new AbortController();
    const reading = (async () => {
      for await (const { eventId } of connection.stream(STREAM, {}, { signal: cancel.signal })) {
        if (eventId === "3") cancel.abort();
      }
    })();
    assert.equal((await failureOf(reading)).code, "SCORE_CANCELLED");
  });
});

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const thrown = await call.then(
    () => assert.fail("it succeeded"),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof Failure, String(thrown));
  return thrown;
}

/** A proxy that can stall: it closes and loses nothing, but forwards nothing. */
class Line implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: NetServer;
  #silent = false;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, "127.0.0.1");
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (bytes) => this.#silent || to.write(bytes));
        from.on("error", () => {});
        from.on("close", () => to.destroy());
      }
    });
  }

  static async to(address: string): Promise<Line> {
    const line = new Line(Number(address.split(":")[1]));
    line.#server.listen(0, "127.0.0.1");
    await once(line.#server, "listening");
    return line;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  fallSilent(): void {
    this.#silent = true;
  }

  speak(): void {
    this.#silent = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/**
 * gRPC connections have a limited age, so that clients spread over servers added later. No call fails because of it.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, type ClientReadableStream, credentials, makeClientConstructor } from "@grpc/grpc-js";
import { service as health } from "grpc-health-check";
import { pino } from "pino";
import { Registry } from "prom-client";
import { OPEN_GATE } from "../../src/auth/access/gate.ts";
import { Connection } from "../../src/client/connection/connection.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { openEngine } from "../../src/engine/open.ts";
import { JobService } from "../../src/gen/proto/svc/v1/job_pb.ts";
import { NodeService } from "../../src/gen/proto/svc/v1/node_pb.ts";
import { type ConnectionLimits, RpcServer } from "../../src/grpc/server.ts";
import { NodeMetrics } from "../../src/worker/metrics.ts";
import { Node } from "../../src/worker/node.ts";
import { CAPABILITIES } from "../controller/scored.ts";
import { Transports } from "../server/transports.ts";
import { probesDue } from "../tcp-probes.ts";
import { until, withTimeout } from "../waiting.ts";

/** As with the usual limits, many pings are sent before the age and many after it. */
const KEEP_ALIVE = { everyMs: 250, timeoutMs: 60_000 };
/**
 * A call that an old connection refuses is retried once on a new one, which must not be too old because of a
 * suspension.
 */
const LIMITS: ConnectionLimits = { ageMs: 6_000, keepAlive: KEEP_ALIVE };
/** As many as a client opens within several ages, one after the other. */
const CONNECTIONS = 3;
/** Milliseconds for which a call is held. For most of them its connection accepts no new calls. */
const HELD_MS = 10_000;

/** A TCP proxy to a port that counts connections. */
class Counter implements AsyncDisposable {
  count = 0;
  readonly open = new Set<Socket>();
  readonly #server = createServer((socket) => this.#pass(socket));
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async to(port: number): Promise<Counter> {
    const counter = new Counter(port);
    await once(counter.#server.listen(0, "127.0.0.1"), "listening");
    return counter;
  }

  /** The port it listens on. */
  get port(): number {
    const address = this.#server.address();
    assert.ok(typeof address === "object" && address !== null);
    return address.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  #pass(socket: Socket): void {
    this.count++;
    const other = connect(this.#port, "127.0.0.1");
    this.open.add(socket);
    socket.once("close", () => this.open.delete(socket));
    for (const [one, another] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.on("error", () => {}).pipe(another);
      // Drains the data for a closed side.
      one.once("close", () => another.resume());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await once(this.#server.close(), "close");
  }
}

/** A server with only the health service, and a third-party-like client without its own pings. */
class Health implements AsyncDisposable {
  readonly rpc: RpcServer;
  readonly between: Counter;
  readonly #client: Client;

  private constructor(rpc: RpcServer, between: Counter) {
    this.rpc = rpc;
    this.between = between;
    this.#client = new (makeClientConstructor(health, "Health"))(
      between.address,
      credentials.createInsecure(),
    );
  }

  static async open(): Promise<Health> {
    const own = { services: [], registry: new Registry(), gate: OPEN_GATE };
    const rpc = new RpcServer({ ...own, connectionLimits: LIMITS });
    const port = await rpc.listen("127.0.0.1", 0);
    rpc.setServing(true);
    return new Health(rpc, await Counter.to(port));
  }

  async check(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#call("check")({ service: "" }, (error: Error | null) => (error ? reject(error) : resolve()));
    await promise;
  }

  watch(): ClientReadableStream<{ status: string }> {
    return this.#call("watch")({ service: "" });
  }

  #call(name: "check" | "watch") {
    const method: unknown = Reflect.get(this.#client, name);
    assert.ok(typeof method === "function");
    return method.bind(this.#client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    await this.rpc.close(0);
    await this.between[Symbol.asyncDispose]();
  }
}

test("a client moves to new connections without a failing call, while its stream stays on the old one", async () => {
  await using server = await Health.open();
  const { rpc, between } = server;
  const seen: string[] = [];
  const stream = server.watch();
  stream.on("data", ({ status }) => seen.push(status));
  const failures: Error[] = [];
  stream.on("error", (error) => failures.push(error));
  while (between.count < CONNECTIONS) await server.check();
  assert.deepEqual([seen, failures], [["SERVING"], []]);
  rpc.setServing(false);
  await withTimeout(once(stream, "data"), "the next message");
  assert.deepEqual(seen, ["SERVING", "NOT_SERVING"]);
  stream.cancel();
});

describe("beyond the age of their connections", () => {
  const { registerNode, pullWork, heartbeat } = NodeService.method;
  const { streamJobs, submitJob } = JobService.method;
  let transports: Transports;
  let engine: Engine;
  before(async () => {
    transports = await Transports.open(undefined, {}, { connectionLimits: LIMITS });
    engine = await openEngine({ threads: 1 });
  });
  after(() => transports[Symbol.asyncDispose]());

  const served = () => Number(transports.grpc.split(":")[1]);
  const counted = () => Counter.to(served());
  const connected = ({ address }: Counter, tenant: string) =>
    new Connection({ address, token: async () => tenant, keepAlive: KEEP_ALIVE });

  test("held calls and streams continue to their end, and then their connections close", async () => {
    await using between = await counted();
    using connection = connected(between, "callers");
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      const events = connection.stream(streamJobs, {}, { signal: stop.signal });
      for await (const { job } of events) if (job !== undefined) seen.push(job.id);
    })();
    const ended = assert.rejects(reading, { code: "SCORE_CANCELLED" });
    const registration = { name: "held", slots: 1, capabilities: CAPABILITIES };
    const { session } = await connection.call(registerNode, registration);
    const began = performance.now();
    const { item } = await connection.call(pullWork, { session, waitMs: HELD_MS }, { timeoutMs: 60_000 });
    assert.equal(item, undefined);
    // The stream's connection gets no more pings.
    for (const ports of [{ remote: between.port }, { local: served() }])
      await until(async () => (await probesDue(ports)).length > 0, "TCP keep-alive on the old connection");
    assert.ok(performance.now() - began > HELD_MS - 1, "the pull was held");
    await connection.call(heartbeat, { session, holdMs: HELD_MS }, { timeoutMs: 60_000 });
    const request = { job: { reference: "/a.y4m", distorted: "/b.y4m" } };
    const { job } = await connection.call(submitJob, request);
    assert.ok(between.count >= CONNECTIONS, "each of these calls used a new connection");
    await until(() => seen.includes(job?.id ?? ""), "the stream to report the new job");
    stop.abort();
    await withTimeout(ended, "the stream to end");
    await until(() => between.open.size <= 1, "the old connections to close");
  });

  test("a node logs nothing", async () => {
    await using between = await counted();
    using connection = connected(between, "nodes");
    const lines: string[] = [];
    const node = new Node({
      ...{ connection, opening: { started: Promise.resolve(), engine }, name: "quiet", slots: 2 },
      ...{ timeoutMs: 600_000, version: "1.2.3", metrics: new NodeMetrics(new Registry()) },
      mediaRoots: undefined,
      mediaCache: { directory: "/nonexistent", maxBytes: 0 },
      log: pino({ level: "info" }, { write: (line: string) => lines.push(line) }),
    });
    node.start();
    try {
      await until(() => lines.some((line) => line.includes('"registered"')), "the node to register");
      lines.length = 0;
      await until(() => between.count >= CONNECTIONS, "new connections");
      await delay(LIMITS.ageMs);
      assert.deepEqual(lines, []);
    } finally {
      await node.stop();
    }
  });
});
